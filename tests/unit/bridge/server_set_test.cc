// Servers beside the desk as a model meets them: what it is shown of each, and what one call of it can and cannot
// reach.
#include "bridge/server_set.h"

#include <gtest/gtest.h>

#include "bridge/input_answers.h"
#include "tests/support/refused.h"
#include "tests/unit/bridge/played_transport.h"
#include "wire/mcp/codec.h"

namespace postern::bridge {
namespace {

using test::refused;
using test::succeeded;

class Silent final : public ElicitationHandler {
 public:
  mcp::ElicitAction show_link(const LinkRequest&, const std::stop_token&) override {
    return mcp::ElicitAction::kCancel;
  }
  void link_refused(const std::string&, const std::string&) override {}
  void still_waiting(const std::string&) override {}
};

Json definition_of(const std::string& name, const std::string& argument) {
  Json properties = Json::object({{argument, Json::object({{"type", "string"}})}});
  Json input = Json::object({{"type", "object"}, {"properties", std::move(properties)}});
  return Json::object({{"name", name}, {"description", "Does " + name + "."}, {"inputSchema", std::move(input)}});
}

// One server: what it serves, what was reviewed of it, and what it was sent.
struct PlayedServer {
  test::TestEnv env;
  played::Transport transport;
  Session session{env.env(), transport, {}};
  NoAuthorizer authorizer;
  Silent silent;
  CallObserver observer;
  ElicitationAnswers answers{silent, {}};
  std::vector<Json> definitions;
  bool confirm = false;
  int calls_max = 100;

