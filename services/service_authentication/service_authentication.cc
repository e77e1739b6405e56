#include "services/service_authentication/service_authentication.h"

#include "wire/base/bytes.h"
#include "wire/base/visible_text.h"

namespace postern::services {

Result<ServiceAuthentication> ServiceAuthentication::of_json(const Json& admitted) {
  if (!admitted.is_object()) return BadAdmission{""};
  ServiceAuthentication authentication;
  for (const Json::Member& member : admitted.members()) {
    const std::string* digest = member.second.string();
    std::optional<std::string> raw = digest == nullptr ? std::nullopt : hex_decode(*digest);
    if (!raw || raw->size() != 32 || member.first.empty()) return BadAdmission{visible_line(member.first, 60)};
    authentication.admitted_.emplace(member.first, *std::move(raw));
  }
  return authentication;
}

Status ServiceAuthentication::admit(std::string_view operation, const PresentedCredential& presented) const {
  const auto entry = admitted_.find(operation);
  // The digest of anything but a service credential is empty, and equal to none.
  if (entry == admitted_.end() || !equal_in_constant_time(entry->second, presented.digest())) {
    return ForeignCredential{std::string(operation), presented.kind()};
  }
  return {};
}

std::string ForeignCredential::text() const {
  std::string seen;
  switch (kind) {
    case CredentialKind::kService:
      seen = "another service credential";
      break;
    case CredentialKind::kBearer:
      seen = "a caller's bearer token";
      break;
    case CredentialKind::kNone:
      seen = "no credential";
      break;
    case CredentialKind::kUnknown:
      seen = "a credential of an unknown kind";
      break;
  }
  return operation + " admits only its own service credential, and this call came with " + seen + ". Nothing was done.";
}

std::string BadAdmission::text() const {
  if (operation.empty()) return "\"admitted\" must be an object of operations and SHA-256 digests.";
  return "The entry \"" + operation + "\" in \"admitted\" must be a SHA-256 digest in 64 hex digits.";
}

}  // namespace postern::services
