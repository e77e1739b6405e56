#include "host/operator_desk.h"

#include <algorithm>

#include "host/browser_opener.h"
#include "host/form_prompt.h"
#include "host/wrapped_text.h"
#include "wire/base/visible_text.h"

namespace postern::host {
namespace {

std::string padded(std::string_view text, std::size_t width) {
  std::string line(text);
  line.resize(std::max(line.size() + 1, width), ' ');
  return line;
}

}  // namespace

void OperatorDesk::call_line(std::string_view shown, std::string_view status, std::string_view rest) {
  std::string line = padded(shown, 29);
  line += rest.empty() ? std::string(status) : padded(status, 8) + std::string(rest);
  terminal_.progress("call", line);
}

void OperatorDesk::show_url(const bridge::LinkRequest& request) {
  // Whole, on a line of its own, with the host marked in it (client/elicitation, "Safe URL Handling").
  const std::string scheme = request.url.scheme + "://";
  terminal_.err("             " + scheme + terminal_.bold(request.host) + request.url.target());
  if (!request.looks_like.empty()) {
    say("Careful: the host's name " + request.looks_like +
        ". It may look like the name of another. What counts is the line above.");
  }
}

void OperatorDesk::say(std::string_view text, std::size_t indent) {
  terminal_.err(wrapped(text, indent, terminal_.columns()));
}

void OperatorDesk::show_approval(const bridge::LinkRequest& request) {
  if (!link_shown_at_) link_shown_at_ = env_.clock.now();
  std::string message = request.message;
  constexpr std::string_view kPrefix = "Approval ";
  constexpr std::string_view kSuffix = " Nothing was refunded.";
  if (message.substr(0, kPrefix.size()) == kPrefix) message.erase(0, kPrefix.size());
  if (message.size() > kSuffix.size() && message.substr(message.size() - kSuffix.size()) == kSuffix) {
    message.erase(message.size() - kSuffix.size());
  }
  // The link is what the run waits for: it is shown with --quiet too.
  terminal_.err(padded("approval", 11) + message);
  terminal_.err("           The desk at " + terminal_.bold(request.host) + " asks you to open:");
  show_url(request);
}

void OperatorDesk::show_foreign_link(const bridge::LinkRequest& request) {
  std::string heading = wrapped(visible_line(request.server.name, 40) + " (" + visible_line(request.server.where, 120) +
                                    ") asks you to open a page at " + request.host + ", for " +
                                    visible_line(request.tool, 80) + ". It says:",
                                11, terminal_.columns());
  heading.replace(0, 4, "link");
  terminal_.err(heading);
  say(request.message, 13);
  say("The page:");
  show_url(request);
  if (request.foreign_host) say("Careful: this is not the server's own host.");
}

void OperatorDesk::open_offered() {
  if (!open_in_browser(offered_url_)) say("There is no way to open a browser here. Copy the link.");
}

mcp::ElicitAction OperatorDesk::ask_for_consent(const bridge::LinkRequest& request, const std::stop_token& stop) {
  const bool may_open = open_choice_ != "never";
  const std::string server = visible_line(request.server.name, 40);
  while (true) {
    say(std::string(may_open ? "Open it? y opens it, " : "") + "n: you open it elsewhere, d declines, c cancels.");
    const std::optional<std::string> typed = terminal_.ask("           [y/n/d/C] > ", stop);
    if (typed && may_open && (*typed == "y" || *typed == "yes")) {
      open_offered();
      return mcp::ElicitAction::kAccept;
    }
    if (typed && (*typed == "n" || *typed == "no")) return mcp::ElicitAction::kAccept;
    if (typed && *typed == "d") {
      say("Declined. " + server + " is told so.");
      return mcp::ElicitAction::kDecline;
    }
    if (!typed || typed->empty() || *typed == "c") {
      say("Cancelled. " + server + " is told that there is no answer.");
      return mcp::ElicitAction::kCancel;
    }
  }
}

mcp::ElicitAction OperatorDesk::show_link(const bridge::LinkRequest& request, const std::stop_token& stop) {
  withdrawal_.reset();
  offered_url_ = request.url.text();
  if (!request.for_somebody_else) {
    show_foreign_link(request);
    return ask_for_consent(request, stop);
  }
  show_approval(request);
  if (open_choice_ == "never" || !terminal_.can_ask()) {
    terminal_.err("           Opening it approves nothing.");
    return mcp::ElicitAction::kAccept;
  }
  terminal_.err("           Opening it approves nothing. y opens it, n does not, d declines, c cancels.");
  terminal_.begin_question("           Open it?", "[y/N/d/c]");
  return mcp::ElicitAction::kAccept;
}

bool OperatorDesk::sleep(std::chrono::milliseconds how_long, const std::stop_token& stop) {
  if (terminal_.question_open()) {
    const std::optional<std::string> typed = terminal_.line_within(how_long, stop);
    if (typed && (*typed == "y" || *typed == "yes")) open_offered();
    if (typed && *typed == "d") withdrawal_ = mcp::ElicitAction::kDecline;
    if (typed && *typed == "c") withdrawal_ = mcp::ElicitAction::kCancel;
    return stop.stop_requested();
  }
  return env_.clock.wait_for(how_long, stop);
}

bridge::FormAnswer OperatorDesk::fill_in(const bridge::FormRequest& request, const std::stop_token& stop) {
  return FormPrompt(terminal_, request).fill_in(stop);
}

void OperatorDesk::link_refused(const std::string& shown_url, const std::string& reason) {
  terminal_.err("The server asked to show a link that is not shown as one (" + reason + "): " + shown_url);
  env_.tap.note({Layer::kModel, "elicitation", true, Json::object({{"text", "a link was refused: " + reason}})});
}

void OperatorDesk::waiting(std::chrono::seconds elapsed, std::chrono::seconds at_most) {
  terminal_.waiting(elapsed, at_most);
}

void OperatorDesk::still_waiting(const std::string& message) {
  if (!terminal_.question_open()) terminal_.detail("approval", message);
}

void OperatorDesk::step_up(std::string_view tool, std::string_view scopes) {
  const ScopeSet needed = ScopeSet::parse(scopes).value_or(ScopeSet()).without(scopes_);
  call_line(shown_call_.empty() ? tool : std::string_view(shown_call_),
            "needs " + (needed.empty() ? std::string(scopes) : needed.text()), "");
  terminal_.progress_line("step-up: redeeming a new authorization for " + visible_line(tool, 80));
}

void OperatorDesk::signed_in(std::string_view name, std::string_view scopes) {
  person_ = name.empty() ? std::string("an unnamed person") : visible_line(name, 80);
  scopes_ = ScopeSet::parse(scopes).value_or(ScopeSet());
  if (announced_) terminal_.detail("signed in", person_ + ", " + scopes_.text());
}

void OperatorDesk::announce_person() {
  if (announced_ || person_.empty()) return;
  announced_ = true;
  terminal_.progress("signed in", person_ + ", " + scopes_.text());
}

void OperatorDesk::verdict(Layer layer, std::string_view what, bool good) {
  env_.tap.note(
      {layer, what, !good, good ? Json() : Json::object({{"text", "the result does not have the reviewed form"}})});
}

}  // namespace postern::host
