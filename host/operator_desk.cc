#include "host/operator_desk.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "host/browser_opener.h"
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

mcp::ElicitAction OperatorDesk::show_link(const bridge::LinkRequest& request, const std::stop_token& /*stop*/) {
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
  terminal_.err("             " + request.url.text());
  if (!request.looks_like.empty())
    terminal_.err("           Careful: the host's name holds characters that may look like others.");
  if (open_choice_ == "never" || !terminal_.can_ask()) {
    terminal_.err("           Opening it approves nothing.");
    return mcp::ElicitAction::kAccept;
  }
  terminal_.begin_question("           Opening it approves nothing. Open it?");
  offered_url_ = request.url.text();
  return mcp::ElicitAction::kAccept;
}

bool OperatorDesk::sleep(std::chrono::milliseconds how_long, const std::stop_token& stop) {
  if (terminal_.question_open()) {
    const std::optional<bool> answer = terminal_.answer_within(how_long, stop);
    if (answer && *answer && !open_in_browser(offered_url_)) {
      terminal_.err("           There is no way to open a browser here. Copy the link.");
    }
    return stop.stop_requested();
  }
  std::mutex mutex;
  std::condition_variable_any signal;
  std::unique_lock<std::mutex> lock(mutex);
  signal.wait_for(lock, stop, how_long, [] { return false; });
  return stop.stop_requested();
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
