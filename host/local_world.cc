#include "host/local_world.h"

#include "host/local_stack.h"
#include "wire/base/bytes.h"
#include "wire/base/check.h"
#include "wire/base/digest.h"
#include "wire/base/file.h"
#include "wire/base/secret.h"
#include "wire/signing/ed25519_signer.h"

namespace postern::host {
namespace {

using Keys = std::map<std::string, std::string, std::less<>>;

constexpr std::string_view kSchema = "postern.local_world/1";
constexpr std::string_view kDeskOperations[] = {"customers:read",    "orders:read",     "returns:read",
                                                "approvals:request", "payments:refund", "payments:read"};
constexpr std::string_view kApprovalsOperations[] = {"customers:read", "orders:read", "returns:read"};

Json json_of(const Keys& keys) {
  Json json = Json::object();
  for (const auto& [operation, key] : keys) json.append_member(operation, key);
  return json;
}

template <std::size_t N>
bool read_keys(const Json* json, const std::string_view (&operations)[N], Keys& keys) {
  if (json == nullptr) return false;
  for (const std::string_view operation : operations) {
    const std::string_view key = json->string_at(operation);
    if (key.empty()) return false;
    keys.emplace(operation, key);
  }
  return true;
}

std::string public_key_of(const std::string& seed_text) {
  std::optional<std::string> raw = base64url_decode(seed_text);
  POSTERN_CHECK(raw.has_value());
  const auto signer = Ed25519Signer::of_seed(SigningSeed::take(std::move(*raw)));
  POSTERN_CHECK(signer.has_value());
  return base64url(signer->public_key().bytes());
}

Json strings(std::initializer_list<std::string_view> items) {
  Json array = Json::array();
  for (const std::string_view item : items) array.push(item);
  return array;
}

}  // namespace

LocalWorld LocalWorld::make(RandomSource& random, std::string folder) {
  LocalWorld world(std::move(folder));
  world.headless_secret = random_token(random, "hs_", 32);
  world.signing_seed_ = base64url(random_bytes(random, 32));
  for (const std::string_view operation : kDeskOperations) {
    world.desk_keys_.emplace(operation, random_token(random, "svc_", 32));
  }
  for (const std::string_view operation : kApprovalsOperations) {
    world.approvals_keys_.emplace(operation, random_token(random, "svc_", 32));
  }
  return world;
}

LocalWorld::~LocalWorld() {
  wipe(headless_secret);
  wipe(signing_seed_);
  for (auto& [operation, key] : desk_keys_) wipe(key);
  for (auto& [operation, key] : approvals_keys_) wipe(key);
}

Result<LocalWorld> LocalWorld::load(std::string folder) {
  LocalWorld world(std::move(folder));
  POSTERN_TRY(std::string text, read_file(world.keys_file(), 64 * 1024));
  const Result<Json> json = parse_json(text);
  wipe(text);
  const auto broken = [&]() -> Failure {
    return StackFailed{"postern", "its keys file cannot be read", world.keys_file()};
  };
  if (!json || json->string_at("schema") != kSchema) return broken();
  world.headless_secret = json->string_at("headless_secret");
  world.signing_seed_ = json->string_at("signing_seed");
  if (!read_keys(json->find("desk_keys"), kDeskOperations, world.desk_keys_)) return broken();
  if (!read_keys(json->find("approvals_keys"), kApprovalsOperations, world.approvals_keys_)) return broken();
  const Json* ports = json->find("ports");
  for (const std::string_view socket : kSockets) {
    const auto port = ports == nullptr ? std::nullopt : ports->integer_at(socket);
    if (!port || *port < 1 || *port > 65535) return broken();
    world.ports.emplace(socket, static_cast<std::uint16_t>(*port));
  }
  return world;
}

Status LocalWorld::save() const {
  Json port_list = Json::object();
  for (const auto& [socket, port] : ports) port_list.append_member(socket, static_cast<std::int64_t>(port));
  Json json = Json::object({{"schema", kSchema}, {"ports", std::move(port_list)}});
  json.set("headless_secret", headless_secret).set("signing_seed", signing_seed_);
  json.set("desk_keys", json_of(desk_keys_)).set("approvals_keys", json_of(approvals_keys_));
  std::string text = json.pretty() + "\n";
  Status status = replace_file(keys_file(), text);
  wipe(text);
  return status;
}

std::string LocalWorld::origin(std::string_view socket) const {
  const auto port = ports.find(socket);
  POSTERN_CHECK(port != ports.end());
  return "http://127.0.0.1:" + std::to_string(port->second);
}

Json LocalWorld::admitted(const Keys& keys, std::initializer_list<std::string_view> operations) const {
  Json json = Json::object();
  for (const std::string_view operation : operations)
    json.append_member(std::string(operation), sha256_hex(keys.find(operation)->second));
  return json;
}

Json LocalWorld::credentials(const Keys& keys, std::initializer_list<std::string_view> operations) const {
  Json json = Json::object();
  for (const std::string_view operation : operations)
    json.append_member(std::string(operation), keys.find(operation)->second);
  return json;
}

Json LocalWorld::issuer_document() const {
  const std::string page = origin("page");
  Json host = Json::object({{"client_id", "postern-host"}, {"name", "Postern"}, {"application_type", "native"}});
  host.set("redirect_uris", strings({"http://127.0.0.1/callback"}));
  host.set("scopes", strings({"desk:read", "refunds:write"}));
  host.set("resources", strings({server()})).set("headless", true).set("first_party", true);
  Json approvals =
      Json::object({{"client_id", "postern-approvals"}, {"name", "Approvals"}, {"application_type", "web"}});
  approvals.set("redirect_uris", strings({page + "/callback"}));
  approvals.set("scopes", strings({"openid", "desk:read", "refunds:approve"}));
  approvals.set("resources", strings({page + "/approvals"})).set("first_party", true);
  Json partner =
      Json::object({{"client_id", "partner-portal"}, {"name", "Partner portal"}, {"application_type", "web"}});
  partner.set("redirect_uris", strings({"https://portal.partner.test/callback"}));
  partner.set("scopes", strings({"desk:read"})).set("resources", strings({"https://portal.partner.test/mcp"}));
  Json document = Json::object({{"issuer", origin("issuer")}});
  document.set("clients", Json::array({std::move(host), std::move(approvals), std::move(partner)}));
  document.set("headless_secret", headless_secret);
  return document;
}

Json LocalWorld::payments_document() const {
  Json document = Json::object({{"database_dir", folder_ + "/payments"}});
  document.set("approval_public_key", public_key_of(signing_seed_));
  document.set("admitted", admitted(desk_keys_, {"payments:refund", "payments:read"})).set("seed", true);
  return document;
}

Json LocalWorld::approvals_document() const {
  const std::string page = origin("page");
  Json document = Json::object({{"database_dir", folder_ + "/approvals"}, {"signing_seed", signing_seed_}});
  Json admits = admitted(approvals_keys_, {"customers:read", "orders:read", "returns:read"});
  admits.set("approvals:request", sha256_hex(desk_keys_.find("approvals:request")->second));
  document.set("admitted", std::move(admits));
  Json holds = credentials(approvals_keys_, {"customers:read", "orders:read", "returns:read"});
  holds.set("payments:read", desk_keys_.find("payments:read")->second);
  document.set("service_credentials", std::move(holds));
  document.set("desk_database_dir", folder_ + "/desk").set("payments_url", origin("payments"));
  document.set("page_origin", page)
      .set("page_resource", page + "/approvals")
      .set("page_client_id", "postern-approvals");
  document.set("issuer", origin("issuer"));
  document.set("request_minutes",
               std::chrono::duration_cast<std::chrono::minutes>(LocalStack::kRequestLifetime).count());
  return document;
}

Json LocalWorld::desk_document() const {
  Json document =
      Json::object({{"issuer", origin("issuer")}, {"resource", server()}, {"database_dir", folder_ + "/desk"}});
  document.set("seed", true);
  document.set("service_credentials",
               credentials(desk_keys_, {"customers:read", "orders:read", "returns:read", "approvals:request",
                                        "payments:refund", "payments:read"}));
  document.set("admitted", admitted(desk_keys_, {"customers:read", "orders:read", "returns:read"}));
  document.set("approvals_url", origin("approvals")).set("payments_url", origin("payments"));
  document.set("page_origin", origin("page")).set("key_ring_file", folder_ + "/desk/key_ring.json");
  return document;
}

Json LocalWorld::model_document(std::string_view script) const {
  return Json::object({{"script", script}, {"record_file", folder_ + "/model_requests.jsonl"}});
}

}  // namespace postern::host
