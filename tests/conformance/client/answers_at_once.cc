#include "tests/conformance/client/answers_at_once.h"

namespace postern::conformance {
namespace {

Json least_answer(const bridge::FormField& field) {
  if (field.preset) return *field.preset;
  switch (field.type) {
    case bridge::FormType::kYesNo:
      return Json(true);
    case bridge::FormType::kInteger:
    case bridge::FormType::kNumber:
      return field.least ? *field.least : Json(0);
    case bridge::FormType::kOneOf:
      return Json(field.options.front().value);
    case bridge::FormType::kSomeOf:
      return Json::array({field.options.front().value});
    case bridge::FormType::kText:
      break;
  }
  return Json("conformance");
}

}  // namespace

AnswersAtOnce::AnswersAtOnce() : elicitation_(*this, {}) {}

Status AnswersAtOnce::understands(const mcp::InputRequest& request) const {
  if (request.method == "sampling/createMessage" || request.method == "roots/list") return {};
  return elicitation_.understands(request);
}

bridge::InputAnswer AnswersAtOnce::answer(std::string_view tool, const mcp::InputRequest& request,
                                          const std::stop_token& stop) {
  bridge::InputAnswer answer;
  if (request.method == "roots/list") {
    answer.response = Json::object({{"roots", Json::array()}});
  } else if (request.method == "sampling/createMessage") {
    answer.response = Json::object(
        {{"role", "assistant"}, {"model", "none"}, {"content", Json::object({{"type", "text"}, {"text", "nothing"}})}});
  } else {
    answer = elicitation_.answer(tool, request, stop);
  }
  return answer;
}

Json AnswersAtOnce::capabilities() {
  Json capabilities = bridge::ElicitationAnswers::capabilities(true);
  capabilities.set("sampling", Json::object());
  capabilities.set("roots", Json::object());
  return capabilities;
}

mcp::ElicitAction AnswersAtOnce::show_link(const bridge::LinkRequest& /*request*/, const std::stop_token& /*stop*/) {
  return mcp::ElicitAction::kAccept;
}
void AnswersAtOnce::link_refused(const std::string& /*shown_url*/, const std::string& /*reason*/) {}
void AnswersAtOnce::still_waiting(const std::string& /*message*/) {}

bridge::FormAnswer AnswersAtOnce::fill_in(const bridge::FormRequest& request, const std::stop_token& /*stop*/) {
  bridge::FormAnswer answer;
  answer.action = mcp::ElicitAction::kAccept;
  answer.content = Json::object();
  for (const bridge::FormField& field : request.form.fields()) answer.content.set(field.name, least_answer(field));
  return answer;
}

}  // namespace postern::conformance
