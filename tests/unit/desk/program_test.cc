// Proves the program over stdio as a client meets it: messages only on stdout, ids byte for byte (B-009), a bad line
// survived (B-006), and an end with the end of the input (B-004); and how it is launched to serve. Skips itself when
// postern-desk is not built.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <sstream>

#include "tests/support/refused.h"
#include "tests/support/shared_file.h"
#include "tests/support/temporary_folder.h"
#include "wire/base/clock.h"
#include "wire/base/digest.h"
#include "wire/base/random_source.h"
#include "wire/jsonrpc/message.h"
#include "wire/transport/child_process.h"
#include "wire/transport/http_client.h"
#include "wire/transport/listening_socket.h"

namespace postern::desk {
namespace {

using test::succeeded;

constexpr const char* kDiscover =
    R"({"jsonrpc":"2.0","id":@,"method":"server/discover","params":{"_meta":)"
    R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}})";

std::string discover(const std::string& id) {
  std::string line = kDiscover;
  return line.replace(line.find('@'), 1, id) + "\n";
}

class DeskProgram : public testing::Test {
 protected:
  void SetUp() override {
    if (!file_exists(program_)) GTEST_SKIP() << "needs " << program_ << ", which is not built";
  }
  struct Ended {
    std::vector<std::string> lines;  // of stdout
    std::optional<int> status;
  };
  Result<ChildProcess> start(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), program_);
    ChildOptions options;
    options.argv = std::move(arguments);
    options.environment = {{"TMPDIR", folder_.path()}};
    options.pipe_stdout = true;
    options.stderr_file = folder_ / "stderr.log";
    auto child = ChildProcess::spawn(options);
    EXPECT_TRUE(succeeded(child));
    return child;
  }
  // Starts the program, gives it the input, closes it, and waits for the end.
  Ended run(std::vector<std::string> arguments, const std::string& input) {
    auto child = start(std::move(arguments));
    if (!child) return {};
    EXPECT_TRUE(succeeded(child->write(input)));
    child->close_stdin();
    std::string out;
    char buffer[4096];
    for (ssize_t got = 0; (got = ::read(child->stdout_descriptor(), buffer, sizeof buffer)) > 0;) {
      out.append(buffer, static_cast<std::size_t>(got));
    }
    Ended ended;
    ended.status = child->wait(std::chrono::milliseconds(10'000));
    std::istringstream in(out);
    for (std::string line; std::getline(in, line);) ended.lines.push_back(line);
    return ended;
  }
  Ended run_stdio(const std::string& input) { return run({"stdio", "--as", "rowan", "--ticket", "T-1042"}, input); }

  [[nodiscard]] Json launch_document() const {
    Json admitted = Json::object();
    Json credentials = Json::object();
    for (const char* name : {"customers:read", "orders:read", "returns:read"})
      admitted.set(name, sha256_hex(std::string("svc_of_") + name));
    for (const char* name :
         {"customers:read", "orders:read", "returns:read", "approvals:request", "payments:refund", "payments:read"})
      credentials.set(name, std::string("svc_of_") + name);
    Json document = Json::object({{"issuer", "http://127.0.0.1:8930"}, {"resource", "http://127.0.0.1:8931/mcp"}});
    document.set("database_dir", folder_ / "db").set("seed", true).set("service_credentials", std::move(credentials));
    document.set("admitted", std::move(admitted)).set("key_ring_file", folder_ / "key_ring.json");
    document.set("approvals_url", "http://127.0.0.1:8941").set("payments_url", "http://127.0.0.1:8942");
    document.set("page_origin", "http://127.0.0.1:8940");
    return document;
  }
  // Of a GET; 0 when nobody answers.
  static int status_of(std::uint16_t port, const char* target) {
    SystemClock clock;
    SystemRandomSource random;
    NoTap tap;
    const auto client = make_http_client({clock, random, tap}, {});
    HttpRequest request;
    request.method = "GET";
    request.target = target;
    const auto response = client->send(*parse_uri("http://127.0.0.1:" + std::to_string(port)), request,
                                       clock.steady_now() + std::chrono::seconds(10));
    return response ? response->status : 0;
  }

  std::array<std::uint16_t, 2> ports_{};
  std::string program_ = std::string(POSTERN_BIN_DIR) + "/postern-desk";
  test::TemporaryFolder folder_;
};

TEST_F(DeskProgram, EndsWithItsInputAndLeavesNothingBehind) {
  const Ended ended = run_stdio("");
  EXPECT_EQ(ended.status, 0);
  EXPECT_TRUE(ended.lines.empty());
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    EXPECT_EQ(entry.path().filename(), "stderr.log");
  }
}

