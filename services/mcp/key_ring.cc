#include "services/mcp/key_ring.h"

#include "services/mcp/failures.h"
#include "wire/base/bytes.h"
#include "wire/base/digest.h"
#include "wire/base/file.h"
#include "wire/base/json.h"
#include "wire/base/visible_text.h"

namespace postern::mcp {
namespace {

constexpr std::size_t kKeyBytes = 32;
// As the first server that had a ring derived them: another salt would refuse every state that is about.
constexpr std::string_view kSalt = "postern desk";
constexpr std::size_t kFileBytesMax = 64 * 1024;
constexpr unsigned kOthersMask = 077;

BadKeyRing bad(const std::string& path, std::string reason) {
  return {visible_line(path, 300), std::move(reason)};
}

std::string new_id(Env env) {
  return "k" + hex(random_bytes(env.random, 4)).substr(1);
}

// A ring of one new key. The text holds the key: the caller wipes it.
std::string new_ring_text(Env env) {
  std::string key = random_bytes(env.random, kKeyBytes);
  std::string text = R"({"keys":[{"id":")" + new_id(env) + R"(","key":")" + base64url(key) + R"(","created_at":")" +
                     rfc3339(env.clock.now()) + "\"}]}\n";
  wipe(key);
  return text;
}

}  // namespace

Result<KeyRing> KeyRing::open_or_create(Env env, const std::string& path) {
  if (!file_exists(path)) {
    std::string text = new_ring_text(env);
    const auto created = create_file(path, text);
    wipe(text);
    if (!created) return created.error();  // another process that was first is no failure: its ring is read below
  }
  return read(path);
}

Status KeyRing::check(const std::string& path) {
  POSTERN_TRY_VOID(read(path));
  return {};
}

KeyRing KeyRing::in_memory(Env env) {
  std::vector<Key> keys;
  keys.push_back(Key{new_id(env), RingKey::take(random_bytes(env.random, kKeyBytes))});
  return KeyRing(std::move(keys));
}

Result<KeyRing> KeyRing::read(const std::string& path) {
  POSTERN_TRY(const unsigned mode, file_mode(path));
  if ((mode & kOthersMask) != 0) return bad(path, "others than its owner may read or change it (chmod 600 mends that)");
  POSTERN_TRY(std::string text, read_file(path, kFileBytesMax));
  const auto json = parse_json(text);
  wipe(text);
  if (!json) return bad(path, "it is not JSON");
  const Json* rows = json->find("keys");
  if (rows == nullptr || rows->size() == 0) return bad(path, "it holds no keys");
  std::vector<Key> keys;
  for (const Json& row : rows->elements()) {
    std::string id(row.string_at("id"));
    auto key = base64url_decode(row.string_at("key"));
    if (id.size() != kIdCharacters || !key || key->size() != kKeyBytes)
      return bad(path, "one of its keys has not the right form");
    for (const Key& known : keys) {
      if (known.id == id) return bad(path, "two of its keys have one id");
    }
    keys.push_back(Key{std::move(id), RingKey::take(*std::move(key))});
  }
  return KeyRing(std::move(keys));
}

std::optional<std::string> KeyRing::derive(std::string_view id, std::string_view purpose) const {
  for (const Key& key : keys_) {
    if (key.id == id) return hkdf_sha256(key.key.reveal(Passkey<KeyRing>{}), kSalt, purpose, kKeyBytes);
  }
  return std::nullopt;
}

}  // namespace postern::mcp
