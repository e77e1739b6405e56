// The clients that are registered here, as data of the launch document. There is no registration at run time.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/oauth/scope.h"

namespace postern::issuer {

enum class ApplicationType { kNative, kWeb };

struct Client {
  std::string client_id;
  std::string name;  // shown on the sign-in page
  ApplicationType type = ApplicationType::kWeb;
  std::vector<std::string> redirect_uris;
  ScopeSet scopes;                     // the most it may ask for
  std::vector<std::string> resources;  // the resources it may ask tokens for
  bool headless = false;

  // Exact comparison; for a native client's http redirect on a loopback address the port is left out of it (RFC 8252
  // section 7.3).
  [[nodiscard]] bool may_redirect_to(std::string_view redirect_uri) const;
  [[nodiscard]] bool may_ask_for_resource(std::string_view resource) const;
};

class Clients {
 public:
  // [{"client_id","name","application_type","redirect_uris","scopes","resources","headless"?}]. Refuses equal ids, a
  // redirect URI that is neither https nor http on loopback, a native headless flag elsewhere, and unknown members.
  [[nodiscard]] static Result<Clients> of_json(const Json& json);
  [[nodiscard]] const Client* find(std::string_view client_id) const;
  [[nodiscard]] const std::vector<Client>& all() const { return clients_; }

 private:
  explicit Clients(std::vector<Client> clients) : clients_(std::move(clients)) {}
  std::vector<Client> clients_;
};

}  // namespace postern::issuer
