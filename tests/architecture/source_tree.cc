#include "tests/architecture/source_tree.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace postern::architecture {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTop[] = {"wire",     "pins",     "bridge", "host", "issuer",
                                     "services", "fixtures", "tests",  "docs", "cmake"};

bool is_interesting(const fs::path& path) {
  const std::string extension = path.extension().string();
  return extension == ".h" || extension == ".cc" || extension == ".cmake" || extension == ".md" ||
         extension == ".sql" || path.filename() == "CMakeLists.txt";
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace

std::vector<std::string_view> SourceFile::lines() const {
  std::vector<std::string_view> out;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    out.push_back(rest.substr(0, end));
    rest = end == rest.npos ? std::string_view() : rest.substr(end + 1);
  }
  return out;
}

std::vector<std::string> SourceFile::includes() const {
  std::vector<std::string> out;
  for (const std::string_view line : lines()) {
    if (line.substr(0, 8) != "#include") continue;
    const std::size_t open = line.find_first_of("\"<");
    const std::size_t close = open == line.npos ? line.npos : line.find_first_of("\">", open + 1);
    if (close != line.npos) out.emplace_back(line.substr(open + 1, close - open - 1));
  }
  return out;
}

std::vector<SourceFile> read_project(const std::string& root) {
  std::vector<SourceFile> files;
  for (const std::string_view top : kTop) {
    const fs::path folder = fs::path(root) / top;
    if (!fs::exists(folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const std::string path = fs::relative(entry.path(), root).generic_string();
      if (!entry.is_regular_file() || !is_interesting(entry.path()) || path.find("node_modules") != path.npos) continue;
      std::ostringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      files.push_back({path, text.str()});
    }
  }
  std::sort(files.begin(), files.end(), [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

bool is_cpp(const SourceFile& file) {
  return ends_with(file.path, ".h") || ends_with(file.path, ".cc");
}

bool is_product(const SourceFile& file) {
  return file.path.rfind("tests/", 0) != 0 && file.path.rfind("fixtures/", 0) != 0;
}

}  // namespace postern::architecture
