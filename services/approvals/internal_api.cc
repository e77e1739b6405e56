#include "services/approvals/internal_api.h"

#include "services/approvals/failures.h"
#include "services/approvals/redeem_reply.h"
#include "services/gate/host_origin_check.h"
#include "services/service_authentication/service_error.h"
#include "wire/base/log.h"
#include "wire/base/uri.h"

namespace postern::approvals {
namespace {

using services::ApprovalId;
using services::PersonKey;

constexpr std::string_view kOperation = "approvals:request";
constexpr std::string_view kRequests = "/requests";
constexpr JsonBounds kBodyBounds{64 * 1024, 8};

std::int64_t seconds_until(WallTime until, WallTime now) {
  return until > now ? std::chrono::duration_cast<Seconds>(until - now).count() : 0;
}

// What every answer says; `lapsed` is known to the caller only.
Json answer_of(const ApprovalRequest& request, bool lapsed, WallTime now) {
  const RequestStatus status = request.status_at(now);
  Json json = Json::object({{"approval_id", request.id.value()},
                            {"status", lapsed ? std::string_view("lapsed") : text_of(status)},
                            {"request_digest", request.request_digest},
                            {"created_at", rfc3339(request.created_at)},
                            {"expires_at", rfc3339(request.expires_at)}});
  if (status == RequestStatus::kPending) json.set("expires_in_s", seconds_until(request.expires_at, now));
  if (status == RequestStatus::kApproved) json.set("expires_in_s", seconds_until(request.use_by(), now));
  if (status == RequestStatus::kApproved || status == RequestStatus::kDenied)
    json.set("decided_by", request.decided_by_name);
  if (status == RequestStatus::kDenied) json.set("note", request.note);
  return json;
}

Result<Json> json_body(const HttpRequest& request) {
  const std::string* type = request.headers.find("Content-Type");
  if (type == nullptr || media_type(*type) != "application/json") {
    return MalformedRequest{"Its Content-Type is not application/json."};
  }
  return parse_json(request.body, kBodyBounds);
}

// {"requester":{"issuer","subject"}, ...}; other members are looked at by the caller.
Result<PersonKey> requester_of(const Json& body) {
  const Json* member = body.find("requester");
  const auto requester = member == nullptr ? std::nullopt : services::read_person_key(*member);
  if (!requester) return MalformedRequest{"It does not name its requester."};
  return *requester;
}

}  // namespace

Routes InternalApi::routes() const {
  Routes routes;
  routes.before(services::HostOriginCheck({host_}, {}));
  const auto handler = [this](const HttpRequest& request) -> HttpReply {
    return Blocking{[this, request](const std::stop_token&) -> HttpReply { return answer(request); }};
  };
  routes.add("POST", std::string(kRequests), handler);
  routes.add("POST", std::string(kRequests) + "/*", handler);
  routes.add("GET", std::string(kRequests) + "/*", handler);
  routes.add("GET", "/healthz", [](const HttpRequest&) { return text_response(200, "ok\n"); });
  return routes;
}

HttpResponse InternalApi::answer(const HttpRequest& request) const {
  Result<Json> result = dispatch(request);
  if (!result && result.error().disposition() == Disposition::kInternal) log_error(result.error().text());
  HttpResponse response =
      result ? json_response(200, result->dump()) : services::service_error_response(result.error());
  response.headers.set("Cache-Control", "no-store");
  return response;
}

Result<Json> InternalApi::dispatch(const HttpRequest& request) const {
  const std::string* caller = request.headers.find("User-Agent");
  POSTERN_TRY_VOID(admission_.admit(kOperation, services::PresentedCredential::of(request),
                                    caller == nullptr ? std::string_view("unknown") : std::string_view(*caller)));
  std::string_view rest = request.path().substr(kRequests.size());
  if (rest.empty()) return ask(request);
  rest.remove_prefix(1);
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  const auto id = services::read_id<ApprovalId>(rest.substr(0, slash));
  const std::string_view verb = rest.substr(slash);
  if (!id) return NoSuchRequest{};
  if (request.method == "GET" && verb.empty()) return state(*id, request);
  if (request.method == "POST" && verb == "/redeem") return redeem(*id, request);
  if (request.method == "POST" && verb == "/withdraw") return withdraw(*id, request);
  return NoSuchRequest{};
}

Result<Json> InternalApi::ask(const HttpRequest& request) const {
  POSTERN_TRY(const Json body, json_body(request));
  POSTERN_TRY(const NewRequest asked, new_request_of_json(body));
  const WallTime now = env_.clock.now();
  POSTERN_TRY(const ApprovalRequest made, store_.request(asked, now));
  return answer_of(made, false, now);
}

Result<bool> InternalApi::paid_already(const ApprovalRequest& request, WallTime now) const {
  if (request.status != RequestStatus::kApproved || now < request.use_by()) return false;
  POSTERN_TRY(const services::PaymentState state, money_.of_approval(request.id));
  return state.status == services::PaymentStatus::kPaid;
}

Result<Json> InternalApi::redeem(const ApprovalId& id, const HttpRequest& request) const {
  POSTERN_TRY(const Json body, json_body(request));
  POSTERN_TRY(const PersonKey requester, requester_of(body));
  const std::string digest(body.string_at("request_digest"));
  const WallTime now = env_.clock.now();
  POSTERN_TRY(const ApprovalRequest before, store_.find(id));
  POSTERN_TRY_VOID(store_.may_redeem(before, requester, digest));  // before payments is asked about it
  POSTERN_TRY(const bool paid, paid_already(before, now));
  POSTERN_TRY(const Redemption redemption, store_.redeem(id, requester, digest, paid, now));
  Json json = answer_of(redemption.request, redemption.lapsed, now);
  if (redemption.token) {
    json.set("token_id", redemption.token_id.value());
    json.set("action", action_json(redemption.request));
    RedeemReply::write(json, *redemption.token);
  }
  return json;
}

Result<Json> InternalApi::withdraw(const ApprovalId& id, const HttpRequest& request) const {
  POSTERN_TRY(const Json body, json_body(request));
  POSTERN_TRY(const PersonKey requester, requester_of(body));
  const WallTime now = env_.clock.now();
  POSTERN_TRY(const ApprovalRequest withdrawn, store_.withdraw(id, requester, "desk", now));
  return answer_of(withdrawn, false, now);
}

Result<Json> InternalApi::state(const ApprovalId& id, const HttpRequest& request) const {
  POSTERN_TRY(const FormFields fields, form_decode(request.query()));
  POSTERN_TRY(const std::optional<std::string> issuer, sole_field(fields, "issuer"));
  POSTERN_TRY(const std::optional<std::string> subject, sole_field(fields, "subject"));
  POSTERN_TRY(const ApprovalRequest found, store_.find(id));
  const bool asked = issuer && subject && found.asked.requester == PersonKey{*issuer, *subject};
  if (!asked) return NoSuchRequest{};
  const WallTime now = env_.clock.now();
  POSTERN_TRY(const bool paid, paid_already(found, now));
  const bool over = found.status == RequestStatus::kApproved && now >= found.use_by();
  return answer_of(found, over && !paid, now);
}

}  // namespace postern::approvals
