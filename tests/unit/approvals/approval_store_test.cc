// The store alone: one open request for one action, one winner, and who may decide whatever the page says.
#include "services/approvals/approval_store.h"

#include <gtest/gtest.h>

#include <thread>

#include "services/approvals/failures.h"
#include "tests/support/refused.h"
#include "tests/unit/approvals/page_world.h"

namespace postern::approvals::test {
namespace {

using postern::test::refused;
using postern::test::succeeded;

// The verified token of somebody who signed in on the page, freshly when asked for.
std::shared_ptr<const services::VerifiedAccessToken> token_of(PageWorld& world, std::string_view person, bool fresh) {
  BrowserDouble browser(world.http);
  browser.press(browser.open(kPage + (fresh ? "/login?fresh=1" : "/login")), person);
  HttpRequest request;
  request.headers.add("Cookie", browser.jar().field_for(*parse_uri(kPage)));
  const auto session = world.sessions->find(request, false);
  EXPECT_NE(session, nullptr);
  return world.gate->verify(session->token(), services::KeyAccess::kMayFetch).value();
}

Decision decision_on(PageWorld& world, const std::string& id, Verdict verdict) {
  const auto request = world.store->find(services::ApprovalId(id));
  return {.approval_id = request->id,
          .verdict = verdict,
          .version = request->version,
          .request_digest = request->request_digest,
          .note = verdict == Verdict::kDeny ? "No." : "",
          .session_ref = "0123456789ab",
          .blocked = std::nullopt};
}

TEST(ApprovalStore, FindsTheOpenRequestForTheSameActionAndRequesterAgain) {
  PageWorld world;
  EXPECT_EQ(world.request(), "APR-0001");
  services::ApprovalAsk reworded = PageWorld::ask();
  reworded.reason = "Other words of the model.";
  reworded.run_id = "another-run";
  EXPECT_EQ(world.request(reworded), "APR-0001");
  services::ApprovalAsk other_amount = PageWorld::ask();
  other_amount.amount_cents = 4801;
  EXPECT_EQ(world.request(other_amount), "APR-0002");
  services::ApprovalAsk other_requester = PageWorld::ask();
  other_requester.requester_subject = "quinn";
  EXPECT_EQ(world.request(other_requester), "APR-0003");
  EXPECT_EQ(world.audit_count("request.created"), 3);
}

TEST(ApprovalStore, RefusesMoreOpenRequestsOfOnePersonThanASupervisorCanRead) {
  PageWorld world;
  services::ApprovalAsk one = PageWorld::ask();
  for (int i = 0; i < ApprovalStore::kOpenRequestsMax; ++i) {
    one.amount_cents = 1000 + i;
    world.request(one);
  }
  const auto first = world.store->find(services::ApprovalId("APR-0001"));
  ASSERT_TRUE(succeeded(first));
  NewRequest more = first->asked;
  EXPECT_TRUE(succeeded(world.store->request(more, world.clock.now())));  // the open one is found, not made
  more.action.amount.minor_units = 999;
  EXPECT_TRUE(refused(world.store->request(more, world.clock.now()), "approval.too_many_open_requests"));
  more.requester.subject = "quinn";
  EXPECT_TRUE(succeeded(world.store->request(more, world.clock.now())));
  more.requester = first->asked.requester;
  world.clock.advance(std::chrono::minutes(16));
  EXPECT_TRUE(succeeded(world.store->request(more, world.clock.now())));  // those that ran out do not count
}

TEST(ApprovalStore, AnApprovalThatCanStillBeUsedIsFoundAgainAndALapsedOneIsNot) {
  PageWorld world;
  const std::string id = world.request();
  const auto morgan = token_of(world, "Morgan Ellis", true);
  ASSERT_TRUE(succeeded(world.store->decide(*morgan, decision_on(world, id, Verdict::kApprove), world.clock.now())));
  EXPECT_EQ(world.request(), id);
  world.clock.advance(std::chrono::seconds(300));
  EXPECT_EQ(world.request(), "APR-0002");
}

TEST(ApprovalStore, RefusesTheRequesterAStrangerAMissingScopeAndAnOldSignIn) {
  PageWorld world;
  const std::string id = world.request();
  const Decision approve = decision_on(world, id, Verdict::kApprove);
  const WallTime now = world.clock.now();
  EXPECT_TRUE(
      refused(world.store->decide(*token_of(world, "Rowan Diaz", false), approve, now), "approval.own_request"));
  EXPECT_TRUE(
      refused(world.store->decide(*token_of(world, "Quinn Hale", false), approve, now), "approval.no_such_request"));
  EXPECT_TRUE(
      refused(world.store->decide(*token_of(world, "Morgan Ellis", false), approve, now), "approval.scope_missing"));
  const auto morgan = token_of(world, "Morgan Ellis", true);
  EXPECT_TRUE(refused(world.store->decide(*morgan, approve, now + Seconds(301)), "approval.stale_sign_in"));
  EXPECT_EQ(world.status(id), RequestStatus::kPending);
  EXPECT_EQ(world.audit_count("decision.refused"), 4);
  EXPECT_TRUE(succeeded(world.store->decide(*morgan, approve, now + Seconds(300))));
}

TEST(ApprovalStore, ADenialNeedsNeitherTheScopeNorAFreshSignIn) {
  PageWorld world;
  const std::string id = world.request();
  const auto morgan = token_of(world, "Morgan Ellis", false);
  const Decision deny = decision_on(world, id, Verdict::kDeny);
  EXPECT_TRUE(succeeded(world.store->decide(*morgan, deny, world.clock.now() + Seconds(600))));
  EXPECT_TRUE(
      refused(world.store->decide(*morgan, deny, world.clock.now() + Seconds(601)), "approval.already_decided"));
}

TEST(ApprovalStore, RefusesAnApprovalThatTheCaseForbids) {
  PageWorld world;
  const std::string id = world.request();
  const auto morgan = token_of(world, "Morgan Ellis", true);
  Decision blocked = decision_on(world, id, Verdict::kApprove);
  blocked.blocked = "The ticket is closed.";
  EXPECT_TRUE(refused(world.store->decide(*morgan, blocked, world.clock.now()), "approval.blocked"));
  EXPECT_TRUE(succeeded(world.store->decide(*morgan, decision_on(world, id, Verdict::kApprove), world.clock.now())));
}

TEST(ApprovalStore, OfTwoDecisionsAtTheSameInstantOneWins) {
  PageWorld world;
  const auto morgan = token_of(world, "Morgan Ellis", true);
  for (int round = 0; round < 50; ++round) {
    services::ApprovalAsk ask = PageWorld::ask();
    ask.amount_cents = 1000 + round;
    const std::string id = world.request(ask);
    const Decision approve = decision_on(world, id, Verdict::kApprove);
    const Decision deny = decision_on(world, id, Verdict::kDeny);
    std::atomic<int> won = 0;
    std::atomic<int> told = 0;
    const auto press = [&](const Decision& decision) {
      const auto result = world.store->decide(*morgan, decision, world.clock.now());
      won += result.has_value() ? 1 : 0;
      told += failed_with(result, "approval.already_decided") ? 1 : 0;
    };
    std::thread first([&] { press(approve); });
    std::thread second([&] { press(deny); });
    first.join();
    second.join();
    EXPECT_EQ(won, 1) << round;
    EXPECT_EQ(told, 1) << round;
  }
  EXPECT_EQ(world.audit_count("decision.approved") + world.audit_count("decision.denied"), 50);
  EXPECT_TRUE(world.store->verify()->whole());
}

TEST(ApprovalStore, RedeemGivesTheSameTokenEachTimeAndStoresItsDigestOnly) {
  PageWorld world;
  const std::string id = world.request();
  const auto morgan = token_of(world, "Morgan Ellis", true);
  ASSERT_TRUE(succeeded(world.store->decide(*morgan, decision_on(world, id, Verdict::kApprove), world.clock.now())));
  const services::ApprovalAnswer first = world.redeem(id);
  world.clock.advance(std::chrono::seconds(120));
  const services::ApprovalAnswer second = world.redeem(id);
  ASSERT_TRUE(first.token && second.token);
  EXPECT_TRUE(first.token->equal(*second.token));
  EXPECT_EQ(first.token_id, "APV-0001");
  const auto record = world.store->token_of(services::ApprovalId(id));
  ASSERT_TRUE(record->has_value());
  EXPECT_EQ((*record)->use_by, wall_time_of_unix_seconds(unix_seconds(world.clock.now()) + 180));
}

TEST(ApprovalStore, RefusesARedemptionByAnotherPersonOrForAnotherAction) {
  PageWorld world;
  const std::string id = world.request();
  const auto request = world.store->find(services::ApprovalId(id));
  const auto quinn = world.client->redeem(id, kIssuer, "quinn", request->request_digest, SteadyTime::max());
  EXPECT_TRUE(refused(quinn, "approvals.refused"));
  const auto digest = world.client->redeem(id, kIssuer, "rowan", std::string(64, '0'), SteadyTime::max());
  EXPECT_TRUE(refused(digest, "approvals.refused"));
  EXPECT_EQ(world.redeem(id).status, services::ApprovalStatus::kPending);
}

}  // namespace
}  // namespace postern::approvals::test
