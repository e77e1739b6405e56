// CredentialsDocument: what is kept of sign-ins between runs, as one JSON text, and the changes to it.
//
//   {"schema": "postern.credentials/1",
//    "tokens":  [{"issuer", "resource", "access_token", "token_type", "refresh_token", "expires_at", "granted",
//                 "requested", "client_id", "subject", "name"}],
//    "clients": [{"issuer", "client_id", "authentication", "client_secret", "redirect_uris"}]}
//
// Entries are found by issuer and resource, clients by issuer. A change touches its own entry and leaves every other as
// it was read, members that this version does not know included. The text holds secrets: whoever has it wipes it. Not
// thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bridge/oauth/credential_store.h"
#include "wire/base/json.h"
#include "wire/base/result.h"

namespace postern::bridge {

// The one place that opens secrets to keep them.
class CredentialsWriter {
 public:
  [[nodiscard]] static Json json_of(const TokenKey& key, const StoredTokens& tokens);
  [[nodiscard]] static Json json_of(const ClientIdentity& client);
};

}  // namespace postern::bridge

namespace postern::host {

class CredentialsDocument {
 public:
  // Nothing kept yet.
  CredentialsDocument();
  // The reason why it must not be believed, as a sentence without its end, in place of a document.
  [[nodiscard]] static Result<CredentialsDocument> parse(std::string_view text);
  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool empty() const;

  [[nodiscard]] std::optional<bridge::StoredTokens> tokens(const bridge::TokenKey& key) const;
  void keep(const bridge::TokenKey& key, const bridge::StoredTokens& tokens);
  void forget(const bridge::TokenKey& key);
  [[nodiscard]] std::vector<bridge::TokenKey> keys() const;

  [[nodiscard]] std::optional<bridge::ClientIdentity> client(const std::string& issuer) const;
  void keep_client(const bridge::ClientIdentity& client);
  void forget_client(const std::string& issuer);

 private:
  [[nodiscard]] const Json* find(const bridge::TokenKey& key) const;
  Json json_;
};

// The text is not what this program wrote. It is left as it is.
struct CredentialsMalformed {
  static constexpr std::string_view kId = "own.credentials_malformed";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string reason;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::host
