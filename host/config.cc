#include "host/config.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "host/server_config_file.h"
#include "wire/base/file.h"
#include "wire/base/uri.h"
#include "wire/base/visible_text.h"

extern char** environ;

namespace postern::host {
namespace {

enum class Place { kProject, kUser, kProfile };

// One row a key: how it is spelled, in which variable of the environment, and whether a project's file may set it.
struct Key {
  std::string_view name;
  std::string_view variable;  // empty: none
  bool project_may_set;
  bool (*set)(Config& config, std::string_view value);  // false: the value is not of the form
  std::string_view form;
};

bool set_flag(bool& target, std::string_view value) {
  if (value != "true" && value != "false" && value != "1" && value != "0") return false;
  target = value == "true" || value == "1";
  return true;
}

bool set_name(std::string& target, std::string_view value) {
  const bool plain = !value.empty() && value.size() <= 64 && std::all_of(value.begin(), value.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.' || c == ':';
  });
  if (plain) target = value;
  return plain;
}

bool set_url(std::string& target, std::string_view value) {
  if (!parse_uri(value)) return false;
  target = value;
  return true;
}

bool set_number(int& target, std::string_view value, int least, int most) {
  int number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < least || number > most) return false;
  target = number;
  return true;
}

bool set_choice(std::string& target, std::string_view value, std::initializer_list<std::string_view> choices) {
  if (std::find(choices.begin(), choices.end(), value) == choices.end()) return false;
  target = value;
  return true;
}

bool set_color(Config& config, std::string_view value) {
  std::string choice;
  if (!set_choice(choice, value, {"auto", "always", "never"})) return false;
  config.terminal.color = value == "auto"     ? ColorChoice::kAuto
                          : value == "always" ? ColorChoice::kAlways
                                              : ColorChoice::kNever;
  return true;
}

bool set_wait(Config& config, std::string_view value) {
  const auto wait = parse_duration(value);
  if (wait) config.wait = *wait;
  return wait.has_value();
}

bool set_model_api(Config& config, std::string_view value) {
  constexpr std::string_view kScript = "script:";
  if (value == "anthropic") {
    config.model_api = value;
    return true;
  }
  std::string script;
  if (value.substr(0, kScript.size()) != kScript || !set_name(script, value.substr(kScript.size()))) return false;
  config.model_api = value;
  return true;
}

const Key kKeys[] = {
    {"profile", "POSTERN_PROFILE", false, [](Config& c, std::string_view v) { return set_name(c.profile, v); },
     "a name"},
    {"server", "POSTERN_SERVER", false, [](Config& c, std::string_view v) { return set_url(c.server, v); },
     "an http or https URL"},
    {"issuer", "POSTERN_ISSUER", false, [](Config& c, std::string_view v) { return set_url(c.issuer, v); },
     "an http or https URL"},
    {"client_id", "", false, [](Config& c, std::string_view v) { return set_name(c.client_id, v); }, "a name"},
    {"as", "", false, [](Config& c, std::string_view v) { return set_name(c.person, v); }, "a name"},
    {"model", "POSTERN_MODEL", false, [](Config& c, std::string_view v) { return set_name(c.model, v); },
     "a model's id"},
    {"model_api", "", false, set_model_api, "anthropic or script:NAME"},
    {"model_url", "ANTHROPIC_BASE_URL", false, [](Config& c, std::string_view v) { return set_url(c.model_url, v); },
     "an http or https URL"},
    {"effort", "", false,
     [](Config& c, std::string_view v) {
       return set_choice(c.effort, v, {"low", "medium", "high"});
     },
     "low, medium or high"},
    {"pins", "", false,
     [](Config& c, std::string_view v) {
       c.pins = v;
       return !v.empty();
     },
     "a file"},
    {"open", "", true,
     [](Config& c, std::string_view v) {
       return set_choice(c.open, v, {"ask", "never"});
     },
     "ask or never"},
    {"wait", "", true, set_wait, "a duration such as 30s or 10m, at most 24h"},
    {"max_steps", "", true, [](Config& c, std::string_view v) { return set_number(c.max_steps, v, 1, 100); },
     "1 to 100"},
    {"color", "", true, set_color, "auto, always or never"},
    {"quiet", "POSTERN_QUIET", true, [](Config& c, std::string_view v) { return set_flag(c.terminal.quiet, v); },
     "true or false"},
    {"verbose", "POSTERN_VERBOSE", true,
     [](Config& c, std::string_view v) { return set_number(c.terminal.verbose, v, 0, 2); }, "0, 1 or 2"},
    {"no_input", "POSTERN_NO_INPUT", true,
     [](Config& c, std::string_view v) { return set_flag(c.terminal.no_input, v); }, "true or false"},
};

