#include "services/payments/payments_api.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "tests/support/served_payments.h"
#include "wire/base/bytes.h"

namespace postern::payments {
namespace {

using test::refund_action;

class PaymentsOverHttp : public testing::Test, protected test::ServedPayments {
 protected:
  // The token's text, as a client of payments has it: the test signs for itself, because a Secret does not open for it.
  std::string token_text(const RefundAction& action, std::int64_t number = 1) {
    const std::string payload = services::canonical_payload(test::approval_of(action, number, approved_at_));
    const auto signer = Ed25519Signer::of_seed(SigningSeed::take(std::string(32, 'k')));
    return "apt_" + base64url(payload) + "." +
           base64url(signer->sign(std::string(services::kApprovalTokenDomain) + payload));
  }
  Json refund_body(const RefundAction& action) {
    Json bound = to_json(action);
    bound.set("request_digest", digest(action));
    return Json::object({{"token", token_text(action)}, {"action", std::move(bound)}});
  }
  static HttpRequest post(const std::string& body, std::string content_type = "application/json") {
    HttpRequest request{"POST", "/refunds", {}, body, "127.0.0.1"};
    request.headers.add("Content-Type", std::move(content_type));
    request.headers.add("User-Agent", "postern-desk");
    return request;
  }
  static HttpRequest get(const std::string& target) { return {"GET", target, {}, "", "127.0.0.1"}; }
  static std::string error_id(const HttpResponse& response) {
    const auto json = parse_json(response.body);
    return json && json->has("error") ? std::string(json->find("error")->string_at("id")) : response.body;
  }
};

TEST_F(PaymentsOverHttp, PaysAndAnswersTheReceipt) {
  const HttpResponse response = send(post(refund_body(refund_action()).dump()), "payments:refund");
  ASSERT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(*parse_json(response.body), Json::object({{"refund_id", "RF-0001"},
                                                      {"ticket_id", "T-1042"},
                                                      {"order_id", "ORD-5521"},
                                                      {"line_id", "LN-1"},
                                                      {"amount_cents", 4800},
                                                      {"currency", "USD"},
                                                      {"approval_id", "APR-0001"},
                                                      {"token_id", "APV-0001"},
                                                      {"refunded_at", rfc3339(env_.clock.now())},
                                                      {"repeated", false}}));
  EXPECT_EQ(*response.headers.find("Cache-Control"), "no-store");
  const HttpResponse again = send(post(refund_body(refund_action()).dump()), "payments:refund");
  EXPECT_EQ(parse_json(again.body)->boolean_at("repeated"), true);
  EXPECT_EQ(refunds_of_ticket(), 1U);
}

TEST_F(PaymentsOverHttp, RefusesAForeignHostAndEveryPageBeforeItLooksAtTheCredential) {
  constexpr std::string_view kOwn = "127.0.0.1:8934";
  const Routes door = api_.routes_at(std::string(kOwn));
  const auto status_of = [&](std::vector<std::string_view> hosts, std::string_view origin) {
    HttpRequest request = get("/refunds?ticket_id=T-1042");
    for (const std::string_view host : hosts) request.headers.add("Host", std::string(host));
    if (!origin.empty()) request.headers.add("Origin", std::string(origin));
    services::ServiceAuthorizationHeader::write(request, test::credential_of("payments:read"));
    return test::answer_of(door, request).status;
  };
  EXPECT_EQ(status_of({kOwn}, ""), 200);
  for (const std::string_view host : {"evil.test", "evil.test:8934", "127.0.0.1", "localhost:8934"}) {
    EXPECT_EQ(status_of({host}, ""), 403) << host;
  }
  EXPECT_EQ(status_of({kOwn}, "http://evil.test"), 403);
  EXPECT_EQ(status_of({kOwn}, "http://127.0.0.1:8934"), 403);
  EXPECT_EQ(status_of({}, ""), 400);
  EXPECT_EQ(status_of({kOwn, kOwn}, ""), 400);
}

TEST_F(PaymentsOverHttp, RefusesToPayWithTheKeyThatReads) {
  const std::string body = refund_body(refund_action()).dump();
  for (const char* other : {"payments:read", "orders:read", "approvals:request"}) {
    const HttpResponse response = send(post(body), other);
    EXPECT_EQ(response.status, 403) << other;
    EXPECT_EQ(error_id(response), "service.foreign_credential");
  }
  EXPECT_EQ(refunds_of_ticket(), 0U);
  // And the key that pays does not read.
  EXPECT_EQ(send(get("/refunds?ticket_id=T-1042"), "payments:refund").status, 403);
  EXPECT_EQ(send(get("/approvals/APR-0001"), "payments:refund").status, 403);
  EXPECT_EQ(send(get("/refunds?ticket_id=T-1042"), "payments:read").status, 200);
  EXPECT_EQ(send(post(body), "payments:refund").status, 200);
}

TEST_F(PaymentsOverHttp, RefusesABearerTokenAndWritesDownWhatItWas) {
  HttpRequest request = post(refund_body(refund_action()).dump());
  request.headers.add("Authorization", std::string("Bearer ") + test::kBearerText);
  EXPECT_EQ(error_id(test::answer_of(routes_, request)), "service.foreign_credential");
  EXPECT_EQ(test::answer_of(routes_, get("/refunds?ticket_id=T-1042")).status, 403);
  EXPECT_EQ(send(get("/refunds?ticket_id=T-1042"), "payments:read").status, 200);
  std::vector<std::string> kinds;
  const std::string log = downstream();
  for (std::size_t at = 0; at < log.size(); at = log.find('\n', at) + 1) {
    const auto line = parse_json(log.substr(at, log.find('\n', at) - at));
    kinds.push_back(std::string(line->string_at("operation")) + " " + std::string(line->string_at("credential_kind")) +
                    " " + std::string(line->string_at("caller")) + (*line->boolean_at("admitted") ? " in" : " out"));
  }
  EXPECT_EQ(kinds, (std::vector<std::string>{"payments:refund bearer postern-desk out",
                                             "payments:read none unknown out", "payments:read service unknown in"}));
  EXPECT_EQ(log.find("eyJ"), std::string::npos);
  EXPECT_EQ(log.find("svc_"), std::string::npos);
}

TEST_F(PaymentsOverHttp, AnswersEachRefusalWithItsStatus) {
  const auto status_of = [&](const Json& body) { return send(post(body.dump()), "payments:refund").status; };
  Json body = refund_body(refund_action());
  body.find("action")->set("amount_cents", 4900);
  EXPECT_EQ(status_of(body), 422);  // action_mismatch
  EXPECT_EQ(status_of(refund_body(refund_action(480000))), 422);
  body = refund_body(refund_action());
  body.set("token", "apt_forged.token");
  EXPECT_EQ(status_of(body), 403);
  env_.clock.advance(Seconds(300));
  EXPECT_EQ(status_of(refund_body(refund_action())), 410);
  env_.clock.advance(Seconds(-300));
  EXPECT_EQ(status_of(refund_body(refund_action())), 200);
  body = refund_body(refund_action());
  body.find("action")->set("amount_cents", 100);
  EXPECT_EQ(status_of(body), 409);  // token_spent
}

TEST_F(PaymentsOverHttp, RefusesRequestsThatAreNotOne) {
  const std::string whole = refund_body(refund_action()).dump();
  EXPECT_EQ(send(post(whole, "text/plain"), "payments:refund").status, 400);
  for (const std::string& body :
       {std::string(), std::string("{}"), std::string("[]"), whole.substr(1), whole + "x", std::string("{\"token\":1}"),
        std::string("{\"token\":\"apt_x.y\"}"), std::string("{\"token\":\"apt_x.y\",\"action\":4800}"),
        "{\"token\":\"a\"," + whole.substr(1)}) {
    EXPECT_EQ(send(post(body), "payments:refund").status, 400) << body;
  }
  for (const char* target :
       {"/refunds", "/refunds?", "/refunds?ticket_id=1042", "/refunds?order_id=T-1042",
        "/refunds?ticket_id=T-1042&order_id=ORD-5521", "/refunds?ticket_id=T-1042&ticket_id=T-1042", "/refunds?all=1",
        "/approvals/", "/approvals/APR-1", "/approvals/APR-0001/x"}) {
    const int status = send(get(target), "payments:read").status;
    EXPECT_TRUE(status == 400 || status == 404) << target << " " << status;
  }
  EXPECT_EQ(send({"DELETE", "/refunds", {}, "", ""}, "payments:refund").status, 405);
  EXPECT_EQ(refunds_of_ticket(), 0U);
}

TEST_F(PaymentsOverHttp, TellsWhatWasPaidAndRefused) {
  EXPECT_EQ(*parse_json(send(get("/approvals/APR-0001"), "payments:read").body),
            Json::object({{"approval_id", "APR-0001"}, {"status", "none"}}));
  Json body = refund_body(refund_action());
  body.find("action")->set("amount_cents", 4900);
  send(post(body.dump()), "payments:refund");
  const Json refused = *parse_json(send(get("/approvals/APR-0001"), "payments:read").body);
  EXPECT_EQ(refused.string_at("status"), "refused");
  EXPECT_NE(refused.string_at("refusal").find("Nothing was refunded."), std::string::npos);
  send(post(refund_body(refund_action()).dump()), "payments:refund");
  const Json paid = *parse_json(send(get("/approvals/APR-0001"), "payments:read").body);
  EXPECT_EQ(paid.string_at("status"), "paid");
  EXPECT_EQ(paid.find("refund")->string_at("refund_id"), "RF-0001");
  for (const char* query : {"/refunds?ticket_id=T-1042", "/refunds?order_id=ORD-5521"}) {
    const Json list = *parse_json(send(get(query), "payments:read").body);
    ASSERT_EQ(list.find("refunds")->size(), 1U);
    EXPECT_EQ(list.find("refunds")->elements()[0], *paid.find("refund"));
  }
}

TEST_F(PaymentsOverHttp, KeepsNoTokenOnTheDisk) {
  const std::string token = token_text(refund_action());
  ASSERT_EQ(send(post(refund_body(refund_action()).dump()), "payments:refund").status, 200);
  const std::string signature = token.substr(token.find('.') + 1);
  const auto raw = base64url_decode(signature);
  for (const char* name : {"payments.sqlite", "payments.sqlite-wal", "downstream.jsonl"}) {
    const std::string bytes = *read_file(folder_ / name, 1 << 24);
    EXPECT_FALSE(bytes.empty()) << name;
    EXPECT_EQ(bytes.find(signature), std::string::npos) << name;
    EXPECT_EQ(bytes.find(*raw), std::string::npos) << name;
    EXPECT_EQ(bytes.find("apt_"), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace postern::payments
