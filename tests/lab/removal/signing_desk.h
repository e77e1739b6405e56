// Signs whatever it is told to with the key of the laboratory's issuer, for whoever knows the secret of the launch
// document. For tokens that an issuer never gives: over their time, without one, for somebody else.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/signing/es256_signer.h"
#include "wire/transport/http_server.h"

namespace postern::lab {

class SigningDesk {
 public:
  // Takes "sign_secret" out of the document; nothing without one. own.bad_launch_document.
  [[nodiscard]] static Result<std::optional<SigningDesk>> take(Json& document);
  // The key to give to the issuer as its first.
  [[nodiscard]] Es256Signer key() const { return key_; }
  // POST /lab/sign. The routes keep what they need.
  void add_to(Routes& routes) const;
  [[nodiscard]] HttpResponse sign(const HttpRequest& request) const;

 private:
  SigningDesk(Es256Signer key, std::string secret_sha256)
      : key_(std::move(key)), secret_sha256_(std::move(secret_sha256)) {}
  Es256Signer key_;
  std::string secret_sha256_;
};

// A compact JWS of that header and those claims; members that are null are left out.
[[nodiscard]] std::string sign_freely(const Es256Signer& key, const Json& header, const Json& claims);

}  // namespace postern::lab
