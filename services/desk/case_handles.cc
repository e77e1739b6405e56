#include "services/desk/case_handles.h"

#include "services/desk/failures.h"
#include "wire/base/digest.h"
#include "wire/base/embedded.h"

POSTERN_EMBEDDED(services_desk_migrations)

namespace postern::desk {

using services::Connection;
using services::Principal;
using services::Statement;
using services::TicketId;

namespace {

constexpr std::string_view kHandlePrefix = "ch_";
constexpr std::size_t kHandleBytes = 16;
constexpr std::size_t kHandleCharactersMax = 64;

constexpr HandleKeyPart kProductKey[] = {
    {"handle", [](const Principal&, std::string_view handle) { return std::string(handle); }},
    {"principal", [](const Principal& principal, std::string_view) { return principal.key(); }},
};

}  // namespace

std::span<const HandleKeyPart> product_handle_key() {
  return kProductKey;
}

Result<std::unique_ptr<CaseHandles>> CaseHandles::open(Env env, const std::string& database_dir,
                                                       std::span<const HandleKeyPart> key, bool throwaway) {
  services::DatabaseOptions options;
  options.path = database_dir + "/desk.sqlite";
  if (throwaway) options.durability = services::Durability::kThrowaway;
  options.migrations = embedded::services_desk_migrations();
  POSTERN_TRY(std::unique_ptr<services::Database> database, services::Database::open(std::move(options)));
  return std::unique_ptr<CaseHandles>(new CaseHandles(env, std::move(database), key));
}

std::string CaseHandles::digest(const Principal& principal, std::string_view handle) const {
  std::string text = "postern case handle v1\n";
  for (const HandleKeyPart& part : key_) {
    const std::string value = part.of(principal, handle);
    text += std::to_string(value.size()) + ":" + value + "\n";
  }
  std::string digest = sha256_hex(text);
  wipe(text);
  return digest;
}

Result<OpenedCase> CaseHandles::open_case(const Principal& principal, const TicketId& ticket_id) {
  CaseHandle handle = CaseHandle::take(random_token(env_.random, kHandlePrefix, kHandleBytes));
  const std::string key = digest(principal, handle.reveal(Passkey<CaseHandles>{}));
  const WallTime now = env_.clock.now();
  auto stored = database_->write<bool>([&](Connection& connection) -> Result<bool> {
    POSTERN_TRY_VOID(connection.statement("DELETE FROM case_handles WHERE expires_at <= ?1").bind(now).run());
    POSTERN_TRY_VOID(
        connection
            .statement("INSERT INTO case_handles (digest, ticket_id, opened_at, expires_at) VALUES (?1, ?2, ?3, ?4)")
            .bind(key, ticket_id, now, now + kLifetime)
            .run());
    return true;
  });
  if (!stored) return std::move(stored).error();
  return OpenedCase{std::move(handle), kLifetime};
}

Result<TicketId> CaseHandles::find(const Principal& principal, std::string_view handle) const {
  if (!handle.starts_with(kHandlePrefix) || handle.size() > kHandleCharactersMax) return NoOpenCase{};
  const std::string key = digest(principal, handle);
  return database_->read<TicketId>([&](Connection& connection) -> Result<TicketId> {
    Statement row = connection.statement("SELECT ticket_id FROM case_handles WHERE digest = ?1 AND expires_at > ?2");
    POSTERN_TRY(const bool found, row.bind(key, env_.clock.now()).step());
    if (!found) return NoOpenCase{};
    return row.id<TicketId>(0);
  });
}

}  // namespace postern::desk
