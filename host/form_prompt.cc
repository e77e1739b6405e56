#include "host/form_prompt.h"

#include <algorithm>
#include <charconv>

#include "host/typed_answer.h"
#include "host/wrapped_text.h"
#include "wire/base/visible_text.h"

namespace postern::host {
namespace {

using bridge::FormField;
using bridge::FormType;

constexpr std::size_t kIndent = 11;         // under the program's own labels
constexpr std::size_t kTheirIndent = 13;    // what a server wrote
constexpr std::size_t kPresetColumns = 40;  // of a default beside the prompt
constexpr std::string_view kCareful =
    "Careful: this looks like a secret. A server must not ask for one in a form. Leave "
    "it out, or decline.";

// "files (/usr/bin/mcp-files)".
std::string named(const bridge::AskingServer& server) {
  return visible_line(server.name, 40) + " (" + visible_line(server.where, 120) + ")";
}

std::string cut(const std::string& text) {
  if (text.size() <= kPresetColumns) return text;
  return visible_line(text, kPresetColumns);
}

}  // namespace

void FormPrompt::say(std::string_view text, std::size_t indent) {
  terminal_.err(wrapped(text, indent, terminal_.columns()));
}

void FormPrompt::say_careful(std::size_t indent) {
  terminal_.err(terminal_.bold(wrapped(kCareful, indent, terminal_.columns())));
}

void FormPrompt::show_heading() {
  const std::size_t columns = terminal_.columns();
  std::string heading =
      wrapped(named(request_.server) + " asks you to fill in a form, for " + visible_line(request_.tool, 80) +
                  ". What you send goes to that server and nowhere else. It says:",
              kIndent, columns);
  heading.replace(0, 4, "form");
  terminal_.err(heading);
  say(request_.message, kTheirIndent);
  if (!request_.form.fields().empty())
    say("At each question: :back, :skip, :decline, :cancel. Nothing is sent before you have seen all of it again.");
}

void FormPrompt::show_field(std::size_t at) {
  const FormField& field = request_.form.fields()[at];
  const std::string label = terminal_.bold(std::to_string(at + 1) + " of " + std::to_string(answers_.size()));
  terminal_.err("");
  terminal_.err(std::string(kIndent, ' ') + label + (field.required ? "" : ", may be left out"));
  say(field.label, kTheirIndent);
  if (!field.description.empty()) say(field.description, kTheirIndent + 2);
  for (std::size_t i = 0; i < field.options.size(); ++i) {
    const std::string shown = shown_answer(
        field, field.type == FormType::kSomeOf ? Json::array({field.options[i].value}) : Json(field.options[i].value));
    say(std::to_string(i + 1) + "  " + shown, kTheirIndent + 2);
  }
  std::string how = wanted(field);
  if (!how.empty())
    how.front() = static_cast<char>(how.front() >= 'a' && how.front() <= 'z' ? how.front() - 32 : how.front());
  if (field.pattern_left_to_server) how += "; the server has a further rule that is not checked here";
  if (answers_[at]) {
    how += ". Enter " + std::string(reviewing_ ? "keeps" : "takes") + " what stands in brackets";
  } else if (!field.required) {
    how += ". Enter leaves it out";
  }
  say(how + ".");
  if (field.looks_secret) say_careful(kIndent);
}

FormPrompt::Step FormPrompt::ask_field(std::size_t at, const std::stop_token& stop) {
  const FormField& field = request_.form.fields()[at];
  show_field(at);
  while (true) {
    std::string prompt(kIndent, ' ');
    if (answers_[at]) prompt += "[" + cut(shown_answer(field, *answers_[at])) + "] ";
    const std::optional<std::string> typed = terminal_.ask(prompt + "> ", stop);
    if (!typed || *typed == ":cancel") return Step::kCancel;
    if (*typed == ":decline") return Step::kDecline;
    if (*typed == ":back") return Step::kBack;
    const bool leave_out = *typed == ":skip" || (typed->empty() && !answers_[at]);
    if (leave_out && field.required) {
      say("An answer is needed here. To give none: :decline or :cancel.");
      continue;
    }
    if (leave_out) answers_[at].reset();
    if (leave_out || typed->empty()) return Step::kNext;
    Result<Json> answer = typed_answer(field, *typed);
    if (answer) {
      answers_[at] = *std::move(answer);
      return Step::kNext;
    }
    const auto* refused = answer.error().as<bridge::AnswerRefused>();
    say((refused != nullptr ? refused->reason : answer.error().text()) + " Try again.");
  }
}

FormPrompt::Step FormPrompt::ask_all(const std::stop_token& stop) {
  for (std::size_t at = 0; at < answers_.size();) {
    switch (ask_field(at, stop)) {
      case Step::kNext:
        ++at;
        break;
      case Step::kBack:
        at -= at > 0 ? 1 : 0;
        break;
      case Step::kDecline:
        return Step::kDecline;
      case Step::kCancel:
        return Step::kCancel;
    }
  }
  return Step::kNext;
}

void FormPrompt::show_review() {
  const std::size_t columns = terminal_.columns();
  std::string heading = wrapped("You would send to " + named(request_.server) + ":", kIndent, columns);
  heading.replace(0, 6, "review");
  terminal_.err("");
  terminal_.err(heading);
  const auto& fields = request_.form.fields();
  for (std::size_t at = 0; at < fields.size(); ++at) {
    say(std::to_string(at + 1) + "  " + fields[at].label, kTheirIndent);
    say(answers_[at] ? shown_answer(fields[at], *answers_[at]) : "(left out)", kTheirIndent + 3);
    if (fields[at].looks_secret && answers_[at]) say_careful(kTheirIndent + 3);
  }
  if (fields.empty()) say("only that you agree; the form has no fields", kTheirIndent);
}

FormPrompt::Step FormPrompt::review(const std::stop_token& stop) {
  reviewing_ = true;
  show_review();
  while (true) {
    std::string choices = "s sends it, ";
    if (!answers_.empty())
      choices += answers_.size() == 1 ? "1 changes it, " : "1 to " + std::to_string(answers_.size()) + " changes one, ";
    say("Nothing has been sent. " + choices + "d declines, c cancels.");
    const std::optional<std::string> typed = terminal_.ask(std::string(kIndent, ' ') + "> ", stop);
    if (!typed || *typed == "c" || *typed == ":cancel") return Step::kCancel;
    if (*typed == "d" || *typed == ":decline") return Step::kDecline;
    if (*typed == "s") return Step::kNext;
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(typed->data(), typed->data() + typed->size(), number);
    const bool whole = error == std::errc() && end == typed->data() + typed->size();
    if (!whole || number == 0 || number > answers_.size()) continue;
    const Step step = ask_field(number - 1, stop);
    if (step == Step::kDecline || step == Step::kCancel) return step;
    show_review();
  }
}

bridge::FormAnswer FormPrompt::end(Step step, const std::stop_token& stop) {
  const std::string server = visible_line(request_.server.name, 40);
  if (step == Step::kDecline) {
    say("Declined. " + server + " is told so, and gets nothing of what you wrote.");
    return {mcp::ElicitAction::kDecline, Json()};
  }
  if (step == Step::kCancel) {
    const std::string_view stopped = stop.stop_requested() ? "Stopped. " : "Cancelled. ";
    say(std::string(stopped) + server + " is told that there is no answer, and gets nothing of what you wrote.");
    return {mcp::ElicitAction::kCancel, Json()};
  }
  Json content = Json::object();
  const auto& fields = request_.form.fields();
  for (std::size_t at = 0; at < fields.size(); ++at) {
    if (answers_[at]) content.append_member(fields[at].name, *answers_[at]);
  }
  say("It goes to " + server + " now.");
  return {mcp::ElicitAction::kAccept, std::move(content)};
}

bridge::FormAnswer FormPrompt::fill_in(const std::stop_token& stop) {
  const auto& fields = request_.form.fields();
  for (std::size_t at = 0; at < fields.size(); ++at) answers_[at] = fields[at].preset;
  show_heading();
  Step step = ask_all(stop);
  if (step == Step::kNext) step = review(stop);
  return end(step, stop);
}

}  // namespace postern::host
