// Proves that the desk keeps its promises as two processes behind a TLS proxy: what clients read is the outside URL,
// either process goes on with what the other began, and limits see the client and not the proxy.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <thread>

#include "tests/lab/supervisor.h"
#include "tests/nginx/front.h"
#include "tests/support/refused.h"
#include "wire/base/file.h"
#include "wire/mcp/headers.h"

namespace postern::nginx {
namespace {

constexpr const char* kMetadataPath = "/.well-known/oauth-protected-resource/mcp";
constexpr const char* kReadAndRefund = "desk:read refunds:write";
constexpr int kBurst = 12;  // of refusals of one address, in each process

class BehindNginx : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    front_ = std::make_unique<Front>(
        FrontOptions{*parse_json(R"({"principal":{"per_second":20,"burst":200},"address":{"per_second":0.01,"burst":)" +
                                 std::to_string(kBurst) + "}}")});
  }
  static void TearDownTestSuite() { front_.reset(); }
  void SetUp() override { ASSERT_TRUE(front_->is_up()) << front_->words(); }

  static HttpRequest get(const std::string& target) {
    HttpRequest request;
    request.method = "GET";
    request.target = target;
    return request;
  }
  static HttpRequest post(const std::string& token, const std::string& method, Json params) {
    params.set("_meta", *parse_json(R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28",
                                        "io.modelcontextprotocol/clientCapabilities":{"elicitation":{"url":{}}}})"));
    HttpRequest request;
    request.method = "POST";
    request.target = "/mcp";
    request.headers = mcp::request_headers(method, params);
    if (!token.empty()) request.headers.add("Authorization", "Bearer " + token);
    request.body = Json::object({{"jsonrpc", "2.0"}, {"id", 7}, {"method", method}, {"params", params}}).dump();
    return request;
  }
  // The result, or the error object; `upstream_` is then the process that gave it.
  Json call(const std::string& token, const char* tool, Json arguments, Json params = Json::object()) {
    params.set("name", tool).set("arguments", std::move(arguments));
    const HttpResponse response = front_->send(post(token, "tools/call", std::move(params)));
    const std::string* upstream = response.headers.find("X-Upstream");
    upstream_ = upstream == nullptr ? "" : *upstream;
    const Json body = parse_json(response.body).value_or(Json());
    const Json* result = body.find("result");
    const Json* error = body.find("error");
    EXPECT_EQ(response.status, 200) << response.body;
    return result != nullptr ? *result : error != nullptr ? *error : body;
  }
  static bool is_error(const Json& result) {
    return result.find("code") != nullptr || result.boolean_at("isError").value_or(false);
  }
  std::string open_case(const std::string& token, const char* ticket) {
    const Json result = call(token, "open_case", Json::object({{"ticket_id", ticket}}));
    EXPECT_FALSE(is_error(result)) << result.dump();
    const Json* structured = result.find("structuredContent");
    return structured == nullptr ? "" : std::string(structured->string_at("case_handle"));
  }

  static std::unique_ptr<Front> front_;
  std::string upstream_;
};

std::unique_ptr<Front> BehindNginx::front_;

// RFC 9728 section 3: the resource is what clients asked for, and never the address behind the proxy.
TEST_F(BehindNginx, ShowsTheOutsideUrlInMetadataAndChallenge) {
  const HttpResponse metadata = front_->send(get(kMetadataPath));
  ASSERT_EQ(metadata.status, 200);
  const Json document = *parse_json(metadata.body);
  EXPECT_EQ(document.string_at("resource"), front_->resource());
  EXPECT_EQ(*document.find("authorization_servers"), Json::array({front_->issuer()}));
  const HttpResponse refusal = front_->send(post("", "server/discover", Json::object()));
  EXPECT_EQ(refusal.status, 401);
  ASSERT_TRUE(refusal.headers.has("WWW-Authenticate"));
  EXPECT_NE(
      refusal.headers.find("WWW-Authenticate")->find("resource_metadata=\"" + front_->origin() + kMetadataPath + "\""),
      std::string::npos)
      << *refusal.headers.find("WWW-Authenticate");
  for (const std::size_t which : {0U, 1U}) EXPECT_EQ(refusal.body.find(front_->desk_address(which)), std::string::npos);
}

