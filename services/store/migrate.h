// Brings the schema of a database up to date: embedded migrations in order, each once, each in a transaction of its
// own.
//
// What was applied stands in the table schema_migrations with the digest of its text, so that a file of another version
// is noticed instead of guessed at. Several processes may start on one file at the same time: each looks again once it
// holds the write lock.
#pragma once

#include <span>
#include <string>

#include "services/store/database.h"
#include "wire/base/embedded.h"
#include "wire/base/result.h"

namespace postern::services {

// `path` is for messages. `store.schema_unknown`, `store.failed`, `store.busy`.
[[nodiscard]] Status migrate(Connection& connection, std::span<const EmbeddedFile> migrations, const std::string& path);

}  // namespace postern::services