// MCP 2026-07-28 basic/transports/stdio, "Shutdown": whatever is in flight, and in a few seconds.
TEST_F(DeskProgram, EndsWithItsInputThoughNobodyReadsItsAnswers) {
  auto child = start({"stdio", "--as", "rowan", "--ticket", "T-1042"});
  ASSERT_TRUE(succeeded(child));
  std::string input;
  for (int i = 0; i < 1000; ++i) input += discover(std::to_string(i));  // its answers are more than a pipe holds
  ASSERT_TRUE(succeeded(child->write(input)));
  child->close_stdin();
  EXPECT_EQ(child->wait(std::chrono::milliseconds(10'000)), 0);
}

TEST_F(DeskProgram, AnswersEachIdByteForByte) {
  const std::vector<std::string> ids = {"0", "\"0\"", "\"\"", "\"init-1\"", "-3", "9007199254740993", "\"a\\u0000b\""};
  std::string input;
  for (const std::string& id : ids) input += discover(id);
  const Ended ended = run_stdio(input);
  EXPECT_EQ(ended.status, 0);
  ASSERT_EQ(ended.lines.size(), ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_TRUE(ended.lines[i].starts_with(R"({"jsonrpc":"2.0","id":)" + ids[i] + ",")) << ended.lines[i];
  }
}

TEST_F(DeskProgram, GoesOnAfterABadLine) {
  const Ended ended = run_stdio("not json\n\xEF\xBB\xBF" + discover("1") + discover("2") + discover("3"));
  ASSERT_EQ(ended.lines.size(), 4U);
  for (const std::string& line : ended.lines) EXPECT_TRUE(succeeded(parse_message(line))) << line;
  EXPECT_EQ(parse_json(ended.lines[0])->find("error")->integer_at("code"), -32700);
}

TEST_F(DeskProgram, RefusesWrongUseWithOneMessageAndTwo) {
  EXPECT_EQ(run({"stdio", "--as", "rowan", "--ticket", "T-1042;rm"}, "").status, 2);
  EXPECT_EQ(run({"stdio", "--ticket", "T-1042"}, "").status, 2);
  EXPECT_EQ(run({"stdio", "--as", "rowan", "--ticket", "T-1042", "--db", ""}, "").status, 2);
  EXPECT_EQ(run({"seed", "--db", ""}, "").status, 2);
  EXPECT_EQ(run({"serve", "--config", folder_ / "none.json"}, "").status, 2);
  const Ended unknown = run({"serve", "--config", "-"}, "{\"issuer\":\"http://127.0.0.1:1\"}\n");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_TRUE(unknown.lines.empty());
}

TEST_F(DeskProgram, ServesHealthOnAListenerOfItsOwnWhenAskedTo) {
  const auto start = [&](bool with_health) {
    auto desk = ListeningSocket::on_loopback(0);
    auto health = ListeningSocket::on_loopback(0);
    ports_ = {desk->port(), health->port()};
    ChildOptions options;
    options.argv = {program_, "serve", "--config", "-"};
    options.stderr_file = folder_ / "stderr.log";
    options.sockets = {{"desk", desk->descriptor()}};
    if (with_health) options.sockets.emplace_back("health", health->descriptor());
    auto child = ChildProcess::spawn(options);
    EXPECT_TRUE(succeeded(child));
    Json document = launch_document();
    document.set("resource", desk->origin() + "/mcp");
    EXPECT_TRUE(succeeded(child->write(document.dump() + "\n")));
    return child;
  };
  {
    const auto with = start(true);
    EXPECT_EQ(status_of(ports_[1], "/healthz"), 200);
    EXPECT_EQ(status_of(ports_[0], "/healthz"), 404);
    EXPECT_EQ(status_of(ports_[1], "/mcp"), 404);
  }
  const auto without = start(false);
  EXPECT_EQ(status_of(ports_[0], "/healthz"), 404);
  EXPECT_EQ(status_of(ports_[1], "/healthz"), 0);
}

TEST_F(DeskProgram, RefusesProxiesThatAreNoAddresses) {
  Json document = launch_document();
  document.set("trusted_proxies", Json::array({"localhost"}));
  EXPECT_EQ(run({"serve", "--config", "-"}, document.dump() + "\n").status, 2);
  document.set("trusted_proxies", Json::array({"127.0.0.1", "10.0.0.0/8"}));
  EXPECT_EQ(run({"serve", "--config", "-"}, document.dump() + "\n").status, 0);
}

TEST_F(DeskProgram, ShowsATicketOfASeededFolder) {
  const std::string db = folder_ / "db";
  EXPECT_EQ(run({"seed", "--db", db}, "").status, 0);
  const Ended shown = run({"show", "T-1042", "--db", db}, "");
  EXPECT_EQ(shown.status, 0);
  ASSERT_FALSE(shown.lines.empty());
  EXPECT_NE(shown.lines[0].find("T-1042, open, desk west"), std::string::npos) << shown.lines[0];
  EXPECT_EQ(run({"show", "T-9999", "--db", db}, "").status, 1);
  // A folder that is only read is not made.
  const std::string nowhere = folder_ / "nowhere";
  EXPECT_EQ(run({"show", "T-1042", "--db", nowhere}, "").status, 2);
  EXPECT_EQ(run({"stdio", "--as", "rowan", "--ticket", "T-1042", "--db", nowhere}, "").status, 2);
  EXPECT_FALSE(file_exists(nowhere));
}

}  // namespace
}  // namespace postern::desk