TEST_F(BehindNginx, ChecksHostAndOriginOfTheClient) {
  const std::string token = front_->token("rowan", "desk:read");
  HttpRequest request = post(token, "server/discover", Json::object());
  EXPECT_EQ(front_->send(request).status, 200);
  request.headers.set("Origin", front_->origin());
  EXPECT_EQ(front_->send(request).status, 200);
  for (const std::string& origin : {std::string("https://evil.example.com"), std::string("null"),
                                    "http" + front_->origin().substr(5), "http://" + front_->desk_address(0)}) {
    request.headers.set("Origin", origin);
    EXPECT_EQ(front_->send(request).status, 403) << origin;
  }
  EXPECT_EQ(front_->statuses_of_strangers("127.0.0.1", 1, "Host: evil.example.com"), std::vector<int>{403});
  // And past the proxy, by the name of the process's own port: it answers for its resource only.
  EXPECT_EQ(front_->send_to("http://" + front_->desk_address(0), post(token, "server/discover", Json::object())).status,
            403);
}

TEST_F(BehindNginx, GetsTheSameAnswerFromBothProcesses) {
  const std::string token = front_->token("rowan", "desk:read");
  for (const HttpRequest& request : {post(token, "server/discover", Json::object()),
                                     post(token, "tools/list", Json::object()), get(kMetadataPath)}) {
    std::set<std::string> upstreams;
    std::set<std::string> answers;
    for (int i = 0; i < 4; ++i) {
      const HttpResponse response = front_->send(request);
      ASSERT_TRUE(response.headers.has("X-Upstream"));
      upstreams.insert(*response.headers.find("X-Upstream"));
      answers.insert(std::to_string(response.status) + response.body);
    }
    EXPECT_EQ(upstreams, (std::set<std::string>{front_->desk_address(0), front_->desk_address(1)}));
    EXPECT_EQ(answers.size(), 1U) << *answers.begin() << "\n" << *answers.rbegin();
  }
}

TEST_F(BehindNginx, MakesOneKeyRingForBothProcesses) {
  int rings = 0;
  for (const auto& entry : std::filesystem::directory_iterator(front_->store_folder()))
    rings += entry.path().filename().string().starts_with("key_ring") ? 1 : 0;
  EXPECT_EQ(rings, 1);
  EXPECT_EQ(*file_mode(front_->store_folder() + "/key_ring.json") & 0777U, 0600U);
}

// One ticket, each call by whoever is next: the handle of one process and the sealed state of one process are good in
// the other, and the money moves once.
TEST_F(BehindNginx, CarriesOneTicketThroughBothProcesses) {
  const std::string token = front_->token("rowan", kReadAndRefund);
  const std::string handle = open_case(token, "T-1042");
  const Json with_handle = Json::object({{"case_handle", handle}});
  std::set<std::string> readers;
  for (int i = 0; i < 4; ++i) {
    const Json ticket = call(token, "get_ticket", with_handle);
    EXPECT_FALSE(is_error(ticket)) << ticket.dump();
    readers.insert(upstream_);
  }
  EXPECT_EQ(readers.size(), 2U);

  const Json arguments = Json::object(
      {{"case_handle", handle}, {"line_id", "LN-1"}, {"amount_cents", 4800}, {"reason", "The pole arrived broken."}});
  const Json asked = call(token, "issue_refund", arguments);
  ASSERT_EQ(asked.string_at("resultType"), "input_required") << asked.dump() << front_->words();
  const std::string first = upstream_;
  const Json* inputs = asked.find("inputRequests");
  const std::string link(inputs->members().front().second.find("params")->string_at("url"));
  Json round = Json::object({{"requestState", asked.string_at("requestState")}});
  round.set("inputResponses", Json::object({{inputs->members().front().first, Json::object({{"action", "accept"}})}}));
  const Json pending = call(token, "issue_refund", arguments, round);  // nobody has decided yet
  EXPECT_EQ(pending.string_at("resultType"), "input_required") << pending.dump();
  EXPECT_NE(upstream_, first);  // and that one opened the state which the other sealed

  lab::Browser browser(front_->page_client(), front_->clock());
  lab::Supervisor supervisor(browser, {});
  const auto decided = supervisor.decide(link);
  ASSERT_TRUE(decided.has_value()) << decided.error().text();

  std::set<std::string> payers;
  std::set<std::string> receipts;
  for (int i = 0; i < 2; ++i) {  // the same state at one process and at the other
    const Json paid = call(token, "issue_refund", arguments, round);
    EXPECT_EQ(paid.string_at("resultType"), "complete") << paid.dump();
    EXPECT_FALSE(is_error(paid)) << paid.dump();
    receipts.insert(std::string(paid.find("structuredContent")->string_at("refund_id")));
    payers.insert(upstream_);
  }
  EXPECT_EQ(payers.size(), 2U);
  EXPECT_EQ(receipts, std::set<std::string>{"RF-0001"});
}

