#include "tests/lab/attack/attack_play.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "tests/lab/attack/token_pieces.h"
#include "wire/base/visible_text.h"

namespace postern::lab {
namespace {

using test::BadCaseFile;
using test::CaseFile;
using test::CaseStep;

constexpr std::chrono::seconds kAnswerMax{30};
constexpr std::string_view kBoth = "desk:read refunds:write";
constexpr std::string_view kRefundTool = "issue_refund";

std::optional<std::int64_t> number_of(const std::string& text) {
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string parameter(const CaseStep& step, std::string_view name, std::string otherwise = {}) {
  const auto found = step.parameters.find(name);
  return found == step.parameters.end() ? otherwise : found->second;
}

bool has_word(const CaseStep& step, std::string_view word) {
  return std::find(step.words.begin(), step.words.end(), word) != step.words.end();
}

Json json_of(const std::string& text) {
  if (const auto number = number_of(text)) return *number;
  return text;
}

// Texts and numbers that tell something: long enough to be no accident.
void collect_facts(const Json& json, std::set<std::string>& facts) {
  constexpr std::size_t kTelling = 4;
  for (const auto& [name, value] : json.members()) collect_facts(value, facts);
  for (const Json& element : json.elements()) collect_facts(element, facts);
  if (json.is_object() || json.is_array()) return;
  const std::string text = json.string() == nullptr ? json.dump() : *json.string();
  if (text.size() >= kTelling && text != "true" && text != "false" && text != "null") facts.insert(text);
}

// As a whole word: 1290 is not shown by 12900.
bool shows(const std::string& text, const std::string& fact) {
  const auto is_word = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  for (std::size_t at = text.find(fact); at != std::string::npos; at = text.find(fact, at + 1)) {
    const std::size_t end = at + fact.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

StepRefused refused(std::string_view what, const Seen& seen) {
  return {std::string(what) + ": " + seen.line()};
}

}  // namespace

// What one verb may be told: words, and names of parameters. "*": any.
struct AttackPlay::Verb {
  std::string_view name;
  std::set<std::string_view> words;
  std::set<std::string_view> parameters;
  Status (AttackPlay::*run)(const Step& step);
  bool disturbs = false;
};

std::span<const AttackPlay::Verb> AttackPlay::givens() {
  static const Verb kVerbs[] = {
      {"token", {}, {"forged", "scope", "resource", "of"}, &AttackPlay::take_token},
      {"open", {}, {"by", "ticket"}, &AttackPlay::open_case},
      {"ask", {}, {"by", "amount_cents", "line_id", "reason"}, &AttackPlay::ask},
      {"decide", {}, {"by"}, &AttackPlay::decide_first, true},
      {"refund", {}, {}, &AttackPlay::refund_first, true},
      {"present", {"*"}, {"handle"}, &AttackPlay::present},
      {"state", {"changed"}, {"ago", "tool", "method", "purpose", "of"}, &AttackPlay::change_state},
      {"header", {}, {"*"}, &AttackPlay::add_header},
      {"meta", {}, {"*"}, &AttackPlay::add_meta},
  };
  return kVerbs;
}

std::span<const AttackPlay::Verb> AttackPlay::whens() {
  static const Verb kVerbs[] = {
      {"call", {"*"}, {"handle", "amount_cents", "line_id", "reason", "ticket_id", "refunds"}, &AttackPlay::call},
      {"decide", {}, {"by", "way", "refunds"}, &AttackPlay::decide, true},
      {"pay",
       {},
       {"amount_cents", "currency", "order_id", "ticket_id", "line_id", "policy_id", "refunds"},
       &AttackPlay::pay,
       true},
      {"repeat", {"once", "in-sequence", "at-once", "after-crash"}, {"refunds"}, &AttackPlay::repeat, true},
      {"raw",
       {},
       {"host", "origin", "name", "method", "version", "second-host", "second-length"},
       &AttackPlay::send_raw},
      {"search", {"caller"}, {}, &AttackPlay::search, true},
  };
  return kVerbs;
}

std::vector<std::string> AttackPlay::given_verbs() {
  std::vector<std::string> names;
  for (const Verb& verb : givens()) names.emplace_back(verb.name);
  return names;
}
std::vector<std::string> AttackPlay::when_verbs() {
  std::vector<std::string> names;
  for (const Verb& verb : whens()) names.emplace_back(verb.name);
  return names;
}

bool AttackPlay::disturbs(const CaseFile& of) {
  const auto any = [](std::span<const Verb> verbs, const std::string& text) {
    const auto step = test::parse_step(text);
    return step && std::any_of(verbs.begin(), verbs.end(),
                               [&](const Verb& verb) { return verb.name == step->verb && verb.disturbs; });
  };
  return any(whens(), of.value("when")) || std::any_of(of.given().begin(), of.given().end(),
                                                       [&](const std::string& text) { return any(givens(), text); });
}

std::int64_t AttackPlay::refunds_expected(const CaseFile& of) {
  const auto step = test::parse_step(of.value("when"));
  return step ? number_of(parameter(*step, "refunds")).value_or(0) : 0;
}

Status AttackPlay::run_step(std::span<const Verb> verbs, const std::string& text) {
  POSTERN_TRY(const Step step, test::parse_step(text));
  const auto bad = [&](const std::string& reason) -> Failure { return BadCaseFile{case_.file(), 0, reason}; };
  const auto verb = std::find_if(verbs.begin(), verbs.end(), [&](const Verb& v) { return v.name == step.verb; });
  if (verb == verbs.end()) return bad("there is no verb \"" + step.verb + "\" there");
  for (const std::string& word : step.words) {
    if (verb->words.count("*") + verb->words.count(word) == 0)
      return bad("\"" + step.verb + "\" takes no \"" + word + "\"");
  }
  for (const auto& [name, value] : step.parameters) {
    if (verb->parameters.count("*") + verb->parameters.count(name) == 0) {
      return bad("\"" + step.verb + "\" takes no \"" + name + "\"");
    }
  }
  return (this->*verb->run)(step);
}

Result<PlayResult> AttackPlay::run() {
  for (const std::string& step : case_.given()) POSTERN_TRY_VOID(run_step(givens(), step));
  POSTERN_TRY(const auto before, count_refunds());
  std::set<std::string> facts;
  if (!target_.is_product() && case_.value("expect") == "case.no_such_handle") {
    POSTERN_TRY(facts, facts_of_case());
  }
  POSTERN_TRY_VOID(run_step(whens(), case_.value("when")));
  for (const std::string& fact : facts) {
    if (shows(result_.attempt.seen.body, fact)) result_.shown.push_back(fact);
  }
  if (!before && case_.value("expect") == "bridge.still_pending") {
    POSTERN_TRY(const HttpRequest again, refund_round_two());
    POSTERN_TRY(const HttpResponse answer,
                target_.http().send(target_.endpoint(), again, target_.clock().steady_now() + kAnswerMax));
    result_.once_more = seen_of(answer);
  }
  POSTERN_TRY(const auto after, count_refunds());
  POSTERN_TRY_VOID(case_.all_used());
  result_.money_seen = before.has_value() && after.has_value();
  result_.refunds_before = before.value_or(0);
  result_.refunds_after = after.value_or(0);
  return result_;
}

Result<std::set<std::string>> AttackPlay::facts_of_case() {
  // The order of T-1042 in the world that every implementation serves.
  std::set<std::string> facts{"ORD-5521"};
  for (const auto& [owner, handle] : handles_) {
    McpCall read;
    read.tool = target_.tools().tool("get_order");
    if (read.tool.empty()) return NotObservable{"it has no tool get_order"};
    read.arguments = target_.tools().arguments("get_order", Json::object({{"case_handle", handle}}));
    POSTERN_TRY(read.token, genuine(owner));
    POSTERN_TRY(const Seen seen, send(read));
    if (!seen.let_through()) return refused("the owner cannot read the case", seen);
    if (const Json* content = seen.result.find("structuredContent")) collect_facts(*content, facts);
    if (const auto text = parse_json(seen.text())) collect_facts(*text, facts);
    facts.erase(handle);
  }
  return facts;
}

std::string AttackPlay::by(const Step& step) const {
  return parameter(step, "by", as_);
}

Result<std::optional<std::int64_t>> AttackPlay::count_refunds() {
  const auto receipts = target_.refunds(ticket_);
  if (receipts) return std::optional(static_cast<std::int64_t>(receipts->size()));
  if (receipts.error().as<NotObservable>() != nullptr) return std::optional<std::int64_t>();
  return receipts.error();
}

Result<std::string> AttackPlay::genuine(const std::string& person) {
  const auto kept = tokens_.find(person);
  if (kept != tokens_.end()) return kept->second;
  POSTERN_TRY(std::string token, target_.token(person, kBoth));
  all_tokens_.push_back(token);
  return tokens_.emplace(person, std::move(token)).first->second;
}

Result<Seen> AttackPlay::send(const McpCall& call) {
  const Uri endpoint = target_.endpoint();
  const HttpRequest request = http_request_of(call, endpoint.target(), input_key_);
  sent_ += bytes_of(request, endpoint.authority(), {}, {});
  POSTERN_TRY(const HttpResponse response,
              target_.http().send(endpoint, request, target_.clock().steady_now() + kAnswerMax));
  return seen_of(response);
}

Status AttackPlay::take_token(const Step& step) {
  const std::string person = parameter(step, "of", as_);
  const std::string scope = parameter(step, "scope", std::string(kBoth));
  if (const std::string how = parameter(step, "forged"); !how.empty()) {
    POSTERN_TRY(token_, target_.forge({how, person, scope}));
  } else {
    POSTERN_TRY(token_, target_.token(person, scope, parameter(step, "resource")));
  }
  all_tokens_.push_back(*token_);
  return {};
}

Status AttackPlay::open_case(const Step& step) {
  const std::string person = by(step);
  ticket_ = parameter(step, "ticket", ticket_);
  McpCall open;
  open.tool = target_.tools().tool("open_case");
  if (open.tool.empty()) return NotObservable{"it has no tool that opens a case"};
  open.arguments = target_.tools().arguments("open_case", Json::object({{"ticket_id", ticket_}}));
  POSTERN_TRY(open.token, genuine(person));
  POSTERN_TRY(const Seen seen, send(open));
  const std::string handle = seen.structured("case_handle");
  if (handle.empty()) return refused("no case was opened for " + person, seen);
  handles_.insert_or_assign(person, handle);
  return {};
}

Json AttackPlay::refund_arguments(const std::map<std::string, std::string, std::less<>>& changes) const {
  Json arguments = Json::object({{"line_id", "LN-1"}, {"amount_cents", 4800}, {"reason", "Damaged on arrival"}});
  for (const char* name : {"line_id", "amount_cents", "reason"}) {
    if (const auto changed = changes.find(name); changed != changes.end())
      arguments.set(name, json_of(changed->second));
  }
  return arguments;
}

Status AttackPlay::ask(const Step& step) {
  asker_ = by(step);
  asked_ = step.parameters;
  McpCall round;
  round.tool = target_.tools().tool(kRefundTool);
  if (round.tool.empty()) return NotObservable{"it has no tool that refunds"};
  Json arguments = refund_arguments(asked_);
  arguments.set("case_handle", handles_[asker_]);
  round.arguments = target_.tools().arguments(kRefundTool, arguments);
  POSTERN_TRY(round.token, genuine(asker_));
  POSTERN_TRY(const Seen seen, send(round));
  if (!seen.asks_for_input() || seen.state().empty()) return refused("no approval was asked for", seen);
  state_ = seen.state();
  link_ = seen.link();
  input_key_ = seen.input_key();
  return {};
}

Status AttackPlay::decide_first(const Step& step) {
  POSTERN_TRY(const DecisionAttempt decided, target_.decide(link_, parameter(step, "by", "morgan"), "page"));
  if (!decided.done) return StepRefused{"the supervisor could not approve: " + decided.seen};
  return {};
}

Result<HttpRequest> AttackPlay::refund_round_two() {
  McpCall round;
  round.tool = target_.tools().tool(kRefundTool);
  Json arguments = refund_arguments(asked_);
  arguments.set("case_handle", handles_[asker_]);
  round.arguments = target_.tools().arguments(kRefundTool, arguments);
  round.state = state_;
  round.accept = true;
  POSTERN_TRY(round.token, genuine(asker_));
  return http_request_of(round, target_.endpoint().target(), input_key_);
}

Status AttackPlay::refund_first(const Step&) {
  POSTERN_TRY(const HttpRequest request, refund_round_two());
  POSTERN_TRY(const HttpResponse response,
              target_.http().send(target_.endpoint(), request, target_.clock().steady_now() + kAnswerMax));
  const Seen seen = seen_of(response);
  if (!seen.let_through() || seen.asks_for_input()) return refused("the approved refund was not paid", seen);
  return {};
}

Status AttackPlay::change_state(const Step& step) {
  if (has_word(step, "changed")) {
    // In the middle: one more character of the same alphabet, so that only the seal can tell.
    char& one = state_[state_.size() / 2];
    one = one == 'A' ? 'B' : 'A';
    return {};
  }
  Json arguments = refund_arguments(asked_);
  arguments.set("case_handle", handles_[asker_]);
  StateForgery forgery{parameter(step, "of", asker_),
                       parameter(step, "tool", std::string(kRefundTool)),
                       parameter(step, "method", "tools/call"),
                       parameter(step, "purpose"),
                       std::move(arguments),
                       link_,
                       ticket_,
                       Seconds(number_of(parameter(step, "ago")).value_or(0))};
  POSTERN_TRY(state_, target_.forge_state(forgery));
  return {};
}

Status AttackPlay::add_header(const Step& step) {
  for (const auto& [name, value] : step.parameters) headers_.push_back({name, value});
  return {};
}

Status AttackPlay::add_meta(const Step& step) {
  for (const auto& [name, value] : step.parameters) meta_.set(name, value);
  return {};
}

// Whatever the answer is.
Status AttackPlay::present(const Step& step) {
  POSTERN_TRY(const McpCall call, call_of(step));
  POSTERN_TRY_VOID(send(call));
  return {};
}

Result<McpCall> AttackPlay::call_of(const Step& step) {
  if (step.words.empty()) return BadCaseFile{case_.file(), 0, "\"" + step.verb + "\" names no tool"};
  const std::string& tool = step.words.front();
  McpCall call;
  call.tool = target_.tools().tool(tool);
  if (call.tool.empty()) return NotObservable{"it has no tool " + tool};
  Json arguments = tool == kRefundTool ? refund_arguments(asked_) : Json::object();
  for (const auto& [name, value] : step.parameters) {
    if (name == "handle" || name == "refunds") continue;
    if (!target_.tools().takes(tool, name)) return NotObservable{"its tool " + call.tool + " takes no " + name};
    arguments.set(name, json_of(value));
  }
  if (tool != "open_case") {
    const auto handle = handles_.find(parameter(step, "handle", as_));
    arguments.set("case_handle", handle == handles_.end() ? "case_0000" : handle->second);
  }
  call.arguments = target_.tools().arguments(tool, arguments);
  call.accept = has_word(step, "accept");
  if (call.accept || has_word(step, "state")) call.state = state_;
  call.headers = headers_;
  call.meta = meta_;
  if (token_) {
    call.token = *token_;
  } else {
    POSTERN_TRY(call.token, genuine(as_));
  }
  return call;
}

Status AttackPlay::call(const Step& step) {
  POSTERN_TRY(const McpCall call, call_of(step));
  POSTERN_TRY(result_.attempt.seen, send(call));
  return {};
}

Status AttackPlay::decide(const Step& step) {
  result_.attempt.is_decision = true;
  POSTERN_TRY(result_.attempt.decision, target_.decide(link_, by(step), parameter(step, "way", "page")));
  return {};
}

Status AttackPlay::pay(const Step& step) {
  Json changes = Json::object();
  for (const auto& [name, value] : step.parameters) {
    if (name != "refunds") changes.set(name, json_of(value));
  }
  POSTERN_TRY(const HttpResponse response, target_.pay(link_, changes));
  result_.attempt.seen = seen_of(response);
  return {};
}

Status AttackPlay::repeat(const Step& step) {
  POSTERN_TRY(const HttpRequest request, refund_round_two());
  std::vector<HttpResponse> answers;
  if (has_word(step, "at-once")) {
    POSTERN_TRY(answers, target_.at_once(request));
  } else if (has_word(step, "after-crash")) {
    POSTERN_TRY(HttpResponse answer, target_.after_crash(request));
    answers.push_back(std::move(answer));
  } else {
    const int times = has_word(step, "in-sequence") ? 2 : 1;
    for (int i = 0; i < times; ++i) {
      POSTERN_TRY(HttpResponse answer,
                  target_.http().send(target_.endpoint(), request, target_.clock().steady_now() + kAnswerMax));
      answers.push_back(std::move(answer));
    }
  }
  result_.attempt.seen = seen_of(answers.back());
  return {};
}

Status AttackPlay::send_raw(const Step& step) {
  const Uri endpoint = target_.endpoint();
  McpCall call;
  call.tool = target_.tools().tool("open_case");
  call.arguments = target_.tools().arguments("open_case", Json::object({{"ticket_id", ticket_}}));
  POSTERN_TRY(call.token, genuine(as_));
  const HttpRequest request = http_request_of(call, endpoint.target());
  std::vector<HeaderField> instead;
  std::vector<HeaderField> also;
  for (const auto& [name, value] : step.parameters) {
    if (name == "host") instead.push_back({"Host", value});
    if (name == "origin") instead.push_back({"Origin", value == "own" ? endpoint.origin() : value});
    if (name == "name") instead.push_back({"Mcp-Name", value});
    if (name == "method") instead.push_back({"Mcp-Method", value});
    if (name == "version") instead.push_back({"MCP-Protocol-Version", value});
    if (name == "second-host") also.push_back({"Host", value});
    if (name == "second-length") also.push_back({"Content-Length", value});
  }
  POSTERN_TRY(const std::string answer, target_.raw(bytes_of(request, endpoint.authority(), instead, also)));
  result_.attempt.seen = seen_of(response_of_bytes(answer));
  if (!answer.empty() && result_.attempt.seen.status == 0) {
    return AttackFailed{"the answer is no HTTP: " + visible_line(answer, 100)};
  }
  return {};
}

// "caller": in what the caller itself sent, where it must be found.
Status AttackPlay::search(const Step& step) {
  const bool own = has_word(step, "caller");
  std::map<std::string, std::string> places{{"what the caller sent", sent_}};
  if (!own) {
    POSTERN_TRY(places, target_.artefacts());
  }
  std::set<std::string, std::less<>> pieces;
  for (const std::string& token : all_tokens_) pieces.merge(pieces_of_token(token));
  if (pieces.empty()) return AttackFailed{"no token was presented that could be looked for"};
  for (const auto& [name, text] : places) {
    if (holds_piece(text, pieces)) result_.found.push_back(name);
  }
  if (!result_.found.empty()) result_.attempt.seen.result = Json::object({{"found", result_.found.front()}});
  result_.attempt.seen.status = result_.found.empty() ? 404 : 200;
  result_.attempt.seen.body = "no piece of a token in " + std::to_string(places.size()) + " places";
  return {};
}

}  // namespace postern::lab
