#include "issuer/client_directory.h"

#include <optional>
#include <utility>

#include "issuer/authorization_request.h"
#include "issuer/failures.h"
#include "wire/base/bytes.h"
#include "wire/base/digest.h"
#include "wire/base/secret.h"

namespace postern::issuer {
namespace {

struct Presented {
  std::string client_id;
  std::string secret;
  ClientAuthentication method = ClientAuthentication::kNone;
};

Failure refuse(std::string description) {
  return OAuthError{"invalid_client", std::move(description)};
}

// A value of the Authorization header is form-encoded before it is joined by the colon (RFC 6749 section 2.3.1).
std::optional<std::string> form_decoded(std::string_view text) {
  auto fields = form_decode("v=" + std::string(text), 1);
  if (!fields || fields->size() != 1) return std::nullopt;
  return std::move(fields->front().second);
}

Result<Presented> read_basic(std::string_view field) {
  const std::size_t blank = field.find(' ');
  if (!equal_ignoring_case(field.substr(0, blank), "Basic") || blank == std::string_view::npos) {
    return refuse("Clients authenticate by Basic or in the form, if at all.");
  }
  const auto pair = base64_decode(field.substr(field.find_last_of(' ') + 1));
  const std::size_t colon = pair ? pair->find(':') : std::string::npos;
  if (colon == std::string::npos) return refuse("The Authorization header is malformed.");
  auto id = form_decoded(std::string_view(*pair).substr(0, colon));
  auto secret = form_decoded(std::string_view(*pair).substr(colon + 1));
  if (!id || !secret) return refuse("The Authorization header is malformed.");
  return Presented{*std::move(id), *std::move(secret), ClientAuthentication::kSecretBasic};
}

Result<Presented> read_presented(const HttpRequest& http, const FormFields& fields) {
  std::string client_id = value_of(fields, "client_id");
  std::string secret = value_of(fields, "client_secret");
  if (!value_of(fields, "client_assertion").empty() || !value_of(fields, "client_assertion_type").empty())
    return refuse("Client assertions are not offered here.");
  const auto headers = http.headers.all("Authorization");
  if (headers.empty()) {
    const auto method = secret.empty() ? ClientAuthentication::kNone : ClientAuthentication::kSecretPost;
    return Presented{std::move(client_id), std::move(secret), method};
  }
  if (headers.size() > 1 || !secret.empty()) return refuse("A client authenticates in one way at a time.");
  POSTERN_TRY(Presented presented, read_basic(headers.front()));
  if (!client_id.empty() && client_id != presented.client_id)
    return refuse("client_id is not the one that authenticates.");
  return presented;
}

}  // namespace

ClientRef ClientDirectory::find(std::string_view client_id) {
  if (auto client = configured_.find(client_id)) return client;
  if (auto client = registered_.find(client_id)) return client;
  return documents_.handles(client_id) ? documents_.find(client_id) : nullptr;
}

bool ClientDirectory::needs_fetch(std::string_view client_id) {
  return documents_.handles(client_id) && documents_.find(client_id) == nullptr;
}

Result<std::string> ClientDirectory::authenticate(const HttpRequest& http, const FormFields& fields) {
  POSTERN_TRY(Presented presented, read_presented(http, fields));
  if (presented.client_id.empty()) return refuse("The parameter client_id is missing.");
  const ClientRef client = find(presented.client_id);
  const bool by_document = client == nullptr && documents_.handles(presented.client_id);
  if (client == nullptr && !by_document) return refuse("No client with that client_id is known here.");
  const auto method = by_document ? ClientAuthentication::kNone : client->authentication;
  if (presented.method != method) {
    return refuse("The client authenticates by " + std::string(name_of(method)) + " and by nothing else.");
  }
  if (method != ClientAuthentication::kNone &&
      !equal_in_constant_time(sha256(presented.secret), client->secret_sha256)) {
    return refuse("The client's secret is not that one.");
  }
  wipe(presented.secret);
  return std::move(presented.client_id);
}

}  // namespace postern::issuer
