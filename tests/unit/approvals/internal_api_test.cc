// The desk's listener: its one credential, its own Host list, and requests that are complete.
#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "tests/unit/approvals/page_world.h"

namespace postern::approvals::test {
namespace {

using postern::test::refused;

HttpRequest ask_request(std::string body) {
  HttpRequest request;
  request.method = "POST";
  request.target = "/requests";
  request.headers.add("Content-Type", "application/json");
  request.body = std::move(body);
  return request;
}

HttpResponse send(PageWorld& world, HttpRequest request) {
  return *world.http.send(*parse_uri(kApi), request, {}, {});
}

TEST(InternalApi, RefusesEveryCredentialButItsOwn) {
  PageWorld world;
  EXPECT_EQ(send(world, ask_request("{}")).status, 403);
  for (const char* operation : {"payments:read", "customers:read", "payments:refund"}) {
    HttpRequest request = ask_request("{}");
    services::ServiceAuthorizationHeader::write(
        request, services::ServiceCredential::take("svc_" + sha256_hex(operation).substr(0, 43)));
    EXPECT_EQ(send(world, request).status, 403) << operation;
  }
  HttpRequest bearer = ask_request("{}");
  bearer.headers.add("Authorization", "Bearer eyJhbGciOiJFUzI1NiJ9.e30.AAAA");
  EXPECT_EQ(send(world, bearer).status, 403);
  EXPECT_EQ(world.request(), "APR-0001");
}

TEST(InternalApi, RefusesAnotherHostAndAnyOrigin) {
  PageWorld world;
  HttpRequest request = ask_request("{}");
  request.headers.add("Host", "evil.test:8935");
  EXPECT_EQ(send(world, request).status, 403);
  HttpRequest page = ask_request("{}");
  page.headers.add("Origin", kPage);
  EXPECT_EQ(send(world, page).status, 403);
}

TEST(InternalApi, RefusesARequestWithoutAnAmountOrWithAMemberThatIsNotKnown) {
  const auto json = [](const std::string& change) {
    return parse_json(
               R"({"ticket_id":"T-1042","order_id":"ORD-5521","line_id":"LN-1","line_title":"tent pole section",)"
               R"("customer_id":"CUS-2001","customer_name":"Avery Lin","currency":"USD","policy_id":"POL-DOA-30",)"
               R"("limit_cents":6000,"ticket_subject":"s","desk":"west","reason":"r",)"
               R"("requester":{"issuer":"i","subject":"rowan","name":"Rowan Diaz"})" +
               change + "}")
        .value();
  };
  EXPECT_TRUE(new_request_of_json(json(R"(,"amount_cents":4800)")).has_value());
  EXPECT_TRUE(refused(new_request_of_json(json("")), "refund.malformed_action"));
  EXPECT_TRUE(refused(new_request_of_json(json(R"(,"amount_cents":0)")), "refund.malformed_action"));
  EXPECT_TRUE(
      refused(new_request_of_json(json(R"(,"amount_cents":4800,"approved":true)")), "approval.malformed_request"));
  EXPECT_TRUE(refused(new_request_of_json(json(R"(,"amount_cents":4800,"claims":{"role":"supervisor"})")),
                      "approval.malformed_request"));
}

TEST(InternalApi, AnswersTheStateToTheRequesterOnlyAndNeverWithAToken) {
  PageWorld world;
  const std::string id = world.request();
  BrowserDouble browser(world.http);
  browser.press(world.at_confirm(browser, id), "Pay back");
  const auto state = world.client->state(id, kIssuer, "rowan", SteadyTime::max());
  ASSERT_TRUE(state.has_value());
  EXPECT_EQ(state->status, services::ApprovalStatus::kApproved);
  EXPECT_EQ(state->expires_in_s, 300);
  EXPECT_FALSE(state->token.has_value());
  EXPECT_TRUE(refused(world.client->state(id, kIssuer, "quinn", SteadyTime::max()), "approvals.refused"));
  EXPECT_TRUE(refused(world.client->state("APR-9999", kIssuer, "rowan", SteadyTime::max()), "approvals.refused"));
}

TEST(InternalApi, ALateRedemptionWaitsForPaymentsToBeReachable) {
  PageWorld world;
  const std::string id = world.request();
  BrowserDouble browser(world.http);
  browser.press(world.at_confirm(browser, id), "Pay back");
  world.clock.advance(std::chrono::seconds(400));
  world.http.set_down(kPayments, true);
  const auto request = world.store->find(services::ApprovalId(id));
  const auto redeem = [&] {
    return world.client->redeem(id, kIssuer, "rowan", request->request_digest, SteadyTime::max());
  };
  EXPECT_TRUE(refused(redeem(), "approvals.unavailable"));
  world.http.set_down(kPayments, false);
  EXPECT_EQ(redeem()->status, services::ApprovalStatus::kLapsed);
}

TEST(StatePolling, AnswersAChangeOnceAndNothingNewAsNotModified) {
  PageWorld world;
  const std::string id = world.request();
  BrowserDouble browser(world.http);
  world.signed_in(browser, "/approvals/" + id, "Morgan Ellis");
  const std::string url = kPage + "/approvals/" + id + "/state";
  const HttpResponse first = browser.get(url);
  EXPECT_EQ(first.body, R"({"status":"pending","token":"none","version":1,"expires_in":900,"use_in":null})");
  const std::string tag = *first.headers.find("ETag");
  world.clock.advance(std::chrono::seconds(5));
  EXPECT_EQ(browser.get(url, {{"If-None-Match", tag}}).status, 304);
  ASSERT_TRUE(world.client->withdraw(id, kIssuer, "rowan", SteadyTime::max()).has_value());
  const HttpResponse changed = browser.get(url, {{"If-None-Match", tag}});
  EXPECT_EQ(changed.status, 200);
  EXPECT_NE(changed.body.find(R"("status":"withdrawn")"), std::string::npos);
}

TEST(StatePolling, AsksPaymentsOnceASecondHoweverManyPagesAreOpen) {
  PageWorld world;
  const std::string id = world.request();
  BrowserDouble browser(world.http);
  browser.press(world.at_confirm(browser, id), "Pay back");
  world.clock.advance(std::chrono::seconds(2));
  const int before = world.http.requests_to(kPayments);
  for (int i = 0; i < 20; ++i) browser.get(kPage + "/approvals/" + id + "/state");
  EXPECT_EQ(world.http.requests_to(kPayments), before + 1);
  world.clock.advance(std::chrono::seconds(1));
  browser.get(kPage + "/approvals/" + id + "/state");
  EXPECT_EQ(world.http.requests_to(kPayments), before + 2);
}

TEST(Record, IsPaperForPeopleAndJsonByAccept) {
  PageWorld world;
  const std::string id = world.request();
  BrowserDouble browser(world.http);
  browser.press(world.at_confirm(browser, id), "Pay back");
  const Shown paper = browser.open(kPage + "/approvals/" + id + "/record");
  EXPECT_TRUE(paper.says("Approved by Morgan Ellis"));
  EXPECT_TRUE(paper.says(world.store->verify()->head));
  const HttpResponse json = browser.get(kPage + "/approvals/" + id + "/record", {{"Accept", "application/json"}});
  const auto record = parse_json(json.body);
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->string_at("decided_by"), "Morgan Ellis");
  EXPECT_EQ(record->boolean_at("audit_whole"), true);
}

}  // namespace
}  // namespace postern::approvals::test
