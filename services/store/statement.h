// One prepared statement on its way through its rows: typed values in, typed values out.
//
// Values are bound in order, ?1 first. A failure while binding shows at the next step(). Times are stored as
// milliseconds since 1970. When it goes, the statement is reset and kept for the next use. One thread; must not outlive
// its transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "services/store/failures.h"
#include "wire/base/clock.h"
#include "wire/base/result.h"
#include "wire/base/strong_id.h"

struct sqlite3_stmt;

namespace postern::services {

class Statement {
 public:
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;
  ~Statement();

  template <class... Values>
  Statement& bind(const Values&... values) {
    (put(values), ...);
    return *this;
  }

  // True: there is a row to read. False: no more.
  [[nodiscard]] Result<bool> step();
  // For statements that give no rows.
  [[nodiscard]] Status run();

  // Columns count from 0. Of a null column: an empty text, 0, false. REQUIRES that step() gave true.
  [[nodiscard]] std::string text(int column) const;
  [[nodiscard]] std::int64_t integer(int column) const;
  [[nodiscard]] bool boolean(int column) const { return integer(column) != 0; }
  [[nodiscard]] WallTime time(int column) const { return WallTime(Milliseconds(integer(column))); }
  [[nodiscard]] bool is_null(int column) const;
  [[nodiscard]] std::optional<std::string> optional_text(int column) const;
  [[nodiscard]] std::optional<WallTime> optional_time(int column) const;
  template <class Id>
  [[nodiscard]] Id id(int column) const {
    return Id(text(column));
  }

 private:
  friend class Connection;
  // `kept`: the connection's cache owns `statement` and has marked it as in use; otherwise this object owns it.
  Statement(sqlite3_stmt* statement, bool* in_use) : statement_(statement), in_use_(in_use) {}

  void put(std::string_view value);
  void put(std::int64_t value);
  void put(std::nullptr_t);
  void put(int value) { put(std::int64_t{value}); }
  void put(bool value) { put(std::int64_t{value ? 1 : 0}); }
  void put(const char* value) { put(std::string_view(value)); }
  void put(const std::string& value) { put(std::string_view(value)); }
  void put(WallTime value) { put(std::int64_t{value.time_since_epoch().count()}); }
  template <class Tag>
  void put(const StrongId<Tag>& id) {
    put(std::string_view(id.value()));
  }
  template <class T>
  void put(const std::optional<T>& value) {
    if (value) {
      put(*value);
    } else {
      put(nullptr);
    }
  }
  [[nodiscard]] Failure failure(int code) const;

  sqlite3_stmt* statement_;
  bool* in_use_;  // null: owned
  int bound_ = 0;
  int bind_code_ = 0;
};

}  // namespace postern::services
