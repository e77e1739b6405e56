// What a command needs to know, read once from its layers and checked once.
//
// Layers, the first that says something wins: flags, environment, ./.postern/config.json of the project, the user's
// file ($XDG_CONFIG_HOME/postern/ config.json, or --config), /etc/postern/config.json, defaults. The file of a project
// may set how things are printed and how long a ticket may take, and nothing else: a folder that somebody cloned must
// not choose servers, start programs, or choose models or pins. Servers beside the desk ("mcpServers",
// host/server_config_file.h) stand in the files of the machine and of the user; one of the user replaces one of the
// machine that has the same name. A key that is not known is refused and the nearest one named. Immutable after
// load().
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/server_config.h"
#include "host/terminal.h"
#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/transport/proxy_settings.h"

namespace postern::host {

// What flags gave: a value for a key, as text. The names are those of the configuration file.
using FlagValues = std::map<std::string, std::string, std::less<>>;

// The environment, read in one place so that tests can hand in their own.
struct Environment {
  std::map<std::string, std::string, std::less<>> values;
  [[nodiscard]] std::optional<std::string> get(std::string_view name) const;  // nothing when absent or empty
};
[[nodiscard]] Environment read_environment();

struct Config {
  std::string profile = "local";
  std::string server;  // the MCP endpoint; empty in the profile local: the local stack's
  std::string issuer;  // the only one that the client id belongs to; empty: the one that the server names
  std::string client_id = "postern-host";
  std::string person = "rowan";
  std::string model;      // id; empty: the default of the API
  std::string model_api;  // "anthropic", "script:honest"; empty: decided by whether there is a key
  std::string model_url;
  std::string effort;
  std::string pins;  // a file; empty: the embedded ones
  std::string open = "ask";
  std::chrono::seconds wait{600};
  int max_steps = 20;
  TerminalOptions terminal;
  std::string state_home;             // absolute
  std::string search_path;            // PATH; empty: none
  std::string session_bus;            // DBUS_SESSION_BUS_ADDRESS; empty: there is none
  std::string config_home;            // absolute; "/home/rowan/.config/postern"; empty: there is none
  std::vector<ServerConfig> servers;  // beside the desk, of "mcpServers", by name

  [[nodiscard]] bool local() const { return profile == "local"; }
  std::shared_ptr<const ProxySettings> proxy;  // of the environment; null: none

  // The server beside the desk of that name, or null.
  [[nodiscard]] const ServerConfig* find_server(std::string_view name) const;
};

struct ConfigSources {
  FlagValues flags;
  Environment environment;
  std::string working_folder;  // where ./.postern is looked for
};

// Failures: own.config_invalid.
[[nodiscard]] Result<Config> load_config(const ConfigSources& sources);

// "30s", "10m", "2h", "0". Nothing for anything else, or over 24 hours.
[[nodiscard]] std::optional<std::chrono::seconds> parse_duration(std::string_view text);
// The candidate within two edits of `word`, or empty.
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

struct ConfigInvalid {
  static constexpr std::string_view kId = "own.config_invalid";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string where;   // "flag --wait", "/home/rowan/.config/postern/config.json"
  std::string reason;  // a sentence without its end
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::host
