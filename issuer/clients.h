// What this issuer knows of a client, and the clients that its operator configured, as data of the launch document.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "issuer/redirect_uris.h"
#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/oauth/scope.h"

namespace postern::issuer {

inline constexpr std::string_view kDeviceGrantType = "urn:ietf:params:oauth:grant-type:device_code";
inline constexpr std::string_view kOfflineAccess = "offline_access";

// Who says that the client is what it says it is.
enum class ClientOrigin {
  kConfigured,        // the operator of this issuer
  kRegistered,        // the client itself, by RFC 7591
  kMetadataDocument,  // the host of the document that its client_id is the address of
};

enum class ClientAuthentication { kNone, kSecretBasic, kSecretPost };
// "none", "client_secret_basic", "client_secret_post"; nothing for others.
[[nodiscard]] std::optional<ClientAuthentication> client_authentication_of(std::string_view name);
[[nodiscard]] std::string_view name_of(ClientAuthentication method);

// The grants that a client may use.
struct GrantTypes {
  bool authorization_code = true;
  bool refresh_token = false;
  bool device_code = false;

  // Nothing when none of the names is known here; names that are not known are left out.
  [[nodiscard]] static std::optional<GrantTypes> of_names(const std::vector<std::string>& names);
  [[nodiscard]] std::vector<std::string> names() const;
};

struct Client {
  std::string client_id;
  std::string name;  // shown on the pages; the word of a stranger unless the client is configured
  ClientOrigin origin = ClientOrigin::kConfigured;
  ApplicationType type = ApplicationType::kWeb;
  std::vector<std::string> redirect_uris;
  ScopeSet scopes;                     // the most it may ask for, beside offline_access
  std::vector<std::string> resources;  // the resources it may ask tokens for
  GrantTypes grants;
  ClientAuthentication authentication = ClientAuthentication::kNone;
  std::string secret_sha256;  // 32 raw bytes, unless authentication is kNone
  bool headless = false;
  bool first_party = false;  // the operator's own: nobody is asked for consent

  [[nodiscard]] bool may_redirect_to(std::string_view redirect_uri) const;
  [[nodiscard]] bool may_ask_for_resource(std::string_view resource) const;
  // Every redirect goes to this machine, so that any program here could wait for the answer.
  [[nodiscard]] bool redirects_to_this_machine_only() const;
};
// Shared, because a client may leave the register while a sign-in of it is under way.
using ClientRef = std::shared_ptr<const Client>;

class Clients {
 public:
  // [{"client_id","name","application_type","redirect_uris","scopes","resources","headless"?,"first_party"?,"grant_types"?,
  //   "client_secret_sha256"?,"token_endpoint_auth_method"?}]. Refuses equal ids, an id that could be the address of a
  // metadata document, a redirect URI that is neither https nor http on this machine, a headless client that is not
  // native, and unknown members.
  [[nodiscard]] static Result<Clients> of_json(const Json& json);
  // Null when there is none.
  [[nodiscard]] ClientRef find(std::string_view client_id) const;
  [[nodiscard]] const std::vector<ClientRef>& all() const { return clients_; }

 private:
  Clients() = default;
  std::vector<ClientRef> clients_;
};

}  // namespace postern::issuer
