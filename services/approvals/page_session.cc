#include "services/approvals/page_session.h"

#include <algorithm>

#include "wire/base/bytes.h"
#include "wire/base/digest.h"

namespace postern::approvals {
namespace {

constexpr std::size_t kCookieBytes = 32;
constexpr std::size_t kCookieCharacters = 43;  // of 32 bytes in base64url
constexpr std::size_t kPressesMax = 10;
constexpr std::chrono::minutes kPressWindow{1};

// The values of that cookie in one Cookie header: "a=1; b=2".
void collect(std::string_view header, std::string_view name, std::vector<std::string_view>& out) {
  while (!header.empty()) {
    const std::size_t end = std::min(header.find(';'), header.size());
    std::string_view pair = header.substr(0, end);
    header.remove_prefix(std::min(end + 1, header.size()));
    while (pair.starts_with(' ')) pair.remove_prefix(1);
    const std::size_t equals = pair.find('=');
    if (equals != std::string_view::npos && pair.substr(0, equals) == name) out.push_back(pair.substr(equals + 1));
  }
}

void forget_old(std::deque<SteadyTime>& presses, SteadyTime now) {
  while (!presses.empty() && now - presses.front() >= kPressWindow) presses.pop_front();
}

}  // namespace

std::optional<CookieValue> SessionCookie::read(const HttpRequest& request, std::string_view name) {
  std::vector<std::string_view> values;
  for (const std::string_view header : request.headers.all("Cookie")) collect(header, name, values);
  if (values.size() != 1 || values[0].size() != kCookieCharacters) return std::nullopt;
  if (!base64url_decode(values[0])) return std::nullopt;
  return CookieValue::take(std::string(values[0]));
}

CookieValue SessionCookie::make(RandomSource& random) {
  return CookieValue::take(random_token(random, "", kCookieBytes));
}

void SessionCookie::write(HttpResponse& response, std::string_view name, const CookieValue& value) {
  response.headers.add("Set-Cookie", std::string(name) + "=" + std::string(value.reveal(Passkey<SessionCookie>{})) +
                                         "; Path=/; HttpOnly; Secure; SameSite=Lax");
}

void SessionCookie::clear(HttpResponse& response, std::string_view name) {
  response.headers.add("Set-Cookie", std::string(name) + "=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax");
}

std::string SessionCookie::hash_of(const CookieValue& value) {
  return sha256_hex(value.reveal(Passkey<SessionCookie>{}));
}

std::string PageSession::reference() const {
  constexpr std::size_t kDigits = 12;
  return sha256_hex("session reference\n" + id_hash_).substr(0, kDigits);
}

bool PageSession::first_opening_of(const std::string& object) {
  const MutexLock lock(mutex_);
  return opened_.insert(object).second;
}

bool PageSession::may_press(SteadyTime now) {
  const MutexLock lock(mutex_);
  forget_old(refused_presses_, now);
  return refused_presses_.size() < kPressesMax;
}

bool PageSession::notes_foreign_press(SteadyTime now) {
  const MutexLock lock(mutex_);
  forget_old(foreign_presses_, now);
  if (foreign_presses_.size() == kPressesMax) return false;
  foreign_presses_.push_back(now);
  return true;
}

void PageSession::count_refused_press(SteadyTime now) {
  const MutexLock lock(mutex_);
  refused_presses_.push_back(now);
}

std::pair<std::shared_ptr<PageSession>, CookieValue> PageSessions::open(AccessToken token, bool asked_to_approve) {
  CookieValue value = SessionCookie::make(env_.random);
  const std::string hash = SessionCookie::hash_of(value);
  const SteadyTime now = env_.clock.steady_now();
  auto session = std::make_shared<PageSession>(
      hash, std::move(token), FormTokenKey::take(random_bytes(env_.random, kCookieBytes)), asked_to_approve, now);
  const MutexLock lock(mutex_);
  std::erase_if(sessions_, [&](const auto& entry) {
    const MutexLock session_lock(entry.second->mutex_);
    return now - entry.second->last_used_ >= kIdleMax || now - entry.second->began_ >= kLifeMax;
  });
  if (sessions_.size() >= kSessionsMax) {
    const auto oldest = std::min_element(sessions_.begin(), sessions_.end(), [](const auto& a, const auto& b) {
      return a.second->began_ < b.second->began_;
    });
    sessions_.erase(oldest);
  }
  sessions_.emplace(hash, session);
  return {std::move(session), std::move(value)};
}

std::shared_ptr<PageSession> PageSessions::find(const HttpRequest& request, bool is_use) {
  const auto value = SessionCookie::read(request, SessionCookie::kDesk);
  if (!value) return nullptr;
  const SteadyTime now = env_.clock.steady_now();
  const MutexLock lock(mutex_);
  const auto found = sessions_.find(SessionCookie::hash_of(*value));
  if (found == sessions_.end()) return nullptr;
  std::shared_ptr<PageSession> session = found->second;
  const MutexLock session_lock(session->mutex_);
  if (now - session->last_used_ >= kIdleMax || now - session->began_ >= kLifeMax) {
    sessions_.erase(found);
    return nullptr;
  }
  if (is_use) session->last_used_ = now;
  return session;
}

void PageSessions::end(const PageSession& session) {
  const MutexLock lock(mutex_);
  sessions_.erase(session.id_hash_);
}

std::string FormTokens::make(const PageSession& session, std::string_view purpose, std::string_view object) {
  const std::string what = "postern form\n" + std::string(purpose) + "\n" + std::string(object);
  return base64url(hmac_sha256(session.form_key().reveal(Passkey<FormTokens>{}), what));
}

bool FormTokens::fits(const PageSession& session, std::string_view purpose, std::string_view object,
                      std::string_view presented) {
  return equal_in_constant_time(make(session, purpose, object), presented);
}

}  // namespace postern::approvals
