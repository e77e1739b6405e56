// The issuer's JWK set, as a resource server keeps it (RFC 7517, RFC 8414).
//
// Fetched from the issuer's metadata, then jwks_uri, which must be at the issuer's own origin. One fetch at a time;
// after a fetch, and after a failed one, none for a cool-down, so that tokens with made-up key ids cannot make this
// process storm the issuer, and once there are keys, few threads wait for a fetch, so that such tokens cannot keep a
// pool of threads. Keys that were fetched once stay good through an outage of the issuer. Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "wire/base/result.h"
#include "wire/env/env.h"
#include "wire/oauth/jwk.h"
#include "wire/transport/http_client.h"

namespace postern::services {

enum class KeyAccess { kCachedOnly, kMayFetch };

class IssuerKeys {
 public:
  // `client` and `env` must outlive it.
  IssuerKeys(Env env, HttpClient& client, std::string issuer,
             std::chrono::milliseconds cool_down = std::chrono::milliseconds(5000));
  ~IssuerKeys();

  // The cached set, or null when none was fetched yet. Never blocks.
  [[nodiscard]] std::shared_ptr<const JwkSet> cached() const;
  // Counts up each time the set changes.
  [[nodiscard]] std::uint64_t generation() const;
  // The outcome of the last fetch while its cool-down lasts. `gate.keys_needed` when refresh() would fetch, or wait for
  // one; `gate.keys_unavailable` when enough wait already. Never blocks.
  [[nodiscard]] Result<std::shared_ptr<const JwkSet>> recent() const;
  // Fetches unless a fetch ended less than the cool-down ago; then that one's outcome. Blocks, unless enough wait
  // already. `gate.keys_unavailable`.
  [[nodiscard]] Result<std::shared_ptr<const JwkSet>> refresh();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

struct KeysNeeded {
  static constexpr std::string_view kId = "gate.keys_needed";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kUnavailable;
  [[nodiscard]] std::string text() const;
};
struct KeysUnavailable {
  static constexpr std::string_view kId = "gate.keys_unavailable";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kUnavailable;
  std::string reason;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::services
