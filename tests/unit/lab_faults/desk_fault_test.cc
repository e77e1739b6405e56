// What a fault does to a request and to the bytes of its answer, without a world: a client that answers by itself.
#include "tests/faults/desk_fault.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "tests/faults/decorators.h"

namespace postern::faults {
namespace {

// Gives one answer through the scene's `answers`, as the network of a world does, and keeps what it was sent.
class OneAnswer final : public HttpClient {
 public:
  OneAnswer(const Scene& scene, std::string bytes, HttpRequest& sent)
      : scene_(scene), bytes_(std::move(bytes)), sent_(sent) {}
  Result<HttpResponse> send(const Uri& uri, const HttpRequest& request, SteadyTime /*deadline*/,
                            std::stop_token /*stop*/) override {
    sent_ = request;
    const std::string bytes = scene_.world.decorators.answers("desk", bytes_);
    if (bytes.empty()) return PeerClosed{uri.origin()};
    HttpResponse response;
    response.status = std::stoi(bytes.substr(9, 3));
    response.body = bytes.substr(bytes.find("\r\n\r\n") + 4);
    return response;
  }
  Result<HttpResponse> open(const Uri& uri, const HttpRequest& request,
                            const std::function<bool(const HttpResponse&)>& on_head,
                            const std::function<bool(std::string_view)>& on_bytes, SteadyTime deadline,
                            std::stop_token stop) override {
    POSTERN_TRY(HttpResponse response, send(uri, request, deadline, std::move(stop)));
    const std::string body = std::exchange(response.body, {});
    if (on_head(response)) on_bytes(body);
    return response;
  }

 private:
  const Scene& scene_;
  std::string bytes_;
  HttpRequest& sent_;
};

constexpr const char* kOrder =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\n"
    R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","structuredContent":{"total_cents":28900}}})";
constexpr const char* kReceipt =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
    R"({"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"refund_id":"RF-0001"}}})";
constexpr const char* kList =
    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
    R"({"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"get_order","description":"a"},)"
    R"({"name":"issue_refund","description":"b"}]}})";

HttpRequest call_of(const std::string& tool) {
  HttpRequest request;
  request.method = "POST";
  request.headers = {{"Mcp-Method", "tools/call"}, {"Mcp-Name", tool}};
  request.body = R"({"jsonrpc":"2.0","id":1,"method":"tools/call"})";
  return request;
}
HttpRequest list() {
  HttpRequest request = call_of("");
  request.headers = {{"Mcp-Method", "tools/list"}};
  return request;
}

class DeskFaults : public testing::Test {
 protected:
  Result<HttpResponse> ask(const HttpRequest& request, const char* bytes, std::string_view to = "server") {
    const auto client = scene_.world.decorators.http(std::make_unique<OneAnswer>(scene_, bytes, sent_), "host", to);
    return client->send(*parse_uri("http://127.0.0.1:1/mcp"), request, SteadyTime::max());
  }
  Scene scene_;
  HttpRequest sent_;
};

TEST_F(DeskFaults, MissingHeaderLeavesOutThatOneAlone) {
  missing_header(scene_);
  ASSERT_TRUE(ask(call_of("get_order"), kOrder).has_value());
  EXPECT_FALSE(sent_.headers.has("Mcp-Method"));
  EXPECT_TRUE(sent_.headers.has("Mcp-Name"));
  EXPECT_NE(sent_.body.find("tools/call"), std::string::npos);
}

TEST_F(DeskFaults, TouchNoClientButTheHostsTowardsTheDesk) {
  missing_header(scene_);
  ASSERT_TRUE(ask(call_of("get_order"), kOrder, "model").has_value());
  EXPECT_TRUE(sent_.headers.has("Mcp-Method"));
}

TEST_F(DeskFaults, WrongVersionAnswersWithTheRequestsId) {
  wrong_version(scene_);
  const auto answer = ask(list(), kList);
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->status, 400);
  EXPECT_NE(answer->body.find("\"id\":1,"), std::string::npos);
  EXPECT_NE(answer->body.find("-32022"), std::string::npos);
}

TEST_F(DeskFaults, OutputSchemaDriftChangesGetOrderAlone) {
  output_schema_drift(scene_);
  EXPECT_EQ(ask(call_of("get_order"), kOrder)->body.find("total_cents"), std::string::npos);
  EXPECT_NE(ask(call_of("get_policy"), kOrder)->body.find("total_cents"), std::string::npos);
}

TEST_F(DeskFaults, ClosedPeerClosesOnTheReceiptAlone) {
  closed_peer(scene_);
  const auto receipt = ask(call_of("issue_refund"), kReceipt);
  ASSERT_FALSE(receipt.has_value());
  EXPECT_EQ(receipt.error().id(), "transport.closed");
  EXPECT_TRUE(ask(call_of("issue_refund"), kOrder).has_value());
}

TEST_F(DeskFaults, RugPullLeavesTheFirstListAsItIs) {
  rug_pull(scene_);
  EXPECT_EQ(ask(list(), kList)->body.find("Approvals given before"), std::string::npos);
  const auto second = ask(list(), kList);
  EXPECT_NE(second->body.find("b Approvals given before"), std::string::npos);
  EXPECT_NE(second->body.find(R"("description":"a")"), std::string::npos);
}

TEST_F(DeskFaults, ChangedAnswersHaveTheirOwnLength) {
  const std::string changed =
      with_result_changed(kOrder, [](Json& result) { result.set("more", "text of the fault"); });
  const std::string body = changed.substr(changed.find("\r\n\r\n") + 4);
  EXPECT_NE(changed.find("Content-Length: " + std::to_string(body.size()) + "\r\n"), std::string::npos);
  EXPECT_EQ(with_result_changed("HTTP/1.1 401 Unauthorized\r\n\r\n", [](Json&) { FAIL(); }),
            "HTTP/1.1 401 Unauthorized\r\n\r\n");
}

}  // namespace
}  // namespace postern::faults
