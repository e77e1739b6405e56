// The project's own files as text, for tests that check rules over them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace postern::architecture {

struct SourceFile {
  std::string path;  // from the project's root: "wire/base/json.cc"
  std::string text;

  [[nodiscard]] std::string folder() const { return path.substr(0, path.rfind('/')); }
  [[nodiscard]] std::vector<std::string_view> lines() const;
  // What stands between the quotes or angle brackets of each #include.
  [[nodiscard]] std::vector<std::string> includes() const;
};

// Every .h and .cc below the product's folders and tests, and every .cmake, CMakeLists.txt and .md.
[[nodiscard]] std::vector<SourceFile> read_project(const std::string& root);
[[nodiscard]] bool is_cpp(const SourceFile& file);
[[nodiscard]] bool is_product(const SourceFile& file);

}  // namespace postern::architecture
