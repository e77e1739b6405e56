// Wrong use and broken surroundings: one clear message, the right exit code, and nothing lost.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/e2e/program_run.h"
#include "tests/support/refused.h"
#include "wire/base/clock.h"
#include "wire/base/random_source.h"
#include "wire/tap/tap.h"
#include "wire/transport/http_server.h"

namespace postern::e2e {
namespace {

void describe_profile(const Machine& machine, const std::string& server) {
  std::filesystem::create_directories(machine.folder() + "/config/postern");
  std::ofstream(machine.folder() + "/config/postern/config.json")
      << Json::object({{"profiles", Json::object({{"elsewhere", Json::object({{"server", server}})}})}}).dump();
}

TEST(WrongUse, RefusesWhatIsNoTicket) {
  const Machine machine;
  // The last is of public case B-015: an argument need not be UTF-8.
  for (const char* ticket : {"1042", "T-", "T-10x2", "T-1042;rm", "../x", "--nothing", "", "T-10\37742"}) {
    const Finished run = machine.postern({"run", ticket, "--open", "never"});
    EXPECT_EQ(run.exit, 2) << ticket << run.shown();
    EXPECT_EQ(run.out, "") << ticket;
    EXPECT_FALSE(run.err.empty()) << ticket;
  }
  EXPECT_TRUE(machine.runs().empty());
}

TEST(WrongUse, RefusesATicketThatNobodyKnows) {
  const Machine machine;
  const Finished run = machine.postern({"run", "T-9999", "--open", "never"});
  EXPECT_EQ(run.exit, 1) << run.shown();
  EXPECT_NE(run.err.find("T-9999"), std::string::npos) << run.shown();
  EXPECT_EQ(run.out.find("final:"), std::string::npos) << run.shown();
  EXPECT_TRUE(machine.model_requests().empty());
}

TEST(WrongUse, RefusesAServerThatCannotBeReached) {
  const Machine machine;
  auto nobody = ListeningSocket::on_loopback(0);
  ASSERT_TRUE(test::succeeded(nobody));
  const std::string url = nobody->origin() + "/mcp";
  { const ListeningSocket closed = *std::move(nobody); }
  describe_profile(machine, url);
  const Finished run = machine.postern({"run", "T-1042", "--open", "never", "--profile", "elsewhere"},
                                       {{"ANTHROPIC_API_KEY", "sk-ant-none"}});
  EXPECT_EQ(run.exit, 3) << run.shown();
  EXPECT_NE(run.err.find("Cannot reach"), std::string::npos) << run.shown();
  EXPECT_NE(run.err.find("No case was opened"), std::string::npos) << run.shown();
}

// A server of the 2025 era: it knows initialize, and not server/discover.
TEST(WrongUse, RefusesAServerThatSpeaksAnOlderProtocolOnly) {
  auto socket = ListeningSocket::on_loopback(0);
  ASSERT_TRUE(test::succeeded(socket));
  const std::string url = socket->origin() + "/mcp";
  Routes routes;
  routes.add_any("/mcp", [](const HttpRequest& request) -> HttpReply {
    const auto message = parse_json(request.body);
    const Json* id = message ? message->find("id") : nullptr;
    const Json error = Json::object({{"code", -32601}, {"message", "Method not found"}});
    return json_response(
        200, Json::object({{"jsonrpc", "2.0"}, {"id", id == nullptr ? Json() : *id}, {"error", error}}).dump());
  });
  SystemClock clock;
  SystemRandomSource random;
  NoTap tap;
  std::vector<HttpListener> listeners;
  listeners.push_back(HttpListener{*std::move(socket), std::move(routes), {}, "old"});
  HttpServer server(std::move(listeners), Env{clock, random, tap});
  server.start();
  const Machine machine;
  describe_profile(machine, url);
  const Finished run = machine.postern({"run", "T-1042", "--open", "never", "--profile", "elsewhere"},
                                       {{"ANTHROPIC_API_KEY", "sk-ant-none"}});
  server.drain(std::chrono::milliseconds(200));
  EXPECT_EQ(run.exit, 3) << run.shown();
  EXPECT_NE(run.err.find("Version negotiation failed: the server did not offer pinned protocol version 2026-07-28 via "
                         "server/discover (no "
                         "fallback in pin mode)"),
            std::string::npos)
      << run.shown();
  EXPECT_EQ(run.out.find("final:"), std::string::npos);
}

// Before any case is opened nobody else says it: the run would end without a word.
TEST(WrongUse, SaysThatAServerWantsPermissionsThatAreNotAskedFor) {
  auto socket = ListeningSocket::on_loopback(0);
  ASSERT_TRUE(test::succeeded(socket));
  const std::string origin = socket->origin();
  Routes routes;
  routes.add_any("/mcp", [](const HttpRequest&) -> HttpReply {
    HttpResponse refusal = json_response(401, "{}");
    refusal.headers.add("WWW-Authenticate", "Bearer");
    return refusal;
  });
  routes.add("GET", "/.well-known/oauth-protected-resource/mcp", [origin](const HttpRequest&) -> HttpReply {
    return json_response(200, Json::object({{"resource", origin + "/mcp"},
                                            {"authorization_servers", Json::array({origin})},
                                            {"scopes_supported", Json::array({"admin"})}})
                                  .dump());
  });
  routes.add("GET", "/.well-known/oauth-authorization-server", [origin](const HttpRequest&) -> HttpReply {
    return json_response(200, Json::object({{"issuer", origin},
                                            {"authorization_endpoint", origin + "/authorize"},
                                            {"token_endpoint", origin + "/token"},
                                            {"code_challenge_methods_supported", Json::array({"S256"})}})
                                  .dump());
  });
  SystemClock clock;
  SystemRandomSource random;
  NoTap tap;
  std::vector<HttpListener> listeners;
  listeners.push_back(HttpListener{*std::move(socket), std::move(routes), {}, "wants more"});
  HttpServer server(std::move(listeners), Env{clock, random, tap});
  server.start();
  const Machine machine;
  describe_profile(machine, origin + "/mcp");
  const Finished run = machine.postern({"run", "T-1042", "--open", "never", "--profile", "elsewhere"},
                                       {{"ANTHROPIC_API_KEY", "sk-ant-none"}});
  server.drain(std::chrono::milliseconds(200));
  EXPECT_EQ(run.exit, 4) << run.shown();
  EXPECT_NE(run.err.find("The server wants admin"), std::string::npos) << run.shown();
}

TEST(WrongUse, RefusesAProfileWithoutAModelKey) {
  const Machine machine;
  describe_profile(machine, "http://127.0.0.1:9/mcp");
  const Finished run = machine.postern({"run", "T-1042", "--open", "never", "--profile", "elsewhere"});
  EXPECT_EQ(run.exit, 2) << run.shown();
  EXPECT_NE(run.err.find("ANTHROPIC_API_KEY"), std::string::npos) << run.shown();
}

TEST(WrongUse, RefusesAPortThatIsTaken) {
  auto taken = ListeningSocket::on_loopback(0);
  ASSERT_TRUE(test::succeeded(taken));
  const Machine machine;
  const std::string config = machine.folder() + "/model.json";
  std::ofstream(config) << R"({"script":"honest","port":)" << taken->port() << "}";
  std::filesystem::permissions(config, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  const Finished run = run_program({program("postern-lab"), "model", "serve", "--config", config}, machine.variables());
  EXPECT_EQ(run.exit, 2) << run.shown();
  EXPECT_EQ(run.out, "");
  EXPECT_NE(run.err.find(std::to_string(taken->port())), std::string::npos) << run.shown();
}

TEST(WrongUse, RefusesAStateFolderThatCannotBeWritten) {
  const Machine machine;
  // A folder in which even root makes none.
  const Finished run = machine.postern({"run", "T-1042", "--open", "never"}, {{"XDG_STATE_HOME", "/proc/self"}});
  EXPECT_NE(run.exit, 0) << run.shown();
  EXPECT_NE(run.exit, 70) << run.shown();
  EXPECT_NE(run.err.find("/proc/self"), std::string::npos) << run.shown();
  EXPECT_EQ(run.out, "");
}

TEST(WrongUse, RefusesAConfigurationKeyThatItDoesNotKnow) {
  const Machine machine;
  std::filesystem::create_directories(machine.folder() + "/config/postern");
  const std::string file = machine.folder() + "/config/postern/config.json";
  std::ofstream(file) << R"({"max_stepz": 3})";
  const Finished wrong = machine.postern({"run", "T-1042", "--open", "never"});
  EXPECT_EQ(wrong.exit, 2) << wrong.shown();
  EXPECT_NE(wrong.err.find("max_stepz"), std::string::npos) << wrong.shown();
  EXPECT_NE(wrong.err.find("max_steps"), std::string::npos) << wrong.shown();
  EXPECT_TRUE(machine.runs().empty());
}

TEST(WrongUse, RefusesAnUnknownModelScript) {
  const Machine machine;
  const Finished run = machine.lab_run({"T-1042", "--supervisor", "none", "--model-script", "helpful"});
  EXPECT_NE(run.exit, 0) << run.shown();
  EXPECT_EQ(run.out.find("final:"), std::string::npos) << run.shown();
}

}  // namespace
}  // namespace postern::e2e
