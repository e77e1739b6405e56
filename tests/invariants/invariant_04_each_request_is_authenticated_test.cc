// I4: over HTTP each request is authenticated by the server itself.
// Attacks A1 to A4 get through when a check of the token is taken away (services/gate/token_verifier.cc).
#include "tests/invariants/approved_run.h"

namespace postern::lab {
namespace {

TEST(EachRequestIsAuthenticated, HoldsInAnApprovedRun) {
  expect_held("I4", approved_run());
}

TEST(EachRequestIsAuthenticated, IsBrokenByAnAnswerWithoutAToken) {
  Evidence run = approved_run();
  entry(run, 2).start = "HTTP/1.1 200 OK";
  expect_broken("I4", run, "entry 2, start");
}

TEST(EachRequestIsAuthenticated, IsBrokenByTwoTokensOrNone) {
  Evidence two = approved_run();
  entry(two, 20).headers.emplace_back("authorization", "<token:d92495>");
  expect_broken("I4", two, "entry 20, headers.authorization");
  Evidence none = approved_run();
  set_header(entry(none, 20), "authorization", "Basic");
  expect_broken("I4", none, "entry 20, headers.authorization");
}

TEST(EachRequestIsAuthenticated, IsBrokenByATokenInAnAddress) {
  Evidence run = approved_run();
  entry(run, 20).start = "POST /mcp?access_token=<token:d92495> HTTP/1.1";
  expect_broken("I4", run, "entry 20, start");
}

TEST(EachRequestIsAuthenticated, IsBrokenWhereTheTokenThatWasNotEnoughIsLetThrough) {
  Evidence run = approved_run();
  set_header(entry(run, 65), "authorization", "<token:d92495>");
  expect_broken("I4", run, "entry 66, start");
}

TEST(EachRequestIsAuthenticated, IsBrokenByARefusalThatDoesNotSayWhatItIs) {
  Evidence run = approved_run();
  set_header(entry(run, 56), "www-authenticate", "Bearer");
  expect_broken("I4", run, "entry 56, headers.www-authenticate");
}

TEST(EachRequestIsAuthenticated, IsNotObservableWhereNothingWasRefused) {
  Evidence run = approved_run();
  entry(run, 1).headers.emplace_back("authorization", "<token:d92495>");
  entry(run, 2).start = "HTTP/1.1 200 OK";
  expect_unseen("I4", run, "no request without a valid token");
}

}  // namespace
}  // namespace postern::lab
