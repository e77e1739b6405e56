#include "services/store/database.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <unordered_map>

#include "services/store/migrate.h"
#include "wire/base/check.h"
#include "wire/base/file.h"
#include "wire/base/log.h"
#include "wire/base/visible_text.h"

namespace postern::services {
namespace {

// "UNIQUE constraint failed: refunds.token_id" names the columns after the colon.
std::string columns_of(std::string_view message) {
  const std::size_t colon = message.find(": ");
  return std::string(colon == std::string_view::npos ? message : message.substr(colon + 2));
}

Failure failure_of(sqlite3* handle, int code) {
  const char* path = handle == nullptr ? nullptr : sqlite3_db_filename(handle, "main");
  const std::string shown = visible_line(path == nullptr ? "" : path, 300);
  const int extended = handle == nullptr ? code : sqlite3_extended_errcode(handle);
  if (extended == SQLITE_CONSTRAINT_UNIQUE || extended == SQLITE_CONSTRAINT_PRIMARYKEY) {
    return NotUnique{columns_of(sqlite3_errmsg(handle))};
  }
  if ((code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED) return StoreBusy{shown};
  std::string reason = handle == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle);
  return StoreFailed{shown, visible_line(reason, 300)};
}

// SQLite would make the file readable for others; its -wal and -shm files take over the mode of the database.
Status make_file(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash != std::string::npos && slash > 0) POSTERN_TRY_VOID(make_folder(path.substr(0, slash)));
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (descriptor < 0) return StoreFailed{visible_line(path, 300), std::strerror(errno)};
  ::close(descriptor);
  return {};
}

std::string_view pragmas_of(Durability durability) {
  switch (durability) {
    case Durability::kThrowaway:
      return "PRAGMA foreign_keys=ON; PRAGMA journal_size_limit=0; PRAGMA synchronous=OFF";
    case Durability::kNormal:
      return "PRAGMA foreign_keys=ON; PRAGMA journal_size_limit=0; PRAGMA synchronous=NORMAL";
    case Durability::kFull:
      return "PRAGMA foreign_keys=ON; PRAGMA journal_size_limit=0; PRAGMA synchronous=FULL";
  }
  return {};
}

// Turning a new file into WAL mode needs the file alone for a moment, and SQLite does not wait for that by itself.
Status turn_into_wal(sqlite3* handle, std::chrono::milliseconds at_most) {
  constexpr int kPauseMs = 5;
  for (std::int64_t waited = 0;; waited += kPauseMs) {
    const int code = sqlite3_exec(handle, "PRAGMA journal_mode=WAL", nullptr, nullptr, nullptr);
    if (code == SQLITE_OK) return {};
    if ((code & 0xff) != SQLITE_BUSY || waited >= at_most.count()) return failure_of(handle, code);
    sqlite3_sleep(kPauseMs);
  }
}

}  // namespace

// Statements that were compiled once, by the address of their text (a literal).
struct Connection::Cache {
  struct Entry {
    sqlite3_stmt* statement = nullptr;
    bool in_use = false;
  };
  std::unordered_map<std::string_view, Entry> entries;  // references to entries stay valid
};

Connection::Connection(sqlite3* handle) : handle_(handle), cache_(std::make_unique<Cache>()) {}

Connection::~Connection() {
  for (auto& entry : cache_->entries) sqlite3_finalize(entry.second.statement);
  sqlite3_close_v2(handle_);
}

Statement Connection::statement(std::string_view sql) {
  Cache::Entry& entry = cache_->entries[sql];
  const bool kept = entry.statement == nullptr || !entry.in_use;
  if (kept && entry.statement != nullptr) {
    entry.in_use = true;
    return Statement(entry.statement, &entry.in_use);
  }
  sqlite3_stmt* made = nullptr;
  const int code =
      sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT, &made, nullptr);
  if (code != SQLITE_OK) log_error("cannot compile \"" + std::string(sql) + "\": " + sqlite3_errmsg(handle_));
  POSTERN_CHECK(code == SQLITE_OK && made != nullptr);
  if (!kept) return Statement(made, nullptr);
  entry.statement = made;
  entry.in_use = true;
  return Statement(made, &entry.in_use);
}

std::int64_t Connection::rows_changed() const {
  return sqlite3_changes64(handle_);
}

