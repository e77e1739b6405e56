// Numbers 10 to 15 of section E: who sees and who may.
#include <gtest/gtest.h>

#include "tests/unit/approvals/page_world.h"

namespace postern::approvals::test {
namespace {

// Presses the approve button without the page that holds it: with the form token of another form of the same request.
HttpResponse forced_approve(PageWorld& world, BrowserDouble& browser, const std::string& id, const std::string& csrf) {
  const auto request = world.store->find(services::ApprovalId(id));
  return browser.post(
      kPage + "/approvals/" + id + "/approve",
      {{"csrf", csrf}, {"version", std::to_string(request->version)}, {"digest", request->request_digest}},
      BrowserDouble::own_form(kPage));
}

TEST(Rights10, TheRequesterReadsAndCannotDecide) {
  PageWorld world;
  const std::string id = world.request();
  BrowserDouble browser(world.http);
  const Shown page = world.signed_in(browser, "/approvals/" + id, "Rowan Diaz");
  EXPECT_TRUE(page.says("You asked for this. Someone else must decide."));
  EXPECT_TRUE(page.says("Avery Lin"));
  EXPECT_EQ(page.html.link("Approve…"), nullptr);
  EXPECT_EQ(page.html.link("Deny…"), nullptr);
  EXPECT_FALSE(page.html.button("Pay back").has_value());

  const std::string csrf = BrowserDouble::field(page, "Withdraw request", "csrf");
  const HttpResponse forced = forced_approve(world, browser, id, csrf);
  EXPECT_EQ(forced.status, 403);
  EXPECT_NE(forced.body.find("You cannot decide your own request."), std::string::npos);
  EXPECT_EQ(world.status(id), RequestStatus::kPending);
  EXPECT_NE(world.newest_detail("decision.refused").find(R"("reason":"self")"), std::string::npos);
}

TEST(Rights10, TheRequesterMayTakeItBack) {
  PageWorld world;
  const std::string id = world.request();
  BrowserDouble browser(world.http);
  const Shown page = world.signed_in(browser, "/approvals/" + id, "Rowan Diaz");
  const Shown after = browser.press(page, "Withdraw request");
  EXPECT_TRUE(after.says("Withdrawn by Rowan Diaz. Nothing was refunded."));
  EXPECT_EQ(world.status(id), RequestStatus::kWithdrawn);
}

TEST(Rights11, WhoIsNotConcernedGetsTheBytesOfAnUnknownId) {
  PageWorld world;
  const std::string id = world.request();
  BrowserDouble browser(world.http);
  world.signed_in(browser, "/approvals", "Quinn Hale");
  for (const char* below : {"", "/approve", "/deny", "/record", "/state"}) {
    const HttpResponse real = browser.get(kPage + "/approvals/" + id + below);
    const HttpResponse unknown = browser.get(kPage + "/approvals/APR-9999" + below);
    EXPECT_EQ(real.status, 404) << below;
    EXPECT_EQ(real.body, unknown.body) << below;
    ASSERT_EQ(real.headers.fields().size(), unknown.headers.fields().size());
    for (std::size_t i = 0; i < real.headers.fields().size(); ++i) {
      EXPECT_EQ(real.headers.fields()[i].value, unknown.headers.fields()[i].value) << below;
    }
  }
  EXPECT_EQ(browser.get(kPage + "/approvals/APR-x").status, 404);
  BrowserDouble concerned(world.http);
  EXPECT_EQ(world.signed_in(concerned, "/approvals/" + id, "Rowan Diaz").response.status, 200);
}

TEST(Rights11, TheQueueAndTheAuditTrailAreScopedByDesk) {
  PageWorld world;
  const std::string id = world.request();
  BrowserDouble quinn(world.http);
  const Shown queue = world.signed_in(quinn, "/approvals?status=all", "Quinn Hale");
  EXPECT_FALSE(queue.says(id));
  EXPECT_EQ(quinn.get(kPage + "/audit").status, 404);
  BrowserDouble morgan(world.http);
  EXPECT_TRUE(world.signed_in(morgan, "/approvals", "Morgan Ellis").says(id));
  EXPECT_TRUE(morgan.open(kPage + "/audit").says("request.created"));
}

TEST(Rights12, WithoutRefundsApproveTheApproveLinkIsASignInAndAForcedPostIsRefused) {
  PageWorld world;
  const std::string id = world.request();
  BrowserDouble browser(world.http);
  const Shown deny = world.signed_in(browser, "/approvals/" + id + "/deny", "Morgan Ellis");
  const std::string csrf = BrowserDouble::field(deny, "Deny refund", "csrf");
  const HttpResponse forced = forced_approve(world, browser, id, csrf);
  EXPECT_EQ(forced.status, 403);
  EXPECT_NE(forced.body.find("You need refunds:approve to decide."), std::string::npos);
  EXPECT_NE(world.newest_detail("decision.refused").find(R"("reason":"scope")"), std::string::npos);
  const HttpResponse link = browser.get(kPage + "/approvals/" + id + "/approve");
  EXPECT_EQ(link.status, 303);
  EXPECT_EQ(*link.headers.find("Location"), "/login?fresh=1&next=%2Fapprovals%2FAPR-0001%2Fapprove");
}

TEST(Rights12, WhoAskedForTheRightAndDidNotGetItReadsThat) {
  PageWorld world;
  const std::string id = world.request();
  BrowserDouble browser(world.http);
  world.signed_in(browser, "/approvals", "Morgan Ellis");
  // The person takes refunds:approve out of the address on the way to the issuer.
  const HttpResponse begin = browser.get(kPage + "/login?fresh=1&next=%2Fapprovals%2FAPR-0001");
  std::string url = *begin.headers.find("Location");
  const std::string wanted = "refunds%3Aapprove";
  const std::size_t at = url.find(wanted);
  ASSERT_NE(at, std::string::npos) << url;
  url.erase(at, wanted.size());
  const Shown page = browser.press(browser.open(url), "Morgan Ellis");
  EXPECT_EQ(page.uri.path, "/approvals/" + id);
  EXPECT_TRUE(page.says("You need refunds:approve to decide."));
  EXPECT_EQ(page.html.link("Approve…"), nullptr);
  EXPECT_EQ(browser.get(kPage + "/approvals/" + id + "/approve").status, 403);
}

TEST(Rights13, ASupervisorCannotDecideTheirOwnRequest) {
  PageWorld world;
  services::ApprovalAsk own = PageWorld::ask();
  own.requester_subject = "morgan";
  own.requester_name = "Morgan Ellis";
  const std::string id = world.request(own);
  const std::string other = world.request();
  BrowserDouble browser(world.http);
  const Shown page = world.signed_in(browser, "/approvals/" + id, "Morgan Ellis");
  EXPECT_TRUE(page.says("You cannot decide your own request."));
  EXPECT_FALSE(page.html.button("Withdraw").has_value());
  // Fresh and with the right, through the other request; then pressed for the own one.
  browser.press(browser.follow(browser.open(kPage + "/approvals/" + other), "Approve…"), "Morgan Ellis");
  EXPECT_EQ(browser.get(kPage + "/approvals/" + id + "/approve").status, 403);
  HttpRequest probe;
  probe.headers.add("Cookie", browser.jar().field_for(*parse_uri(kPage + "/approvals")));
  const auto session = world.sessions->find(probe, false);
  const HttpResponse forced = forced_approve(world, browser, id, FormTokens::make(*session, "request", id));
  EXPECT_EQ(forced.status, 403);
  EXPECT_EQ(world.status(id), RequestStatus::kPending);
  EXPECT_NE(world.newest_detail("decision.refused").find(R"("reason":"self")"), std::string::npos);
}

TEST(Rights15, AForwardedLinkGivesTheSupervisorTheirOwnViewAndTheTrailNamesBoth) {
  PageWorld world;
  const std::string id = world.request();
  BrowserDouble browser(world.http);
  const Shown page = world.signed_in(browser, "/approvals/" + id, "Morgan Ellis");
  EXPECT_NE(page.html.link("Approve…"), nullptr);
  EXPECT_NE(page.html.link("Deny…"), nullptr);
  bool asked = false;
  bool opened = false;
  const auto rows = world.store->audit(id, 100);
  for (const AuditRow& row : *rows) {
    asked |= row.action == "request.created" && row.actor_name == "Rowan Diaz";
    opened |= row.action == "page.opened" && row.actor_name == "Morgan Ellis";
  }
  EXPECT_TRUE(asked);
  EXPECT_TRUE(opened);
}

}  // namespace
}  // namespace postern::approvals::test