TEST_F(BehindNginx, LeavesAHandleToItsCallerInEitherProcess) {
  const std::string handle = open_case(front_->token("rowan", "desk:read"), "T-1042");
  const std::string other = front_->token("quinn", "desk:read");
  for (int i = 0; i < 2; ++i) {
    const Json result = call(other, "get_ticket", Json::object({{"case_handle", handle}}));
    EXPECT_TRUE(is_error(result)) << result.dump();
  }
}

// Each process counts for itself, so an address has twice the burst before both refuse it.
TEST_F(BehindNginx, HoldsTheClientToALimitAndNotTheProxy) {
  const std::vector<int> first = front_->statuses_of_strangers("127.0.0.2", 2 * kBurst + 4);
  ASSERT_EQ(first.size(), static_cast<std::size_t>(2 * kBurst + 4));
  EXPECT_EQ(std::count(first.begin(), first.end(), 401), 2 * kBurst);
  EXPECT_EQ(first.back(), 429);
  EXPECT_EQ(front_->statuses_of_strangers("127.0.0.3", 2), (std::vector<int>{401, 401}));
  // A client cannot choose its own address, nor spend another's.
  EXPECT_EQ(front_->statuses_of_strangers("127.0.0.2", 2, "X-Forwarded-For: 198.51.100.7"),
            (std::vector<int>{429, 429}));
  EXPECT_EQ(front_->statuses_of_strangers("127.0.0.4", 2, "X-Forwarded-For: 127.0.0.2"), (std::vector<int>{401, 401}));
  // Whoever has a token and has offended nobody is served meanwhile.
  EXPECT_EQ(front_->send(post(front_->token("rowan", "desk:read"), "server/discover", Json::object())).status, 200);
}

// MCP 2026-07-28 basic/transports/streamable-http, "Receiving messages": the first event of a stream that stays open
// arrives at once, because nginx reads X-Accel-Buffering and holds nothing back.
TEST_F(BehindNginx, LetsTheEventsOfAnOpenStreamThroughAsTheyCome) {
  Json params = Json::object({{"notifications", Json::object({{"toolsListChanged", true}})}});
  HttpRequest listen = post("", "subscriptions/listen", std::move(params));
  listen.target = "/fixtures";
  const Front::FirstBytes first = front_->first_bytes_of(listen);
  ASSERT_EQ(first.head.status, 200);
  EXPECT_EQ(*first.head.headers.find("Content-Type"), "text/event-stream");
  EXPECT_NE(first.bytes.find("notifications/subscriptions/acknowledged"), std::string::npos) << first.bytes;
}

TEST_F(BehindNginx, ShowsHealthBesideItAndNotThroughIt) {
  for (const std::size_t which : {0U, 1U}) EXPECT_EQ(front_->health(which).status, 200);
  EXPECT_EQ(front_->send(get("/healthz")).status, 404);
}

// Last: it leaves one process.
TEST_F(BehindNginx, ServesOnWhileOneProcessEnds) {
  const std::string token = front_->token("rowan", "desk:read");
  const std::string handle = open_case(token, "T-1042");
  front_->stop_desk(0);
  for (int i = 0; i < 4; ++i) {
    const Json ticket = call(token, "get_ticket", Json::object({{"case_handle", handle}}));
    EXPECT_FALSE(is_error(ticket)) << ticket.dump();
    EXPECT_TRUE(upstream_.ends_with(front_->desk_address(1))) << upstream_;
  }
  EXPECT_EQ(front_->health(1).status, 200);
}

}  // namespace
}  // namespace postern::nginx
