// Who called a service, with what kind of credential, and whether it was let in. One JSON line a call, in
// <database_dir>/downstream.jsonl:
//   {"at","service","operation","caller","credential_kind":"service"|"bearer"|"none"|"unknown","admitted":true|false}
// It shows that no caller's token ever went further than the server it was issued for. It holds no secret and no piece
// of one. Several services and processes share the file. Thread-safe.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "services/service_authentication/service_authentication.h"
#include "wire/base/clock.h"
#include "wire/base/file.h"
#include "wire/base/result.h"

namespace postern::services {

struct DownstreamCall {
  std::string_view operation;  // "orders:read"
  std::string_view caller;     // what the caller says of itself: a claim, made visible here
  CredentialKind kind = CredentialKind::kNone;
  bool admitted = false;
};

class DownstreamLog {
 public:
  // Makes the folder when it is missing. `clock` must outlive it.
  [[nodiscard]] static Result<DownstreamLog> open(const Clock& clock, const std::string& database_dir,
                                                  std::string service);
  [[nodiscard]] Status append(const DownstreamCall& call) const;

 private:
  DownstreamLog(const Clock& clock, LineFile file, std::string service)
      : clock_(&clock), file_(std::move(file)), service_(std::move(service)) {}
  const Clock* clock_;
  LineFile file_;
  std::string service_;
};

// The door of a service: checks the credential, and writes the call down either way. A call that cannot be written down
// is not served.
class ServiceAdmission {
 public:
  ServiceAdmission(ServiceAuthentication authentication, DownstreamLog log)
      : authentication_(std::move(authentication)), log_(std::move(log)) {}
  // `service.foreign_credential`, own.file_failed.
  [[nodiscard]] Status admit(std::string_view operation, const PresentedCredential& presented,
                             std::string_view caller) const;

 private:
  ServiceAuthentication authentication_;
  DownstreamLog log_;
};

}  // namespace postern::services
