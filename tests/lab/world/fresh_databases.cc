#include "tests/lab/world/fresh_databases.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "tests/lab/world/world_folder.h"
#include "wire/base/file.h"

namespace postern::lab {
namespace {

constexpr std::size_t kBytesMax = std::size_t{64} << 20U;

struct File {
  const char* name;
  bool FreshDatabases::Which::*part;  // null: in every world
};
constexpr File kFiles[] = {{"desk/customers.sqlite", &FreshDatabases::Which::records},
                           {"desk/orders.sqlite", &FreshDatabases::Which::records},
                           {"desk/returns.sqlite", &FreshDatabases::Which::records},
                           {"desk/desk.sqlite", nullptr},
                           {"approvals/approvals.sqlite", nullptr},
                           {"payments/payments.sqlite", &FreshDatabases::Which::payments}};

// Nothing waits for the disk, and the databases of a world that goes on are left.
Status write_new(const std::string& path, std::string_view bytes) {
  const int descriptor = ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  if (descriptor < 0 && errno == EEXIST) return {};
  while (descriptor >= 0 && !bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written <= 0) break;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (descriptor < 0 || !bytes.empty()) return FileFailed{path, "write", std::strerror(error), error};
  return {};
}

}  // namespace

FreshDatabases::FreshDatabases(const std::function<Status(const std::string& folder)>& make_world) {
  const WorldFolder folder;
  if (!make_world(folder.path())) return;
  for (const File& file : kFiles) {
    const std::string path = folder.path() + "/" + file.name;
    // Of a database that was closed in order nothing is left in its log.
    const auto log = read_file(path + "-wal", kBytesMax);
    if (log && !log->empty()) continue;
    if (auto bytes = read_file(path, kBytesMax)) files_.emplace(file.name, *std::move(bytes));
  }
}

const FreshDatabases& FreshDatabases::of_this_process(
    const std::function<Status(const std::string& folder)>& make_world) {
  static const FreshDatabases made(make_world);
  return made;
}

Status FreshDatabases::put_into(const std::string& folder, Which which) const {
  for (const File& file : kFiles) {
    const auto found = files_.find(file.name);
    if (found == files_.end() || (file.part != nullptr && !(which.*file.part))) continue;
    POSTERN_TRY_VOID(write_new(folder + "/" + file.name, found->second));
  }
  return {};
}

}  // namespace postern::lab
