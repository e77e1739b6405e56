#include "issuer/sign_in_sessions.h"

#include "wire/base/digest.h"

namespace postern::issuer {
namespace {

// The value of that cookie when the request carries it once; nothing otherwise, also when two of the name come (RFC
// 6265 does not say which one is the right one).
std::optional<std::string_view> sole_cookie(const HttpRequest& request, std::string_view name) {
  std::optional<std::string_view> found;
  for (std::string_view field : request.headers.all("Cookie")) {
    while (!field.empty()) {
      std::string_view pair = field.substr(0, field.find(';'));
      field.remove_prefix(std::min(pair.size() + 1, field.size()));
      while (!pair.empty() && pair.front() == ' ') pair.remove_prefix(1);
      const std::size_t equals = pair.find('=');
      if (equals == std::string_view::npos || pair.substr(0, equals) != name) continue;
      if (found) return std::nullopt;
      found = pair.substr(equals + 1);
    }
  }
  return found;
}

}  // namespace

std::optional<SignInSession> SignInSessions::find(const HttpRequest& request) {
  const auto cookie = sole_cookie(request, kCookie);
  if (!cookie) return std::nullopt;
  const MutexLock lock(mutex_);
  const auto found = sessions_.find(sha256(*cookie));
  if (found == sessions_.end() || env_.clock.now() >= found->second.auth_time + kLifetime) return std::nullopt;
  return found->second;
}

std::string SignInSessions::key_of(const HttpRequest& request) {
  const auto cookie = sole_cookie(request, kCookie);
  return cookie ? sha256(*cookie) : std::string();
}

SignInSessions::Started SignInSessions::start(SignInSession session) {
  const std::string value = random_token(env_.random, "", 32);
  const std::string key = sha256(value);
  const MutexLock lock(mutex_);
  sessions_.emplace(key, std::move(session));
  order_.push_back(key);
  if (order_.size() > kSessionsMax) {
    sessions_.erase(order_.front());
    order_.pop_front();
  }
  return {std::string(kCookie) + "=" + value + "; Path=/; Secure; HttpOnly; SameSite=Lax", key};
}

}  // namespace postern::issuer
