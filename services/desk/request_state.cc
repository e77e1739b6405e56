#include "services/desk/request_state.h"

#include "services/desk/failures.h"
#include "wire/base/aead.h"
#include "wire/base/bytes.h"
#include "wire/base/canonical_json.h"
#include "wire/base/digest.h"

namespace postern::desk {
namespace {

constexpr std::string_view kPrefix = "rs_";
// The key is derived for request states, and the same words are bound to each seal: a sealed text of another use never
// opens here.
constexpr std::string_view kKeyPurpose = "request state v1";
constexpr std::size_t kCharactersMax = 4096;

bool same(const StateCheckContext& context, std::string_view member, const std::string& presented) {
  return context.sealed.string_at(member) == presented;
}

constexpr StateCheck kProductChecks[] = {
    {"purpose", [](const StateCheckContext& c) { return same(c, "purpose", c.presented.purpose); }},
    {"principal", [](const StateCheckContext& c) { return same(c, "principal", c.presented.principal); }},
    {"method", [](const StateCheckContext& c) { return same(c, "method", c.presented.method); }},
    {"tool", [](const StateCheckContext& c) { return same(c, "tool", c.presented.tool); }},
    {"arguments", [](const StateCheckContext& c) { return same(c, "arguments_digest", c.presented.arguments_digest); }},
    {"expiry",
     [](const StateCheckContext& c) {
       const auto expires = c.sealed.integer_at("expires_at_ms");
       return expires && c.now < WallTime(Milliseconds(*expires));
     }},
};

}  // namespace

std::string digest_of_arguments(const Json& arguments) {
  Json bound = arguments;
  bound.erase("case_handle");
  return sha256_hex(canonical_json(bound));
}

std::span<const StateCheck> product_state_checks() {
  return kProductChecks;
}

std::string RequestStates::seal(const RefundState& state, const StateBinding& binding) const {
  const WallTime expires = env_.clock.now() + kLifetime;
  const Json inside = Json::object({{"purpose", binding.purpose},
                                    {"principal", binding.principal},
                                    {"method", binding.method},
                                    {"tool", binding.tool},
                                    {"arguments_digest", binding.arguments_digest},
                                    {"approval_id", state.approval_id.value()},
                                    {"request_digest", state.request_digest},
                                    {"ticket_id", state.ticket_id.value()},
                                    {"expires_at_ms", std::int64_t{expires.time_since_epoch().count()}}});
  const std::string& id = keys_.sealing_id();
  std::string key = *keys_.derive(id, kKeyPurpose);
  const std::string sealed = aead_seal(key, inside.dump(), std::string(kKeyPurpose) + "\n" + id, env_.random);
  wipe(key);
  return std::string(kPrefix) + base64url(id + sealed);
}

Result<RefundState> RequestStates::open(std::string_view text, const StateBinding& presented) const {
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
  auto approval_id = services::read_id<services::ApprovalId>(sealed->string_at("approval_id"));
  auto ticket_id = services::read_id<services::TicketId>(sealed->string_at("ticket_id"));
  if (!approval_id || !ticket_id) return RequestStateRefused{"form"};
  return RefundState{*std::move(approval_id), std::string(sealed->string_at("request_digest")), *std::move(ticket_id)};
}

}  // namespace postern::desk
