// A folder for a world, in memory where the machine has such a place: a world writes some hundred times.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "wire/base/check.h"

namespace postern::lab {

class WorldFolder {
 public:
  WorldFolder() {
    const std::filesystem::path memory = "/dev/shm";
    const auto parent = std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path();
    std::string form = (parent / "postern-world-XXXXXX").string();
    POSTERN_CHECK(mkdtemp(form.data()) != nullptr);
    path_ = form;
  }
  ~WorldFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  WorldFolder(const WorldFolder&) = delete;
  WorldFolder& operator=(const WorldFolder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace postern::lab
