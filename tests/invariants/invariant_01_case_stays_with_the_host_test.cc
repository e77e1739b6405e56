// I1: the host opens the case; the model never chooses, sees or supplies a case, a customer, an order or an address.
// Held by the binding of the case handle in the host (bridge/model_tools.cc, bridge/call.cc).
#include "tests/invariants/approved_run.h"

namespace postern::lab {
namespace {

TEST(CaseStaysWithTheHost, HoldsInAnApprovedRun) {
  expect_held("I1", approved_run());
}

TEST(CaseStaysWithTheHost, IsBrokenByAToolThatIsTheHosts) {
  Evidence run = approved_run();
  replace_in(entry(run, 17), R"("name":"get_ticket")", R"("name":"open_case")");
  expect_broken("I1", run, "entry 17, body.tools[");
}

TEST(CaseStaysWithTheHost, IsBrokenByAnArgumentThatChooses) {
  for (const std::string name : {"case_handle", "customer_id", "order_id", "url"}) {
    Evidence run = approved_run();
    replace_in(entry(run, 24), R"("properties":{"line_id")", R"("properties":{")" + name + R"(":{},"line_id")");
    expect_broken("I1", run, ".input_schema.properties." + name);
  }
}

TEST(CaseStaysWithTheHost, IsBrokenByAHandleInAWordToTheModel) {
  Evidence run = approved_run();
  replace_in(entry(run, 24), "Resolve ticket T-1042.", "Resolve ticket T-1042 with <handle:ed18a0>.");
  expect_broken("I1", run, "entry 24, body.messages[0]");
  Evidence other = approved_run();
  replace_in(entry(other, 24), "Resolve ticket T-1042.", "Resolve ticket T-1042 with <token:aaaaaa>.");
  expect_held("I1", other);
}

TEST(CaseStaysWithTheHost, IsBrokenByAnotherHandleThanTheHosts) {
  Evidence run = approved_run();
  replace_in(entry(run, 20), "<handle:ed18a0>", "<handle:bbbbbb>");
  expect_broken("I1", run, "entry 20, body.params.arguments.case_handle");
}

TEST(CaseStaysWithTheHost, IsBrokenByAnotherTicket) {
  Evidence run = approved_run();
  replace_in(entry(run, 15), "T-1042", "T-3091");
  expect_broken("I1", run, "entry 15, body.params.arguments.ticket_id");
}

TEST(CaseStaysWithTheHost, IsNotObservableWhereNoCaseWasOpened) {
  expect_unseen("I1", cut_before(approved_run(), 15), "no case was opened");
}

}  // namespace
}  // namespace postern::lab
