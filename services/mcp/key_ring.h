// The keys that seal request states: in a file that all processes of one server share, or made for one process alone.
//
// The first process that finds no file makes it (exclusively, mode 0600); the others read it. A ring holds several
// keys: the first seals, every one opens, so that a key can be replaced while states made with the old one are still
// about. The file:
//   {"keys":[{"id":"k1a2b3c4","key":"<32 bytes, base64url>","created_at":"2026-11-30T02:51:07.123Z"}]}
// Immutable after it was read, thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/base/result.h"
#include "wire/base/secret.h"
#include "wire/env/env.h"

namespace postern::mcp {

class KeyRing;
struct RingKeyTag {
  using RevealedBy = Reveals<KeyRing>;
};
using RingKey = Secret<RingKeyTag>;

class KeyRing {
 public:
  static constexpr std::size_t kIdCharacters = 8;

  // `own.bad_key_ring` when others may read the file, or it does not hold what it should; own.file_failed.
  [[nodiscard]] static Result<KeyRing> open_or_create(Env env, const std::string& path);

  // Whether there is a ring that open_or_create() would take. Makes none.
  [[nodiscard]] static Status check(const std::string& path);

  // One new key, kept nowhere: what is sealed with it opens in this process only, and not after it.
  [[nodiscard]] static KeyRing in_memory(Env env);

  // The key that seals. REQUIRES nothing: a ring has at least one.
  [[nodiscard]] const std::string& sealing_id() const { return keys_.front().id; }
  // The 32 bytes derived for one purpose from the key of that id (HKDF-SHA-256); nothing for an unknown id. The caller
  // wipes them.
  [[nodiscard]] std::optional<std::string> derive(std::string_view id, std::string_view purpose) const;

 private:
  struct Key {
    std::string id;
    RingKey key;
  };
  explicit KeyRing(std::vector<Key> keys) : keys_(std::move(keys)) {}
  [[nodiscard]] static Result<KeyRing> read(const std::string& path);

  std::vector<Key> keys_;
};

}  // namespace postern::mcp
