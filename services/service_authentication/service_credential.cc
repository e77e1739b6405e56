#include "services/service_authentication/service_credential.h"

#include "wire/base/digest.h"

namespace postern::services {
namespace {

constexpr std::string_view kCredentialPrefix = "svc_";
constexpr std::string_view kScheme = "Service ";

bool begins_ignoring_case(std::string_view text, std::string_view prefix) {
  return text.size() >= prefix.size() && equal_ignoring_case(text.substr(0, prefix.size()), prefix);
}

}  // namespace

void ServiceAuthorizationHeader::write(HttpRequest& request, const ServiceCredential& credential) {
  std::string value(kScheme);
  value += credential.reveal(Passkey<ServiceAuthorizationHeader>{});
  request.headers.set("Authorization", std::move(value));
}

std::string_view name_of(CredentialKind kind) {
  switch (kind) {
    case CredentialKind::kService:
      return "service";
    case CredentialKind::kBearer:
      return "bearer";
    case CredentialKind::kNone:
      return "none";
    case CredentialKind::kUnknown:
      return "unknown";
  }
  return "unknown";
}

PresentedCredential PresentedCredential::of_text(std::string_view text) {
  PresentedCredential presented;
  if (text.empty()) return presented;
  if (text.starts_with(kCredentialPrefix)) {
    presented.kind_ = CredentialKind::kService;
    presented.digest_ = sha256(text);
  } else {
    // A JWT begins with the base64url of '{"'.
    presented.kind_ = text.starts_with("eyJ") ? CredentialKind::kBearer : CredentialKind::kUnknown;
  }
  return presented;
}

PresentedCredential PresentedCredential::of(const ServiceCredential& credential) {
  return of_text(credential.reveal(Passkey<PresentedCredential>{}));
}

PresentedCredential PresentedCredential::of(const HttpRequest& request) {
  PresentedCredential presented;
  const auto header = request.headers.sole("Authorization");
  if (!header) {
    presented.kind_ = CredentialKind::kUnknown;
    return presented;
  }
  if (*header == nullptr) return presented;
  const std::string_view value = **header;
  if (value.starts_with(kScheme)) return of_text(value.substr(kScheme.size()));
  presented.kind_ = begins_ignoring_case(value, "Bearer ") ? CredentialKind::kBearer : CredentialKind::kUnknown;
  return presented;
}

}  // namespace postern::services
