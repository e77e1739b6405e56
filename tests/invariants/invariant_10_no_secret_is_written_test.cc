// I10: no token, key, code, handle or cookie is ever written to a log, a page, a terminal, an error or a model turn;
// stdout of a stdio server carries MCP messages only. Attack A12; the fault stdout-noise.
#include "tests/invariants/approved_run.h"

namespace postern::lab {
namespace {

const std::string kTwenty = "AbCdEfGhIjKlMnOpQrSt";

TEST(NoSecretIsWritten, HoldsInAnApprovedRun) {
  expect_held("I10", approved_run());
}

TEST(NoSecretIsWritten, IsBrokenByEachShapeInEachText) {
  for (const std::string& secret :
       {"ch_" + kTwenty, "apt_" + kTwenty, "ac_" + kTwenty, "svc_" + kTwenty, "hs_" + kTwenty, "rs_" + kTwenty,
        "sk-ant-" + kTwenty, "eyJ" + kTwenty + ".eyJ" + kTwenty + "." + kTwenty, "Bearer " + kTwenty + "UvWx",
        "Service " + kTwenty + "UvWx", std::string("-----BEGIN EC PRIVATE KEY-----")}) {
    Evidence run = approved_run();
    run.texts["stderr"] = "a line\nand " + secret + " in it";
    expect_broken("I10", run, "stderr, line 2");
  }
}

TEST(NoSecretIsWritten, TakesNamesAndFingerprintsForWhatTheyAre) {
  Evidence run = approved_run();
  run.texts["stdout"] =
      "ch_ apt_ Bearer <token:d92495> approvals:request batch_of_identifiers_longer eyJ. Service unavailable";
  expect_held("I10", run);
}

TEST(NoSecretIsWritten, IsBrokenByASecretInAnEntry) {
  Evidence run = approved_run();
  set_header(entry(run, 20), "authorization", "Bearer " + kTwenty + kTwenty);
  expect_broken("I10", run, "entry 20, headers.authorization");
}

TEST(NoSecretIsWritten, IsBrokenByAPieceOfAKnownSecret) {
  Evidence run = approved_run();
  run.canaries = {"0123456789" + kTwenty + "0123456789"};
  expect_held("I10", run);
  run.texts["world/desk.log"] = "value " + kTwenty.substr(2, 17);
  expect_broken("I10", run, "world/desk.log, line 1");
}

TEST(NoSecretIsWritten, IsBrokenByALineOnTheStdoutOfAServerThatIsNoMessage) {
  Evidence run = approved_run();
  host::WireEntry line = entry(run, 20);
  line.is_http = false;
  line.from = "server";
  line.to = "host";
  line.start.clear();
  line.headers.clear();
  line.body = R"({"jsonrpc":"2.0","id":1,"result":{}})";
  line.seq = run.entries.size() + 1;
  run.entries.push_back(line);
  expect_held("I10", run);
  run.entries.back().body = "Debugger listening";
  expect_broken("I10", run, "entry 79, body");
}

}  // namespace
}  // namespace postern::lab
