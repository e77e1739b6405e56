// I2: client and server agree on one pinned revision; a mismatch fails loudly, with no fallback in pin mode.
// Held by the session's check of the revision (bridge/session_connect.cc); the fault wrong-version asks for it.
#include "tests/invariants/approved_run.h"

namespace postern::lab {
namespace {

TEST(OneRevision, HoldsInAnApprovedRun) {
  expect_held("I2", approved_run());
}

TEST(OneRevision, IsBrokenByAnotherRevisionInABody) {
  Evidence run = approved_run();
  replace_in(entry(run, 20), R"(protocolVersion":"2026-07-28")", R"(protocolVersion":"2025-11-25")");
  expect_broken("I2", run, "entry 20, body.params._meta.");
}

TEST(OneRevision, IsBrokenByAnotherRevisionInAHeader) {
  Evidence run = approved_run();
  set_header(entry(run, 20), "mcp-protocol-version", "2025-11-25");
  expect_broken("I2", run, "entry 20, headers.mcp-protocol-version");
}

TEST(OneRevision, IsBrokenByAFallback) {
  Evidence run = approved_run();
  replace_in(entry(run, 13), R"("method":"tools/list")", R"("method":"initialize")");
  expect_broken("I2", run, "entry 13, body.method");
}

TEST(OneRevision, IsBrokenByGoingOnAfterARefusal) {
  Evidence run = approved_run();
  replace_in(entry(run, 12), R"("supportedVersions":["2026-07-28"])", R"("supportedVersions":["2025-11-25"])");
  expect_broken("I2", run, "entry 13, body.method");
  Evidence stopped = cut_before(run, 13);
  expect_broken("I2", stopped, "exit code");
  stopped.exit = 3;
  expect_held("I2", stopped);
}

TEST(OneRevision, IsNotObservableWhereNobodyAnswered) {
  expect_unseen("I2", cut_before(approved_run(), 11), "no server answered");
}

}  // namespace
}  // namespace postern::lab
