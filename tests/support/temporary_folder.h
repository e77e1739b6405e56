// A folder of the test's own, gone with it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "wire/base/check.h"

namespace postern::test {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string form = (std::filesystem::temp_directory_path() / "postern-test-XXXXXX").string();
    POSTERN_CHECK(mkdtemp(form.data()) != nullptr);
    path_ = form;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace postern::test
