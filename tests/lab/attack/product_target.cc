#include "tests/lab/attack/product_target.h"

#include "services/desk/request_state.h"
#include "services/mcp/key_ring.h"
#include "tests/lab/attack/forged_token.h"
#include "tests/lab/attack/page_visit.h"
#include "wire/base/bytes.h"
#include "wire/base/digest.h"
#include "wire/base/visible_text.h"

namespace postern::lab {
namespace {

constexpr std::chrono::seconds kAnswerMax{15};
constexpr std::string_view kStatePurpose = "refund approval";  // of the desk's states
constexpr std::string_view kOtherServer = "https://portal.partner.test/mcp";

// Another clock that is late by so much: what is sealed by it was sealed then.
class LateClock final : public Clock {
 public:
  LateClock(const Clock& clock, Seconds late) : clock_(clock), late_(late) {}
  [[nodiscard]] WallTime now() const override { return clock_.now() - late_; }
  [[nodiscard]] SteadyTime steady_now() const override { return clock_.steady_now(); }

 private:
  const Clock& clock_;
  Seconds late_;
};

std::string approval_of(std::string_view link) {
  return std::string(link.substr(link.rfind('/') + 1));
}

AttackFailed failed(std::string_view what, const HttpResponse& response) {
  return {std::string(what) + ": " + std::to_string(response.status) + " " + visible_line(response.body, 200)};
}

Result<Json> json_of(const HttpResponse& response, std::string_view what) {
  auto json = parse_json(response.body);
  if (response.status != 200 || !json) return failed(what, response);
  return *std::move(json);
}

HttpRequest json_request(std::string method, std::string target, const Json& body = {}) {
  HttpRequest request;
  request.method = std::move(method);
  request.target = std::move(target);
  if (!body.is_null()) {
    request.headers.add("Content-Type", "application/json");
    request.body = body.dump();
  }
  return request;
}

}  // namespace

Result<HttpResponse> RecordingClient::send(const Uri& uri, const HttpRequest& request, SteadyTime deadline,
                                           std::stop_token stop) {
  POSTERN_TRY(HttpResponse response, http_.send(uri, request, deadline, std::move(stop)));
  std::string& kept = answers_[uri.origin()];
  for (const HeaderField& field : response.headers.fields()) kept += field.name + ": " + field.value + "\n";
  kept += response.body + "\n";
  return response;
}

// The issuer is left out: it gives tokens, to whom they belong.
Result<std::map<std::string, std::string>> ProductTarget::artefacts() {
  POSTERN_TRY(auto all, stack_->artefacts());
  for (const char* name : {"desk", "page", "approvals", "payments"}) {
    const auto answers = http_.answers().find(stack_->origin(name));
    if (answers != http_.answers().end()) all.emplace("answers of " + std::string(name), answers->second);
  }
  return all;
}

Uri ProductTarget::endpoint() const {
  return *parse_uri(stack_->origin("desk") + "/mcp");
}

Json ProductTarget::requester(std::string_view person) const {
  return Json::object({{"issuer", stack_->origin("issuer")}, {"subject", person}});
}

Result<std::string> ProductTarget::token(std::string_view person, std::string_view scope, std::string_view resource) {
  // The issuer gives the host's client no token for another server; one that it signed for it differs in its audience.
  if (!resource.empty()) {
    POSTERN_TRY(const std::string own, token(person, scope, {}));
    const std::size_t dot = own.find('.');
    const auto header = base64url_decode(own.substr(0, dot));
    const auto payload = base64url_decode(own.substr(dot + 1, own.find('.', dot + 1) - dot - 1));
    auto claims = payload ? parse_json(*payload) : Result<Json>(AttackFailed{"no claims"});
    auto head = header ? parse_json(*header) : Result<Json>(AttackFailed{"no header"});
    if (!claims || !head) return AttackFailed{"the issuer's token cannot be read"};
    claims->set("aud", kOtherServer);
    return stack_->sign_as_issuer(*head, *claims);
  }
  const std::string verifier = random_token(env_.random, "", 32);
  POSTERN_TRY(const HttpResponse signed_in, headless_sign_in(*stack_, person, scope, base64url(sha256(verifier))));
  const std::string* location = signed_in.headers.find("Location");
  const std::size_t mark = location == nullptr ? std::string::npos : location->find('?');
  if (mark == std::string::npos) return failed("nobody could be signed in", signed_in);
  POSTERN_TRY(const FormFields answer, form_decode(location->substr(mark + 1)));
  POSTERN_TRY(const auto code, sole_field(answer, "code"));
  if (!code) return AttackFailed{"the issuer gave no code: " + visible_line(location->substr(mark), 200)};
  HttpRequest request;
  request.method = "POST";
  request.target = "/token";
  request.headers.add("Content-Type", "application/x-www-form-urlencoded");
  request.body = form_encode({{"grant_type", "authorization_code"},
                              {"code", *code},
                              {"client_id", "postern-host"},
                              {"redirect_uri", "http://127.0.0.1/callback"},
                              {"code_verifier", verifier},
                              {"resource", stack_->origin("desk") + "/mcp"}});
  POSTERN_TRY(const Uri issuer, parse_uri(stack_->origin("issuer") + "/token"));
  POSTERN_TRY(const HttpResponse given, http().send(issuer, request, clock().steady_now() + kAnswerMax));
  POSTERN_TRY(const Json tokens, json_of(given, "the issuer gave no token"));
  return std::string(tokens.string_at("access_token"));
}

Result<std::string> ProductTarget::forge(const Forgery& forgery) {
  ForgeryMeans means;
  POSTERN_TRY(means.genuine, token(forgery.person, forgery.scope, {}));
  POSTERN_TRY(const Uri keys, parse_uri(stack_->origin("issuer") + "/jwks"));
  POSTERN_TRY(const HttpResponse response,
              http().send(keys, json_request("GET", "/jwks"), clock().steady_now() + kAnswerMax));
  POSTERN_TRY(means.issuer_keys, json_of(response, "the issuer shows no keys"));
  means.sign_as_issuer = [this](const Json& header, const Json& claims) {
    return stack_->sign_as_issuer(header, claims);
  };
  means.own_keys_url = stack_->own_keys_url();
  means.now = clock().now();
  return forged_token(means, forgery.how);
}

Result<std::string> ProductTarget::forge_state(const StateForgery& forgery) {
  const std::string file(stack_->desk_document().string_at("key_ring_file"));
  POSTERN_TRY(mcp::KeyRing keys, mcp::KeyRing::open_or_create(env_, file));
  const auto approval = services::read_id<services::ApprovalId>(approval_of(forgery.link));
  const auto ticket = services::read_id<services::TicketId>(forgery.ticket);
  if (!approval || !ticket) return AttackFailed{"there is no approval that a state could be about"};
  POSTERN_TRY(const std::string digest, digest_of(approval->value()));
  const LateClock then(env_.clock, forgery.ago);
  const desk::RequestStates states(Env{then, env_.random, env_.tap}, std::move(keys));
  const mcp::StateBinding binding{forgery.purpose.empty() ? std::string(kStatePurpose) : forgery.purpose,
                                  stack_->origin("issuer") + "\n" + forgery.person, forgery.method, forgery.tool,
                                  desk::digest_of_arguments(forgery.arguments)};
  return states.seal({*approval, digest, *ticket}, binding);
}

Result<DecisionAttempt> ProductTarget::decide(std::string_view link, std::string_view person, std::string_view way) {
  std::string digest;
  if (way == "forced-post" || way == "forged-form") {
    POSTERN_TRY(digest, digest_of(approval_of(link)));
  }
  PageVisit visit(*stack_, http_, std::string(link), std::move(digest));
  return visit.go(person, way);
}

Result<HttpResponse> ProductTarget::as_desk(std::string_view service, std::string_view operation, HttpRequest request) {
  const Json document = stack_->desk_document();
  const Json* credentials = document.find("service_credentials");
  const std::string_view credential = credentials == nullptr ? "" : credentials->string_at(operation);
  request.headers.add("Authorization", "Service " + std::string(credential));
  request.headers.add("User-Agent", "postern-lab");
  POSTERN_TRY(const Uri uri, parse_uri(stack_->origin(service)));
  return http().send(uri, request, clock().steady_now() + kAnswerMax);
}

Result<std::string> ProductTarget::digest_of(std::string_view approval_id) {
  const std::string target = "/requests/" + std::string(approval_id) + "?" +
                             form_encode({{"issuer", stack_->origin("issuer")}, {"subject", "rowan"}});
  POSTERN_TRY(const HttpResponse response, as_desk("approvals", "approvals:request", json_request("GET", target)));
  POSTERN_TRY(const Json state, json_of(response, "approvals does not tell the state of the request"));
  return std::string(state.string_at("request_digest"));
}

Result<std::vector<Json>> ProductTarget::refunds(std::string_view ticket) {
  const std::string target = "/refunds?" + form_encode({{"ticket_id", std::string(ticket)}});
  POSTERN_TRY(const HttpResponse response, as_desk("payments", "payments:read", json_request("GET", target)));
  POSTERN_TRY(const Json list, json_of(response, "payments does not tell what it paid"));
  const Json* receipts = list.find("refunds");
  if (receipts == nullptr) return failed("payments does not tell what it paid", response);
  return std::vector<Json>(receipts->elements());
}

Result<HttpResponse> ProductTarget::pay(std::string_view link, const Json& changes) {
  const std::string id = approval_of(link);
  POSTERN_TRY(const std::string digest, digest_of(id));
  const Json ask = Json::object({{"requester", requester("rowan")}, {"request_digest", digest}});
  POSTERN_TRY(const HttpResponse redeemed,
              as_desk("approvals", "approvals:request", json_request("POST", "/requests/" + id + "/redeem", ask)));
  POSTERN_TRY(const Json approval, json_of(redeemed, "approvals redeems nothing"));
  const Json* action = approval.find("action");
  if (action == nullptr || approval.string_at("token").empty()) return failed("approvals gave no token", redeemed);
  Json changed = *action;
  for (const auto& [name, value] : changes.members()) changed.set(name, value);
  changed.set("request_digest", digest);
  const Json body = Json::object({{"token", approval.string_at("token")}, {"action", std::move(changed)}});
  return as_desk("payments", "payments:refund", json_request("POST", "/refunds", body));
}

}  // namespace postern::lab
