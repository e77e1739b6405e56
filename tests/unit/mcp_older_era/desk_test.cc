// Proves that the desk answers older clients where it is configured to, with its read tools, behind its own gate; and
// nowhere else.
#include <gtest/gtest.h>

#include "services/desk/launch_document.h"
#include "tests/support/refused.h"
#include "tests/unit/desk/desk_world.h"
#include "tests/unit/mcp_older_era/older_server.h"

namespace postern::desk {
namespace {

using test::json_text;
using test::refused;
using test::succeeded;

constexpr const char* kOpening = R"({"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"old"}})";

class DeskForOlderClients : public testing::Test {
 protected:
  void compose(bool older_era) {
    HttpDeskOptions options = world_.options();
    options.older_era = older_era;
    options.limits.principal = {1, 8};
    auto composed = HttpDesk::compose(world_.env_.env(), std::move(options), {world_.services, world_.services});
    ASSERT_TRUE(succeeded(composed));
    world_.desk = *std::move(composed);
    world_.routes = world_.desk->routes();
  }
  HttpResponse send(const std::string& token, const char* method, const std::string& params) {
    HttpRequest request;
    request.method = "POST";
    request.target = "/mcp";
    request.headers = {{"Host", test::kHostAuthority},
                       {"Content-Type", "application/json"},
                       {"Accept", "application/json, text/event-stream"},
                       {"MCP-Protocol-Version", "2025-11-25"},
                       {"Authorization", "Bearer " + token}};
    request.body = R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(method) + R"(","params":)" + params + "}";
    return world_.send(request);
  }
  static Json member_of(const HttpResponse& response, const char* name) {
    const Json body = parse_json(response.body).value_or(Json());
    const Json* member = body.find(name);
    return member == nullptr ? Json() : *member;
  }

  test::DeskWorld world_;
};

// open_case makes a handle, so it is not marked as reading; the desk offers it all the same, and nothing that writes.
TEST_F(DeskForOlderClients, OpenAndReadACaseAndKnowNothingThatWrites) {
  compose(true);
  const std::string token = world_.token("rowan", test::kReadAndRefund);
  EXPECT_EQ(member_of(send(token, "initialize", kOpening), "result").find("serverInfo")->string_at("name"),
            kServerName);
  EXPECT_EQ(member_of(send(token, "tools/list", "{}"), "result").find("tools")->size(), 6U);
  const Json opened =
      member_of(send(token, "tools/call", R"({"name":"open_case","arguments":{"ticket_id":"T-1042"}})"), "result");
  const std::string handle(opened.find("structuredContent")->string_at("case_handle"));
  const std::string of_case = R"("arguments":{"case_handle":")" + handle + "\"}}";
  const Json order = member_of(send(token, "tools/call", R"({"name":"get_order",)" + of_case), "result");
  EXPECT_EQ(order.find("structuredContent")->string_at("order_id"), "ORD-5521");
  const Json refused = member_of(send(token, "tools/call", R"({"name":"issue_refund",)" + of_case), "error");
  EXPECT_EQ(refused.integer_at("code"), -32602);
}

TEST_F(DeskForOlderClients, AreHeldToTheGateAndToTheLimitsOfTheirPrincipal) {
  compose(true);
  EXPECT_EQ(send("nothing", "initialize", kOpening).status, 401);
  EXPECT_EQ(send(world_.token("rowan", "refunds:write"), "initialize", kOpening).status, 403);
  // The refusal was one of the eight.
  for (int i = 0; i < 7; ++i) EXPECT_EQ(send(world_.token(), "ping", "{}").status, 200) << i;
  EXPECT_EQ(send(world_.token(), "ping", "{}").status, 429);
}

TEST_F(DeskForOlderClients, AreToldTheRevisionWhereTheyAreNotConfigured) {
  compose(false);
  const HttpResponse response = send(world_.token(), "initialize", kOpening);
  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(*member_of(response, "error").find("data")->find("supported"), json_text(R"(["2026-07-28"])"));
}

TEST_F(DeskForOlderClients, AreNobodyOverStdioUnlessAskedFor) {
  const test::TemporaryFolder folder;
  const StoreOptions store = own_store(world_.env_.env(), folder.path(), true);
  const auto without = StdioDesk::compose(world_.env_.env(), store, "T-1042");
  ASSERT_TRUE(succeeded(without));
  EXPECT_EQ((*without)->older_era(), nullptr);
  const auto with = StdioDesk::compose(world_.env_.env(), store, "T-1042", true);
  ASSERT_TRUE(succeeded(with));
  EXPECT_NE((*with)->older_era(), nullptr);
}

TEST(OlderEraOfTheLaunchDocument, IsOffUnlessItSaysTrue) {
  const char* document =
      R"({"issuer":"http://127.0.0.1:8930","resource":"http://127.0.0.1:8931/mcp","database_dir":"/tmp/d",
          "service_credentials":{"customers:read":"1","orders:read":"2","returns:read":"3","approvals:request":"4",
                                 "payments:refund":"5","payments:read":"6"},
          "admitted":{"customers:read":"00","orders:read":"01","returns:read":"02"},
          "approvals_url":"http://127.0.0.1:8941","payments_url":"http://127.0.0.1:8942",
          "page_origin":"http://127.0.0.1:8940","key_ring_file":"/tmp/d/ring.json"})";
  const auto read = [&](const char* value) {
    Json json = json_text(document);
    if (value != nullptr) json.set("older_era", json_text(value));
    return read_launch_document(json);
  };
  EXPECT_FALSE(read(nullptr)->desk.older_era);
  EXPECT_FALSE(read("false")->desk.older_era);
  EXPECT_TRUE(read("true")->desk.older_era);
  EXPECT_TRUE(refused(read("\"true\""), "own.bad_launch_document"));
}

}  // namespace
}  // namespace postern::desk