constexpr std::string_view kServers = "mcpServers";

std::vector<std::string> key_names() {
  std::vector<std::string> names;
  for (const Key& key : kKeys) names.emplace_back(key.name);
  names.emplace_back("profiles");
  names.emplace_back(kServers);
  return names;
}

const Key* key_of(std::string_view name) {
  for (const Key& key : kKeys) {
    if (key.name == name) return &key;
  }
  return nullptr;
}

Status set(Config& config, const Key& key, std::string_view value, const std::string& where) {
  if (key.set(config, value)) return {};
  return ConfigInvalid{where, "\"" + visible_line(value, 80) + "\" is not " + std::string(key.form) + " (" +
                                  std::string(key.name) + ")"};
}

// Scalars of a file as the text that a flag would have had.
std::optional<std::string> scalar_text(const Json& value) {
  if (value.string() != nullptr) return *value.string();
  if (value.is_bool()) return *value.boolean() ? "true" : "false";
  if (value.is_integer()) return value.dump();
  return std::nullopt;
}

Status apply_object(Config& config, const Json& object, const std::string& where, Place place) {
  for (const auto& [name, value] : object.members()) {
    if (name == "profiles") {
      if (place == Place::kProject) return ConfigInvalid{where, "the file of a project may not set profiles"};
      continue;
    }
    if (name == kServers) {
      if (place == Place::kProject) {
        return ConfigInvalid{where,
                             "the file of a project may not name servers: a folder that somebody cloned must not "
                             "start programs. Put mcpServers into your own configuration"};
      }
      if (place == Place::kProfile)
        return ConfigInvalid{where, "mcpServers stands at the top of the file, not in a profile"};
      continue;
    }
    const Key* key = key_of(name);
    if (key == nullptr) {
      const std::string near = nearest(name, key_names());
      std::string keys;
      for (const std::string& known : key_names()) keys += (keys.empty() ? "" : ", ") + known;
      return ConfigInvalid{where, "\"" + visible_line(name, 80) + "\" is no key" +
                                      (near.empty() ? ". The keys: " + keys : "; did you mean \"" + near + "\"?")};
    }
    if (place == Place::kProject && !key->project_may_set) {
      return ConfigInvalid{where, "the file of a project may not set " + name +
                                      ": it sets only how things are printed and how long they may take"};
    }
    const auto text = scalar_text(value);
    if (!text) return ConfigInvalid{where, name + " is not " + std::string(key->form)};
    POSTERN_TRY_VOID(set(config, *key, *text, where));
  }
  return {};
}

struct File {
  std::string path;
  Place place;
  Json content;
};

Result<std::optional<File>> read_config_file(std::string path, Place place, bool must_exist) {
  if (!file_exists(path)) {
    if (must_exist) return ConfigInvalid{visible_line(path, 200), "there is no such file"};
    return std::optional<File>();
  }
  // A link to a terminal or a pipe would keep this program waiting, or read what its person types.
  std::error_code none;
  if (place == Place::kProject && !std::filesystem::is_regular_file(path, none))
    return ConfigInvalid{visible_line(path, 200), "it is no plain file"};
  const Result<std::string> text = read_file(path, 256 * 1024);
  if (!text) return ConfigInvalid{visible_line(path, 200), "it cannot be read"};
  Result<Json> json = parse_json(*text);
  if (!json) return ConfigInvalid{visible_line(path, 200), json.error().text()};
  if (!json->is_object()) return ConfigInvalid{visible_line(path, 200), "it is not a JSON object"};
  return std::optional<File>(File{std::move(path), place, *std::move(json)});
}

