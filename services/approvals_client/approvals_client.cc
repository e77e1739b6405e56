#include "services/approvals_client/approvals_client.h"

#include <algorithm>
#include <utility>

#include "wire/base/visible_text.h"

namespace postern::services {
namespace {

constexpr std::pair<ApprovalStatus, std::string_view> kStatusTexts[] = {
    {ApprovalStatus::kPending, "pending"},     {ApprovalStatus::kApproved, "approved"},
    {ApprovalStatus::kDenied, "denied"},       {ApprovalStatus::kExpired, "expired"},
    {ApprovalStatus::kWithdrawn, "withdrawn"}, {ApprovalStatus::kLapsed, "lapsed"},
};

Json person(std::string_view issuer, std::string_view subject) {
  return Json::object({{"issuer", issuer}, {"subject", subject}});
}

Json body_of(const ApprovalAsk& ask) {
  Json requester = person(ask.requester_issuer, ask.requester_subject);
  requester.set("name", ask.requester_name);
  return Json::object({{"ticket_id", ask.ticket_id},
                       {"order_id", ask.order_id},
                       {"line_id", ask.line_id},
                       {"line_title", ask.line_title},
                       {"customer_id", ask.customer_id},
                       {"customer_name", ask.customer_name},
                       {"amount_cents", ask.amount_cents},
                       {"currency", ask.currency},
                       {"policy_id", ask.policy_id},
                       {"limit_cents", ask.limit_cents},
                       {"ticket_subject", ask.ticket_subject},
                       {"requester", std::move(requester)},
                       {"desk", ask.desk},
                       {"reason", ask.reason},
                       {"claims", Json::object({{"run_id", ask.run_id},
                                                {"model_id", ask.model_id},
                                                {"tool", ask.tool},
                                                {"pin_digest", ask.pin_digest}})}});
}

std::optional<ApprovalStatus> status_of(std::string_view text) {
  for (const auto& [status, name] : kStatusTexts) {
    if (name == text) return status;
  }
  return std::nullopt;
}

// Takes the token out of the parsed answer, so that no second copy of it lives on.
std::optional<ApprovalToken> take_token(Json& json) {
  Json* member = json.find("token");
  std::string* text = member == nullptr ? nullptr : member->string();
  if (text == nullptr) return std::nullopt;
  return ApprovalToken::take(std::move(*text));
}

Result<ApprovalAnswer> read_answer(Json& json) {
  const auto status = status_of(json.string_at("status"));
  if (!status) return ApprovalsAnswerMalformed{"its status is not known"};
  ApprovalAnswer answer;
  answer.approval_id = std::string(json.string_at("approval_id"));
  if (!read_id<ApprovalId>(answer.approval_id)) return ApprovalsAnswerMalformed{"it names no approval"};
  answer.status = *status;
  answer.request_digest = std::string(json.string_at("request_digest"));
  answer.decided_by = visible_line(json.string_at("decided_by"));
  std::string note(json.string_at("note"));
  std::replace(note.begin(), note.end(), '\n', ' ');  // the lines of a person's note are one line here
  answer.note = visible_line(note, 600);
  answer.token_id = std::string(json.string_at("token_id"));
  answer.expires_in_s = json.integer_at("expires_in_s").value_or(0);
  answer.token = take_token(json);
  if (const Json* action = json.find("action")) answer.action = *action;
  return answer;
}

class HttpApprovalsClient final : public ApprovalsClient {
 public:
  HttpApprovalsClient(HttpClient& client, Uri base, ServiceCredential credential)
      : client_(client), base_(std::move(base)), credential_(std::move(credential)) {}

  Result<ApprovalAnswer> request(const ApprovalAsk& ask, SteadyTime deadline, std::stop_token stop) override {
    return post("/requests", body_of(ask), deadline, std::move(stop));
  }

  Result<ApprovalAnswer> redeem(std::string_view approval_id, std::string_view requester_issuer,
                                std::string_view requester_subject, std::string_view request_digest,
                                SteadyTime deadline, std::stop_token stop) override {
    Json body =
        Json::object({{"requester", person(requester_issuer, requester_subject)}, {"request_digest", request_digest}});
    return post("/requests/" + percent_encode(approval_id) + "/redeem", body, deadline, std::move(stop));
  }

  Result<ApprovalAnswer> withdraw(std::string_view approval_id, std::string_view requester_issuer,
                                  std::string_view requester_subject, SteadyTime deadline,
                                  std::stop_token stop) override {
    const Json body = Json::object({{"requester", person(requester_issuer, requester_subject)}});
    return post("/requests/" + percent_encode(approval_id) + "/withdraw", body, deadline, std::move(stop));
  }

  Result<ApprovalAnswer> state(std::string_view approval_id, std::string_view requester_issuer,
                               std::string_view requester_subject, SteadyTime deadline, std::stop_token stop) override {
    HttpRequest request;
    request.method = "GET";
    request.target =
        "/requests/" + percent_encode(approval_id) + "?" +
        form_encode({{"issuer", std::string(requester_issuer)}, {"subject", std::string(requester_subject)}});
    return exchange(std::move(request), deadline, std::move(stop));
  }

 private:
  Result<ApprovalAnswer> post(std::string target, const Json& body, SteadyTime deadline, std::stop_token stop) {
    HttpRequest request;
    request.method = "POST";
    request.target = std::move(target);
    request.headers.add("Content-Type", "application/json");
    request.body = body.dump();
    return exchange(std::move(request), deadline, std::move(stop));
  }

  Result<ApprovalAnswer> exchange(HttpRequest request, SteadyTime deadline, std::stop_token stop) {
    ServiceAuthorizationHeader::write(request, credential_);
    request.headers.set("User-Agent", "postern-desk");
    request.headers.set("Accept", "application/json");
    POSTERN_TRY(HttpResponse response, client_.send(base_, request, deadline, std::move(stop)));
    auto json = parse_json(response.body);
    wipe(response.body);  // it may have held a token
    if (!json || !json->is_object()) return ApprovalsAnswerMalformed{"it is no JSON object"};
    if (response.status == 200) return read_answer(*json);
    if (response.status == 503) return ApprovalsUnavailable{};
    const Json* error = json->find("error");
    if (error == nullptr || error->string_at("id").empty())
      return ApprovalsAnswerMalformed{"it is an error without an id"};
    return ApprovalsRefused{response.status, visible_line(error->string_at("id"), 60),
                            visible_line(error->string_at("text"), 600)};
  }

  HttpClient& client_;
  Uri base_;
  ServiceCredential credential_;
};

}  // namespace

std::string_view text_of(ApprovalStatus status) {
  for (const auto& [value, text] : kStatusTexts) {
    if (value == status) return text;
  }
  return "";
}

std::unique_ptr<ApprovalsClient> make_approvals_client(HttpClient& client, Uri approvals_url,
                                                       ServiceCredential credential) {
  return std::make_unique<HttpApprovalsClient>(client, std::move(approvals_url), std::move(credential));
}

std::string ApprovalsAnswerMalformed::text() const {
  return "The approvals service answered in a form that was not expected: " + reason +
         ". Nothing was refunded by this call.";
}

std::string ApprovalsRefused::text() const {
  return sentence;
}

std::string ApprovalsUnavailable::text() const {
  return "The approvals service cannot be asked now. Nothing was refunded by this call. Try again in a moment.";
}

}  // namespace postern::services
