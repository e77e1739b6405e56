// Reads "mcpServers" of a configuration file: the names, keys and forms of every server, or the sentence that says what
// is wrong with one.
//
// Strict on purpose, because what stands here starts programs and says where tokens go: unknown keys are refused and
// the nearest one named (those of other programs with what stands for them here), a command is an absolute path,
// nothing in a value is expanded, and a token never stands in the file. A file that other people can write may not name
// programs. Without state.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "host/server_config.h"
#include "wire/base/json.h"
#include "wire/base/result.h"

namespace postern::host {

struct ServerFile {
  std::string path;          // as given
  std::string shown;         // for people
  std::string pins_folder;   // absolute; where NAME.json is, when a server does not say otherwise
  std::string program_path;  // PATH, only to say where a command was probably meant to be
};

// By name. `servers` is the value of "mcpServers". own.config_invalid.
[[nodiscard]] Result<std::map<std::string, ServerConfig>> read_servers(const Json& servers, const ServerFile& file);
// For people: the URL, or the program and its script.
[[nodiscard]] std::string place_of(const ServerConfig& server);
// Two names that look alike, or one that looks like the desk's. own.config_invalid.
[[nodiscard]] Status check_server_names(const std::vector<ServerConfig>& servers);

}  // namespace postern::host