std::string home_of(const Environment& environment, std::string_view xdg, std::string_view below_home) {
  // A relative XDG value is ignored, as its specification says.
  if (const auto value = environment.get(xdg); value && value->front() == '/') return *value;
  if (const auto home = environment.get("HOME"); home && home->front() == '/') return *home + std::string(below_home);
  return {};
}

// The files, weakest first.
Result<std::vector<File>> config_files(const ConfigSources& sources) {
  std::vector<std::pair<std::string, Place>> places = {{"/etc/postern/config.json", Place::kUser}};
  const auto named = sources.flags.find("config");
  const auto variable = sources.environment.get("POSTERN_CONFIG");
  const bool chosen = named != sources.flags.end() || variable;
  if (named != sources.flags.end()) {
    places.emplace_back(named->second, Place::kUser);
  } else if (variable) {
    places.emplace_back(*variable, Place::kUser);
  } else if (std::string home = home_of(sources.environment, "XDG_CONFIG_HOME", "/.config"); !home.empty()) {
    places.emplace_back(home + "/postern/config.json", Place::kUser);
  }
  const std::size_t user_index = places.size() - 1;
  places.emplace_back(sources.working_folder + "/.postern/config.json", Place::kProject);
  std::vector<File> files;
  for (std::size_t i = 0; i < places.size(); ++i) {
    POSTERN_TRY(std::optional<File> file,
                read_config_file(places[i].first, places[i].second, chosen && i == user_index));
    if (file) files.push_back(*std::move(file));
  }
  return files;
}

// The profile must be known before its own settings can be.
Status choose_profile(Config& config, const ConfigSources& sources, const std::vector<File>& files) {
  for (const File& file : files) {
    if (file.place == Place::kProject) continue;
    if (const Json* profile = file.content.find("profile"); profile != nullptr && profile->string() != nullptr) {
      POSTERN_TRY_VOID(set(config, *key_of("profile"), *profile->string(), file.path));
    }
  }
  if (const auto value = sources.environment.get("POSTERN_PROFILE")) {
    POSTERN_TRY_VOID(set(config, *key_of("profile"), *value, "POSTERN_PROFILE"));
  }
  if (const auto flag = sources.flags.find("profile"); flag != sources.flags.end()) {
    POSTERN_TRY_VOID(set(config, *key_of("profile"), flag->second, "flag --profile"));
  }
  return {};
}

// Where a program starts that has no "cwd". Not where this one was: "python -m", npx and the like take modules and
// settings from there, and that may be a folder that somebody cloned.
std::string folder_of_programs(const Environment& environment) {
  const auto home = environment.get("HOME");
  return home && home->front() == '/' && file_exists(*home) ? *home : "/";
}

Status load_servers(Config& config, const ConfigSources& sources, const std::vector<File>& files) {
  std::map<std::string, ServerConfig> servers;
  for (const File& file : files) {
    const Json* named = file.place == Place::kProject ? nullptr : file.content.find(kServers);
    if (named == nullptr) continue;
    const ServerFile origin{file.path, visible_line(file.path, 200), config.config_home + "/pins",
                            sources.environment.get("PATH").value_or("")};
    POSTERN_TRY(auto read, read_servers(*named, origin));
    for (auto& [name, server] : read) servers.insert_or_assign(name, std::move(server));
  }
  for (auto& [name, server] : servers) {
    if (!server.is_http() && server.working_folder.empty())
      server.working_folder = folder_of_programs(sources.environment);
    config.servers.push_back(std::move(server));
  }
  return check_server_names(config.servers);
}

Status check(const Config& config, const ConfigSources& sources) {
  if (config.state_home.empty()) {
    return ConfigInvalid{
        "environment",
        "neither HOME nor XDG_STATE_HOME is set to an absolute folder, so runs have no place. Set one of them"};
  }
  if (!config.local()) {
    if (sources.flags.contains("as")) return ConfigInvalid{"flag --as", "it exists in the profile local only"};
    if (config.server.empty()) return ConfigInvalid{"profile " + config.profile, "it names no server"};
    if (config.model_api.substr(0, 7) == "script:") {
      return ConfigInvalid{"profile " + config.profile, "a scripted model exists in the profile local only"};
    }
  }
  return {};
}

}  // namespace

