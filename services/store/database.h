// One SQLite database file, used by several threads and several processes at a time.
//
// A Database keeps a pool of connections: each transaction has one for itself, so a connection is never used by two
// threads at once. All are in WAL mode with foreign keys on and a busy timeout. Writing transactions begin with BEGIN
// IMMEDIATE, so that two of them wait for each other at the start and never fail in the middle. Prepared statements are
// kept with their connection.
//
//   Result<Ticket> ticket = database->read<Ticket>([&](Connection& connection) -> Result<Ticket> {
//     Statement row = connection.statement("SELECT subject FROM tickets WHERE ticket_id = ?1");
//     POSTERN_TRY(const bool found, row.bind(id).step());
//     if (!found) return NoSuchTicket{id};
//     return Ticket{id, row.text(0)};
//   });
//
// Files and folders are made for the owner only (0600, 0700). Nothing secret belongs into a database: hashes only.
#pragma once

#include <chrono>
#include <concepts>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/store/statement.h"
#include "wire/base/embedded.h"
#include "wire/base/mutex.h"
#include "wire/base/result.h"

struct sqlite3;

namespace postern::services {

// What a commit survives: kThrowaway nothing (for a world that ends with its process), kNormal a crash of the process,
// kFull a loss of power too. Money wants kFull.
enum class Durability { kThrowaway, kNormal, kFull };

struct DatabaseOptions {
  std::string path;  // "<database_dir>/orders.sqlite"; its folder is made when it is missing
  Durability durability = Durability::kNormal;
  std::chrono::milliseconds busy_ms_max{5'000};  // how long a writer waits for another one
  std::span<const EmbeddedFile> migrations;      // of postern_embed(), in order
};

// One connection. Lent by Database to one transaction; one thread.
class Connection {
 public:
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // `sql` is one statement and must live as long as the program: pass literals. Ends the process when it does not
  // compile: that is a mistake of the programmer, not of a caller.
  [[nodiscard]] Statement statement(std::string_view sql);
  // How many rows the last INSERT, UPDATE or DELETE changed.
  [[nodiscard]] std::int64_t rows_changed() const;
  // Runs a text of several statements. For migrations.
  [[nodiscard]] Status run_script(std::string_view sql);

 private:
  friend class Database;
  struct Cache;
  explicit Connection(sqlite3* handle);
  sqlite3* handle_;
  std::unique_ptr<Cache> cache_;
};

class Database {
 public:
  // Opens or makes the file and brings its schema up to date. `store.failed`, `store.busy`, `store.schema_unknown`.
  [[nodiscard]] static Result<std::unique_ptr<Database>> open(DatabaseOptions options);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Runs `work` on one consistent snapshot. Several at a time.
  template <class T, std::invocable<Connection&> Work>
  [[nodiscard]] Result<T> read(Work work) {
    return transact<T>("BEGIN", std::move(work));
  }
  // Runs `work` as the only writer. Commits when it gives a value; when it gives a failure nothing of it remains.
  template <class T, std::invocable<Connection&> Work>
  [[nodiscard]] Result<T> write(Work work) {
    return transact<T>("BEGIN IMMEDIATE", std::move(work));
  }

 private:
  explicit Database(DatabaseOptions options) : options_(std::move(options)) {}
  [[nodiscard]] Result<std::unique_ptr<Connection>> connect() const;
  [[nodiscard]] Result<std::unique_ptr<Connection>> lend();
  // Rolls back what is still open, then keeps the connection for the next one.
  void take_back(std::unique_ptr<Connection> connection);

  template <class T, class Work>
  Result<T> transact(std::string_view begin, Work work) {
    POSTERN_TRY(std::unique_ptr<Connection> connection, lend());
    Result<T> result = [&]() -> Result<T> {
      POSTERN_TRY_VOID(connection->statement(begin).run());
      Result<T> inner = work(*connection);
      if (inner) POSTERN_TRY_VOID(connection->statement("COMMIT").run());
      return inner;
    }();
    take_back(std::move(connection));
    return result;
  }

  DatabaseOptions options_;
  Mutex mutex_;
  std::vector<std::unique_ptr<Connection>> idle_ POSTERN_GUARDED_BY(mutex_);
};

}  // namespace postern::services
