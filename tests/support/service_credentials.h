// Service credentials as a stack makes them, and the digests that the services are given.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "services/service_authentication/service_credential.h"
#include "wire/base/digest.h"
#include "wire/base/json.h"

namespace postern::test {

// The text of the credential of one operation: the same for the same operation.
inline std::string credential_text(const std::string& operation) {
  return "svc_credential-of-" + operation;
}
inline services::ServiceCredential credential_of(const std::string& operation) {
  return services::ServiceCredential::take(credential_text(operation));
}
// The launch document's "admitted" for those operations.
inline Json admitted(const std::vector<std::string>& operations) {
  Json json = Json::object();
  for (const std::string& operation : operations) json.set(operation, sha256_hex(credential_text(operation)));
  return json;
}

// Looks like an access token of the issuer; it is none.
inline constexpr const char* kBearerText = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJyb3dhbiJ9.c2lnbmF0dXJl";

}  // namespace postern::test