std::optional<std::string> Environment::get(std::string_view name) const {
  const auto found = values.find(name);
  if (found == values.end() || found->second.empty()) return std::nullopt;
  return found->second;
}

Environment read_environment() {
  Environment environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    environment.values.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

Result<Config> load_config(const ConfigSources& sources) {
  Config config;
  POSTERN_TRY(const std::vector<File> files, config_files(sources));
  POSTERN_TRY_VOID(choose_profile(config, sources, files));
  const std::string profile = config.profile;
  bool profile_known = profile == "local";
  for (const File& file : files) {
    POSTERN_TRY_VOID(apply_object(config, file.content, visible_line(file.path, 200), file.place));
    if (file.place == Place::kProject) continue;
    const Json* profiles = file.content.find("profiles");
    const Json* own = profiles == nullptr ? nullptr : profiles->find(profile);
    if (own == nullptr) continue;
    profile_known = true;
    POSTERN_TRY_VOID(
        apply_object(config, *own, visible_line(file.path, 200) + ", profile " + profile, Place::kProfile));
  }
  config.profile = profile;
  if (!profile_known) return ConfigInvalid{"profile " + profile, "no configuration file describes it"};
  for (const Key& key : kKeys) {
    if (key.variable.empty() || key.name == "profile") continue;
    if (const auto value = sources.environment.get(key.variable)) {
      POSTERN_TRY_VOID(set(config, key, *value, std::string(key.variable)));
    }
  }
  for (const auto& [name, value] : sources.flags) {
    const Key* key = key_of(name);
    if (key == nullptr || name == "profile") continue;
    std::string flag(name);
    std::replace(flag.begin(), flag.end(), '_', '-');
    POSTERN_TRY_VOID(set(config, *key, value, "flag --" + flag));
  }
  config.config_home = home_of(sources.environment, "XDG_CONFIG_HOME", "/.config");
  if (!config.config_home.empty()) config.config_home += "/postern";
  POSTERN_TRY(config.proxy, proxy_settings_of(sources.environment.values));
  POSTERN_TRY_VOID(load_servers(config, sources, files));
  config.terminal.json = sources.flags.contains("json");
  config.state_home = home_of(sources.environment, "XDG_STATE_HOME", "/.local/state");
  config.search_path = sources.environment.get("PATH").value_or("");
  config.session_bus = sources.environment.get("DBUS_SESSION_BUS_ADDRESS").value_or("");
  POSTERN_TRY_VOID(check(config, sources));
  return config;
}

const ServerConfig* Config::find_server(std::string_view name) const {
  const auto found =
      std::find_if(servers.begin(), servers.end(), [&](const ServerConfig& one) { return one.name == name; });
  return found == servers.end() ? nullptr : &*found;
}

std::optional<std::chrono::seconds> parse_duration(std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::int64_t unit = 1;
  const char last = text.back();
  if (last == 's' || last == 'm' || last == 'h') {
    unit = last == 's' ? 1 : last == 'm' ? 60 : 3600;
    text.remove_suffix(1);
  } else if (text != "0") {
    return std::nullopt;
  }
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || number < 0 || number > 86400 / unit)
    return std::nullopt;
  return std::chrono::seconds(number * unit);
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = 3;  // two edits at most
  for (const std::string& candidate : candidates) {
    std::vector<std::size_t> row(candidate.size() + 1);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = i;
    for (std::size_t i = 1; i <= word.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j < row.size(); ++j) {
        const std::size_t above = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (word[i - 1] == candidate[j - 1] ? 0U : 1U)});
        diagonal = above;
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

std::string ConfigInvalid::text() const {
  const bool ended = !reason.empty() && (reason.back() == '.' || reason.back() == '?');
  return "Wrong configuration (" + where + "): " + reason + (ended ? "" : ".");
}

}  // namespace postern::host
