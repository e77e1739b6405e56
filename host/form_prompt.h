// FormPrompt: a form of a server, filled in at the terminal (MCP 2026-07-28 client/elicitation, form mode).
//
// It says which server asks, in our words; goes through the fields one at a time, with the default ready to be taken;
// says at once what does not fit; and shows all answers again before anything is sent. Going back, leaving out,
// declining and cancelling are there at every question. What a server wrote is indented, and nothing of it is a link or
// is opened. Ctrl-C and the end of the input cancel. One thread; the terminal must outlive it.
#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "bridge/elicitation_handler.h"
#include "host/terminal.h"

namespace postern::host {

class FormPrompt {
 public:
  // REQUIRES terminal.can_ask().
  FormPrompt(Terminal& terminal, const bridge::FormRequest& request)
      : terminal_(terminal), request_(request), answers_(request.form.fields().size()) {}

  [[nodiscard]] bridge::FormAnswer fill_in(const std::stop_token& stop);

 private:
  enum class Step { kNext, kBack, kDecline, kCancel };

  void show_heading();
  void show_field(std::size_t at);
  [[nodiscard]] Step ask_field(std::size_t at, const std::stop_token& stop);
  [[nodiscard]] Step ask_all(const std::stop_token& stop);
  // Shows every answer, until the person sends them or does not. kNext: send.
  [[nodiscard]] Step review(const std::stop_token& stop);
  void show_review();
  [[nodiscard]] bridge::FormAnswer end(Step step, const std::stop_token& stop);
  void say_careful(std::size_t indent);
  // A paragraph, indented.
  void say(std::string_view text, std::size_t indent = 11);

  Terminal& terminal_;
  const bridge::FormRequest& request_;
  std::vector<std::optional<Json>> answers_;
  bool reviewing_ = false;
};

}  // namespace postern::host
