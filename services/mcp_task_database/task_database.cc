#include "services/mcp_task_database/task_database.h"

#include <utility>

#include "services/mcp_tasks/failures.h"
#include "services/mcp_tasks/task_record_json.h"
#include "services/store/database.h"
#include "wire/base/digest.h"
#include "wire/base/embedded.h"

POSTERN_EMBEDDED(services_mcp_task_database_migrations)

namespace postern::mcp {

using services::Connection;
using services::Statement;

namespace {

constexpr JsonBounds kRecordBounds{64 * 1024 * 1024, 128};

std::string digest_of(const std::string& id) {
  return sha256_hex("postern task v1\n" + id);
}

Result<std::int64_t> count(Statement row) {
  POSTERN_TRY_VOID(row.step());
  return row.integer(0);
}

class TaskDatabase final : public TaskStore {
 public:
  TaskDatabase(std::unique_ptr<services::Database> database, TaskBounds bounds)
      : database_(std::move(database)), bounds_(bounds) {}

  Status insert(TaskRecord record, WallTime now) override {
    const auto inserted = database_->write<bool>([&](Connection& connection) -> Result<bool> {
      POSTERN_TRY_VOID(connection.statement("DELETE FROM tasks WHERE expires_at <= ?1").bind(now).run());
      POSTERN_TRY(const std::int64_t all, count(connection.statement("SELECT count(*) FROM tasks")));
      if (all >= static_cast<std::int64_t>(bounds_.tasks_max)) return TooManyTasks{bounds_.tasks_max};
      Statement of_owner = connection.statement("SELECT count(*) FROM tasks WHERE owner = ?1");
      of_owner.bind(record.owner);
      POSTERN_TRY(const std::int64_t own, count(std::move(of_owner)));
      if (own >= static_cast<std::int64_t>(bounds_.tasks_of_one_caller_max))
        return TooManyTasksOfCaller{bounds_.tasks_of_one_caller_max};
      POSTERN_TRY_VOID(
          connection.statement("INSERT INTO tasks (digest, owner, expires_at, record) VALUES (?1, ?2, ?3, ?4)")
              .bind(digest_of(record.id), record.owner, record.expires_at, to_json(record).dump())
              .run());
      return true;
    });
    if (!inserted) return inserted.error();
    return {};
  }

  Result<std::optional<TaskRecord>> find(const std::string& id, WallTime now) override {
    return database_->read<std::optional<TaskRecord>>(
        [&](Connection& connection) { return select(connection, id, now); });
  }

  Result<bool> change(const std::string& id, WallTime now, const Step& step) override {
    return database_->write<bool>([&](Connection& connection) -> Result<bool> {
      POSTERN_TRY(std::optional<TaskRecord> record, select(connection, id, now));
      if (!record || !step(*record)) return false;
      POSTERN_TRY_VOID(connection.statement("UPDATE tasks SET expires_at = ?2, record = ?3 WHERE digest = ?1")
                           .bind(digest_of(id), record->expires_at, to_json(*record).dump())
                           .run());
      return true;
    });
  }

  [[nodiscard]] bool is_shared() const override { return true; }

 private:
  static Result<std::optional<TaskRecord>> select(Connection& connection, const std::string& id, WallTime now) {
    Statement row = connection.statement("SELECT record FROM tasks WHERE digest = ?1 AND expires_at > ?2");
    POSTERN_TRY(const bool found, row.bind(digest_of(id), now).step());
    if (!found) return std::optional<TaskRecord>();
    POSTERN_TRY(const Json json, parse_json(row.text(0), kRecordBounds));
    POSTERN_TRY(TaskRecord record, read_task_record(json, id));
    return std::optional<TaskRecord>(std::move(record));
  }

  std::unique_ptr<services::Database> database_;
  const TaskBounds bounds_;
};

}  // namespace

Result<std::unique_ptr<TaskStore>> open_task_database(const TaskDatabaseOptions& options) {
  services::DatabaseOptions database;
  database.path = options.path;
  database.migrations = embedded::services_mcp_task_database_migrations();
  POSTERN_TRY(auto opened, services::Database::open(std::move(database)));
  return std::unique_ptr<TaskStore>(new TaskDatabase(std::move(opened), options.bounds));
}

}  // namespace postern::mcp
