#include "tests/architecture/rules.h"

#include <algorithm>
#include <map>
#include <set>

namespace postern::architecture {
namespace {

bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

// A folder may include itself and what its row names; a row covers the folders below it unless they have their own.
struct Direction {
  std::string_view folder;
  std::vector<std::string_view> may_include;
};

const std::vector<Direction>& directions() {
  static const std::vector<Direction> kDirections = {
      {"wire/base", {}},
      {"wire/signing", {"wire/base"}},
      {"wire/tap", {"wire/base"}},
      {"wire/env", {"wire/base", "wire/tap"}},
      {"wire/http_message", {"wire/base"}},
      {"wire/transport", {"wire/base", "wire/tap", "wire/env", "wire/http_message"}},
      {"wire/jsonrpc", {"wire/base"}},
      {"wire/mcp", {"wire/base", "wire/jsonrpc", "wire/http_message"}},
      {"wire/schema", {"wire/base"}},
      {"wire/oauth", {"wire/base", "wire/signing", "wire/tap", "wire/env", "wire/http_message", "wire/transport"}},
      {"pins", {"wire/base", "wire/jsonrpc", "wire/mcp"}},
      {"bridge", {"pins", "wire"}},
      {"host", {"bridge", "pins", "wire"}},
      {"issuer", {"wire"}},
      {"services/domain", {"wire/base"}},
      {"services/store", {"wire/base"}},
      {"services/service_authentication", {"wire/base", "wire/http_message"}},
      {"services/downstream", {"wire/base", "services/service_authentication"}},
      {"services/approval_token", {"wire/base", "services/domain"}},
      {"services/approval_token_issuer", {"wire/base", "wire/signing", "services/approval_token", "services/domain"}},
      {"services/customers",
       {"wire/base", "wire/tap", "wire/env", "services/domain", "services/store", "services/service_authentication",
        "services/downstream"}},
      {"services/orders",
       {"wire/base", "wire/tap", "wire/env", "services/domain", "services/store", "services/service_authentication",
        "services/downstream"}},
      {"services/returns",
       {"wire/base", "wire/tap", "wire/env", "services/domain", "services/store", "services/service_authentication",
        "services/downstream"}},
      {"services/payments_client",
       {"wire", "services/approval_token", "services/domain", "services/service_authentication"}},
      {"services/approvals_client",
       {"wire", "services/approval_token", "services/domain", "services/service_authentication"}},
      {"services/gate", {"wire"}},
      {"services/payments",
       {"wire", "services/domain", "services/store", "services/service_authentication", "services/downstream",
        "services/approval_token", "services/world"}},
      {"services/approvals",
       {"wire", "services/domain", "services/store", "services/service_authentication", "services/downstream",
        "services/approval_token", "services/approval_token_issuer", "services/gate", "services/payments_client",
        "services/customers", "services/orders", "services/returns"}},
      {"services/world", {"wire/base", "fixtures"}},
      {"services/seed",
       {"services/world", "wire/base", "services/domain", "services/store", "services/customers", "services/orders",
        "services/returns", "services/payments"}},
      {"services/mcp", {"wire", "services/gate"}},
      {"services/mcp_older_era", {"wire", "services/mcp", "services/gate"}},
      {"services/mcp_skills", {"wire", "services/mcp", "services/gate"}},
      {"services/mcp_task_database", {"wire", "services/mcp", "services/mcp_tasks", "services/store"}},
      {"services/mcp_tasks", {"wire", "services/mcp", "services/gate"}},
      {"services/desk", {"wire", "services"}},
      {"fixtures", {"wire/base"}},
      {"tests", {"wire", "pins", "bridge", "host", "issuer", "services", "fixtures"}},
  };
  return kDirections;
}

bool is_below(std::string_view path, std::string_view folder) {
  return path == folder || (starts_with(path, folder) && path.size() > folder.size() && path[folder.size()] == '/');
}

const Direction* row_of(std::string_view folder) {
  const Direction* best = nullptr;
  for (const Direction& row : directions()) {
    if (is_below(folder, row.folder) && (best == nullptr || row.folder.size() > best->folder.size())) best = &row;
  }
  return best;
}

bool is_own(std::string_view include) {
  for (const std::string_view top :
       {"wire/", "pins/", "bridge/", "host/", "issuer/", "services/", "fixtures/", "tests/"}) {
    if (starts_with(include, top)) return true;
  }
  return false;
}

std::string folder_of(std::string_view path) {
  return std::string(path.substr(0, path.rfind('/')));
}

// A pattern and the files that may hold it: a path, or a folder with a slash at its end.
struct Confinement {
  std::string_view pattern;
  std::vector<std::string_view> allowed;
};

bool is_allowed(const std::string& path, const Confinement& rule) {
  return std::any_of(rule.allowed.begin(), rule.allowed.end(), [&](std::string_view place) {
    return place.back() == '/' ? starts_with(path, place) : path == place;
  });
}

}  // namespace

Findings check_directions(const std::vector<SourceFile>& files) {
  Findings findings;
  for (const SourceFile& file : files) {
    if (!is_cpp(file)) continue;
    const Direction* row = row_of(file.folder());
    if (row == nullptr) {
      findings.push_back(file.path + ": its folder has no row in the table of directions");
      continue;
    }
    for (const std::string& include : file.includes()) {
      if (!is_own(include) || is_below(folder_of(include), row->folder)) continue;
      const bool allowed = std::any_of(row->may_include.begin(), row->may_include.end(),
                                       [&](std::string_view place) { return is_below(folder_of(include), place); });
      if (!allowed) findings.push_back(file.path + " must not include " + include);
    }
  }
  return findings;
}

Findings check_third_parties(const std::vector<SourceFile>& files) {
  static const std::vector<Confinement> kRules = {
      {"httplib.h", {"wire/transport/"}},
      {"nlohmann/", {"wire/base/json.cc"}},
      {"sqlite3.h", {"services/store/"}},
      {"spdlog/", {"wire/base/log.cc"}},
      {"re2/", {"wire/schema/pattern.cc", "wire/tap/"}},
      {"openssl/", {"wire/base/", "wire/oauth/", "wire/signing/", "wire/transport/", "issuer/"}},
      {"CLI/", {"host/cli.cc", "services/desk/main.cc", "tests/lab/"}},
      {"tl/expected.hpp", {"wire/base/result.h"}},
  };
  Findings findings;
  for (const SourceFile& file : files) {
    if (!is_cpp(file)) continue;
    for (const std::string& include : file.includes()) {
      for (const Confinement& rule : kRules) {
        const bool test = starts_with(file.path, "tests/unit/") || starts_with(file.path, "tests/holes/");
        if (starts_with(include, rule.pattern) && !is_allowed(file.path, rule) && !test) {
          findings.push_back(file.path + " must not include " + include);
        }
        if (starts_with(include, rule.pattern) && file.path.back() == 'h' && rule.pattern != "tl/expected.hpp" &&
            !starts_with(file.path, "tests/") && !starts_with(file.path, "wire/transport/") &&
            !starts_with(file.path, "services/store/")) {
          findings.push_back(file.path + ": a header must not include " + include);
        }
      }
    }
  }
  return findings;
}

Findings check_ways_out(const std::vector<SourceFile>& files) {
  static const std::vector<Confinement> kRules = {
      {"system_clock::now", {"wire/base/clock.cc"}},
      {"steady_clock::now", {"wire/base/clock.cc", "wire/transport/", "tests/"}},
      {"RAND_bytes", {}},
      {"getrandom(", {"wire/base/random_source.cc"}},
      {"std::random_device", {}},
      {"getenv(", {"host/", "wire/transport/", "services/desk/", "tests/"}},
      {"std::cout", {"tests/"}},
      {"std::cerr", {"tests/"}},
      {"popen(", {"tests/"}},
      {"system(", {"tests/"}},
      {"const_cast<", {"wire/base/", "wire/transport/", "services/store/", "tests/"}},
  };
  Findings findings;
  for (const SourceFile& file : files) {
    if (!is_cpp(file) || starts_with(file.path, "tests/architecture/")) continue;
    std::size_t number = 0;
    for (const std::string_view line : file.lines()) {
      ++number;
      const std::string_view code = line.substr(0, line.find("//"));
      for (const Confinement& rule : kRules) {
        if (code.find(rule.pattern) == code.npos || is_allowed(file.path, rule)) continue;
        findings.push_back(file.path + ":" + std::to_string(number) + " must not use " + std::string(rule.pattern));
      }
    }
  }
  return findings;
}

Findings check_form(const std::vector<SourceFile>& files) {
  Findings findings;
  for (const SourceFile& file : files) {
    if (!is_cpp(file)) continue;
    const auto lines = file.lines();
    if (lines.size() > 500) findings.push_back(file.path + " has " + std::to_string(lines.size()) + " lines");
    const std::string name = file.path.substr(file.path.rfind('/') + 1);
    for (const std::string_view word : {"util", "helper", "common", "manager", "misc"}) {
      if (name.find(word) != name.npos)
        findings.push_back(file.path + ": a file is named for the noun it makes or guards");
    }
    for (const std::string& include : file.includes()) {
      if (include.find("../") != include.npos) findings.push_back(file.path + " includes by ../");
    }
    const bool header = file.path.back() == 'h';
    if (header && file.text.find("#pragma once") == file.text.npos)
      findings.push_back(file.path + " has no #pragma once");
    if (header && !starts_with(file.text, "//")) findings.push_back(file.path + " does not begin with what it is");
  }
  return findings;
}

// Formatted code closes a function of a namespace with a "}" in the first column, and a member function with one behind
// two blanks.
Findings check_function_lengths(const std::vector<SourceFile>& files) {
  constexpr std::size_t kLongest = 70;
  Findings findings;
  for (const SourceFile& file : files) {
    if (!is_cpp(file) || starts_with(file.path, "tests/holes/")) continue;  // the holes are tables, a row a line
    std::map<std::string, std::pair<std::size_t, std::string>> open;        // by indentation: line and text
    std::size_t number = 0;
    for (const std::string_view line : file.lines()) {
      ++number;
      for (const std::string indent : {"", "  "}) {
        if (!starts_with(line, indent) || line.size() <= indent.size() || line[indent.size()] == ' ') continue;
        const std::string_view rest = line.substr(indent.size());
        const bool opens = rest.back() == '{' && rest.find('(') != rest.npos && !starts_with(rest, "namespace") &&
                           !starts_with(rest, "//");
        if (opens) {
          open[indent] = {number, std::string(rest)};
        } else if (rest == "};") {
          open.erase(indent);  // of a lambda or a table
        } else if (rest == "}") {
          const auto started = open.find(indent);
          if (started != open.end() && number - started->second.first > kLongest) {
            findings.push_back(file.path + ":" + std::to_string(started->second.first) + " is " +
                               std::to_string(number - started->second.first) +
                               " lines long: " + started->second.second);
          }
          open.erase(indent);
        }
      }
    }
  }
  return findings;
}

Findings check_no_dead_files(const std::vector<SourceFile>& files) {
  std::string build_text;
  for (const SourceFile& file : files) {
    if (file.path.size() > 14 && file.path.substr(file.path.size() - 14) == "CMakeLists.txt")
      build_text += file.text + "\n";
  }
  Findings findings;
  for (const SourceFile& file : files) {
    if (!is_cpp(file) || file.path.substr(file.path.size() - 3) != ".cc") continue;
    if (starts_with(file.path, "tests/compile_fail/")) continue;  // found by name
    const std::string name = file.path.substr(file.path.rfind('/') + 1);
    if (build_text.find(name) == build_text.npos) findings.push_back(file.path + " is not named in any CMakeLists.txt");
  }
  return findings;
}

namespace {

std::vector<std::pair<std::string, std::string>> ids_with_places(const std::vector<SourceFile>& files) {
  constexpr std::string_view kMark = "std::string_view kId = \"";
  std::vector<std::pair<std::string, std::string>> out;
  for (const SourceFile& file : files) {
    if (!is_cpp(file) || !is_product(file)) continue;
    for (std::size_t at = 0; (at = file.text.find(kMark, at)) != file.text.npos;) {
      const std::size_t line = file.text.rfind('\n', at) + 1;
      const bool comment = file.text.substr(line, at - line).find("//") != file.text.npos;
      at += kMark.size();
      if (comment) continue;
      out.emplace_back(file.text.substr(at, file.text.find('"', at) - at), file.path);
    }
  }
  return out;
}

}  // namespace

Findings check_failure_ids(const std::vector<SourceFile>& files) {
  Findings findings;
  std::map<std::string, std::string> seen;
  for (const auto& [id, path] : ids_with_places(files)) {
    const auto [known, is_new] = seen.emplace(id, path);
    if (!is_new) findings.push_back(id + " is defined in " + known->second + " and in " + path);
    const bool formed =
        id.find('.') != id.npos && id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.") == id.npos;
    if (!formed) findings.push_back(path + ": \"" + id + "\" is not of the form area.what");
  }
  return findings;
}

std::vector<std::string> failure_ids(const std::vector<SourceFile>& files) {
  std::set<std::string> ids;
  for (const auto& [id, path] : ids_with_places(files)) ids.insert(id);
  return {ids.begin(), ids.end()};
}

}  // namespace postern::architecture
