// Files. Folders are made with mode 0700 and files with 0600; a file is replaced by writing a temporary name beside it,
// fsync, and rename, so that a reader sees the old or the new text and never a half.
#pragma once

#include <string>
#include <string_view>

#include "wire/base/result.h"

namespace postern {

struct FileFailed {
  static constexpr std::string_view kId = "own.file_failed";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kInternal;
  std::string path;
  std::string action;  // "read", "write", "make the folder"
  std::string reason;  // of the system
  int error_number = 0;
  [[nodiscard]] std::string text() const;
};

[[nodiscard]] Result<std::string> read_file(const std::string& path, std::size_t bytes_max);
// Mode 0600.
[[nodiscard]] Status replace_file(const std::string& path, std::string_view content);
// Mode 0600. False, and nothing is changed, when there is such a file already: of several processes that try, one wins.
// A reader never sees half of it.
[[nodiscard]] Result<bool> create_file(const std::string& path, std::string_view content);
// Makes the folder and those above it, mode 0700 each; one that exists is fine.
[[nodiscard]] Status make_folder(const std::string& path);
// The permission bits, or nothing when there is no such file.
[[nodiscard]] Result<unsigned> file_mode(const std::string& path);
[[nodiscard]] bool file_exists(const std::string& path);

// Appends whole lines to one file, which it creates with mode 0600. Each line is one write(2) on an O_APPEND
// descriptor, so that several processes may share the file. Thread-safe.
class LineFile {
 public:
  [[nodiscard]] static Result<LineFile> open(const std::string& path);
  LineFile(LineFile&& other) noexcept;
  LineFile& operator=(LineFile&& other) noexcept;
  ~LineFile();
  // Adds the line feed. REQUIRES no line feed in `line`.
  [[nodiscard]] Status append(std::string_view line) const;

 private:
  LineFile(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  int descriptor_;
  std::string path_;
};

}  // namespace postern
