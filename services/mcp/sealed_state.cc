#include "services/mcp/sealed_state.h"

#include "services/mcp/failures.h"
#include "wire/base/aead.h"
#include "wire/base/bytes.h"
#include "wire/base/canonical_json.h"
#include "wire/base/digest.h"

namespace postern::mcp {
namespace {

constexpr std::string_view kPrefix = "rs_";
// The key is derived for request states, and the same words are bound to each seal: a sealed text of another use never
// opens here.
constexpr std::string_view kKeyPurpose = "request state v2";
constexpr std::size_t kCharactersMax = 4096;

bool same(const StateCheckContext& context, std::string_view member, const std::string& presented) {
  return context.sealed.string_at(member) == presented;
}

constexpr StateCheck kProductChecks[] = {
    {"purpose", [](const StateCheckContext& c) { return same(c, "purpose", c.presented.purpose); }},
    {"principal", [](const StateCheckContext& c) { return same(c, "principal", c.presented.principal); }},
    {"method", [](const StateCheckContext& c) { return same(c, "method", c.presented.method); }},
    {"name", [](const StateCheckContext& c) { return same(c, "name", c.presented.name); }},
    {"arguments", [](const StateCheckContext& c) { return same(c, "arguments_digest", c.presented.arguments_digest); }},
    {"expiry",
     [](const StateCheckContext& c) {
       const auto expires = c.sealed.integer_at("expires_at_ms");
       return expires && c.now < WallTime(Milliseconds(*expires));
     }},
};

}  // namespace

std::string digest_of_arguments(const Json& arguments) {
  return sha256_hex(canonical_json(arguments));
}

std::span<const StateCheck> product_state_checks() {
  return kProductChecks;
}

std::string SealedStates::seal(const Json& payload, const StateBinding& binding) const {
  const WallTime expires = env_.clock.now() + lifetime_;
  const Json inside = Json::object({{"purpose", binding.purpose},
                                    {"principal", binding.principal},
                                    {"method", binding.method},
                                    {"name", binding.name},
                                    {"arguments_digest", binding.arguments_digest},
                                    {"payload", payload},
                                    {"expires_at_ms", std::int64_t{expires.time_since_epoch().count()}}});
  const std::string& id = keys_.sealing_id();
  std::string key = *keys_.derive(id, kKeyPurpose);
  const std::string sealed = aead_seal(key, inside.dump(), std::string(kKeyPurpose) + "\n" + id, env_.random);
  wipe(key);
  return std::string(kPrefix) + base64url(id + sealed);
}

Result<Json> SealedStates::open(std::string_view text, const StateBinding& presented) const {
  if (!text.starts_with(kPrefix) || text.size() > kCharactersMax) return RequestStateRefused{"form"};
  const auto bytes = base64url_decode(text.substr(kPrefix.size()));
  if (!bytes || bytes->size() <= KeyRing::kIdCharacters) return RequestStateRefused{"form"};
  const std::string id = bytes->substr(0, KeyRing::kIdCharacters);
  auto key = keys_.derive(id, kKeyPurpose);
  if (!key) return RequestStateRefused{"seal"};
  const auto inside =
      aead_open(*key, std::string_view(*bytes).substr(KeyRing::kIdCharacters), std::string(kKeyPurpose) + "\n" + id);
  wipe(*key);
  if (!inside) return RequestStateRefused{"seal"};
  const auto sealed = parse_json(*inside);
  if (!sealed) return RequestStateRefused{"form"};
  for (const StateCheck& check : checks_) {
    if (!check.holds({*sealed, presented, env_.clock.now()})) return RequestStateRefused{check.name};
  }
  const Json* payload = sealed->find("payload");
  if (payload == nullptr) return RequestStateRefused{"form"};
  return *payload;
}

}  // namespace postern::mcp
