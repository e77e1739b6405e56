// OperatorDesk: what the person at the desk sees while the bridge works: who signed in, a step-up, a link and the wait
// for a decision, a form.
//
// A link is shown whole, with its host; it is opened only when the person says so, by the system's own opener with a
// fixed argv, and never fetched. Opening it approves nothing, and no answer here can. To decline and to cancel are two
// answers of their own. One thread; the terminal and the Env must outlive it.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "bridge/call_observer.h"
#include "bridge/elicitation_handler.h"
#include "bridge/oauth/sign_in_observer.h"
#include "host/terminal.h"
#include "wire/env/env.h"
#include "wire/oauth/scope.h"

namespace postern::host {

class OperatorDesk final : public bridge::ElicitationHandler,
                           public bridge::CallObserver,
                           public bridge::SignInObserver {
 public:
  // `open_choice` is "ask" or "never".
  OperatorDesk(Terminal& terminal, Env env, std::string open_choice)
      : terminal_(terminal), env_(env), open_choice_(std::move(open_choice)) {}

  // The call that lines are about: "issue_refund 4800 cents".
  void begin_call(std::string shown) { shown_call_ = std::move(shown); }
  // One line about a call: "call       get_order                    ok      41 ms".
  void call_line(std::string_view shown, std::string_view status, std::string_view rest);

  [[nodiscard]] mcp::ElicitAction show_link(const bridge::LinkRequest& request, const std::stop_token& stop) override;
  void link_refused(const std::string& shown_url, const std::string& reason) override;
  void waiting(std::chrono::seconds elapsed, std::chrono::seconds at_most) override;
  void still_waiting(const std::string& message) override;
  [[nodiscard]] std::optional<mcp::ElicitAction> withdrawn() override {
    return std::exchange(withdrawal_, std::nullopt);
  }
  [[nodiscard]] bool can_ask() const override { return terminal_.can_ask(); }
  [[nodiscard]] bridge::FormAnswer fill_in(const bridge::FormRequest& request, const std::stop_token& stop) override;

  void step_up(std::string_view tool, std::string_view scopes) override;
  void signed_in(std::string_view name, std::string_view scopes) override;
  void verdict(Layer layer, std::string_view what, bool good) override;

  // Waits, and takes the answer to "Open it?" meanwhile: a decision does not wait for the person at the keyboard. True
  // when the person stopped the run.
  [[nodiscard]] bool sleep(std::chrono::milliseconds how_long, const std::stop_token& stop);

  // "signed in  Rowan Diaz, desk:read", once, when the host has said which server it talks to.
  void announce_person();
  // When the first link was shown: a request for approval is that old. Nothing when none was.
  [[nodiscard]] std::optional<WallTime> link_shown_at() const { return link_shown_at_; }
  [[nodiscard]] const std::string& person() const { return person_; }

 private:
  void say(std::string_view text, std::size_t indent = 11);
  void show_approval(const bridge::LinkRequest& request);
  void show_foreign_link(const bridge::LinkRequest& request);
  void show_url(const bridge::LinkRequest& request);
  [[nodiscard]] mcp::ElicitAction ask_for_consent(const bridge::LinkRequest& request, const std::stop_token& stop);
  void open_offered();

  Terminal& terminal_;
  Env env_;
  std::string open_choice_;
  std::string shown_call_;
  std::string offered_url_;  // of the open question
  std::optional<mcp::ElicitAction> withdrawal_;
  std::string person_;
  ScopeSet scopes_;
  bool announced_ = false;
  std::optional<WallTime> link_shown_at_;
};

}  // namespace postern::host
