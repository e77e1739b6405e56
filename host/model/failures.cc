#include "host/model/failures.h"

namespace postern::host {
namespace {

std::string in_brackets(const std::string& request_id) {
  return request_id.empty() ? "" : " (" + request_id + ")";
}

}  // namespace

std::string ModelApiRefused::text() const {
  std::string said = error_type.empty() ? std::to_string(status) : std::to_string(status) + " " + error_type;
  if (!error_code.empty()) said += ", " + error_code;
  std::string text = "The model service at " + where + " refused the request: " + said + in_brackets(request_id) + ".";
  if (!message.empty()) text += " It said: " + message;
  if (status == 401 || status == 403) text += " Check the model key.";
  if (status == 404) text += " Check the model's name.";
  return text;
}

std::string ModelApiUnavailable::text() const {
  const std::string tried = attempts > 1 ? " after " + std::to_string(attempts) + " attempts" : "";
  return "The model service at " + where + " cannot be had" + tried + ": " + reason + ".";
}

std::string ModelReplyMalformed::text() const {
  return "The model service sent a reply that is no message: " + reason + ". Nothing that it asked for was run.";
}

std::string ModelServerSideWork::text() const {
  return "The model service sent work of its own side (" + what +
         "), which was never asked for. Nothing of this turn was run.";
}

std::string ModelTurnCutOff::text() const {
  return "The model's turn was cut off (" + stop_reason + "). Nothing that it asked for was run.";
}

std::string ModelDeclined::text() const {
  const std::string why = category_and_explanation.empty() ? "" : ": " + category_and_explanation;
  return "The model declined to go on" + why + ". Nothing that it asked for was run.";
}

std::string ModelStopUnexpected::text() const {
  return "The model's turn ended in a way that this host does not know (" + stop_reason +
         "). Nothing that it asked for was run.";
}

std::string ModelUrlRefused::text() const {
  return "The model URL " + url + " cannot be used: " + reason + ".";
}

}  // namespace postern::host