  explicit PlayedServer(std::vector<Json> tools) : definitions(std::move(tools)) {
    transport.is_http = false;
    transport.handle = [this](const OutgoingRequest& request) -> Result<ServerAnswer> {
      if (request.method == "server/discover") return played::discovered();
      return played::complete(Json::object({{"content", Json::array({mcp::text_block("from the server")})}}));
    };
  }
  ServerSetEntry entry(const std::string& name) {
    pins::PinFile file;
    for (const Json& definition : definitions)
      file.tools.push_back({pins::pin_of(*mcp::read_tool(definition)), definition, confirm, true});
    const pins::PinGate gate(file);
    ServerSetEntry entry;
    entry.name = name;
    for (const Json& definition : definitions) entry.tools.push_back(*gate.admit(*mcp::read_tool(definition)));
    entry.mirrors_parameters = transport.is_http;
    entry.calls_max = calls_max;
    entry.make_call = [this](const ResultValidator& valid, CallOptions options) {
      return std::make_unique<Call>(env.env(), session, authorizer, valid, answers, observer, std::move(options),
                                    [](std::chrono::milliseconds, const std::stop_token&) { return false; });
    };
    return entry;
  }
  [[nodiscard]] Json last_params() const { return transport.requests.back().params; }
};

TEST(ServerSet, ShowsTwoServersWithTheSameToolUnderOurNames) {
  PlayedServer docs({definition_of("search", "query")});
  PlayedServer web({definition_of("search", "query")});
  ServerSet set("0011223344556677");
  EXPECT_TRUE(set.add(docs.entry("docs"), {}).empty());
  EXPECT_TRUE(set.add(web.entry("web"), {}).empty());
  ASSERT_EQ(set.shown().size(), 2U);
  EXPECT_EQ(set.shown()[0].name(), "docs__search");
  EXPECT_EQ(set.shown()[1].name(), "web__search");

  ASSERT_TRUE(succeeded(set.call("web__search", Json::object({{"query", "tents"}}), {})));
  EXPECT_TRUE(docs.transport.requests.empty());
  EXPECT_EQ(web.last_params().string_at("name"), "search");
}

TEST(ServerSet, FindsANameByItsCase) {
  PlayedServer server({definition_of("Get", "query")});
  ServerSet set("00");
  set.add(server.entry("docs"), {});
  EXPECT_TRUE(set.find("docs__Get").has_value());
  EXPECT_FALSE(set.find("docs__get").has_value());
  EXPECT_FALSE(set.find("Get").has_value());
  EXPECT_FALSE(set.find("web__Get").has_value());
}

TEST(ServerSet, LabelsAResultWithOurWordForTheServer) {
  PlayedServer server({definition_of("read.file", "path")});
  ServerSet set("0011223344556677");
  set.add(server.entry("files"), {});
  const Result<LabeledResult> result = set.call("files__read_x2E_file", Json::object(), {});
  ASSERT_TRUE(succeeded(result));
  EXPECT_EQ(
      result->text().rfind("<untrusted-data nonce=\"0011223344556677\" server=\"files\" tool=\"read_x2E_file\">\n", 0),
      0U)
      << result->text();
}

TEST(ServerSet, TellsAStrangerNothingOfTheRunAndGivesItNoHandle) {
  PlayedServer server({definition_of("read", "case_handle")});
  ServerSet set("00");
  CallOptions options;  // as the desk's: its own argument is bound there
  set.add(server.entry("files"), options);
  ASSERT_TRUE(succeeded(set.call("files__read", Json::object({{"case_handle", "the model's own word"}}), {})));
  const Json params = server.last_params();
  EXPECT_EQ(params.find("arguments")->dump(), R"({"case_handle":"the model's own word"})");
  EXPECT_FALSE(params.find("_meta")->has("dev.postern/run"));
}

TEST(ServerSet, DoesNotCallMoreOftenThanItsLimit) {
  PlayedServer server({definition_of("read", "path")});
  server.calls_max = 1;
  ServerSet set("00");
  set.add(server.entry("files"), {});
  EXPECT_TRUE(succeeded(set.call("files__read", Json::object(), {})));
  EXPECT_TRUE(refused(set.call("files__read", Json::object(), {}), "bridge.calls_used_up"));
}

TEST(ServerSet, CallsALostAnswerUnknownUnlessTheReviewerLetTheToolThrough) {
  for (const bool confirm : {true, false}) {
    PlayedServer server({definition_of("write", "path")});
    server.confirm = confirm;
    ServerSet set("00");
    set.add(server.entry("files"), {});
    server.transport.handle = [](const OutgoingRequest& request) -> Result<ServerAnswer> {
      if (request.method == "server/discover") return played::discovered();
      return RequestTimedOut{request.method, 1000, false, {}};
    };
    EXPECT_TRUE(
        refused(set.call("files__write", Json::object(), {}), confirm ? "bridge.outcome_unknown" : "bridge.timed_out"));
  }
}

TEST(ServerSet, LooksAtHeaderAnnotationsOverHttpOnly) {
  Json bad = definition_of("bad", "amount");
  bad.find("inputSchema")->find("properties")->set("amount", Json::object({{"type", "number"}, {"x-mcp-header", "A"}}));
  for (const bool http : {true, false}) {
    PlayedServer server({bad, definition_of("good", "path")});
    server.transport.is_http = http;
    ServerSet set("00");
    const auto left_out = set.add(server.entry("files"), {});
    EXPECT_EQ(left_out.size(), http ? 1U : 0U);
    EXPECT_EQ(set.shown().size(), http ? 1U : 2U);
    if (http) {
      EXPECT_NE(left_out.front().second.text().find("The tool bad is left out"), std::string::npos);
    }
  }
}

TEST(ServerSet, HasNoToolOfAServerThatIsGone) {
  PlayedServer docs({definition_of("search", "query")});
  PlayedServer web({definition_of("search", "query")});
  ServerSet set("00");
  set.add(docs.entry("docs"), {});
  set.add(web.entry("web"), {});
  set.remove("docs");
  EXPECT_FALSE(set.find("docs__search").has_value());
  EXPECT_TRUE(set.find("web__search").has_value());
}

}  // namespace
}  // namespace postern::bridge