Status Connection::run_script(std::string_view sql) {
  const int code = sqlite3_exec(handle_, std::string(sql).c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return failure_of(handle_, code);
  return {};
}

Statement::Statement(Statement&& other) noexcept
    : statement_(std::exchange(other.statement_, nullptr)),
      in_use_(other.in_use_),
      bound_(other.bound_),
      bind_code_(other.bind_code_) {}

Statement::~Statement() {
  if (statement_ == nullptr) return;
  if (in_use_ == nullptr) {
    sqlite3_finalize(statement_);
    return;
  }
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
  *in_use_ = false;
}

void Statement::put(std::string_view value) {
  const char* data = value.data() == nullptr ? "" : value.data();
  const int code = sqlite3_bind_text64(statement_, ++bound_, data, value.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  if (bind_code_ == SQLITE_OK) bind_code_ = code;
}

void Statement::put(std::int64_t value) {
  const int code = sqlite3_bind_int64(statement_, ++bound_, value);
  if (bind_code_ == SQLITE_OK) bind_code_ = code;
}

void Statement::put(std::nullptr_t) {
  const int code = sqlite3_bind_null(statement_, ++bound_);
  if (bind_code_ == SQLITE_OK) bind_code_ = code;
}

Result<bool> Statement::step() {
  // More values than the statement has places for, or fewer: a mistake of the programmer.
  POSTERN_CHECK(bind_code_ != SQLITE_RANGE && bound_ == sqlite3_bind_parameter_count(statement_));
  if (bind_code_ != SQLITE_OK) return failure(bind_code_);
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return failure(code);
}

Status Statement::run() {
  POSTERN_TRY(const bool row, step());
  POSTERN_CHECK(!row);
  return {};
}

std::string Statement::text(int column) const {
  // The bytes of a text and of a blob alike.
  const void* data = sqlite3_column_blob(statement_, column);
  if (data == nullptr) return {};
  return {static_cast<const char*>(data), static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}

std::optional<std::string> Statement::optional_text(int column) const {
  if (is_null(column)) return std::nullopt;
  return text(column);
}

std::optional<WallTime> Statement::optional_time(int column) const {
  if (is_null(column)) return std::nullopt;
  return time(column);
}

Failure Statement::failure(int code) const {
  return failure_of(sqlite3_db_handle(statement_), code);
}

Result<std::unique_ptr<Database>> Database::open(DatabaseOptions options) {
  POSTERN_TRY_VOID(make_file(options.path));
  std::unique_ptr<Database> database(new Database(std::move(options)));
  POSTERN_TRY(std::unique_ptr<Connection> first, database->connect());
  POSTERN_TRY_VOID(turn_into_wal(first->handle_, database->options_.busy_ms_max));
  POSTERN_TRY_VOID(migrate(*first, database->options_.migrations, visible_line(database->options_.path, 300)));
  database->take_back(std::move(first));
  return database;
}

Database::~Database() = default;

Result<std::unique_ptr<Connection>> Database::connect() const {
  sqlite3* handle = nullptr;
  // Without SQLite's own mutexes: a connection is lent to one thread at a time.
  const int code =
      sqlite3_open_v2(options_.path.c_str(), &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  if (code != SQLITE_OK) {
    const Failure failure = failure_of(handle, code);
    sqlite3_close_v2(handle);
    return failure;
  }
  std::unique_ptr<Connection> connection(new Connection(handle));
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, static_cast<int>(options_.busy_ms_max.count()));
  // No file may bring functions or views that act, and "x" in SQL is a column, never a text by mistake.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
  // The -wal and -shm files stay when the last connection goes, emptied: making them anew is a good part of a start.
  int keep = 1;
  sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &keep);
  POSTERN_TRY_VOID(connection->run_script(pragmas_of(options_.durability)));
  return connection;
}

Result<std::unique_ptr<Connection>> Database::lend() {
  {
    const MutexLock lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Connection> connection = std::move(idle_.back());
      idle_.pop_back();
      return connection;
    }
  }
  return connect();
}

void Database::take_back(std::unique_ptr<Connection> connection) {
  if (sqlite3_get_autocommit(connection->handle_) == 0) {
    // A connection that cannot even roll back is not used again.
    if (sqlite3_exec(connection->handle_, "ROLLBACK", nullptr, nullptr, nullptr) != SQLITE_OK) return;
  }
  const MutexLock lock(mutex_);
  idle_.push_back(std::move(connection));
}

}  // namespace postern::services
