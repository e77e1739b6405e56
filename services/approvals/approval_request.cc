#include "services/approvals/approval_request.h"

#include <utility>

namespace postern::approvals {
namespace {

constexpr std::size_t kTextBytesMax = 1000;  // of any text of a request: a page has to show it

constexpr std::pair<RequestStatus, std::string_view> kStatusTexts[] = {
    {RequestStatus::kPending, "pending"}, {RequestStatus::kApproved, "approved"},   {RequestStatus::kDenied, "denied"},
    {RequestStatus::kExpired, "expired"}, {RequestStatus::kWithdrawn, "withdrawn"},
};

// Reads members by name, remembers the first thing that is wrong, and counts, so that a member nobody asked for is
// seen.
class MemberReader {
 public:
  explicit MemberReader(const Json& json, std::string place) : json_(json), place_(std::move(place)) {
    if (!json.is_object()) complain("is not an object");
  }
  std::string text(std::string_view name, bool required = true) {
    const Json* member = take(name, required);
    if (member == nullptr) return {};
    if (!member->is_string()) {
      complain("member " + std::string(name) + " is no text");
      return {};
    }
    if (member->string()->size() > kTextBytesMax) complain("member " + std::string(name) + " is too long");
    if (required && member->string()->empty()) complain("member " + std::string(name) + " is empty");
    return *member->string();
  }
  std::int64_t integer(std::string_view name) {
    const Json* member = take(name, true);
    if (member == nullptr) return 0;
    const auto value = member->integer();
    if (!value) complain("member " + std::string(name) + " is no integer");
    return value.value_or(0);
  }
  const Json* object(std::string_view name) { return take(name, true); }
  // After the last member. `wrong` keeps the first complaint of several readers.
  void finish(std::string& wrong) {
    if (wrong_.empty() && json_.members().size() != known_) complain("has a member that is not known");
    if (wrong.empty()) wrong = wrong_;
  }

 private:
  const Json* take(std::string_view name, bool required) {
    const Json* member = json_.find(name);
    if (member == nullptr && required) complain("lacks the member " + std::string(name));
    if (member != nullptr) ++known_;
    return member;
  }
  void complain(const std::string& what) {
    if (wrong_.empty()) wrong_ = place_ + " " + what + ".";
  }
  const Json& json_;
  std::string place_;
  std::size_t known_ = 0;
  std::string wrong_;
};

}  // namespace

std::string_view text_of(RequestStatus status) {
  for (const auto& [value, text] : kStatusTexts) {
    if (value == status) return text;
  }
  return "";
}

std::optional<RequestStatus> request_status_of(std::string_view text) {
  for (const auto& [value, name] : kStatusTexts) {
    if (name == text) return value;
  }
  return std::nullopt;
}

Result<NewRequest> new_request_of_json(const Json& json) {
  POSTERN_TRY(services::RefundAction action, services::read_refund_action(json));
  const Currency currency = action.amount.currency;
  std::string wrong;
  MemberReader body(json, "The request");
  for (const std::string_view known : {"ticket_id", "order_id", "line_id", "currency", "policy_id"}) body.text(known);
  body.integer("amount_cents");
  const auto customer_id = services::read_id<services::CustomerId>(body.text("customer_id"));
  if (!customer_id) wrong = "The customer_id is not one.";
  NewRequest asked{.action = std::move(action),
                   .requester = {},
                   .requester_name = {},
                   .line_title = body.text("line_title"),
                   .customer_id = customer_id.value_or(services::CustomerId()),
                   .customer_name = body.text("customer_name"),
                   .limit = {body.integer("limit_cents"), currency},
                   .ticket_subject = body.text("ticket_subject", false),
                   .desk = body.text("desk"),
                   .reason = body.text("reason", false),
                   .run_id = {},
                   .model_id = {},
                   .tool = {},
                   .pin_digest = {}};
  const Json nothing = Json::object();
  const Json* who = body.object("requester");
  MemberReader requester(who == nullptr ? nothing : *who, "The requester");
  asked.requester = {requester.text("issuer"), requester.text("subject")};
  asked.requester_name = requester.text("name");
  const Json* said = json.find("claims") == nullptr ? nullptr : body.object("claims");
  MemberReader claims(said == nullptr ? nothing : *said, "The claims");
  asked.run_id = claims.text("run_id", false);
  asked.model_id = claims.text("model_id", false);
  asked.tool = claims.text("tool", false);
  asked.pin_digest = claims.text("pin_digest", false);
  body.finish(wrong);
  requester.finish(wrong);
  claims.finish(wrong);
  if (!wrong.empty()) return MalformedRequest{wrong};
  return asked;
}

Json action_json(const ApprovalRequest& request) {
  Json json = services::to_json(request.asked.action);
  json.set("request_digest", request.request_digest);
  return json;
}

std::string MalformedRequest::text() const {
  return "The approval request was not understood. " + reason + " Nothing was refunded.";
}

}  // namespace postern::approvals
