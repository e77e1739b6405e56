// What can go wrong with a database file.
#pragma once

#include <string>

#include "wire/base/failure.h"

namespace postern::services {

struct StoreFailed {
  static constexpr std::string_view kId = "store.failed";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kInternal;
  std::string path;
  std::string reason;  // of SQLite, never the values
  [[nodiscard]] std::string text() const;
};
// Another process kept the write lock for longer than the busy timeout. Nothing was changed.
struct StoreBusy {
  static constexpr std::string_view kId = "store.busy";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUnavailable;
  std::string path;
  [[nodiscard]] std::string text() const;
};
// A UNIQUE or PRIMARY KEY constraint said no. The transaction can still be ended either way.
struct NotUnique {
  static constexpr std::string_view kId = "store.not_unique";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kConflict;
  std::string columns;  // "refunds.token_id"
  [[nodiscard]] std::string text() const;
};
// The file was made by another version: a migration that is not known here, or one that reads otherwise than when it
// was applied.
struct SchemaUnknown {
  static constexpr std::string_view kId = "store.schema_unknown";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string path;
  std::string migration;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::services
