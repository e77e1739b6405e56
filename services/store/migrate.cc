#include "services/store/migrate.h"

#include "wire/base/digest.h"

namespace postern::services {
namespace {

struct Applied {
  std::int64_t count = 0;
  std::string digest;  // of the migration asked for; empty when it was not applied
};

Result<Applied> look(Connection& connection, std::int64_t version) {
  Applied applied;
  Statement count = connection.statement("SELECT count(*) FROM schema_migrations");
  POSTERN_TRY_VOID(count.step());
  applied.count = count.integer(0);
  Statement row = connection.statement("SELECT sha256 FROM schema_migrations WHERE version = ?1");
  POSTERN_TRY(const bool found, row.bind(version).step());
  if (found) applied.digest = row.text(0);
  return applied;
}

Status apply(Connection& connection, std::int64_t version, const EmbeddedFile& migration, const std::string& path) {
  const std::string digest = sha256_hex(migration.content);
  POSTERN_TRY(const Applied applied, look(connection, version));
  if (!applied.digest.empty()) {
    if (applied.digest != digest) return SchemaUnknown{path, std::string(migration.name) + " reads otherwise here"};
    return {};
  }
  POSTERN_TRY_VOID(connection.run_script(migration.content));
  return connection.statement("INSERT INTO schema_migrations (version, name, sha256) VALUES (?1, ?2, ?3)")
      .bind(version, migration.name, digest)
      .run();
}

// The usual start: the file holds exactly these migrations, so that nothing has to be written or locked.
Result<bool> is_up_to_date(Connection& connection, std::span<const EmbeddedFile> migrations) {
  Statement table = connection.statement("SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'");
  POSTERN_TRY(const bool found, table.step());
  if (!found) return false;
  Statement rows = connection.statement("SELECT version, sha256 FROM schema_migrations ORDER BY version");
  std::int64_t version = 0;
  for (const EmbeddedFile& migration : migrations) {
    POSTERN_TRY(const bool applied, rows.step());
    if (!applied || rows.integer(0) != ++version || rows.text(1) != sha256_hex(migration.content)) return false;
  }
  POSTERN_TRY(const bool more, rows.step());
  return !more;
}

template <class Work>
Status in_transaction(Connection& connection, Work work) {
  POSTERN_TRY_VOID(connection.statement("BEGIN IMMEDIATE").run());
  Status status = work();
  if (status) status = connection.statement("COMMIT").run();
  // The first failure is the one that counts.
  if (!status) static_cast<void>(connection.statement("ROLLBACK").run());
  return status;
}

}  // namespace

Status migrate(Connection& connection, std::span<const EmbeddedFile> migrations, const std::string& path) {
  POSTERN_TRY(const bool up_to_date, is_up_to_date(connection, migrations));
  if (up_to_date) return {};
  POSTERN_TRY_VOID(in_transaction(connection, [&] {
    return connection.run_script(
        "CREATE TABLE IF NOT EXISTS schema_migrations ("
        "version INTEGER PRIMARY KEY, name TEXT NOT NULL, sha256 TEXT NOT NULL) STRICT");
  }));
  std::int64_t version = 0;
  for (const EmbeddedFile& migration : migrations) {
    ++version;
    POSTERN_TRY_VOID(in_transaction(connection, [&] { return apply(connection, version, migration, path); }));
  }
  POSTERN_TRY(const Applied applied, look(connection, version));
  if (applied.count > version) return SchemaUnknown{path, "it has migrations that are not known here"};
  return {};
}

}  // namespace postern::services
