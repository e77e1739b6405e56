// ServerConfig: one MCP server of the configuration, in the form that people know:
//
//   {"mcpServers": {
//      "files":   {"command": "/usr/bin/mcp-files", "args": ["--readonly"], "env": {"ROOT": "/srv"}, "era": "auto"},
//      "tickets": {"type": "http", "url": "https://tickets.example.test/mcp",
//                  "oauth": {"issuer": "https://login.example.test", "client_id": "postern"}}}}
//
// Each has its own pins, era, credentials and limits. Plain values; host/server_config_file reads and checks them
// (docs/servers.md is the page for people).
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bridge/era.h"
#include "wire/oauth/scope.h"

namespace postern::host {

struct OAuthConfig {
  enum class Flow { kBrowser, kDevice, kClientCredentials };
  std::string issuer;                  // the only one; empty: the one that the server names
  std::string client_id;               // registered beforehand; empty: not
  std::string client_secret_file;      // 0600; empty: a public client
  std::string client_key_file;         // PEM of a P-256 key for private_key_jwt, 0600; empty: none
  std::string client_metadata_url;     // of a Client ID Metadata Document; empty: none
  bool dynamic_registration = false;   // whether this program may register itself
  std::optional<ScopeSet> scopes_max;  // what may ever be asked for; absent: whatever the server names
  Flow flow = Flow::kBrowser;
  bool dpop = false;
  bool enabled = true;  // false: no sign-in at this server, whatever it says
};

struct ServerConfig {
  std::string name;   // 1 to 32 of [a-z0-9-], begins with a letter; ours, never the server's
  std::string where;  // the file that says so, for people

  // Streamable HTTP, when `url` is there.
  std::string url;
  std::string ca_file;           // PEM, absolute; empty: the system's roots
  std::string bearer_token_env;  // a variable that holds a token to be sent as it is; empty: none
  OAuthConfig oauth;

  // stdio, when `command` is there: an absolute path, never a shell.
  std::string command;
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<std::string> environment_from;  // variables of our own environment that are handed on as they are
  std::string working_folder;                 // absolute; the home folder, or "/", where the file names none

  bridge::EraChoice era = bridge::EraChoice::kPin;
  std::string pins;     // file of reviewed definitions; absolute
  bool enabled = true;  // false: kept in the file, used by no run

  std::chrono::milliseconds request_ms_max{60'000};  // of one request, whatever progress it reports
  std::chrono::milliseconds silence_ms_max{0};       // between two signs of life; 0: only request_ms_max counts
  std::size_t response_bytes_max = 8 * 1024 * 1024;
  int calls_max = 100;  // of one run

  [[nodiscard]] bool is_http() const { return !url.empty(); }
};

// "pinned", "auto", "legacy"
[[nodiscard]] std::string_view text_of(bridge::EraChoice era);

}  // namespace postern::host
