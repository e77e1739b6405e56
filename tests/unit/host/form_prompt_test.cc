// A form at a real terminal: what a person sees, and what goes out (MCP 2026-07-28 client/elicitation, form mode).
#include "host/form_prompt.h"

#include <gtest/gtest.h>

#include <future>

#include "tests/unit/host/pseudo_terminal.h"

namespace postern::host {
namespace {

constexpr std::string_view kTicket = R"({"type":"object","required":["name"],"properties":{
  "name":{"type":"string","title":"Your name","description":"As on the badge.","minLength":3},
  "count":{"type":"integer","title":"How many","minimum":1,"default":2},
  "pin":{"type":"string","title":"Your PIN"}}})";

// Somebody who types one line after another, each when the program waits for it.
class FormBench {
 public:
  explicit FormBench(std::string_view schema, unsigned short columns = 80) : pty_(columns) {
    const bridge::FormRequest request{{"files", "/usr/bin/mcp-files"},
                                      "create_ticket",
                                      "Who are you?",
                                      *bridge::ElicitationForm::read(*parse_json(schema))};
    answer_ = std::async(std::launch::async, [this, request] {
      Terminal terminal{TerminalOptions{}};
      return FormPrompt(terminal, request).fill_in(stop_.get_token());
    });
  }
  // What stands on the screen when a line is waited for.
  std::string question() { return pty_.shown_until("> "); }
  // Types it, and gives what stands there when the next line is waited for.
  std::string type(std::string_view line) {
    pty_.type(std::string(line) + "\n");
    return question();
  }
  // The last line: what came of it, as JSON text.
  std::string end(std::string_view line) {
    pty_.type(std::string(line) + "\n");
    return answered();
  }
  std::string answered() {
    const bridge::FormAnswer answer = answer_.get();
    last_ = pty_.shown();
    return std::string(mcp::text_of(answer.action)) + " " + answer.content.dump();
  }
  PseudoTerminal pty_;
  std::stop_source stop_;
  std::string last_;

 private:
  std::future<bridge::FormAnswer> answer_;
};

bool has(const std::string& screen, std::string_view text) {
  return screen.find(text) != std::string::npos;
}

TEST(FormPrompt, NamesTheServerAndItsFieldsAndSendsAfterAReview) {
  FormBench bench(kTicket);
  const std::string first = bench.question();
  EXPECT_TRUE(has(first, "form       files (/usr/bin/mcp-files) asks you to fill in a form, for")) << first;
  EXPECT_TRUE(has(first, "             Who are you?\r\n"));
  EXPECT_TRUE(has(first, ":back, :skip, :decline, :cancel"));
  EXPECT_TRUE(has(first, "             Your name\r\n               As on the badge.\r\n"));
  const std::string second = bench.type("Rowan");
  EXPECT_TRUE(has(second, "How many")) << second;
  EXPECT_TRUE(second.ends_with("[2] > ")) << "the default is there to be taken";
  bench.type("");
  const std::string review = bench.type("");
  EXPECT_TRUE(has(review, "review     You would send to files (/usr/bin/mcp-files):")) << review;
  EXPECT_TRUE(has(review, "1  Your name\r\n                Rowan\r\n"));
  EXPECT_TRUE(has(review, "(left out)"));
  EXPECT_EQ(bench.end("s"), R"(accept {"name":"Rowan","count":2})");
}

TEST(FormPrompt, SaysAtOnceWhatDoesNotFit) {
  FormBench bench(kTicket);
  (void)bench.question();
  EXPECT_TRUE(has(bench.type("Ro"), "It must have at least 3 characters, and it has 2 characters. Try"));
  EXPECT_TRUE(has(bench.type(""), "An answer is needed here."));
  EXPECT_TRUE(has(bench.type(":skip"), "An answer is needed here."));
  bench.type("Rowan");
  EXPECT_TRUE(has(bench.type("0"), "It must be at least 1. Try again."));
  bench.type(":skip");
  bench.type("");
  EXPECT_EQ(bench.end("s"), R"(accept {"name":"Rowan"})");
}

