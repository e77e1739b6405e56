// What the person at the desk sees of a link, and which answers they can give (MCP 2026-07-28 client/elicitation, "Safe
// URL Handling").
#include "host/operator_desk.h"

#include <gtest/gtest.h>

#include <thread>

#include "bridge/elicitation_policy.h"
#include "tests/support/test_env.h"
#include "tests/unit/host/pseudo_terminal.h"

namespace postern::host {
namespace {

using mcp::ElicitAction;

constexpr std::chrono::milliseconds kLongWait{60'000};

bridge::LinkRequest link_to_open(std::string_view url, bool for_somebody_else = false) {
  bridge::LinkPolicy policy;
  policy.hosts = {"files.example.test", "127.0.0.1"};
  policy.any_https = true;
  bridge::CheckedLink link = *bridge::check_link(url, policy);
  bridge::LinkRequest request;
  request.server = {"files", "files.example.test"};
  request.tool = "create_ticket";
  request.message = "Connect your account.";
  request.host = link.url.authority();
  request.looks_like = link.looks_like;
  request.foreign_host = link.foreign_host;
  request.for_somebody_else = for_somebody_else;
  request.url = std::move(link.url);
  return request;
}

const char* const kConnect = "https://files.example.test/connect?a=1";
const char* const kApproval = "http://127.0.0.1:8940/approvals/APR-0001";

struct DeskBench {
  explicit DeskBench(std::string open_choice = "ask", unsigned short columns = 80)
      : pty(columns), desk(terminal, env.env(), std::move(open_choice)) {}
  // What stands on the screen when the answer is waited for, and the answer to what is typed then.
  ElicitAction show(const bridge::LinkRequest& request, std::string_view typed) {
    ElicitAction action = ElicitAction::kAccept;
    std::thread program([&] { action = desk.show_link(request, stop.get_token()); });
    screen = pty.shown_until("> ");
    pty.type(typed);
    program.join();
    after = pty.shown();
    return action;
  }
  // A link for somebody else does not wait for an answer: it is typed while the call waits.
  std::optional<ElicitAction> show_and_type(std::string_view typed) {
    EXPECT_EQ(desk.show_link(link_to_open(kApproval, true), {}), ElicitAction::kAccept);
    screen = pty.shown();
    pty.type(typed);
    EXPECT_FALSE(desk.sleep(kLongWait, {}));
    return desk.withdrawn();
  }
  [[nodiscard]] bool shows(std::string_view text) const { return screen.find(text) != std::string::npos; }

  test::TestEnv env;
  PseudoTerminal pty;
  Terminal terminal{TerminalOptions{.color = ColorChoice::kNever}};
  OperatorDesk desk;
  std::stop_source stop;
  std::string screen;
  std::string after;
};

TEST(OperatorDesk, SaysWhoAsksAndShowsTheWholeUrlAndItsHost) {
  DeskBench bench;
  bench.show(link_to_open(kConnect), "d\n");
  EXPECT_TRUE(bench.shows("link       files (files.example.test) asks you to open a page at")) << bench.screen;
  EXPECT_TRUE(bench.shows("\r\n             Connect your account.\r\n"));
  EXPECT_TRUE(bench.shows("\r\n             https://files.example.test/connect?a=1\r\n"));
  EXPECT_FALSE(bench.shows("Careful"));
  const std::string long_path(1900, 'x');
  DeskBench narrow("ask", 40);
  narrow.show(link_to_open("https://files.example.test/" + long_path), "d\n");
  EXPECT_TRUE(narrow.shows("https://files.example.test/" + long_path)) << "never cut";
}

TEST(OperatorDesk, MarksTheHostWhereThereIsColor) {
  const PseudoTerminal pty;
  test::TestEnv env;
  Terminal terminal{TerminalOptions{.color = ColorChoice::kAlways}};
  OperatorDesk desk(terminal, env.env(), "never");
  EXPECT_EQ(desk.show_link(link_to_open(kApproval, true), {}), ElicitAction::kAccept);
  EXPECT_NE(pty.shown().find("http://\x1b[1m127.0.0.1:8940\x1b[0m/approvals/APR-0001\r\n"), std::string::npos);
}

TEST(OperatorDesk, EachAnswerIsItsOwn) {
  for (const auto& [typed, action] : {std::pair("n\n", ElicitAction::kAccept),
                                      {"d\n", ElicitAction::kDecline},
                                      {"c\n", ElicitAction::kCancel},
                                      {"\n", ElicitAction::kCancel},
                                      {"\x04", ElicitAction::kCancel}}) {
    DeskBench bench;
    EXPECT_EQ(bench.show(link_to_open(kConnect), typed), action) << typed;
  }
}

TEST(OperatorDesk, AsksAgainWhenTheAnswerIsNone) {
  DeskBench bench;
  ElicitAction action = ElicitAction::kAccept;
  std::thread program([&] { action = bench.desk.show_link(link_to_open(kConnect), {}); });
  EXPECT_NE(bench.pty.shown_until("> ").find("y opens it"), std::string::npos);
  bench.pty.type("maybe\n");
  EXPECT_NE(bench.pty.shown_until("> ").find("y opens it"), std::string::npos);
  bench.pty.type("d\n");
  program.join();
  EXPECT_EQ(action, ElicitAction::kDecline);
}

TEST(OperatorDesk, CtrlCAtALinkCancels) {
  DeskBench bench;
  ElicitAction action = ElicitAction::kAccept;
  std::thread program([&] { action = bench.desk.show_link(link_to_open(kConnect), bench.stop.get_token()); });
  EXPECT_NE(bench.pty.shown_until("> "), "");
  bench.stop.request_stop();
  program.join();
  EXPECT_EQ(action, ElicitAction::kCancel);
}

TEST(OperatorDesk, OpensNothingWhenItMayNot) {
  DeskBench bench("never");
  EXPECT_EQ(bench.show(link_to_open(kConnect), "n\n"), ElicitAction::kAccept);
  EXPECT_FALSE(bench.shows("y opens it"));
}

TEST(OperatorDesk, WarnsOfForeignHostsAndOfLettersThatLookAlike) {
  DeskBench foreign;
  foreign.show(link_to_open("https://pay.example.test/a"), "d\n");
  EXPECT_TRUE(foreign.shows("Careful: this is not the server's own host.")) << foreign.screen;
  DeskBench alike("ask", 200);
  alike.show(link_to_open("https://xn--pple-43d.test/a"), "d\n");
  EXPECT_TRUE(alike.shows("Careful: the host's name paints as \"\u0430pple.test\", in Cyrillic and Latin letters"))
      << alike.screen;
  EXPECT_TRUE(alike.shows("https://xn--pple-43d.test/a\r\n"));
}

TEST(OperatorDesk, AnApprovalIsShownAndWaitsForNobodyAtTheKeyboard) {
  DeskBench bench;
  EXPECT_EQ(bench.show_and_type("n\n"), std::nullopt);
  EXPECT_TRUE(bench.shows("The desk at 127.0.0.1:8940 asks you to open:\r\n")) << bench.screen;
  EXPECT_TRUE(bench.shows("Opening it approves nothing."));
}

TEST(OperatorDesk, AnApprovalCanBeDeclinedOrCancelledWhileItWaits) {
  for (const auto& [typed, action] : {std::pair("d\n", ElicitAction::kDecline), {"c\n", ElicitAction::kCancel}}) {
    DeskBench bench;
    EXPECT_EQ(bench.show_and_type(typed), action);
    EXPECT_EQ(bench.desk.withdrawn(), std::nullopt) << "said once";
  }
}

TEST(OperatorDesk, AsksNobodyWithNoInput) {
  test::TestEnv env;
  const PseudoTerminal pty;
  Terminal terminal{TerminalOptions{.no_input = true}};
  OperatorDesk desk(terminal, env.env(), "ask");
  EXPECT_FALSE(desk.can_ask());
  EXPECT_EQ(desk.show_link(link_to_open(kApproval, true), {}), ElicitAction::kAccept);
  EXPECT_EQ(pty.shown().find("Open it?"), std::string::npos);
}

}  // namespace
}  // namespace postern::host
