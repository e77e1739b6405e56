#include "issuer/device_codes.h"

#include <algorithm>
#include <array>
#include <utility>

#include "issuer/failures.h"
#include "wire/base/digest.h"

namespace postern::issuer {
namespace {

// Of RFC 8628 section 6.1: no vowels, so that no words come out, and no digits, so that nothing looks like B, S or Z.
constexpr std::string_view kLetters = "BCDFGHJKLMNPQRSTVWXZ";
constexpr std::size_t kLength = 8;
constexpr std::size_t kHalf = kLength / 2;
constexpr Seconds kSlower{5};

std::string random_user_code(RandomSource& random) {
  std::string code;
  while (code.size() < kLength) {
    std::array<unsigned char, 1> byte{};
    random.fill(byte);
    // 240 is the largest multiple of 20 below 256: above it the first letters would be likelier.
    if (byte[0] < 240) code += kLetters[byte[0] % kLetters.size()];
  }
  return code.insert(kHalf, "-");
}

}  // namespace

std::string normal_user_code(std::string_view entered) {
  std::string code;
  for (const char c : entered) {
    if (c == '-' || c == ' ') continue;
    const char upper = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    if (kLetters.find(upper) == std::string_view::npos || code.size() == kLength) return {};
    code += upper;
  }
  return code.size() == kLength ? code.insert(kHalf, "-") : std::string();
}

std::string DeviceCodes::new_user_code() {
  for (;;) {
    std::string code = random_user_code(env_.random);
    const bool taken = std::any_of(entries_.begin(), entries_.end(),
                                   [&](const auto& entry) { return entry.second.user_code == code; });
    if (!taken) return code;
  }
}

DeviceCodes::Started DeviceCodes::start(ClientRef client, Asked asked) {
  std::string device_code = random_token(env_.random, "dc_", 32);
  const std::string key = sha256(device_code);
  const MutexLock lock(mutex_);
  std::string user_code = new_user_code();
  Entry entry;
  entry.client = std::move(client);
  entry.asked = std::move(asked);
  entry.user_code = user_code;
  entry.expires_at = env_.clock.now() + kLifetime;
  entries_.emplace(key, std::move(entry));
  order_.push_back(key);
  if (order_.size() > kDevicesMax) {
    entries_.erase(order_.front());
    order_.pop_front();
  }
  return {std::move(device_code), std::move(user_code)};
}

std::optional<AuthorizationRequest> DeviceCodes::find(std::string_view user_code) {
  const MutexLock lock(mutex_);
  for (const auto& [id, entry] : entries_) {
    if (entry.user_code != user_code || entry.state != State::kWaiting) continue;
    if (env_.clock.now() >= entry.expires_at) return std::nullopt;
    AuthorizationRequest request;
    request.address.client = entry.client;
    request.resource = entry.asked.resource;
    request.scope = entry.asked.scope;
    request.device_id = id;
    request.user_code = entry.user_code;
    return request;
  }
  return std::nullopt;
}

DeviceCodes::Entry* DeviceCodes::waiting(std::string_view device_id) {
  const auto found = entries_.find(std::string(device_id));
  if (found == entries_.end() || found->second.state != State::kWaiting) return nullptr;
  return env_.clock.now() < found->second.expires_at ? &found->second : nullptr;
}

bool DeviceCodes::allow(std::string_view device_id, Grant grant) {
  const MutexLock lock(mutex_);
  Entry* entry = waiting(device_id);
  if (entry == nullptr) return false;
  entry->state = State::kAllowed;
  entry->grant = std::move(grant);
  return true;
}

bool DeviceCodes::deny(std::string_view device_id) {
  const MutexLock lock(mutex_);
  Entry* entry = waiting(device_id);
  if (entry == nullptr) return false;
  entry->state = State::kDenied;
  return true;
}

Result<Grant> DeviceCodes::poll(std::string_view device_code, std::string_view client_id) {
  const MutexLock lock(mutex_);
  const auto found = entries_.find(sha256(device_code));
  if (found == entries_.end() || found->second.client->client_id != client_id) {
    return OAuthError{"invalid_grant", "The device code is unknown, used already, or of another client."};
  }
  Entry& entry = found->second;
  const WallTime now = env_.clock.now();
  if (now >= entry.expires_at) return OAuthError{"expired_token", "Nobody signed in within ten minutes. Start again."};
  const bool too_soon = entry.asked_at && now < *entry.asked_at + entry.interval;
  entry.asked_at = now;
  if (too_soon) {
    entry.interval += kSlower;
    return OAuthError{"slow_down", "Ask every " + std::to_string(entry.interval.count()) + " seconds."};
  }
  if (entry.state == State::kWaiting) return OAuthError{"authorization_pending", "Nobody has decided yet."};
  if (entry.state == State::kDenied) return OAuthError{"access_denied", "The person said no."};
  Grant grant = *std::move(entry.grant);
  entries_.erase(found);
  return grant;
}

}  // namespace postern::issuer
