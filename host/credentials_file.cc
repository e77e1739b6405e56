#include "host/credentials_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "wire/base/file.h"
#include "wire/base/visible_text.h"

namespace postern::host {
namespace {

constexpr std::size_t kFileBytesMax = 1024 * 1024;

std::string folder_of(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

}  // namespace

std::string CredentialsFile::name() const {
  return "the file " + visible_line(path_, 300);
}

Result<bool> CredentialsFile::check() const {
  const std::string folder = folder_of(path_);
  struct stat status {};
  if (::stat(folder.c_str(), &status) == 0 && (status.st_mode & 0022U) != 0) {
    return CredentialsRefused{visible_line(folder, 300), "others may write in this folder",
                              "chmod 700 " + visible_line(folder, 300)};
  }
  if (::lstat(path_.c_str(), &status) != 0) {
    if (errno == ENOENT) return false;
    return FileFailed{visible_line(path_, 300), "read", std::strerror(errno), errno};
  }
  if (!S_ISREG(status.st_mode)) return CredentialsRefused{visible_line(path_, 300), "it is no plain file", ""};
  if (status.st_uid != ::geteuid()) return CredentialsRefused{visible_line(path_, 300), "it is another user's", ""};
  if ((status.st_mode & 0077U) != 0) {
    return CredentialsRefused{visible_line(path_, 300), "others may read it", "chmod 600 " + visible_line(path_, 300)};
  }
  return true;
}

Result<std::optional<std::string>> CredentialsFile::read() {
  POSTERN_TRY(const bool exists, check());
  if (!exists) return std::optional<std::string>();
  POSTERN_TRY(std::string text, read_file(path_, kFileBytesMax));
  return std::optional(std::move(text));
}

Status CredentialsFile::write(std::string_view text) {
  POSTERN_TRY_VOID(make_folder(folder_of(path_)));
  POSTERN_TRY(const bool exists, check());
  static_cast<void>(exists);
  return replace_file(path_, text);
}

Status CredentialsFile::remove() {
  POSTERN_TRY(const bool exists, check());
  if (exists && ::unlink(path_.c_str()) != 0)
    return FileFailed{visible_line(path_, 300), "remove", std::strerror(errno), errno};
  return {};
}

std::string CredentialsRefused::text() const {
  return "What is kept of your sign-ins is not used: " + where + ": " + reason + ". Nothing in it was changed." +
         (remedy.empty() ? "" : "\n  " + remedy);
}

}  // namespace postern::host
