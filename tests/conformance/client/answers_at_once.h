// AnswersAtOnce: what the suite has in the place of a person. Forms go through the product's own reading and are filled
// in with the least that fits; sampling and roots, which the product neither declares nor answers, get an empty answer,
// because scenarios may ask a client for them.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include "bridge/elicitation_handler.h"
#include "bridge/input_answerer.h"
#include "bridge/input_answers.h"

namespace postern::conformance {

// One thread.
class AnswersAtOnce final : public bridge::InputAnswerer, private bridge::ElicitationHandler {
 public:
  AnswersAtOnce();
  AnswersAtOnce(const AnswersAtOnce&) = delete;
  AnswersAtOnce& operator=(const AnswersAtOnce&) = delete;

  [[nodiscard]] Status understands(const mcp::InputRequest& request) const override;
  [[nodiscard]] bridge::InputAnswer answer(std::string_view tool, const mcp::InputRequest& request,
                                           const std::stop_token& stop) override;

  // What a client that answers like this declares.
  [[nodiscard]] static Json capabilities();

 private:
  [[nodiscard]] mcp::ElicitAction show_link(const bridge::LinkRequest& request, const std::stop_token& stop) override;
  void link_refused(const std::string& shown_url, const std::string& reason) override;
  void still_waiting(const std::string& message) override;
  [[nodiscard]] bool can_ask() const override { return true; }
  [[nodiscard]] bridge::FormAnswer fill_in(const bridge::FormRequest& request, const std::stop_token& stop) override;
  // Both bases have one of that name; nobody withdraws anything here.
  [[nodiscard]] std::optional<mcp::ElicitAction> withdrawn() override { return std::nullopt; }

  bridge::ElicitationAnswers elicitation_;
};

}  // namespace postern::conformance
