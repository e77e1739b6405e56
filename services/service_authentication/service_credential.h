// The credential with which one service of ours is called, and its one way onto the wire.
//
// A credential is good for one service and one set of operations ("payments:read"). It is made by whoever starts the
// stack, handed down in the launch document, and never shown. Services keep its SHA-256 only.
#pragma once

#include <string>
#include <string_view>

#include "wire/base/secret.h"
#include "wire/http_message/http_message.h"

namespace postern::services {

class ServiceAuthorizationHeader;
class PresentedCredential;
struct ServiceCredentialTag {
  using RevealedBy = Reveals<ServiceAuthorizationHeader, PresentedCredential>;
};
// "svc_" and 32 random bytes in base64url.
using ServiceCredential = Secret<ServiceCredentialTag>;

// Writes "Authorization: Service svc_..." into a request to a service of ours. REQUIRES that the request goes to that
// service only.
class ServiceAuthorizationHeader {
 public:
  static void write(HttpRequest& request, const ServiceCredential& credential);
};

// What a caller presented, whatever that is: told apart by its form, compared by its SHA-256. Holds no secret itself.
enum class CredentialKind { kService, kBearer, kNone, kUnknown };
[[nodiscard]] std::string_view name_of(CredentialKind kind);  // "service", "bearer", "none", "unknown"

class PresentedCredential {
 public:
  // A call within the process. Somebody's bearer token in the place of a service credential is seen as what it is.
  [[nodiscard]] static PresentedCredential of(const ServiceCredential& credential);
  // The Authorization header; two of them are "unknown".
  [[nodiscard]] static PresentedCredential of(const HttpRequest& request);
  [[nodiscard]] CredentialKind kind() const { return kind_; }
  // SHA-256 of the credential, raw; empty unless the kind is kService.
  [[nodiscard]] const std::string& digest() const { return digest_; }

 private:
  static PresentedCredential of_text(std::string_view text);
  CredentialKind kind_ = CredentialKind::kNone;
  std::string digest_;
};

}  // namespace postern::services
