// Every sentence that the host's side puts before a model.
//
// Each byte here is read by a model: a change is a change of behaviour, so run the model scripts (fixtures/models)
// after one. A model turn takes ModelText from these functions, or LabeledResult; it takes no plain string, so there is
// no other way in.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "wire/base/failure.h"

namespace postern::bridge {

// A text that the host wrote. Only the functions below make one.
class ModelText {
 public:
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  friend class ModelTextMaker;
  explicit ModelText(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

// What the model is and must know before it begins. The same bytes in every run.
[[nodiscard]] ModelText system_prompt();
// The same, and what to think of tools of other servers than the desk. The same bytes in every run that has some.
[[nodiscard]] ModelText system_prompt_with_other_servers();
// The task. REQUIRES a ticket id of the form T-1234: nothing else of a person's words goes in.
[[nodiscard]] ModelText opening(std::string_view ticket_id);

// Answers to calls that did not lead to a result of the server. Each says what happened and what the model can do.
[[nodiscard]] ModelText no_such_tool();
[[nodiscard]] ModelText host_only_tool();
[[nodiscard]] ModelText tool_withdrawn();
[[nodiscard]] ModelText arguments_not_an_object();
// `where` is a path of the schema that the host showed, `expected` a sentence of the validator.
[[nodiscard]] ModelText arguments_refused(std::string_view where, std::string_view expected);
// The same of what check_arguments() gave (bridge/model_tools.h, bridge/server_set.h).
[[nodiscard]] ModelText arguments_refused(const Failure& misfit);
[[nodiscard]] ModelText result_refused();
[[nodiscard]] ModelText call_failed();
[[nodiscard]] ModelText call_timed_out();
[[nodiscard]] ModelText outcome_unknown();
[[nodiscard]] ModelText scope_refused();
[[nodiscard]] ModelText link_refused();
[[nodiscard]] ModelText stopped_by_person();
// What the server asked a person for during the call: they said no, or there was nobody.
[[nodiscard]] ModelText step_declined();
[[nodiscard]] ModelText nobody_for_step();

// The same for tools of other servers than the desk: nothing there is about money.
[[nodiscard]] ModelText consent_refused();
[[nodiscard]] ModelText nobody_to_ask();
[[nodiscard]] ModelText inputs_too_long_to_ask();
[[nodiscard]] ModelText calls_used_up();
[[nodiscard]] ModelText server_gone();
[[nodiscard]] ModelText other_outcome_unknown();
[[nodiscard]] ModelText other_step_not_taken();

// The frame of a labeled result (bridge/label.cc). `nonce` is new for every run, `hidden` how many
// characters were made visible. The note about them stands before the line that begins the data, so that data cannot
// begin with one.
[[nodiscard]] std::string label_opening(std::string_view nonce, std::string_view server, std::string_view tool,
                                        std::size_t hidden);
[[nodiscard]] std::string label_closing(std::string_view nonce);

}  // namespace postern::bridge
