#include "bridge/input_answers.h"

#include <utility>

#include "bridge/failures.h"
#include "bridge/shown_text.h"
#include "wire/base/visible_text.h"
#include "wire/mcp/codec.h"

namespace postern::bridge {
namespace {

constexpr std::size_t kMessageBytesMax = 1000;
constexpr std::size_t kMessageLinesMax = 10;

bool is_link(const mcp::InputRequest& request) {
  return request.params.string_at("mode") == "url";
}

// What ends a call whose question got a no.
Failure ending_of(std::string_view tool, mcp::ElicitAction action, const std::stop_token& stop) {
  if (stop.stop_requested()) return StoppedByPerson{};
  return AskedAgain{std::string(tool), action};
}

}  // namespace

ElicitationAnswers::ElicitationAnswers(ElicitationHandler& handler, ElicitationOptions options)
    : handler_(handler), options_(std::move(options)) {}

Json ElicitationAnswers::capabilities(bool forms) {
  // {"elicitation":{}} would mean forms only (client/elicitation, "Capabilities").
  Json modes = Json::object();
  if (forms) modes.append_member("form", Json::object());
  modes.append_member("url", Json::object());
  return Json::object({{"elicitation", std::move(modes)}});
}

Status ElicitationAnswers::understands(const mcp::InputRequest& request) const {
  if (request.method != "elicitation/create") return InputNotSupported{visible_line(request.method, 60)};
  if (is_link(request)) {
    if (const auto params = mcp::read_elicit_url(request); !params) return InputNotSupported{params.error().text()};
    return {};
  }
  const Result<mcp::ElicitRequestFormParams> params = mcp::read_elicit_form(request);
  if (!params) return InputNotSupported{params.error().text()};
  POSTERN_TRY_VOID(ElicitationForm::read(params->requested_schema));
  return {};
}

InputAnswer ElicitationAnswers::answer(std::string_view tool, const mcp::InputRequest& request,
                                       const std::stop_token& stop) {
  if (is_link(request)) return answer_link(tool, *mcp::read_elicit_url(request), stop);
  return answer_form(tool, *mcp::read_elicit_form(request), stop);
}

std::optional<mcp::ElicitAction> ElicitationAnswers::withdrawn() {
  const std::optional<mcp::ElicitAction> action = handler_.withdrawn();
  if (action) shown_.clear();  // a later call begins anew: its link is shown again
  return action;
}

InputAnswer ElicitationAnswers::answer_link(std::string_view tool, const mcp::ElicitRequestUrlParams& params,
                                            const std::stop_token& stop) {
  Result<CheckedLink> link = check_link(params.url, options_.links);
  if (!link) {
    const auto* refusal = link.error().as<LinkRefused>();
    handler_.link_refused(refusal->url, refusal->reason);
    return {mcp::elicit_response(mcp::ElicitAction::kDecline), std::nullopt, link.error()};
  }
  if (!options_.links_for_somebody_else && !handler_.can_ask()) {
    return {mcp::elicit_response(mcp::ElicitAction::kCancel), std::nullopt,
            Failure(NobodyToAsk{options_.server.name, std::string(tool)})};
  }
  std::string message = shown_line(params.message, kMessageBytesMax);
  const std::string url = link->url.text();
  const auto shown = shown_.find(params.url);
  mcp::ElicitAction action = mcp::ElicitAction::kAccept;
  if (shown == shown_.end()) {
    LinkRequest request;
    request.server = options_.server;
    request.tool = tool;
    request.message = message;
    request.host = link->url.authority();
    request.looks_like = link->looks_like;
    request.foreign_host = link->foreign_host;
    request.for_somebody_else = options_.links_for_somebody_else;
    request.url = std::move(link->url);
    action = handler_.show_link(request, stop);
  } else if (shown->second != message) {
    handler_.still_waiting(message);
  }
  InputAnswer answer{mcp::elicit_response(action), std::nullopt, std::nullopt};
  if (action == mcp::ElicitAction::kAccept) {
    shown_.insert_or_assign(params.url, message);
  } else {
    answer.ending = ending_of(tool, action, stop);
  }
  answer.pending = PendingApproval{std::move(message), url};
  return answer;
}

InputAnswer ElicitationAnswers::answer_form(std::string_view tool, const mcp::ElicitRequestFormParams& params,
                                            const std::stop_token& stop) {
  InputAnswer answer{mcp::elicit_response(mcp::ElicitAction::kCancel), std::nullopt, std::nullopt};
  if (!handler_.can_ask()) {
    answer.ending = Failure(NobodyToAsk{options_.server.name, std::string(tool)});
    return answer;
  }
  FormRequest request{options_.server, std::string(tool),
                      shown_lines(params.message, kMessageBytesMax, kMessageLinesMax),
                      *ElicitationForm::read(params.requested_schema)};
  FormAnswer filled = handler_.fill_in(request, stop);
  // What leaves this machine is what the form admits, whoever filled it in (client/elicitation, "Form Mode Security").
  if (filled.action == mcp::ElicitAction::kAccept && !request.form.check(filled.content))
    filled.action = mcp::ElicitAction::kCancel;
  if (filled.action == mcp::ElicitAction::kAccept) {
    answer.response = mcp::elicit_response_with(std::move(filled.content));
  } else {
    answer.response = mcp::elicit_response(filled.action);
    answer.ending = ending_of(tool, filled.action, stop);
  }
  return answer;
}

std::string NobodyToAsk::text() const {
  return server + " asked for something of a person during " + visible_line(tool, 80) +
         ", and nobody can be asked here. It was told that there is no answer. To be asked, run the command at a "
         "terminal, without --no-input.";
}

std::string AskedAgain::text() const {
  const std::string_view said = action == mcp::ElicitAction::kDecline ? "declined" : "cancelled";
  return "You " + std::string(said) + " what the server asked for during " + visible_line(tool, 80) +
         ", and it asked again. The call has no result, and nothing more was sent.";
}

}  // namespace postern::bridge
