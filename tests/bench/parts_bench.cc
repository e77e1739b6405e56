// What is inside one process, measured by Google Benchmark: run through ./dev bench.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdlib>

#include "services/store/database.h"
#include "tests/support/schema_pairs.h"
#include "wire/base/aead.h"
#include "wire/base/canonical_json.h"
#include "wire/base/clock.h"
#include "wire/base/digest.h"
#include "wire/base/json.h"
#include "wire/base/random_source.h"
#include "wire/schema/schema.h"
#include "wire/tap/redact.h"
#include "wire/tap/wire_log.h"

namespace postern {
namespace {

// A reply of the desk as it crosses the wire: about 1.65 KB of JSON.
std::string order_text() {
  Json lines = Json::array();
  for (int i = 0; i < 6; ++i) {
    lines.push(Json::object({{"line_id", "LN-" + std::to_string(i)},
                             {"sku", "TNT-2P-ALPINE"},
                             {"title", "Alpine two-person tent with footprint"},
                             {"quantity", 1},
                             {"unit_cents", 31900},
                             {"line_cents", 31900}}));
  }
  const Json order =
      Json::object({{"order_id", "ORD-5521"}, {"currency", "USD"}, {"total_cents", 35330}, {"lines", lines}});
  const Json result =
      Json::object({{"content", Json::array({Json::object({{"type", "text"}, {"text", order.dump()}})})},
                    {"structuredContent", order}});
  return Json::object({{"jsonrpc", "2.0"}, {"id", 7}, {"result", result}}).dump();
}

void ParseReply(benchmark::State& state) {
  const std::string text = order_text();
  for (auto _ : state) benchmark::DoNotOptimize(parse_json(text));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}
BENCHMARK(ParseReply);

void WriteReply(benchmark::State& state) {
  const std::string text = order_text();
  const Json json = *parse_json(text);
  for (auto _ : state) benchmark::DoNotOptimize(json.dump());
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}
BENCHMARK(WriteReply);

void DigestOfDefinition(benchmark::State& state) {
  const Json json = *parse_json(order_text());
  for (auto _ : state) benchmark::DoNotOptimize(sha256(canonical_json(json)));
}
BENCHMARK(DigestOfDefinition);

void RedactWireLine(benchmark::State& state) {
  SystemRandomSource random;
  const Fingerprints fingerprints(random);
  const Redactor redactor(fingerprints);
  const std::string secret = random_token(random, "ch_", 16);
  const std::string line =
      R"({"method":"tools/call","params":{"arguments":{"case_handle":")" + secret + R"("}}})" + order_text();
  for (auto _ : state) benchmark::DoNotOptimize(redactor.text(line));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * line.size()));
}
BENCHMARK(RedactWireLine);

// The same reply as the host's wire log takes it in: redacted, with its digest, one write(2) a line.
void RedactAndWriteWireLine(benchmark::State& state) {
  std::string folder = "build/bench-wire-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return state.SkipWithError("no folder");
  const SystemClock clock;
  SystemRandomSource random;
  {
    const auto log = WireLog::open(folder + "/wire.jsonl", clock, random);
    if (!log) return state.SkipWithError("no log");
    const std::string body = order_text();
    const std::string message = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nCache-Control: no-store\r\n" +
                                ("Content-Length: " + std::to_string(body.size())) + "\r\n\r\n" + body;
    const TapRecord record{Channel::kHttp, Direction::kIn, "host", "server", next_exchange(), message, true};
    for (auto _ : state) (*log)->see(record);
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * message.size()));
  }
  unlink((folder + "/wire.jsonl").c_str());
  rmdir(folder.c_str());
}
BENCHMARK(RedactAndWriteWireLine);

// Compiles a schema and validates an instance that cost the most they can in 64 KB: up to the budgets.
void SchemaWorstCase64K(benchmark::State& state, const test::SchemaPair& pair) {
  for (auto _ : state) {
    const auto schema = Schema::compile(pair.schema);
    if (schema) benchmark::DoNotOptimize(schema->validate(pair.instance));
  }
}

}  // namespace

static void register_schema_pairs() {
  static const std::vector<test::SchemaPair> kPairs = test::expensive_schema_pairs();
  for (const test::SchemaPair& pair : kPairs) {
    benchmark::RegisterBenchmark(("SchemaWorstCase64K/" + pair.name).c_str(),
                                 [&pair](benchmark::State& state) { SchemaWorstCase64K(state, pair); });
  }
}

namespace {

void SealRequestState(benchmark::State& state) {
  SystemRandomSource random;
  const std::string key(32, 'k');
  const std::string text(300, 's');
  for (auto _ : state) benchmark::DoNotOptimize(aead_seal(key, text, "issue_refund", random));
}
BENCHMARK(SealRequestState);

// One durable transaction of one row, as a refund is.
void DurableCommit(benchmark::State& state) {
  static constexpr EmbeddedFile kMigrations[] = {{"0001.sql", "CREATE TABLE t(id INTEGER PRIMARY KEY, text TEXT);"}};
  std::string folder = "build/bench-store-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return state.SkipWithError("no folder");
  auto database = services::Database::open(
      {folder + "/t.sqlite", services::Durability::kFull, std::chrono::milliseconds(5000), kMigrations});
  if (!database) return state.SkipWithError("no database");
  for (auto _ : state) {
    const auto written = (*database)->write<bool>([](services::Connection& connection) -> Result<bool> {
      POSTERN_TRY_VOID(connection.statement("INSERT INTO t(text) VALUES ('one refund')").run());
      return true;
    });
    if (!written) return state.SkipWithError("a commit failed");
  }
  for (const char* name : {"/t.sqlite", "/t.sqlite-wal", "/t.sqlite-shm"}) unlink((folder + name).c_str());
  rmdir(folder.c_str());
}
BENCHMARK(DurableCommit)->UseRealTime();

}  // namespace
}  // namespace postern

int main(int argc, char** argv) {
  postern::register_schema_pairs();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
