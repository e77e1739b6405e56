// A wire log read back: what the writer writes is what the reader sees, and a damaged log is still read.
#include "host/ladder/wire_run.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/support/manual_clock.h"
#include "tests/support/refused.h"
#include "tests/support/seeded_random.h"
#include "tests/unit/ladder/log_lines.h"
#include "wire/tap/wire_log.h"

namespace postern {
namespace {

TEST(WireRun, ReadsWhatTheWireLogWrote) {
  char folder[] = "/tmp/postern-wire-run-XXXXXX";
  ASSERT_NE(::mkdtemp(folder), nullptr);
  const std::string path = std::string(folder) + "/wire.jsonl";
  test::ManualClock clock;
  test::SeededRandom random;
  {
    const auto log = WireLog::open(path, clock, random);
    ASSERT_TRUE(test::succeeded(log));
    const std::string request =
        "POST /mcp?x=1 HTTP/1.1\r\nMcp-Method: tools/call\r\nAuthorization: Bearer abc\r\n\r\n{\"jsonrpc\":\"2.0\"}";
    (*log)->see(TapRecord{Channel::kHttp, Direction::kOut, "host", "server", 4, request, true});
    clock.advance(Milliseconds(1234));
    (*log)->see(TapRecord{Channel::kHttp, Direction::kIn, "host", "server", 4, "HTTP/1.1 200 OK\r\n\r\n{}", true});
    (*log)->see(TapRecord{Channel::kStdio, Direction::kIn, "host", "server", 0, "stray", true});
    (*log)->note(Layer::kSchema, "get_order", true, Json::object({{"text", "arguments: amount_cents is missing"}}));
  }
  const auto run = host::read_wire_log(path, "run", "T-1");
  ::unlink(path.c_str());
  ::rmdir(folder);
  ASSERT_TRUE(test::succeeded(run));
  ASSERT_EQ(run->entries.size(), 4U);
  EXPECT_EQ(run->unreadable, 0U);
  EXPECT_EQ(run->missing, 0U);
  const host::WireEntry& request = run->entries[0];
  EXPECT_TRUE(request.is_request());
  EXPECT_EQ(request.method(), "POST");
  EXPECT_EQ(request.path(), "/mcp");
  EXPECT_EQ(request.header("mcp-method"), "tools/call");
  EXPECT_EQ(request.header("authorization").substr(0, 7), "<token:");
  EXPECT_EQ(request.exchange, 4U);
  EXPECT_EQ(run->entries[1].at_ms - request.at_ms, 1234);
  EXPECT_EQ(run->entries[1].status(), 200);
  EXPECT_EQ(run->entries[2].body, "stray");
  EXPECT_FALSE(run->entries[2].is_http);
  EXPECT_EQ(run->entries[3].layer, Layer::kSchema);
  EXPECT_TRUE(run->entries[3].to_read);
  EXPECT_EQ(run->entries[3].details.string_at("text"), "arguments: amount_cents is missing");
}

TEST(WireRun, CountsWhatCannotBeReadAndWhatIsMissing) {
  test::LogLines log;
  log.note("schema", "a")
      .text("{\"seq\":2,\"at\":\"20")
      .skip_a_number()
      .note("schema", "b")
      .skip_a_number()
      .note("schema", "c");
  const host::WireRun run = log.run();
  EXPECT_EQ(run.entries.size(), 3U);
  EXPECT_EQ(run.unreadable, 1U);
  EXPECT_EQ(run.missing, 1U);
}

TEST(WireRun, RefusesLinesThatAreNoEntries) {
  for (const char* line : {"", "x", "[]", "{}", "{\"seq\":0,\"kind\":\"note\"}", "{\"seq\":1}",
                           "{\"seq\":1,\"kind\":\"other\"}", "{\"seq\":\"1\",\"kind\":\"note\"}"}) {
    EXPECT_FALSE(host::parse_wire_entry(line).has_value()) << line;
  }
  EXPECT_TRUE(host::parse_wire_entry("{\"seq\":1,\"kind\":\"note\"}").has_value());
}

TEST(WireRun, RefusesALogThatIsNotThere) {
  EXPECT_TRUE(test::refused(host::read_wire_log("/nonexistent/wire.jsonl", "r", ""), "own.file_failed"));
}

}  // namespace
}  // namespace postern
