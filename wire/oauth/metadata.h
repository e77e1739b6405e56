// Metadata documents: of a protected resource (RFC 9728) and of an authorization server (RFC 8414), and where they are
// found.
//
// An issuer is compared character by character with what the document was asked for: no normalisation, a slash more is
// another issuer. A resource is compared so too, but for the case of scheme and host, which a URL may have in any, and
// for the "/" that a URL without a path has by itself; it is kept as the server wrote it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/base/uri.h"
#include "wire/oauth/scope.h"

namespace postern {

// Which resource a document may be about, given the one that is expected.
enum class ResourceMatch {
  kSame,      // it alone (RFC 9728 section 3.3)
  kCovering,  // it, or one of the same origin whose path is the whole or a beginning of its path, up to a "/"
};

struct ProtectedResourceMetadata {
  std::string resource;
  std::vector<std::string> authorization_servers;  // issuer identifiers, one at least
  ScopeSet scopes_supported;                       // empty when absent
  std::string resource_name;                       // empty when absent; a peer's text

  // Refuses a document of another resource: oauth.resource_mismatch. Otherwise oauth.malformed_metadata.
  [[nodiscard]] static Result<ProtectedResourceMetadata> of_json(const Json& json, std::string_view expected_resource,
                                                                 ResourceMatch match = ResourceMatch::kSame);
  [[nodiscard]] Json json() const;
};

struct AuthorizationServerMetadata {
  std::string issuer;
  std::string authorization_endpoint;  // empty when no grant of grant_types_supported goes there
  std::string token_endpoint;
  std::string jwks_uri;                       // empty when absent
  std::string registration_endpoint;          // empty when absent
  std::string revocation_endpoint;            // RFC 7009; empty when absent
  std::string device_authorization_endpoint;  // RFC 8628 section 4; empty when absent
  ScopeSet scopes_supported;
  std::vector<std::string> response_types_supported;
  std::vector<std::string> grant_types_supported;  // empty when absent: authorization_code and implicit
  std::vector<std::string> code_challenge_methods_supported;
  std::vector<std::string> token_endpoint_auth_methods_supported;             // empty when absent: client_secret_basic
  std::vector<std::string> token_endpoint_auth_signing_alg_values_supported;  // of private_key_jwt
  std::vector<std::string> dpop_signing_alg_values_supported;                 // RFC 9449 section 5.1; empty: no DPoP
  bool authorization_response_iss_parameter_supported = false;
  bool client_id_metadata_document_supported = false;

  // Refuses a document of another issuer (RFC 8414 section 3.3): oauth.issuer_mismatch. Endpoints must be absolute
  // http(s) URLs: oauth.malformed_metadata. Whether they may be used is the discovery policy's word.
  [[nodiscard]] static Result<AuthorizationServerMetadata> of_json(const Json& json, std::string_view expected_issuer);
  // Without S256 in code_challenge_methods_supported a client must not go on: oauth.no_pkce.
  [[nodiscard]] Status require_pkce() const;
  // With `openid`, the members that OpenID Connect Discovery wants too.
  [[nodiscard]] Json json(bool openid) const;
};

// "https://host/.well-known/oauth-protected-resource/mcp" of "https://host/mcp": where a server puts its document.
// REQUIRES an http(s) URI.
[[nodiscard]] std::string protected_resource_metadata_url(std::string_view resource);
// Where the document of `endpoint` is looked for (MCP 2026-07-28, discovery): at the challenged URLs when there are any
// and nowhere else, otherwise at the path form and then at the root form.
//
// The path form must name the endpoint itself. A root document stands for a whole origin, and a challenge may name one:
// there, a resource that covers the endpoint is taken, as other clients do. Never one beside it.
struct MetadataPlace {
  std::string url;
  ResourceMatch match = ResourceMatch::kSame;
};
[[nodiscard]] Result<std::vector<MetadataPlace>> protected_resource_metadata_places(
    std::string_view endpoint, const std::vector<std::string>& challenged_urls = {});
// Whether a token for `resource` is one for `endpoint`, a URL. False when either cannot be read.
[[nodiscard]] bool resource_matches(std::string_view resource, std::string_view endpoint, ResourceMatch match);
// In order of trial. With a path: OAuth inserted, OpenID inserted, OpenID appended. Without: OAuth, OpenID.
[[nodiscard]] Result<std::vector<std::string>> authorization_server_metadata_urls(std::string_view issuer);

struct MalformedMetadata {
  static constexpr std::string_view kId = "oauth.malformed_metadata";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string document;  // "protected resource metadata"
  std::string reason;
  [[nodiscard]] std::string text() const;
};
struct ResourceMismatch {
  static constexpr std::string_view kId = "oauth.resource_mismatch";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string expected;
  std::string received;  // made visible
  [[nodiscard]] std::string text() const;
};
struct IssuerMismatch {
  static constexpr std::string_view kId = "oauth.issuer_mismatch";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string expected;
  std::string received;  // made visible
  [[nodiscard]] std::string text() const;
};
struct NoPkce {
  static constexpr std::string_view kId = "oauth.no_pkce";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string issuer;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern
