// What clients that the operator did not configure may do here: register themselves (RFC 7591), be described by a
// document at the URL that is their client_id (draft-ietf-oauth-client-id-metadata-document), or neither.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "issuer/clients.h"
#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/oauth/client_metadata.h"
#include "wire/oauth/scope.h"

namespace postern::issuer {

struct StrangerRules {
  bool registration = false;
  bool metadata_documents = false;
  std::vector<std::string> document_hosts;  // the only hosts of documents; empty: any
  ScopeSet scopes;                          // the most that any of them may ask for
  std::vector<std::string> resources;

  // {"registration"?,"metadata_documents"?,"document_hosts"?,"scopes","resources"}. Refuses refunds:approve: whoever
  // approves does so with a client that the operator knows.
  [[nodiscard]] static Result<StrangerRules> of_json(const Json& json);
};

// The client that such metadata describe, without client_id, origin and secret: what both ways have in common. Failures
// are issuer.client_refused.
//
// A grant type that is not offered here is left out, and so is a redirect URI of a document (`drop_redirects`) that
// cannot be kept; at least one of each must remain. Metadata without application_type that have a redirect to this
// machine are taken for those of a native client, as MCP clients of older revisions send none.
[[nodiscard]] Result<Client> client_of_metadata(const ClientMetadata& metadata, const StrangerRules& rules,
                                                bool drop_redirects);

// Metadata that this issuer does not take, in a registration or a document.
struct ClientRefused {
  static constexpr std::string_view kId = "issuer.client_refused";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kBadRequest;
  std::string_view error;  // "invalid_redirect_uri" or "invalid_client_metadata" (RFC 7591 section 3.2.2)
  std::string reason;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::issuer
