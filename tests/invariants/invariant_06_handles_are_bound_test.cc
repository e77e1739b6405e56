// I6: a handle and a request state work only for the principal, and the call, that they were minted for, and not after
// they expire. Attacks A5 and A8; the faults unbound-handles and unbound-state.
#include "tests/invariants/approved_run.h"

namespace postern::lab {
namespace {

TEST(HandlesAreBound, HoldsInAnApprovedRun) {
  expect_held("I6", approved_run());
}

TEST(HandlesAreBound, IsBrokenByAForeignHandleThatIsHonoured) {
  Evidence run = approved_run();
  replace_in(entry(run, 20), "<handle:ed18a0>", "<handle:bbbbbb>");
  expect_broken("I6", run, "entry 20, body.params.arguments.case_handle");
  replace_in(entry(run, 21), R"("resultType":"complete")", R"("resultType":"complete","isError":true)");
  expect_held("I6", run);
}

TEST(HandlesAreBound, IsBrokenByAHandleThatIsHonouredAfterItsTime) {
  Evidence run = approved_run();
  entry(run, 76).at_ms += 901'000;
  expect_broken("I6", run, "entry 76, body.params.arguments.case_handle");
  Evidence in_time = approved_run();
  entry(in_time, 76).at_ms += 890'000;
  expect_held("I6", in_time);
}

TEST(HandlesAreBound, IsBrokenByAStateOnOtherArgumentsOrAnotherTool) {
  Evidence more = approved_run();
  replace_in(entry(more, 67), R"("amount_cents":4800)", R"("amount_cents":5800)");
  expect_broken("I6", more, "entry 67, body.params.arguments");
  Evidence other = approved_run();
  replace_in(entry(other, 67), R"("name":"issue_refund")", R"("name":"get_order")");
  expect_broken("I6", other, "entry 67, body.params.name");
}

TEST(HandlesAreBound, IsBrokenByAStateOfNoAnswer) {
  Evidence run = approved_run();
  replace_in(entry(run, 67), "<state:f84aa2>", "<state:cccccc>");
  expect_broken("I6", run, "entry 67, body.params.requestState");
}

TEST(HandlesAreBound, IsNotObservableWithoutAHandle) {
  expect_unseen("I6", cut_before(approved_run(), 15), "no handle was used");
}

}  // namespace
}  // namespace postern::lab
