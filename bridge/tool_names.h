// Names of tools as a model is shown them, when several servers are there at once (MCP 2026-07-28 server/tools, "Tool
// Names").
//
// A tool of the desk keeps its plain name. A tool of another server is SERVER__TOOL, SERVER being our own word for it
// from the configuration, never one that the server gave. A model API takes 128 characters of [A-Za-z0-9_-]: every
// other byte of a tool's name is written _xHH_ (two hex digits in upper case), and an underscore before an "x" is
// written _x5F_, so that no two names are ever written the same. A name that is too long keeps its beginning and ends
// in "_xh" and 16 hex digits of the SHA-256 of the whole. Names are case-sensitive. Nothing is ever read back out of a
// written name: ToolNames keeps both sides.
//
// Two names that a person or a model can take for one another are refused together: equal but for case, for "-", "_"
// and
// ".", or for the letters and digits that look alike (l, I, i, 1; O, o, 0). Not thread-safe.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "wire/base/result.h"

namespace postern::bridge {

inline constexpr std::size_t kToolNameBytesMax = 128;

// True for 1 to 128 characters of [A-Za-z0-9_-].
[[nodiscard]] bool is_model_tool_name(std::string_view name);
// The name of a tool with every byte outside of [A-Za-z0-9_-] escaped; whole, however long it gets.
[[nodiscard]] std::string escaped_tool_name(std::string_view tool);
// "files__read_text_file". REQUIRES a server name without "_". An empty server is the desk: its tools keep their names.
[[nodiscard]] std::string qualified_tool_name(std::string_view server, std::string_view tool);
// Equal for names that look alike.
[[nodiscard]] std::string look_alike_key(std::string_view name);

class ToolNames {
 public:
  // own.tool_names_alike when a name that was added before is the same or looks alike.
  [[nodiscard]] Status add(std::string_view server, std::string_view tool);

 private:
  struct Added {
    std::string server;
    std::string tool;
  };
  std::map<std::string, Added> by_key_;
  std::map<std::string, Added> by_name_;
};

// Two tools whose names a model could take for one another. Nothing is started.
struct ToolNamesAlike {
  static constexpr std::string_view kId = "own.tool_names_alike";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string first;   // "files__read (read of files)", made visible
  std::string second;  // the same
  std::string server;  // of the second; empty: the desk
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::bridge