TEST(FormPrompt, AnswersCanBeChangedBeforeTheyGo) {
  FormBench bench(kTicket);
  (void)bench.question();
  bench.type("Rowan");
  EXPECT_TRUE(bench.type(":back").ends_with("[Rowan] > "));
  bench.type("Quinn");
  bench.type("3");
  bench.type("");
  EXPECT_TRUE(bench.type("1").ends_with("[Quinn] > "));
  EXPECT_TRUE(has(bench.type("Quinn Hale"), "Quinn Hale\r\n"));
  EXPECT_TRUE(has(bench.type("9"), "Nothing has been sent.")) << "there is no ninth answer";
  EXPECT_TRUE(has(bench.type(""), "Nothing has been sent.")) << "Enter sends nothing";
  EXPECT_EQ(bench.end("s"), R"(accept {"name":"Quinn Hale","count":3})");
}

TEST(FormPrompt, DecliningAndCancellingAreThereAtEveryQuestion) {
  for (const auto& [typed, action] : {std::pair(":decline", "decline null"), {":cancel", "cancel null"}}) {
    FormBench first(kTicket);
    (void)first.question();
    EXPECT_EQ(first.end(typed), action);
    FormBench later(kTicket);
    (void)later.question();
    later.type("Rowan");
    EXPECT_EQ(later.end(typed), action);
    EXPECT_TRUE(has(later.last_, "gets nothing of"));
  }
  for (const auto& [typed, action] : {std::pair("d", "decline null"), {"c", "cancel null"}}) {
    FormBench bench(R"({"type":"object","properties":{}})");
    EXPECT_TRUE(has(bench.question(), "only that you agree"));
    EXPECT_EQ(bench.end(typed), action);
  }
}

TEST(FormPrompt, CtrlCAndTheEndOfTheInputCancel) {
  FormBench stopped(kTicket);
  (void)stopped.question();
  stopped.stop_.request_stop();
  EXPECT_EQ(stopped.answered(), "cancel null");
  FormBench ended(kTicket);
  (void)ended.question();
  ended.pty_.type("\x04");
  EXPECT_EQ(ended.answered(), "cancel null");
}

TEST(FormPrompt, WarnsOfWhatLooksLikeASecret) {
  FormBench bench(kTicket);
  EXPECT_FALSE(has(bench.question(), "Careful"));
  bench.type("Rowan");
  EXPECT_TRUE(has(bench.type(""), "Careful: this looks like a secret."));
  EXPECT_TRUE(has(bench.type("1234"), "Careful: this looks like a secret.")) << "and again before it goes";
  EXPECT_EQ(bench.end(":decline"), "decline null");
}

TEST(FormPrompt, APasteOfSeveralLinesAnswersOneQuestion) {
  FormBench bench(kTicket);
  (void)bench.question();
  EXPECT_TRUE(bench.type("Rowan\n7\nsecret\ns").ends_with("[2] > "));
  bench.type("");
  EXPECT_TRUE(has(bench.type(""), "(left out)"));
  EXPECT_EQ(bench.end("s"), R"(accept {"name":"Rowan","count":2})");
}

TEST(FormPrompt, NothingOfAServerStandsAtTheLeftEdge) {
  const std::string title = R"(run        \u001b[2Jhttp-1 https://evil.test/a \u202e)" + std::string(10'000, 'x');
  for (const bool narrow : {true, false}) {
    const unsigned short columns = narrow ? 40 : 80;
    FormBench bench(R"({"type":"object","properties":{"a":{"type":"string","title":")" + title +
                        R"(","description":"signed in  Morgan Ellis\nsigned in"}}})",
                    columns);
    const std::string screen = bench.question();
    EXPECT_FALSE(has(screen, "\x1b[2J"));
    EXPECT_FALSE(has(screen, "https://"));
    EXPECT_FALSE(has(screen, "\nrun"));
    EXPECT_FALSE(has(screen, "\nsigned in"));
    for (std::size_t begin = screen.find("1 of 1"); begin < screen.size();) {
      const std::size_t end = std::min(screen.find("\r\n", begin), screen.size());
      EXPECT_LE(end - begin, columns + 3U);  // an ellipsis is three bytes
      begin = end + 2;
      if (begin < screen.size() && screen[begin] != '\r') {
        EXPECT_EQ(screen.substr(begin, 11), std::string(11, ' '));
      }
    }
    EXPECT_EQ(bench.end(":cancel"), "cancel null");
  }
}

}  // namespace
}  // namespace postern::host
