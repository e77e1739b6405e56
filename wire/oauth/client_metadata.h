// What a client says of itself to an authorization server: the metadata of a dynamic registration (RFC 7591 section 2)
// and of a Client ID Metadata Document (draft-ietf-oauth-client-id-metadata-document), which have the same members.
// Shared by the client, which writes them, and the training issuer, which reads them.
//
// Plain values: nothing here says whether a redirect URI or a grant is allowed. Unknown members are ignored when they
// are read, as RFC 7591 section 2 says.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/oauth/scope.h"

namespace postern {

struct ClientMetadata {
  std::string client_id;                    // of a document: its own URL; empty in a registration request
  std::string client_name;                  // for people; a stranger's text
  std::string client_uri;                   // empty: none; a stranger's URL
  std::vector<std::string> redirect_uris;   // compared as strings; well-formed absolute URIs are the reader's to check
  std::vector<std::string> grant_types;     // empty when absent: "authorization_code"
  std::vector<std::string> response_types;  // empty when absent: "code"
  std::string token_endpoint_auth_method;   // empty when absent: "client_secret_basic"
  std::string application_type;             // "native" or "web"; empty when absent: "web" (OpenID Registration)
  ScopeSet scope;                           // empty: the server's default
  std::string jwks_uri;                     // empty: none
  Json jwks;                                // null: none

  // Every member that is there must be of its type: oauth.malformed_client_metadata, whose `error` is the code that
  // RFC 7591 section 3.2.2 has for it. redirect_uris may be absent (a client without redirects).
  [[nodiscard]] static Result<ClientMetadata> of_json(const Json& json);
  // The members that are set.
  [[nodiscard]] Json json() const;
};

struct MalformedClientMetadata {
  static constexpr std::string_view kId = "oauth.malformed_client_metadata";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kBadRequest;
  std::string_view error;  // "invalid_redirect_uri" or "invalid_client_metadata"
  std::string reason;      // ours: names the member
  [[nodiscard]] std::string text() const;
};

}  // namespace postern
