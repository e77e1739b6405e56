#include "services/approvals/sign_in.h"

#include <algorithm>

#include "services/approvals/approval_request.h"
#include "services/approvals/failures.h"
#include "wire/base/visible_text.h"
#include "wire/oauth/discovery.h"
#include "wire/oauth/jws.h"

namespace postern::approvals {
namespace {

constexpr std::chrono::milliseconds kPatience{5000};
constexpr std::chrono::minutes kSignInTimeMax{10};
constexpr std::size_t kPendingMax = 1000;
constexpr std::string_view kHome = "/approvals";

// What follows "/approvals/": an id, and at most one page of it.
bool is_request_path(std::string_view rest) {
  const std::size_t slash = rest.find('/');
  if (!services::read_id<services::ApprovalId>(rest.substr(0, slash))) return false;
  if (slash == std::string_view::npos) return true;
  const std::string_view page = rest.substr(slash + 1);
  return page == "approve" || page == "deny" || page == "record";
}

// What stands in a refusal for whoever cannot be signed in. The sentence of the failure is ours, or made visible.
SignInRefused refused(const Failure& failure) {
  return SignInRefused{failure.text()};
}

// Failures that are no word about this sign-in: something that is needed cannot be reached.
bool is_outage(const Failure& failure) {
  return failure.disposition() == Disposition::kUnavailable;
}

}  // namespace

std::string own_path(std::string_view next) {
  constexpr std::string_view kAuditOf = "/audit?object=";
  constexpr std::string_view kRequest = "/approvals/";
  const bool known =
      next == kHome || next == "/approvals?status=all" || next == "/approvals?status=pending" || next == "/audit" ||
      (next.starts_with(kAuditOf) && services::read_id<services::ApprovalId>(next.substr(kAuditOf.size()))) ||
      (next.starts_with(kRequest) && is_request_path(next.substr(kRequest.size())));
  return std::string(known ? next : kHome);
}

SteadyTime SignIn::deadline() const {
  return env_.clock.steady_now() + kPatience;
}

Result<AuthorizationServerMetadata> SignIn::server(const std::stop_token& stop) {
  {
    const MutexLock lock(mutex_);
    if (server_ != nullptr) return *server_;
  }
  POSTERN_TRY(Uri issuer, parse_uri(options_.issuer));
  POSTERN_TRY(AuthorizationServerMetadata metadata,
              fetch_authorization_server_metadata(client_, options_.issuer, DiscoveryPolicy(std::move(issuer)),
                                                  deadline(), stop));
  const MutexLock lock(mutex_);
  server_ = std::make_shared<const AuthorizationServerMetadata>(metadata);
  return metadata;
}

Result<HttpResponse> SignIn::begin(const HttpRequest& request, std::string next, bool fresh,
                                   const std::stop_token& stop) {
  POSTERN_TRY(AuthorizationServerMetadata metadata, server(stop));
  AuthorizationCodeRequest ask;
  ask.server = std::move(metadata);
  ask.client_id = options_.client_id;
  ask.redirect_uri = options_.redirect_uri;
  ask.resource = options_.resource;
  ask.scope = fresh ? ScopeSet{"openid", "desk:read", "refunds:approve"} : ScopeSet{"openid", "desk:read"};
  ask.with_nonce = true;
  if (fresh) ask.max_age_s = 0;
  POSTERN_TRY(AuthorizationCodeGrant grant, AuthorizationCodeGrant::begin(std::move(ask), env_.random));

  // A browser that signs in in two tabs keeps its one cookie for both.
  std::optional<CookieValue> cookie = SessionCookie::read(request, SessionCookie::kSignIn);
  if (!cookie) cookie = SessionCookie::make(env_.random);
  HttpResponse response = redirect_response(grant.authorization_url());
  SessionCookie::write(response, SessionCookie::kSignIn, *cookie);

  const SteadyTime now = env_.clock.steady_now();
  const std::string state = grant.state();
  Pending entry{std::move(grant), SessionCookie::hash_of(*cookie), std::move(next), fresh, now};
  const MutexLock lock(mutex_);
  std::erase_if(pending_, [&](const auto& kept) { return now - kept.second.began >= kSignInTimeMax; });
  if (pending_.size() >= kPendingMax) {
    pending_.erase(std::min_element(pending_.begin(), pending_.end(),
                                    [](const auto& a, const auto& b) { return a.second.began < b.second.began; }));
  }
  pending_.insert_or_assign(state, std::move(entry));
  return response;
}

Result<SignIn::Pending> SignIn::take_pending(const HttpRequest& request) {
  const auto cookie = SessionCookie::read(request, SessionCookie::kSignIn);
  if (!cookie) {
    return SignInRefused{
        "Your browser did not send back the cookie that this sign-in began with. Some browsers keep no Secure cookies "
        "on a "
        "plain http address, also on this computer: use another browser."};
  }
  const auto fields = form_decode(request.query());
  const auto state = fields ? sole_field(*fields, "state") : Result<std::optional<std::string>>(fields.error());
  if (!state || !*state) return SignInRefused{"The issuer's answer does not say which sign-in it is for."};
  const SteadyTime now = env_.clock.steady_now();
  const MutexLock lock(mutex_);
  const auto found = pending_.find(**state);
  const bool ours = found != pending_.end() && found->second.cookie_hash == SessionCookie::hash_of(*cookie) &&
                    now - found->second.began < kSignInTimeMax;
  if (!ours) return SignInRefused{"This answer belongs to no sign-in that this browser began, or to one that is over."};
  Pending taken = std::move(found->second);
  pending_.erase(found);
  return taken;
}

Result<VerifiedIdToken> SignIn::verify_id_token(const IdToken& token, const std::string& nonce) {
  const IdTokenVerifier verifier(
      {.issuer = options_.issuer, .client_id = options_.client_id, .nonce = nonce, .auth_age_max = {}});
  std::shared_ptr<const JwkSet> keys = keys_.cached();
  if (keys != nullptr) {
    Result<VerifiedIdToken> verified = verifier.verify(token, *keys, env_.clock.now());
    if (verified || verified.error().as<JwsUnknownKey>() == nullptr) return verified;
  }
  POSTERN_TRY(keys, keys_.refresh());
  return verifier.verify(token, *keys, env_.clock.now());
}

Result<SignedIn> SignIn::finish(const HttpRequest& request, const std::stop_token& stop) {
  POSTERN_TRY(const Pending pending, take_pending(request));
  const AuthorizationCodeGrant& grant = pending.grant;
  auto code = grant.accept_answer(request.query());
  if (!code) return refused(code.error());
  POSTERN_TRY(const HttpResponse reply,
              client_.send(grant.token_endpoint(), grant.token_request(*code), deadline(), stop));
  auto tokens = grant.accept_tokens(reply);
  if (!tokens)
    return is_outage(tokens.error()) ? Result<SignedIn>(tokens.error()) : Result<SignedIn>(refused(tokens.error()));
  if (!tokens->id_token) return SignInRefused{"The issuer gave no ID token, so when you signed in is not known."};

  auto id = verify_id_token(*tokens->id_token, grant.nonce());
  if (!id) return is_outage(id.error()) ? Result<SignedIn>(id.error()) : Result<SignedIn>(refused(id.error()));
  auto verified = gate_.verify(tokens->access_token, services::KeyAccess::kMayFetch);
  if (!verified) {
    return is_outage(verified.error()) ? Result<SignedIn>(verified.error())
                                       : Result<SignedIn>(refused(verified.error()));
  }
  const services::VerifiedAccessToken& token = **verified;
  const bool same_person = id->issuer == token.principal().issuer() && id->subject == token.principal().subject();
  if (!same_person || id->auth_time != token.auth_time()) {
    return SignInRefused{"The issuer's two tokens do not agree about who signed in and when."};
  }
  if (!token.scopes().contains("desk:read")) return SignInRefused{"The issuer did not grant desk:read."};
  return SignedIn{std::move(tokens->access_token), *std::move(verified), pending.fresh, pending.next};
}

}  // namespace postern::approvals
