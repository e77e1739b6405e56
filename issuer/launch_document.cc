#include "issuer/launch_document.h"

#include <string>
#include <utility>

#include "issuer/failures.h"
#include "wire/base/digest.h"
#include "wire/base/secret.h"
#include "wire/base/uri.h"
#include "wire/transport/launch.h"

namespace postern::issuer {
namespace {

constexpr std::size_t kHeadlessSecretBytesMin = 24;

Result<std::string> read_headless_secret(LaunchReader& reader) {
  std::string secret = reader.string_or("headless_secret", "");
  if (secret.empty()) return std::string();
  const std::size_t size = secret.size();
  std::string hash = sha256(secret);
  wipe(secret);
  if (size < kHeadlessSecretBytesMin) {
    return BadIssuerConfiguration{"\"headless_secret\" is shorter than " + std::to_string(kHeadlessSecretBytesMin) +
                                  " characters"};
  }
  return hash;
}

}  // namespace

Result<ServeOptions> read_launch_document(const Json& document) {
  LaunchReader reader(document);
  std::string issuer = reader.string("issuer");
  const Json* clients_json = reader.json("clients");
  const Json* people_json = reader.json("people");
  const Json* strangers_json = reader.json("strangers");
  const auto default_scope = ScopeSet::parse(reader.string_or("default_scope", "desk:read"));
  POSTERN_TRY(std::string secret_hash, read_headless_secret(reader));
  const std::int64_t port = reader.integer_or("port", -1);
  POSTERN_TRY_VOID(reader.finish());
  if (clients_json == nullptr) return BadIssuerConfiguration{"\"clients\" is missing"};
  POSTERN_TRY(Clients clients, Clients::of_json(*clients_json));
  POSTERN_TRY(People people,
              people_json == nullptr ? Result<People>(People::embedded()) : People::of_json(*people_json));
  POSTERN_TRY(StrangerRules strangers, strangers_json == nullptr ? Result<StrangerRules>(StrangerRules{})
                                                                 : StrangerRules::of_json(*strangers_json));
  if (!default_scope) return BadIssuerConfiguration{"\"default_scope\" is malformed"};
  const auto uri = parse_uri(issuer);
  const std::int64_t own_port = uri ? uri->port : 0;
  if (port < -1 || port > 65535) return BadLaunchDocument{"\"port\" must be 0 to 65535"};
  return ServeOptions{{std::move(issuer), std::move(clients), std::move(people), std::move(secret_hash), *default_scope,
                       std::move(strangers)},
                      static_cast<std::uint16_t>(port > 0 ? port : own_port)};
}

HttpLimits listener_limits() {
  HttpLimits limits;
  limits.body_bytes_max = 16 * 1024;
  limits.blocking_threads = 2;  // only the documents of strange clients are waited for
  limits.blocking_queue_max = 16;
  return limits;
}

}  // namespace postern::issuer
