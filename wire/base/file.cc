#include "wire/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "wire/base/visible_text.h"

namespace postern {
namespace {

FileFailed failed(const std::string& path, const char* action) {
  const int number = errno;
  return FileFailed{visible_line(path, 300), action, std::strerror(number), number};
}

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int get() const { return value_; }
  bool close() {
    const int value = value_;
    value_ = -1;
    return value < 0 || ::close(value) == 0;
  }

 private:
  int value_;
};

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

std::string FileFailed::text() const {
  return "Cannot " + action + " " + path + ": " + reason + ".";
}

Result<std::string> read_file(const std::string& path, std::size_t bytes_max) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return failed(path, "read");
  std::string content;
  char buffer[16384];
  for (;;) {
    const ssize_t got = ::read(file.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed(path, "read");
    if (got == 0) return content;
    content.append(buffer, static_cast<std::size_t>(got));
    if (content.size() > bytes_max) {
      return FileFailed{visible_line(path, 300), "read", "it is larger than " + std::to_string(bytes_max) + " bytes",
                        0};
    }
  }
}

Status replace_file(const std::string& path, std::string_view content) {
  // A rename would put a file in the place of a device or a pipe.
  struct stat there {};
  if (::stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) {
    return FileFailed{visible_line(path, 300), "write", "what stands there is no file", 0};
  }
  const std::string temporary = path + ".new-" + std::to_string(::getpid());
  ::unlink(temporary.c_str());
  Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (file.get() < 0) return failed(path, "write");
  if (!write_all(file.get(), content) || ::fsync(file.get()) != 0 || !file.close() ||
      ::rename(temporary.c_str(), path.c_str()) != 0) {
    const FileFailed failure = failed(path, "write");
    ::unlink(temporary.c_str());
    return failure;
  }
  return {};
}

Result<bool> create_file(const std::string& path, std::string_view content) {
  const std::string temporary = path + ".made-" + std::to_string(::getpid());
  ::unlink(temporary.c_str());
  Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (file.get() < 0) return failed(path, "write");
  const bool written = write_all(file.get(), content) && ::fsync(file.get()) == 0 && file.close();
  // link(2) refuses an existing name, as O_EXCL does, and the name appears with the whole content behind it.
  const bool linked = written && ::link(temporary.c_str(), path.c_str()) == 0;
  const bool exists = written && !linked && errno == EEXIST;
  const FileFailed failure = failed(path, "write");
  ::unlink(temporary.c_str());
  if (!linked && !exists) return failure;
  return linked;
}

Status make_folder(const std::string& path) {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    struct stat status {};
    if (::mkdir(part.c_str(), 0700) != 0) {
      const int number = errno;
      const bool exists = ::stat(part.c_str(), &status) == 0;
      if (!exists || !S_ISDIR(status.st_mode)) {
        errno = exists ? ENOTDIR : number;
        return failed(part, "make the folder");
      }
    }
    if (end == std::string::npos) return {};
  }
}

Result<unsigned> file_mode(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return failed(path, "read");
  return static_cast<unsigned>(status.st_mode & 07777);
}

bool file_exists(const std::string& path) {
  return ::access(path.c_str(), F_OK) == 0;
}

Result<LineFile> LineFile::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (descriptor < 0) return failed(path, "write");
  return LineFile(descriptor, path);
}

LineFile::LineFile(LineFile&& other) noexcept : descriptor_(other.descriptor_), path_(std::move(other.path_)) {
  other.descriptor_ = -1;
}

LineFile& LineFile::operator=(LineFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(path_, other.path_);
  return *this;
}

LineFile::~LineFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Status LineFile::append(std::string_view line) const {
  std::string text(line);
  text += '\n';
  if (!write_all(descriptor_, text)) return failed(path_, "write");
  return {};
}

}  // namespace postern
