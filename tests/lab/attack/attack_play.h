// One case, played step by step: what was set up, what was tried, and what came of it.
//
// The verbs of `given` and `when` are two closed tables (fixtures/README.md lists them). A step of `given` that does
// not succeed is lab.attack_failed: the attempt was then never made.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/lab/attack/outlook.h"
#include "tests/lab/attack/target.h"
#include "tests/support/case_file.h"

namespace postern::lab {

// What the `when` of a case came to.
struct PlayResult {
  Attempt attempt;
  std::int64_t refunds_before = 0;  // of the case's ticket
  std::int64_t refunds_after = 0;
  bool money_seen = true;  // false: the target does not show its refunds
  // bridge.still_pending, when the money is not seen: the same round once more.
  std::optional<Seen> once_more;
  // case.no_such_handle: what its owner reads there and the answer shows too.
  std::vector<std::string> shown;
  std::vector<std::string> found;  // lab.token_found: the artefacts that hold a piece of a token
};

class AttackPlay {
 public:
  // The target and the case must outlive it.
  AttackPlay(Target& target, const test::CaseFile& of) : target_(target), case_(of), as_(of.value("as")) {}

  // lab.not_observable, lab.step_refused, lab.attack_failed, lab.bad_case_file, those of the target.
  [[nodiscard]] Result<PlayResult> run();
  // Whether the case changes what others see: it decides, pays or ends a process. The others may share a target.
  [[nodiscard]] static bool disturbs(const test::CaseFile& of);
  // How many refunds more there must be: 0 unless the case says so.
  [[nodiscard]] static std::int64_t refunds_expected(const test::CaseFile& of);
  // The verbs that there are, each with what it may be told, for the test that compares them with fixtures/README.md.
  [[nodiscard]] static std::vector<std::string> given_verbs();
  [[nodiscard]] static std::vector<std::string> when_verbs();

  using Step = test::CaseStep;

 private:
  struct Verb;
  static std::span<const Verb> givens();
  static std::span<const Verb> whens();
  [[nodiscard]] Status run_step(std::span<const Verb> verbs, const std::string& text);

  // given
  [[nodiscard]] Status take_token(const Step& step);
  [[nodiscard]] Status open_case(const Step& step);
  [[nodiscard]] Status ask(const Step& step);
  [[nodiscard]] Status decide_first(const Step& step);
  [[nodiscard]] Status refund_first(const Step& step);
  [[nodiscard]] Status present(const Step& step);
  [[nodiscard]] Status change_state(const Step& step);
  [[nodiscard]] Status add_header(const Step& step);
  [[nodiscard]] Status add_meta(const Step& step);
  // when
  [[nodiscard]] Status call(const Step& step);
  [[nodiscard]] Status decide(const Step& step);
  [[nodiscard]] Status pay(const Step& step);
  [[nodiscard]] Status repeat(const Step& step);
  [[nodiscard]] Status send_raw(const Step& step);
  [[nodiscard]] Status search(const Step& step);

  [[nodiscard]] Result<std::string> genuine(const std::string& person);
  [[nodiscard]] Result<McpCall> call_of(const Step& step);
  [[nodiscard]] Json refund_arguments(const std::map<std::string, std::string, std::less<>>& changes) const;
  [[nodiscard]] Result<HttpRequest> refund_round_two();
  [[nodiscard]] Result<Seen> send(const McpCall& call);
  [[nodiscard]] Result<std::optional<std::int64_t>> count_refunds();
  // What only the owner of the case may read of it, from a read of the owner.
  [[nodiscard]] Result<std::set<std::string>> facts_of_case();
  [[nodiscard]] std::string by(const Step& step) const;

  Target& target_;
  const test::CaseFile& case_;
  std::string as_;
  std::string ticket_ = "T-1042";
  std::map<std::string, std::string> tokens_;   // genuine ones, by person
  std::vector<std::string> all_tokens_;         // whatever was presented: to be searched for
  std::optional<std::string> token_;            // of the attempt, when it is not the genuine one
  std::map<std::string, std::string> handles_;  // by person
  std::string asker_;
  std::map<std::string, std::string, std::less<>> asked_;  // changed arguments of the round that asked
  std::string state_;
  std::string link_;
  std::string input_key_ = "approval";
  std::vector<HeaderField> headers_;
  Json meta_ = Json::object();
  std::string sent_;  // what the caller itself sent, to the last byte
  PlayResult result_;
};

}  // namespace postern::lab
