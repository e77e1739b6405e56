#include "tests/lab/removal/signing_desk.h"

#include "wire/base/bytes.h"
#include "wire/base/canonical_json.h"
#include "wire/base/digest.h"
#include "wire/base/secret.h"
#include "wire/transport/launch.h"

namespace postern::lab {
namespace {

constexpr std::size_t kSecretBytesMin = 24;
constexpr std::string_view kScheme = "Bearer ";

std::string written(const Json& json) {
  Json kept = Json::object();
  for (const auto& [name, value] : json.members()) {
    if (!value.is_null()) kept.append_member(name, value);
  }
  return base64url(kept.dump());
}

}  // namespace

std::string sign_freely(const Es256Signer& key, const Json& header, const Json& claims) {
  // The key's id is its thumbprint (RFC 7638), as issuer/key_ring.cc has it.
  Json head = Json::object(
      {{"alg", "ES256"}, {"typ", "at+jwt"}, {"kid", base64url(sha256(canonical_json(key.public_point())))}});
  for (const auto& [name, value] : header.members()) head.set(name, value);
  const std::string text = written(head) + "." + written(claims);
  return text + "." + base64url(key.sign(text));
}

Result<std::optional<SigningDesk>> SigningDesk::take(Json& document) {
  Json* member = document.find("sign_secret");
  if (member == nullptr) return std::optional<SigningDesk>();
  std::string* secret = member->string();
  if (secret == nullptr || secret->size() < kSecretBytesMin) {
    return BadLaunchDocument{"\"sign_secret\" must be a text of at least 24 characters"};
  }
  std::string digest = sha256(*secret);
  wipe(*secret);
  document.erase("sign_secret");
  return std::optional(SigningDesk(Es256Signer::generate(), std::move(digest)));
}

HttpResponse SigningDesk::sign(const HttpRequest& request) const {
  const std::string* sent = request.headers.find("Authorization");
  const bool knows = sent != nullptr && sent->starts_with(kScheme) &&
                     equal_in_constant_time(sha256(sent->substr(kScheme.size())), secret_sha256_);
  if (!knows) return json_response(403, R"({"error":"access_denied"})");
  const auto body = parse_json(request.body);
  const Json* header = body ? body->find("header") : nullptr;
  const Json* claims = body ? body->find("claims") : nullptr;
  if (header == nullptr || claims == nullptr || !header->is_object() || !claims->is_object()) {
    return json_response(400, R"({"error":"invalid_request"})");
  }
  return json_response(200, Json::object({{"token", sign_freely(key_, *header, *claims)}}).dump());
}

void SigningDesk::add_to(Routes& routes) const {
  routes.add("POST", "/lab/sign", [desk = *this](const HttpRequest& request) { return desk.sign(request); });
}

}  // namespace postern::lab
