// Numbers 16 to 24 of section E, and the public cases B-058 (a GET decides) and B-061 (a double press pays twice).
#include <gtest/gtest.h>

#include <thread>

#include "tests/lab/supervisor.h"
#include "tests/unit/approvals/page_world.h"

namespace postern::approvals::test {
namespace {

TEST(Deciding16, ApproveIsALinkASignInAPageAndAPressThenTheRunPaysOnce) {
  PageWorld world;
  const std::string id = world.request();
  BrowserDouble browser(world.http);
  const Shown confirm = world.at_confirm(browser, id);
  EXPECT_EQ(confirm.uri.path, "/approvals/" + id + "/approve");
  EXPECT_TRUE(confirm.says("This pays $48.00 back to Avery Lin."));
  EXPECT_EQ(world.status(id), RequestStatus::kPending);

  const Shown decided = browser.press(confirm, "Pay back $48.00");
  EXPECT_EQ(decided.uri.path, "/approvals/" + id);
  EXPECT_TRUE(decided.says("Approved by Morgan Ellis at ")) << decided.html.text;
  EXPECT_TRUE(decided.says("Not paid yet: waiting for the run."));
  EXPECT_TRUE(decided.says("5:00 left"));

  const auto paid = world.pay(id);
  ASSERT_TRUE(paid.has_value()) << paid.error().text();
  EXPECT_EQ(paid->receipt.refund_id.value(), "RF-0001");
  EXPECT_EQ(paid->receipt.token_id.value(), "APV-0001");
  world.clock.advance(std::chrono::seconds(1));
  const Shown after = browser.open(kPage + "/approvals/" + id);
  EXPECT_TRUE(after.says("Paid. RF-0001, $48.00, token APV-0001, ")) << after.html.text;
  EXPECT_TRUE(world.pay(id)->repeated);
  EXPECT_EQ(world.audit_count("token.issued"), 1);
  EXPECT_EQ(world.audit_count("decision.approved"), 1);
  settle_once(world.env, *world.store, *world.money);
  settle_once(world.env, *world.store, *world.money);
  EXPECT_EQ(world.audit_count("refund.paid"), 1);
  EXPECT_EQ(world.audit_count("token.spent"), 1);
}

TEST(Deciding17, DenyWithANoteTellsTheRunAndIssuesNoToken) {
  PageWorld world;
  const std::string id = world.request();
  BrowserDouble browser(world.http);
  const Shown form = browser.follow(world.signed_in(browser, "/approvals/" + id, "Morgan Ellis"), "Deny…");
  const Shown denied = browser.press(form, "Deny refund", {{"note", "Ask for a photo of the pole first."}});
  EXPECT_TRUE(denied.says("Denied by Morgan Ellis: Ask for a photo of the pole first. Nothing was refunded."))
      << denied.html.text;
  const services::ApprovalAnswer answer = world.redeem(id);
  EXPECT_EQ(answer.status, services::ApprovalStatus::kDenied);
  EXPECT_EQ(answer.decided_by, "Morgan Ellis");
  EXPECT_EQ(answer.note, "Ask for a photo of the pole first.");
  EXPECT_FALSE(answer.token.has_value());
  EXPECT_EQ(world.audit_count("token.issued"), 0);
}

TEST(Deciding18, RefusesADenialWithoutANoteBlankOrTooLongAndKeepsTheText) {
  PageWorld world;
  const std::string id = world.request();
  BrowserDouble browser(world.http);
  const Shown form = browser.follow(world.signed_in(browser, "/approvals/" + id, "Morgan Ellis"), "Deny…");
  for (const std::string& note : {std::string(), std::string("  \r\n "), std::string(501, 'x')}) {
    const Shown again = browser.press(form, "Deny refund", {{"note", note}});
    EXPECT_EQ(again.response.status, 422);
    EXPECT_NE(again.response.body.find("aria-invalid=\"true\" aria-describedby=\"note-error"), std::string::npos);
    EXPECT_NE(again.response.body.find("id=\"note-error\" role=\"alert\" tabindex=\"-1\" data-focus"),
              std::string::npos);
    if (note.size() > 500) {
      EXPECT_EQ(BrowserDouble::field(again, "Deny refund", "note"), note);
    }
    EXPECT_EQ(world.status(id), RequestStatus::kPending);
  }
  std::string longest;
  for (int i = 0; i < 500; ++i) longest += "é";  // characters, not bytes
  EXPECT_TRUE(browser.press(form, "Deny refund", {{"note", longest}}).says("Denied by Morgan Ellis"));
}

TEST(Deciding19, ASignInThatIsTooOldIsAskedForAgainAndDecidesNothing) {
  PageWorld world;
  const std::string id = world.request();
  BrowserDouble browser(world.http);
  const Shown confirm = world.at_confirm(browser, id);
  world.clock.advance(std::chrono::seconds(301));
  const Shown stale = browser.open(kPage + "/approvals/" + id + "/approve");
  EXPECT_EQ(stale.response.status, 403);
  EXPECT_TRUE(stale.says("Paying money back needs a sign-in from the last 5 minutes. Yours is 5 minutes old."));
  const Shown forced = browser.press(confirm, "Pay back");
  EXPECT_EQ(forced.response.status, 403);
  EXPECT_NE(world.newest_detail("decision.refused").find(R"("reason":"stale")"), std::string::npos);
  const Shown again = browser.press(browser.follow(stale, "Sign in again"), "Morgan Ellis");
  EXPECT_TRUE(again.says("This pays $48.00 back to Avery Lin."));
  EXPECT_EQ(world.status(id), RequestStatus::kPending);
  EXPECT_TRUE(browser.press(again, "Pay back").says("Approved by Morgan Ellis"));
}

TEST(Deciding19, ASignInOfExactlyFiveMinutesStillCounts) {
  PageWorld world;
  const std::string id = world.request();
  BrowserDouble browser(world.http);
  const Shown confirm = world.at_confirm(browser, id);
  world.clock.advance(std::chrono::seconds(300));
  EXPECT_TRUE(browser.press(confirm, "Pay back").says("Approved by Morgan Ellis"));
}

TEST(Deciding20, AnIssuerThatIgnoresMaxAgeIsNotBelieved) {
  PageWorld world;
  BrowserDouble browser(world.http);
  world.signed_in(browser, "/approvals", "Morgan Ellis");
  world.clock.advance(std::chrono::minutes(23));
  const std::string id = world.request();
  const HttpResponse begin = browser.get(kPage + "/login?fresh=1&next=%2Fapprovals%2FAPR-0001%2Fapprove");
  std::string url = *begin.headers.find("Location");
  const std::size_t at = url.find("&max_age=0");
  ASSERT_NE(at, std::string::npos) << url;
  url.erase(at, std::string_view("&max_age=0").size());
  // The issuer goes on with the time of the earlier sign-in, as it may without max_age.
  const Shown page = browser.press(browser.open(url), "Morgan Ellis");
  EXPECT_EQ(page.response.status, 403);
  EXPECT_TRUE(page.says("Yours is 23 minutes old.")) << page.html.text;
  EXPECT_EQ(world.status(id), RequestStatus::kPending);
}

TEST(Deciding21, TheSecondOfTwoPressesIsToldThatItWasOnesOwn) {
  PageWorld world;
  const std::string id = world.request();
  BrowserDouble browser(world.http);
  const Shown confirm = world.at_confirm(browser, id);
  EXPECT_TRUE(browser.press(confirm, "Pay back").says("Approved by Morgan Ellis"));
  const Shown again = browser.press(confirm, "Pay back");
  EXPECT_EQ(again.response.status, 409);
  EXPECT_TRUE(again.says("You approved this at "));
  world.redeem(id);
  world.redeem(id);
  EXPECT_EQ(world.audit_count("token.issued"), 1);
}

TEST(Deciding23, ADenialAfterAnApprovalNamesTheWinner) {
  PageWorld world;
  const std::string id = world.request();
  BrowserDouble browser(world.http);
  const Shown confirm = world.at_confirm(browser, id);
  const Shown deny = browser.open(kPage + "/approvals/" + id + "/deny");
  browser.press(confirm, "Pay back");
  const Shown late = browser.press(deny, "Deny refund", {{"note", "No."}});
  EXPECT_EQ(late.response.status, 409);
  EXPECT_EQ(world.status(id), RequestStatus::kApproved);
}

TEST(Deciding28, AtTheMomentOfExpiryAPressIsTooLate) {
  PageWorld world;
  const std::string id = world.request();
  world.clock.advance(std::chrono::minutes(12));
  BrowserDouble browser(world.http);
  const Shown confirm = world.at_confirm(browser, id);
  world.clock.advance(std::chrono::minutes(3));
  EXPECT_EQ(browser.press(confirm, "Pay back").response.status, 410);
  EXPECT_TRUE(browser.open(kPage + "/approvals/" + id).says("Nobody decided in 15 minutes. Nothing was refunded."));
  EXPECT_EQ(world.redeem(id).status, services::ApprovalStatus::kExpired);
  EXPECT_EQ(world.status(world.request()), RequestStatus::kPending);
}

TEST(Deciding29, AnApprovalThatWasNotUsedInTimeLapses) {
  PageWorld world;
  const std::string id = world.request();
  BrowserDouble browser(world.http);
  browser.press(world.at_confirm(browser, id), "Pay back");
  world.clock.advance(std::chrono::seconds(300));
  EXPECT_TRUE(browser.open(kPage + "/approvals/" + id).says("Approved, but not used in time. Nothing was refunded."));
  const services::ApprovalAnswer late = world.redeem(id);
  EXPECT_EQ(late.status, services::ApprovalStatus::kLapsed);
  EXPECT_FALSE(late.token.has_value());
  settle_once(world.env, *world.store, *world.money);
  EXPECT_EQ(world.audit_count("token.lapsed"), 1);
}

TEST(Deciding29, ALostReceiptCanBeHadAfterTheTimeToUseTheApproval) {
  PageWorld world;
  const std::string id = world.request();
  BrowserDouble browser(world.http);
  browser.press(world.at_confirm(browser, id), "Pay back");
  ASSERT_TRUE(world.pay(id).has_value());
  world.clock.advance(std::chrono::seconds(400));
  const auto again = world.pay(id);
  ASSERT_TRUE(again.has_value()) << again.error().text();
  EXPECT_TRUE(again->repeated);
}

TEST(Deciding30, ARequestThatChangedAfterItWasShownIsNotDecided) {
  PageWorld world;
  const std::string id = world.request();
  BrowserDouble browser(world.http);
  const Shown confirm = world.at_confirm(browser, id);
  const auto shown = world.store->find(services::ApprovalId(id));
  const FormFields other_digest = {{"csrf", BrowserDouble::field(confirm, "Pay back", "csrf")},
                                   {"version", std::to_string(shown->version)},
                                   {"digest", std::string(64, '0')}};
  EXPECT_EQ(browser.post(kPage + "/approvals/" + id + "/approve", other_digest, BrowserDouble::own_form(kPage)).status,
            409);
  FormFields other_version = other_digest;
  other_version[1].second = "7";
  other_version[2].second = shown->request_digest;
  EXPECT_EQ(browser.post(kPage + "/approvals/" + id + "/approve", other_version, BrowserDouble::own_form(kPage)).status,
            409);
  EXPECT_EQ(world.status(id), RequestStatus::kPending);
  EXPECT_NE(world.newest_detail("decision.refused").find(R"("reason":"changed")"), std::string::npos);
}

TEST(Deciding31, AnAmountOverTheLimitIsBlockedWithTheReason) {
  PageWorld world;
  services::ApprovalAsk dollars = PageWorld::ask();
  dollars.amount_cents = 480000;
  const std::string id = world.request(dollars);
  BrowserDouble browser(world.http);
  const Shown page = world.signed_in(browser, "/approvals/" + id, "Morgan Ellis");
  EXPECT_TRUE(page.says("$4800.00 exceeds the $60.00 limit in POL-DOA-30.")) << page.html.text;
  EXPECT_EQ(page.html.link("Approve…"), nullptr);
  EXPECT_NE(page.html.link("Deny…"), nullptr);
  browser.press(browser.open(kPage + "/login?fresh=1&next=%2Fapprovals"), "Morgan Ellis");
  EXPECT_EQ(browser.get(kPage + "/approvals/" + id + "/approve").status, 409);
  EXPECT_EQ(world.status(id), RequestStatus::kPending);
}

TEST(Deciding32, AWithdrawalBeatsAPressOnTheConfirmPage) {
  PageWorld world;
  const std::string id = world.request();
  BrowserDouble browser(world.http);
  const Shown confirm = world.at_confirm(browser, id);
  const auto withdrawn = world.client->withdraw(id, kIssuer, "rowan", SteadyTime::max());
  ASSERT_TRUE(withdrawn.has_value());
  EXPECT_EQ(withdrawn->status, services::ApprovalStatus::kWithdrawn);
  const Shown late = browser.press(confirm, "Pay back");
  EXPECT_EQ(late.response.status, 410);
  EXPECT_TRUE(late.says("Withdrawn by Rowan Diaz. Nothing was refunded."));
}

TEST(Deciding, PaymentsThatCannotBeAskedIsSaidAndApproveIsNotOffered) {
  PageWorld world;
  const std::string id = world.request();
  BrowserDouble browser(world.http);
  const Shown confirm = world.at_confirm(browser, id);
  browser.press(confirm, "Pay back");
  world.clock.advance(std::chrono::seconds(2));
  world.http.set_down(kPayments, true);
  EXPECT_TRUE(browser.open(kPage + "/approvals/" + id).says("we do not know yet whether it was paid"));
  services::ApprovalAsk second = PageWorld::ask();
  second.amount_cents = 1000;
  const std::string other = world.request(second);
  const Shown pending = browser.open(kPage + "/approvals/" + other);
  EXPECT_TRUE(pending.says("Payments cannot be asked now"));
  EXPECT_EQ(pending.html.link("Approve…"), nullptr);
}

TEST(Deciding, APaymentThatWasRefusedIsShownWithPaymentsOwnSentence) {
  PageWorld world;
  const std::string first = world.request();
  services::ApprovalAsk other_amount = PageWorld::ask();
  other_amount.amount_cents = 1000;
  const std::string second = world.request(other_amount);
  BrowserDouble browser(world.http);
  browser.press(world.at_confirm(browser, first), "Pay back");
  browser.press(browser.follow(browser.open(kPage + "/approvals/" + second), "Approve…"), "Pay back");
  ASSERT_TRUE(world.pay(first).has_value());
  EXPECT_FALSE(world.pay(second).has_value());
  world.clock.advance(std::chrono::seconds(2));
  const Shown page = browser.open(kPage + "/approvals/" + second);
  EXPECT_TRUE(page.says("Approved, but payments refused: ")) << page.html.text;
  EXPECT_TRUE(page.says("Nothing was refunded"));
}

TEST(CaseB058, FetchingThePagesDecidesNothingAndLeavesTheLinkUsable) {
  PageWorld world;
  const std::string id = world.request();
  BrowserDouble browser(world.http);
  world.at_confirm(browser, id);
  const std::string url = kPage + "/approvals/" + id;
  browser.open(url);  // the one row that says that this session had it open
  const int rows = world.audit_count();
  for (int i = 0; i < 50; ++i) {
    for (const std::string& target :
         {url, url + "?action=approve", url + "?decision=approve", url + "/approve", url + "/deny"}) {
      EXPECT_EQ(browser.get(target).status, 200);
      HttpRequest head;
      head.method = "HEAD";
      EXPECT_EQ(browser.send(target, head).status, 200);
    }
  }
  EXPECT_EQ(world.status(id), RequestStatus::kPending);
  EXPECT_EQ(world.audit_count(), rows);
  EXPECT_TRUE(browser.press(browser.open(url + "/approve"), "Pay back").says("Approved by Morgan Ellis"));
  EXPECT_EQ(world.audit_count("decision.approved"), 1);
}

TEST(CaseB061, TwentyPressesAtOnceAreOneDecisionOneTokenAndOneRefund) {
  PageWorld world;
  const std::string id = world.request();
  BrowserDouble browser(world.http);
  const Shown confirm = world.at_confirm(browser, id);
  HttpRequest press;
  press.method = "POST";
  press.target = "/approvals/" + id + "/approve";
  press.headers = BrowserDouble::own_form(kPage);
  press.headers.add("Cookie", browser.jar().field_for(*parse_uri(kPage + "/approvals")));
  press.body = form_encode(confirm.html.button("Pay back")->form->fields);
  std::atomic<int> won = 0;
  std::atomic<int> conflicts = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 20; ++i) {
    threads.emplace_back([&] {
      const auto answer = world.http.send(*parse_uri(kPage), press, {}, {});
      won += answer->status == 303 ? 1 : 0;
      conflicts += answer->status == 409 ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(won, 1);
  EXPECT_EQ(conflicts, 19);
  EXPECT_EQ(world.audit_count("decision.approved"), 1);
  ASSERT_TRUE(world.pay(id).has_value());
  EXPECT_TRUE(world.pay(id)->repeated);
  const auto refunds = world.payments->refunds_of_order(services::OrderId("ORD-5521"));
  ASSERT_EQ(refunds->size(), 1U);
  EXPECT_EQ(refunds->front().amount.minor_units, 4800);
}

TEST(ScriptedSupervisor, FindsItsWayFromTheLinkToEitherDecision) {
  PageWorld world;
  const std::string id = world.request();
  lab::Browser approving(world.http, world.clock);
  lab::Supervisor morgan(approving, {});
  const auto approved = morgan.decide(kPage + "/approvals/" + id);
  ASSERT_TRUE(approved.has_value()) << approved.error().text();
  EXPECT_EQ(world.status(id), RequestStatus::kApproved);

  services::ApprovalAsk other = PageWorld::ask();
  other.amount_cents = 1000;
  const std::string second = world.request(other);
  lab::SupervisorOptions options;
  options.decision = lab::Decision::kDeny;
  lab::Browser denying(world.http, world.clock);
  lab::Supervisor again(denying, options);
  ASSERT_TRUE(again.decide(kPage + "/approvals/" + second).has_value());
  EXPECT_EQ(world.status(second), RequestStatus::kDenied);
}

TEST(ScriptedSupervisor, IsStuckWhereThePersonMayNotDecide) {
  PageWorld world;
  const std::string id = world.request();
  lab::SupervisorOptions options;
  options.person = "Rowan Diaz";
  lab::Browser browser(world.http, world.clock);
  lab::Supervisor rowan(browser, options);
  EXPECT_TRUE(failed_with(rowan.decide(kPage + "/approvals/" + id), "lab.supervisor_stuck"));
  EXPECT_EQ(world.status(id), RequestStatus::kPending);
}

TEST(Deciding, TenRefusedPressesAMinuteAreEnough) {
  PageWorld world;
  const std::string id = world.request();
  BrowserDouble browser(world.http);
  const Shown form = world.signed_in(browser, "/approvals/" + id + "/deny", "Morgan Ellis");
  for (int i = 0; i < 10; ++i) EXPECT_EQ(browser.press(form, "Deny refund").response.status, 422);
  const Shown eleventh = browser.press(form, "Deny refund", {{"note", "No."}});
  EXPECT_EQ(eleventh.response.status, 429);
  EXPECT_TRUE(eleventh.response.headers.has("Retry-After"));
  world.clock.advance(std::chrono::minutes(1));
  EXPECT_TRUE(browser.press(form, "Deny refund", {{"note", "No."}}).says("Denied by"));
}

}  // namespace
}  // namespace postern::approvals::test
