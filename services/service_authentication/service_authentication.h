// Which credential each operation of a service admits.
//
// A service admits its own credential for that operation and nothing else: not another service's, not its own for
// another operation, and never a caller's bearer token. Digests are compared in constant time. Thread-safe, immutable.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "services/service_authentication/service_credential.h"
#include "wire/base/json.h"
#include "wire/base/result.h"

namespace postern::services {

class ServiceAuthentication {
 public:
  // `admitted` is the launch document's member: {"payments:refund": SHA-256 in 64 hex digits, ...}. Operations of other
  // services in it are fine. `service.bad_admission` for anything else. With no entry for an operation nobody is
  // admitted to it.
  [[nodiscard]] static Result<ServiceAuthentication> of_json(const Json& admitted);

  // `service.foreign_credential` unless `presented` is the credential of that operation.
  [[nodiscard]] Status admit(std::string_view operation, const PresentedCredential& presented) const;

 private:
  std::map<std::string, std::string, std::less<>> admitted_;  // operation -> SHA-256, raw
};

struct ForeignCredential {
  static constexpr std::string_view kId = "service.foreign_credential";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kForbidden;
  std::string operation;
  CredentialKind kind = CredentialKind::kNone;
  [[nodiscard]] std::string text() const;
};
struct BadAdmission {
  static constexpr std::string_view kId = "service.bad_admission";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string operation;  // made visible
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::services
