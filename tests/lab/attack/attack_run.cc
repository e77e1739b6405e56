#include "tests/lab/attack/attack_run.h"

#include <algorithm>
#include <chrono>

#include "tests/lab/attack/attack_play.h"
#include "tests/lab/attack/outlook.h"
#include "wire/base/embedded.h"
#include "wire/base/visible_text.h"

POSTERN_EMBEDDED(fixtures_attacks_cases)

namespace postern::lab {

using test::CaseFile;

namespace {

constexpr std::size_t kLineMax = 200;

std::string stem_of(std::string_view file) {
  return std::string(file.substr(0, file.rfind(".case")));
}

std::string money_line(const PlayResult& result) {
  const std::int64_t paid = result.refunds_after - result.refunds_before;
  return std::to_string(paid) + (paid == 1 ? " refund" : " refunds") + " more";
}

// What a played case came to, for an attempt that must fail.
CaseEnd end_of_attempt(const CaseFile& of, const PlayResult& result, bool is_product, std::string& seen) {
  const Outlook& outlook = *outlook_of(of.value("expect"));
  if (outlook.id == "lab.token_found") {
    if (result.found.empty()) return CaseEnd::kBlocked;
    seen = "a piece of a token in";
    for (const std::string& name : result.found) seen += " " + name;
    return CaseEnd::kThrough;
  }
  const std::int64_t paid = result.refunds_after - result.refunds_before;
  if (result.money_seen && paid != AttackPlay::refunds_expected(of)) {
    seen += ", and " + money_line(result);
    return paid > AttackPlay::refunds_expected(of) ? CaseEnd::kThrough : CaseEnd::kRefusedOtherwise;
  }
  if (outlook.id == "payment.token_spent") return result.money_seen ? CaseEnd::kBlocked : CaseEnd::kNotObservable;
  switch (ended(outlook, result.attempt, is_product)) {
    case Ended::kAsItMust:
      return CaseEnd::kBlocked;
    case Ended::kRefusedOtherwise:
      return CaseEnd::kRefusedOtherwise;
    case Ended::kThrough:
      return CaseEnd::kThrough;
    case Ended::kBrokeDown:
      return CaseEnd::kError;
    case Ended::kUnclear:
      return CaseEnd::kNotObservable;
  }
  return CaseEnd::kError;
}

// Of a server that does not show its money, the answer is not enough: the same round once more must not show that the
// first had paid, and a refusal must not tell what it refuses.
CaseEnd end_of_probes(const CaseFile& of, const PlayResult& result, CaseEnd end, std::string& seen) {
  if (end != CaseEnd::kBlocked && end != CaseEnd::kRefusedOtherwise) return end;
  if (!result.shown.empty()) {
    seen += ", which shows " + visible_line(result.shown.front(), 60);
    return CaseEnd::kThrough;
  }
  if (!result.once_more) return end;
  const Ended again = ended(*outlook_of(of.value("expect")), Attempt{*result.once_more, false, {}}, false);
  if (again == Ended::kAsItMust || again == Ended::kRefusedOtherwise) return end;
  seen += ", and once more: " + result.once_more->line();
  if (again == Ended::kThrough) return CaseEnd::kThrough;
  return again == Ended::kBrokeDown ? CaseEnd::kError : CaseEnd::kNotObservable;
}

CaseEnd end_of_neighbour(const CaseFile& of, const PlayResult& result, std::string& seen) {
  const std::int64_t expected = AttackPlay::refunds_expected(of);
  const bool answered =
      result.attempt.is_decision || result.attempt.seen.result.is_object() || result.attempt.seen.status == 200;
  if (!answered || !result.attempt.let_through()) return CaseEnd::kNeighbourRefused;
  if (expected > 0 && result.attempt.seen.asks_for_input()) return CaseEnd::kNeighbourRefused;
  if (result.money_seen && result.refunds_after - result.refunds_before != expected) {
    seen += ", and " + money_line(result);
    return CaseEnd::kNeighbourRefused;
  }
  return CaseEnd::kLetThrough;
}

std::string count_text(std::size_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

std::vector<const CaseOutcome*> with_end(const std::vector<CaseOutcome>& outcomes, CaseEnd end) {
  std::vector<const CaseOutcome*> found;
  for (const CaseOutcome& outcome : outcomes) {
    if (outcome.end == end) found.push_back(&outcome);
  }
  return found;
}

}  // namespace

std::string_view text_of(CaseEnd end) {
  switch (end) {
    case CaseEnd::kBlocked:
      return "blocked";
    case CaseEnd::kRefusedOtherwise:
      return "refused otherwise";
    case CaseEnd::kThrough:
      return "got through";
    case CaseEnd::kLetThrough:
      return "let through";
    case CaseEnd::kNeighbourRefused:
      return "refused to whoever may";
    case CaseEnd::kNotObservable:
      return "not observable";
    case CaseEnd::kError:
      return "error";
  }
  return "error";
}

const std::vector<std::pair<std::string, std::string>>& attack_names() {
  static const std::vector<std::pair<std::string, std::string>> kNames = {
      {"A1", "token for another server"},
      {"A2", "token outside of its time"},
      {"A3", "token that the issuer did not sign"},
      {"A4", "refund without the scope for it"},
      {"A5", "somebody else's case handle"},
      {"A6", "accept without a decision"},
      {"A7", "requester decides"},
      {"A8", "request state of another call"},
      {"A9", "approval of another action"},
      {"A10", "approval used twice"},
      {"A11", "request that is not what it says"},
      {"A12", "caller's token in what is kept or sent on"},
  };
  return kNames;
}

Result<std::vector<CaseFile>> attack_cases(std::string_view attack) {
  std::vector<CaseFile> cases;
  for (const EmbeddedFile& file : embedded::fixtures_attacks_cases()) {
    POSTERN_TRY(CaseFile made, CaseFile::parse(file.name, file.content));
    if (made.value("attack").empty()) return test::BadCaseFile{std::string(file.name), 0, "it is no attack"};
    const std::string& expect = made.value("expect");
    if (!made.expects_success() && outlook_of(expect) == nullptr) {
      return test::BadCaseFile{std::string(file.name), 0, "nobody knows how \"" + expect + "\" looks from outside"};
    }
    if (attack.empty() || made.value("attack") == attack) cases.push_back(std::move(made));
  }
  return cases;
}

Result<std::shared_ptr<Target>> AttackRun::target_for(const CaseFile& of) {
  if (AttackPlay::disturbs(of)) return fresh_();
  if (shared_ == nullptr) {
    POSTERN_TRY(shared_, fresh_());
  }
  return shared_;
}

bool AttackRun::is_asked(const CaseFile& of) {
  if (of.value("desk").empty()) return true;
  if (shared_ == nullptr) {
    auto made = fresh_();
    if (!made) return true;  // which the case itself will say
    shared_ = *std::move(made);
  }
  return shared_->is_product();
}

CaseOutcome AttackRun::play(const CaseFile& of) {
  CaseOutcome outcome{stem_of(of.file()), of.value("name"), of.value("expect"), CaseEnd::kError, ""};
  const auto target = target_for(of);
  if (!target) {
    outcome.seen = visible_line(target.error().text(), kLineMax);
    if (target.error().as<NotObservable>() != nullptr) outcome.end = CaseEnd::kNotObservable;
    return outcome;
  }
  AttackPlay play(**target, of);
  const auto result = play.run();
  if (!result) {
    outcome.seen = visible_line(result.error().text(), kLineMax);
    const bool not_seen = result.error().as<NotObservable>() != nullptr;
    const bool neighbour = of.expects_success() && result.error().as<StepRefused>() != nullptr;
    outcome.end = not_seen ? CaseEnd::kNotObservable : neighbour ? CaseEnd::kNeighbourRefused : CaseEnd::kError;
    return outcome;
  }
  outcome.seen = result->attempt.line();
  outcome.end = of.expects_success() ? end_of_neighbour(of, *result, outcome.seen)
                                     : end_of_attempt(of, *result, (*target)->is_product(), outcome.seen);
  if (!of.expects_success()) outcome.end = end_of_probes(of, *result, outcome.end, outcome.seen);
  if (outcome.end == CaseEnd::kNotObservable) {
    const bool paid_unseen = !result->money_seen && (of.value("expect") == "payment.token_spent" ||
                                                     of.value("expect") == "bridge.still_pending");
    outcome.seen = (paid_unseen ? "it does not show what it paid; " : "the answer shows no refusal; ") + outcome.seen;
  }
  return outcome;
}

std::vector<CaseOutcome> AttackRun::play(std::string_view attack) {
  std::vector<CaseOutcome> outcomes;
  const auto cases = attack_cases(attack);
  if (!cases) {
    outcomes.push_back({std::string(attack), "the cases", "", CaseEnd::kError, cases.error().text()});
    return outcomes;
  }
  for (const CaseFile& of : *cases) {
    if (is_asked(of)) outcomes.push_back(play(of));
  }
  return outcomes;
}

Check AttackRun::check_of(std::string_view attack, const std::vector<CaseOutcome>& outcomes) {
  Check check;
  check.id = attack;
  for (const auto& [id, name] : attack_names()) {
    if (id == attack) check.name = name;
  }
  const auto through = with_end(outcomes, CaseEnd::kThrough);
  const auto refused = with_end(outcomes, CaseEnd::kNeighbourRefused);
  const auto errors = with_end(outcomes, CaseEnd::kError);
  const auto unseen = with_end(outcomes, CaseEnd::kNotObservable);
  const auto otherwise = with_end(outcomes, CaseEnd::kRefusedOtherwise);
  const auto blocked = with_end(outcomes, CaseEnd::kBlocked);
  check.expected = "every case refused, and its neighbour let through";
  if (!through.empty()) {
    const CaseOutcome& first = *through.front();
    check.verdict = Verdict::kFail;
    const Outlook* outlook = outlook_of(first.expect);
    check.expected = (outlook == nullptr ? first.expect : std::string(outlook->about)) + " (" + first.file + ")";
    check.got = "got through: " + first.name + ": " + first.seen;
    if (through.size() > 1) check.got += " (and " + count_text(through.size() - 1, "case", "cases") + " more)";
  } else if (!refused.empty()) {
    check.verdict = Verdict::kFail;
    check.expected = refused.front()->file + ": let through";
    check.got = "blocks nothing, whoever may is refused too: " + refused.front()->name + ": " + refused.front()->seen;
  } else if (!errors.empty()) {
    check.verdict = Verdict::kError;
    check.got = errors.front()->file + ": " + errors.front()->seen;
  } else if (!unseen.empty() || (blocked.empty() && otherwise.empty())) {
    check.verdict = Verdict::kNotObservable;
    check.got = count_text(blocked.size() + otherwise.size(), "case", "cases") + " refused, " +
                count_text(unseen.size(), "case", "cases") + " cannot be seen";
    if (!unseen.empty()) check.got += ": " + unseen.front()->seen;
  } else {
    check.verdict = Verdict::kPass;
    const CaseOutcome& last = otherwise.empty() ? *blocked.front() : *otherwise.front();
    check.got = "blocked: " + count_text(blocked.size() + otherwise.size(), "case", "cases") + ", such as " + last.seen;
    if (!otherwise.empty()) check.got += ", though " + last.file + " expects " + last.expect;
  }
  return check;
}

Check AttackRun::check(std::string_view attack) {
  const auto begun = std::chrono::steady_clock::now();
  Check check = check_of(attack, play(attack));
  check.took = std::chrono::duration_cast<Milliseconds>(std::chrono::steady_clock::now() - begun);
  return check;
}

std::vector<Check> run_attacks(const std::vector<std::string>& attacks, const TargetMaker& fresh) {
  AttackRun run(fresh);
  std::vector<Check> checks;
  for (const std::string& attack : attacks) checks.push_back(run.check(attack));
  return checks;
}

std::string attack_summary(const std::vector<Check>& checks) {
  const auto ids = [&](Verdict verdict, std::string_view start) {
    std::string list;
    for (const Check& check : checks) {
      if (check.verdict == verdict && check.got.substr(0, start.size()) == start)
        list += (list.empty() ? "" : ", ") + check.id;
    }
    return list;
  };
  const auto passed =
      std::count_if(checks.begin(), checks.end(), [](const Check& c) { return c.verdict == Verdict::kPass; });
  std::string out = std::to_string(passed) + " of " + std::to_string(checks.size()) + " blocked.";
  if (const std::string list = ids(Verdict::kFail, "got through"); !list.empty()) out += " " + list + " got through.";
  if (const std::string list = ids(Verdict::kFail, "blocks nothing"); !list.empty()) {
    out += " " + list + ": everybody is refused.";
  }
  if (const std::string list = ids(Verdict::kNotObservable, ""); !list.empty()) out += " Not observable: " + list + ".";
  if (const std::string list = ids(Verdict::kError, ""); !list.empty()) out += " Could not run: " + list + ".";
  return out;
}

}  // namespace postern::lab
