// I5: a caller's token never goes further than the server it was issued for; services see only the desk's own
// credential. The fault token-passthrough and attack A12 break it.
#include "tests/invariants/approved_run.h"

namespace postern::lab {
namespace {

TEST(TokenGoesNoFurther, HoldsInAnApprovedRun) {
  expect_held("I5", approved_run());
}

TEST(TokenGoesNoFurther, IsBrokenByTheTokenInARequestToTheModel) {
  Evidence run = approved_run();
  entry(run, 17).headers.emplace_back("authorization", "<token:d92495>");
  expect_broken("I5", run, "entry 17, headers.authorization");
  Evidence body = approved_run();
  replace_in(entry(body, 24), "Resolve ticket", "<token:d92495> Resolve ticket");
  expect_broken("I5", body, "entry 24, body");
}

TEST(TokenGoesNoFurther, IsBrokenByAServiceThatSawABearer) {
  Evidence run = approved_run();
  run.world->downstream[3].set("credential_kind", "bearer");
  expect_broken("I5", run, "line 4, credential_kind");
}

TEST(TokenGoesNoFurther, SaysWhatItDidNotSee) {
  Evidence run = approved_run();
  run.world.reset();
  expect_held("I5", run);
  EXPECT_NE(judged("I5", run).text.find("Not seen: the services' own logs"), std::string::npos);
}

TEST(TokenGoesNoFurther, IsNotObservableWhereTheServicesLogsAreEmptyOrLackTheRefund) {
  Evidence empty = approved_run();
  empty.world->downstream.clear();
  expect_unseen("I5", empty, "no service's log has a line of one");
  Evidence lacking = approved_run();
  for (Json& line : lacking.world->downstream) {
    if (line.string_at("operation") == "payments:refund") line.set("operation", "payments:read");
  }
  expect_unseen("I5", lacking, "the log of payments has no line of it");
}

TEST(TokenGoesNoFurther, TheIssuerMayBeToldWhichTokenEnds) {
  Evidence run = approved_run();
  EXPECT_NE(entry(run, 70).body.find("token=<token:66b26d>"), std::string::npos);
  expect_held("I5", run);
}

TEST(TokenGoesNoFurther, IsNotObservableBeforeAToken) {
  expect_unseen("I5", cut_before(approved_run(), 11), "no token was shown");
}

}  // namespace
}  // namespace postern::lab
