// Signing in to the page: the authorization code grant of the page's own client, for the page's own resource.
//
// Everyone signs in with openid and desk:read. Only the approve link asks for refunds:approve as well, and then with
// max_age=0. State, nonce, verifier and the place to go back to are kept here, bound to the browser by a cookie of
// their own, and work once. An issuer that ignores max_age is not believed: auth_time is in the tokens, and whoever
// decides looks at it again.
//
// begin() and finish() block (metadata, keys, token request): call them in the blocking lane. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "services/approvals/page_session.h"
#include "services/gate/bearer_gate.h"
#include "wire/base/mutex.h"
#include "wire/oauth/authorization_code_grant.h"
#include "wire/oauth/id_token.h"
#include "wire/transport/http_client.h"

namespace postern::approvals {

struct SignInOptions {
  std::string issuer;
  std::string client_id;
  std::string redirect_uri;  // page_origin + "/callback"
  std::string resource;      // page_origin + "/approvals"
};

struct SignedIn {
  AccessToken token;
  std::shared_ptr<const services::VerifiedAccessToken> verified;
  bool asked_to_approve = false;
  std::string next;  // a path of ours
};

class SignIn {
 public:
  // All references must outlive it.
  SignIn(Env env, HttpClient& client, services::IssuerKeys& keys, services::BearerGate& gate, SignInOptions options)
      : env_(env), client_(client), keys_(keys), gate_(gate), options_(std::move(options)) {}

  // The redirect to the issuer, with the cookie that binds it. `fresh` asks for refunds:approve and a new sign-in.
  [[nodiscard]] Result<HttpResponse> begin(const HttpRequest& request, std::string next, bool fresh,
                                           const std::stop_token& stop);
  // The issuer's answer. `approval.sign_in_refused` in every case that starting again might mend; transport.* and
  // gate.* as they are.
  [[nodiscard]] Result<SignedIn> finish(const HttpRequest& request, const std::stop_token& stop);

 private:
  struct Pending {
    AuthorizationCodeGrant grant;
    std::string cookie_hash;
    std::string next;
    bool fresh = false;
    SteadyTime began;
  };
  [[nodiscard]] Result<AuthorizationServerMetadata> server(const std::stop_token& stop);
  [[nodiscard]] Result<Pending> take_pending(const HttpRequest& request);
  [[nodiscard]] Result<VerifiedIdToken> verify_id_token(const IdToken& token, const std::string& nonce);
  [[nodiscard]] SteadyTime deadline() const;

  Env env_;
  HttpClient& client_;
  services::IssuerKeys& keys_;
  services::BearerGate& gate_;
  SignInOptions options_;
  Mutex mutex_;
  std::shared_ptr<const AuthorizationServerMetadata> server_ POSTERN_GUARDED_BY(mutex_);
  std::map<std::string, Pending> pending_ POSTERN_GUARDED_BY(mutex_);
};

// `next` when it is a path that one of our own pages answers; "/approvals" for anything else.
[[nodiscard]] std::string own_path(std::string_view next);

}  // namespace postern::approvals
