// Sessions of the approval page.
//
// The browser holds 256 random bits in the cookie __Host-postern-desk (HttpOnly, Secure, SameSite=Lax, Path=/); the
// server keeps their SHA-256 only. The access token stays here, in memory, and is verified again at each request: a
// verified token proves a moment. A session ends after 15 minutes without a request, after 8 hours in any case, at
// sign-out, and when the same browser signs in again. Polls do not count as requests.
//
// Cookies reach every port of a host, so the name is our own and its value says nothing to anybody else.
// Thread-safe. Sessions live in memory only: after a restart everybody signs in again.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "wire/base/mutex.h"
#include "wire/base/result.h"
#include "wire/base/secret.h"
#include "wire/env/env.h"
#include "wire/http_message/http_message.h"
#include "wire/oauth/access_token.h"

namespace postern::approvals {

class SessionCookie;
class FormTokens;

struct CookieValueTag {
  using RevealedBy = Reveals<SessionCookie>;
};
using CookieValue = Secret<CookieValueTag>;

struct FormTokenKeyTag {
  using RevealedBy = Reveals<FormTokens>;
};
using FormTokenKey = Secret<FormTokenKeyTag>;

// A cookie of ours: its one way out of a request and into a response.
class SessionCookie {
 public:
  static constexpr std::string_view kDesk = "__Host-postern-desk";
  static constexpr std::string_view kSignIn = "__Host-postern-sign-in";  // binds a sign-in to the browser that began it

  // Nothing when it is not there, there twice, or not of the form that we give out.
  [[nodiscard]] static std::optional<CookieValue> read(const HttpRequest& request, std::string_view name);
  [[nodiscard]] static CookieValue make(RandomSource& random);
  static void write(HttpResponse& response, std::string_view name, const CookieValue& value);
  static void clear(HttpResponse& response, std::string_view name);
  // SHA-256 in hex: what the server keeps.
  [[nodiscard]] static std::string hash_of(const CookieValue& value);
};

class PageSession {
 public:
  PageSession(std::string id_hash, AccessToken token, FormTokenKey form_key, bool asked_to_approve, SteadyTime now)
      : id_hash_(std::move(id_hash)),
        token_(std::move(token)),
        form_key_(std::move(form_key)),
        asked_to_approve_(asked_to_approve),
        began_(now),
        last_used_(now) {}

  [[nodiscard]] const AccessToken& token() const { return token_; }
  [[nodiscard]] const FormTokenKey& form_key() const { return form_key_; }
  // Whether this sign-in asked for refunds:approve: then its absence means that the right is gone.
  [[nodiscard]] bool asked_to_approve() const { return asked_to_approve_; }
  // Names the session in the audit trail: 12 hex digits of a hash of the hash.
  [[nodiscard]] std::string reference() const;
  // True the first time only.
  [[nodiscard]] bool first_opening_of(const std::string& object);
  // False after ten refused presses of a decision button within a minute.
  [[nodiscard]] bool may_press(SteadyTime now);
  void count_refused_press(SteadyTime now);
  // Whether a press that came from elsewhere is to be written down: ten a minute are. They are not counted against the
  // person, whom any page of another port could shut out otherwise.
  [[nodiscard]] bool notes_foreign_press(SteadyTime now);

 private:
  friend class PageSessions;
  const std::string id_hash_;
  const AccessToken token_;
  const FormTokenKey form_key_;
  const bool asked_to_approve_;
  const SteadyTime began_;
  Mutex mutex_;
  SteadyTime last_used_ POSTERN_GUARDED_BY(mutex_);
  std::set<std::string> opened_ POSTERN_GUARDED_BY(mutex_);
  std::deque<SteadyTime> refused_presses_ POSTERN_GUARDED_BY(mutex_);
  std::deque<SteadyTime> foreign_presses_ POSTERN_GUARDED_BY(mutex_);
};

class PageSessions {
 public:
  static constexpr std::chrono::minutes kIdleMax{15};
  static constexpr std::chrono::hours kLifeMax{8};
  static constexpr std::size_t kSessionsMax = 1000;

  explicit PageSessions(Env env) : env_(env) {}

  // A new session with a new id; the value goes into the browser's cookie.
  [[nodiscard]] std::pair<std::shared_ptr<PageSession>, CookieValue> open(AccessToken token, bool asked_to_approve);
  // The session of the request's cookie while it lives. `is_use`: the idle time starts anew.
  [[nodiscard]] std::shared_ptr<PageSession> find(const HttpRequest& request, bool is_use);
  void end(const PageSession& session);

 private:
  Env env_;
  Mutex mutex_;
  std::map<std::string, std::shared_ptr<PageSession>> sessions_ POSTERN_GUARDED_BY(mutex_);
};

// Tokens of forms: an HMAC over purpose and object with the session's own key, so that a token of another session, of
// another request or of another button does not fit.
class FormTokens {
 public:
  [[nodiscard]] static std::string make(const PageSession& session, std::string_view purpose, std::string_view object);
  [[nodiscard]] static bool fits(const PageSession& session, std::string_view purpose, std::string_view object,
                                 std::string_view presented);
};

}  // namespace postern::approvals
