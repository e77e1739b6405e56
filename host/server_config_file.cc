#include "host/server_config_file.h"

#include <sys/stat.h>

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <optional>

#include "bridge/tool_names.h"
#include "host/config.h"
#include "wire/base/file.h"
#include "wire/base/uri.h"
#include "wire/base/visible_text.h"

namespace postern::host {
namespace {

constexpr std::size_t kServersMax = 32;
constexpr std::size_t kNameBytesMax = 32;
constexpr std::size_t kValueBytesMax = 4096;
constexpr std::size_t kListMax = 256;

// What the desk is called in labels, logs and the terminal, and what stands for it there.
constexpr std::string_view kTaken[] = {"support-desk", "desk", "host", "server", "issuer", "postern"};

// Keys that other programs have, and what stands for them here.
struct OtherKey {
  std::string_view key;
  std::string_view here;
};
constexpr OtherKey kOtherKeys[] = {
    {"disabled", "write \"enabled\": false"},
    {"autoApprove", "which tools may be called without a question stands in the reviewed pins (\"confirm\": false)"},
    {"alwaysAllow", "which tools may be called without a question stands in the reviewed pins (\"confirm\": false)"},
    {"timeout", "write \"limits\": {\"request\": \"60s\"}"},
    {"serverUrl", "write \"url\""},
    {"envFile", "write \"env_from\": [\"NAME\"] for variables that this program has"},
    {"bearerToken", "a token never stands in the file: write \"bearer_token_env\": \"NAME\""},
    {"token", "a token never stands in the file: write \"bearer_token_env\": \"NAME\""},
    {"disabledTools", "tools are kept from the model in the reviewed pins (\"offer\": false)"},
    {"transport", "write \"type\": \"http\" or \"stdio\""},
};

bool is_server_name(std::string_view name) {
  if (name.empty() || name.size() > kNameBytesMax || name.front() < 'a' || name.front() > 'z' || name.back() == '-')
    return false;
  return name.find("--") == std::string_view::npos && std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

bool is_variable_name(std::string_view name) {
  if (name.empty() || name.size() > 128 || (name.front() >= '0' && name.front() <= '9')) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// "${NAME" anywhere: other programs put a variable's value there.
bool wants_expansion(std::string_view text) {
  for (std::size_t at = text.find("${"); at != std::string_view::npos; at = text.find("${", at + 2)) {
    const std::string_view rest = text.substr(at + 2);
    if (!rest.empty() && (is_variable_name(rest.substr(0, 1)))) return true;
  }
  return false;
}

// Where a command without its folder was probably meant to be. Nothing is started from what this finds.
std::string on_path(std::string_view command, std::string_view path) {
  if (command.empty() || command.find('/') != std::string_view::npos) return {};
  while (!path.empty()) {
    const std::size_t end = std::min(path.find(':'), path.size());
    const std::string candidate = std::string(path.substr(0, end)) + "/" + std::string(command);
    path.remove_prefix(std::min(end + 1, path.size()));
    struct stat status {};
    if (candidate.front() == '/' && stat(candidate.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
        (status.st_mode & 0111U) != 0)
      return candidate;
  }
  return {};
}

// One server's object, key by key.
class ServerReader {
 public:
  ServerReader(std::string name, const Json& object, const ServerFile& file)
      : object_(object), file_(file), place_("mcpServers." + name) {
    config_.name = std::move(name);
    config_.where = file.shown;
    config_.pins = file.pins_folder + "/" + config_.name + ".json";
  }
  Result<ServerConfig> read();

 private:
  using Set = std::function<Status(const Json&, const std::string&)>;
  struct Key {
    std::string_view name;
    Set set;
  };

  [[nodiscard]] Failure wrong(const std::string& place, std::string reason) const {
    return ConfigInvalid{file_.shown + ", " + place, std::move(reason)};
  }
  Status apply(const Json& object, const std::string& place, const std::vector<Key>& keys) const;
  Status check() const;
  Status check_http() const;
  Status check_stdio() const;
  Status read_oauth(const Json& value, const std::string& place);
  Status read_limits(const Json& value, const std::string& place);
  Status read_headers(const Json& value, const std::string& place);
  Status read_environment(const Json& value, const std::string& place);

  Set text(std::string& target) const;
  Set absolute(std::string& target) const;
  Set flag(bool& target) const;
  Set variable(std::string& target) const;
  Set texts(std::vector<std::string>& target, bool variables) const;
  Set duration(std::chrono::milliseconds& target) const;

  const Json& object_;
  const ServerFile& file_;
  std::string place_;
  ServerConfig config_;
  std::string type_;
};

ServerReader::Set ServerReader::text(std::string& target) const {
  return [this, &target](const Json& value, const std::string& place) -> Status {
    if (value.string() == nullptr || value.string()->empty() || value.string()->size() > kValueBytesMax)
      return wrong(place, "it is not a text of 1 to 4096 bytes");
    if (value.string()->find('\0') != std::string::npos) return wrong(place, "it holds a zero byte");
    if (wants_expansion(*value.string()))
      return wrong(place,
                   "\"${NAME}\" is not expanded here. Write the value itself; a variable goes to a program with "
                   "\"env_from\", and a token with \"bearer_token_env\"");
    target = *value.string();
    return {};
  };
}

ServerReader::Set ServerReader::absolute(std::string& target) const {
  return [this, &target](const Json& value, const std::string& place) -> Status {
    POSTERN_TRY_VOID(text(target)(value, place));
    if (target.front() != '/') return wrong(place, "\"" + visible_line(target, 120) + "\" is not an absolute path");
    return {};
  };
}

ServerReader::Set ServerReader::flag(bool& target) const {
  return [this, &target](const Json& value, const std::string& place) -> Status {
    if (!value.is_bool()) return wrong(place, "it is neither true nor false");
    target = *value.boolean();
    return {};
  };
}

ServerReader::Set ServerReader::variable(std::string& target) const {
  return [this, &target](const Json& value, const std::string& place) -> Status {
    if (value.string() == nullptr || !is_variable_name(*value.string()))
      return wrong(place, "it is not the name of a variable of the environment");
    target = *value.string();
    return {};
  };
}

ServerReader::Set ServerReader::texts(std::vector<std::string>& target, bool variables) const {
  return [this, &target, variables](const Json& value, const std::string& place) -> Status {
    if (!value.is_array() || value.size() > kListMax) return wrong(place, "it is not a list of at most 256 texts");
    target.clear();
    for (const Json& element : value.elements()) {
      std::string one;
      // An argument may be empty.
      if (variables) {
        POSTERN_TRY_VOID(variable(one)(element, place));
      } else if (element.string() == nullptr || !element.string()->empty()) {
        POSTERN_TRY_VOID(text(one)(element, place));
      }
      target.push_back(std::move(one));
    }
    return {};
  };
}

ServerReader::Set ServerReader::duration(std::chrono::milliseconds& target) const {
  return [this, &target](const Json& value, const std::string& place) -> Status {
    const auto time = value.string() == nullptr ? std::nullopt : parse_duration(*value.string());
    if (!time || time->count() == 0 || *time > std::chrono::hours(1))
      return wrong(place, "it is not a duration such as 30s or 5m, at most 1h");
    target = *time;
    return {};
  };
}

Status ServerReader::apply(const Json& object, const std::string& place, const std::vector<Key>& keys) const {
  if (!object.is_object()) return wrong(place, "it is not an object");
  for (const auto& [name, value] : object.members()) {
    const auto key = std::find_if(keys.begin(), keys.end(), [&name = name](const Key& k) { return k.name == name; });
    if (key != keys.end()) {
      POSTERN_TRY_VOID(key->set(value, place + "." + std::string(key->name)));
      continue;
    }
    const std::string shown = "\"" + visible_line(name, 80) + "\" is no key";
    const auto other = std::find_if(std::begin(kOtherKeys), std::end(kOtherKeys),
                                    [&name = name](const OtherKey& k) { return k.key == name; });
    if (other != std::end(kOtherKeys)) return wrong(place, shown + " here: " + std::string(other->here));
    std::vector<std::string> names;
    std::string all;
    for (const Key& known : keys) {
      names.emplace_back(known.name);
      all += (all.empty() ? "" : ", ") + std::string(known.name);
    }
    const std::string near = nearest(name, names);
    return wrong(place, shown + (near.empty() ? ". The keys: " + all : "; did you mean \"" + near + "\"?"));
  }
  return {};
}

Status ServerReader::read_oauth(const Json& value, const std::string& place) {
  OAuthConfig& oauth = config_.oauth;
  const auto url = [this](std::string& target) {
    return [this, &target](const Json& json, const std::string& where) -> Status {
      POSTERN_TRY_VOID(text(target)(json, where));
      if (!parse_uri(target)) return wrong(where, "it is not an http or https URL");
      return {};
    };
  };
  return apply(value, place,
               {{"enabled", flag(oauth.enabled)},
                {"issuer", url(oauth.issuer)},
                {"client_id", text(oauth.client_id)},
                {"client_secret_file", absolute(oauth.client_secret_file)},
                {"client_key_file", absolute(oauth.client_key_file)},
                {"client_metadata_url", url(oauth.client_metadata_url)},
                {"dynamic_registration", flag(oauth.dynamic_registration)},
                {"dpop", flag(oauth.dpop)},
                {"scopes",
                 [&](const Json& json, const std::string& where) -> Status {
                   const auto scopes = json.string() == nullptr ? std::nullopt : [&]() -> std::optional<ScopeSet> {
                     auto parsed = ScopeSet::parse(*json.string());
                     if (!parsed) return std::nullopt;
                     return *std::move(parsed);
                   }();
                   if (!scopes) return wrong(where, "it is not scopes with a blank between each two");
                   oauth.scopes_max = *scopes;
                   return {};
                 }},
                {"flow", [&](const Json& json, const std::string& where) -> Status {
                   const std::string flow = json.string() == nullptr ? "" : *json.string();
                   if (flow != "browser" && flow != "device" && flow != "client_credentials")
                     return wrong(where, "it is not browser, device or client_credentials");
                   oauth.flow = flow == "browser"  ? OAuthConfig::Flow::kBrowser
                                : flow == "device" ? OAuthConfig::Flow::kDevice
                                                   : OAuthConfig::Flow::kClientCredentials;
                   return {};
                 }}});
}

Status ServerReader::read_limits(const Json& value, const std::string& place) {
  const auto number = [this](std::int64_t least, std::int64_t most, const std::function<void(std::int64_t)>& take) {
    return [this, least, most, take](const Json& json, const std::string& where) -> Status {
      const auto given = json.integer();
      if (!given || *given < least || *given > most)
        return wrong(where, "it is not a whole number from " + std::to_string(least) + " to " + std::to_string(most));
      take(*given);
      return {};
    };
  };
  return apply(
      value, place,
      {{"request", duration(config_.request_ms_max)},
       {"silence", duration(config_.silence_ms_max)},
       {"response_bytes",
        number(1024, 64 * 1024 * 1024,
               [&](std::int64_t given) { config_.response_bytes_max = static_cast<std::size_t>(given); })},
       {"calls", number(1, 10'000, [&](std::int64_t given) { config_.calls_max = static_cast<int>(given); })}});
}

// Of the form that other programs have, one thing is taken: a bearer token that stands in the environment.
Status ServerReader::read_headers(const Json& value, const std::string& place) {
  constexpr std::string_view kForm = "Bearer ${";
  const std::string only =
      R"(headers are not taken from the file, but for one: {"Authorization": "Bearer ${NAME}"}, where NAME is a variable)"
      " that holds the token. \"bearer_token_env\": \"NAME\" says the same";
  if (!value.is_object() || value.size() != 1) return wrong(place, only);
  std::string header = value.members().front().first;
  std::transform(header.begin(), header.end(), header.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  const std::string* text = value.members().front().second.string();
  if (header != "authorization" || text == nullptr) return wrong(place, only);
  if (text->substr(0, kForm.size()) != kForm || text->back() != '}') {
    return wrong(place,
                 "a token never stands in the file. Put it into a variable of the environment, and write "
                 "\"bearer_token_env\": \"NAME\"");
  }
  const std::string name = text->substr(kForm.size(), text->size() - kForm.size() - 1);
  if (!is_variable_name(name)) return wrong(place, only);
  config_.bearer_token_env = name;
  return {};
}

Status ServerReader::read_environment(const Json& value, const std::string& place) {
  if (!value.is_object() || value.size() > kListMax) return wrong(place, "it is not an object of texts");
  for (const auto& [name, member] : value.members()) {
    if (!is_variable_name(name))
      return wrong(place, "\"" + visible_line(name, 80) + "\" is not the name of a variable");
    std::string one;
    if (member.string() == nullptr || !member.string()->empty())
      POSTERN_TRY_VOID(text(one)(member, place + "." + visible_line(name, 80)));
    config_.environment.emplace_back(name, std::move(one));
  }
  return {};
}

Status ServerReader::check_http() const {
  const Result<Uri> uri = parse_uri(config_.url);
  if (!uri) return wrong(place_ + ".url", "\"" + visible_line(config_.url, 120) + "\" is not an http or https URL");
  if (uri->scheme == "http" && !uri->is_loopback()) {
    return wrong(place_ + ".url", "http is for servers on this machine: what is sent to " +
                                      visible_line(uri->host, 80) +
                                      " could be read and changed on the way. Write an https URL");
  }
  if (!config_.args.empty() || !config_.environment.empty() || !config_.environment_from.empty() ||
      !config_.working_folder.empty())
    return wrong(place_, "args, env, env_from and cwd are for a server with a \"command\"");
  if (!config_.bearer_token_env.empty() && object_.has("oauth"))
    return wrong(place_, "bearer_token_env and oauth exclude each other");
  return {};
}

Status ServerReader::check_stdio() const {
  for (const char* key : {"ca_file", "bearer_token_env", "headers", "oauth"}) {
    if (object_.has(key)) return wrong(place_, std::string(key) + " is for a server with a \"url\"");
  }
  if (config_.command.front() != '/') {
    const std::string found = on_path(config_.command, file_.program_path);
    return wrong(place_ + ".command", "\"" + visible_line(config_.command, 120) +
                                          "\" is not an absolute path. It says which program is " +
                                          "started, wherever this one is started from" +
                                          (found.empty() ? "" : ". On the path it is " + visible_line(found, 200)));
  }
  // Whoever can write the file can start programs as this person.
  const Result<unsigned> mode = file_mode(file_.path);
  if (mode && (*mode & 022U) != 0) {
    return wrong(place_,
                 "others can write this file, and it names programs to be started. Take that away: chmod go-w " +
                     visible_line(file_.path, 200));
  }
  return {};
}

Status ServerReader::check() const {
  if (config_.url.empty() == config_.command.empty())
    return wrong(place_, "it needs either \"command\" (a program that is started) or \"url\"");
  if (!type_.empty() && (type_ == "http") != config_.is_http())
    return wrong(place_,
                 "\"type\" is " + type_ + ", and that has " + (type_ == "http" ? "a \"url\"" : "a \"command\""));
  if (config_.silence_ms_max > config_.request_ms_max)
    return wrong(place_ + ".limits", "\"silence\" is longer than \"request\"");
  return config_.is_http() ? check_http() : check_stdio();
}

Result<ServerConfig> ServerReader::read() {
  if (!is_server_name(config_.name)) {
    return wrong("mcpServers", "\"" + visible_line(config_.name, 60) +
                                   "\" is no name of a server: 1 to 32 of a-z, 0-9 and single dashes, a letter first");
  }
  const auto type = [this](const Json& value, const std::string& place) -> Status {
    const std::string given = value.string() == nullptr ? "" : *value.string();
    if (given == "http" || given == "stdio") {
      type_ = given;
      return {};
    }
    if (given == "sse") {
      return wrong(place,
                   "\"sse\" is the transport of 2024-11-05, which this program does not speak. Most of its servers "
                   "have an endpoint for \"http\" too");
    }
    if (given == "streamable-http" || given == "streamableHttp" || given == "streamable_http")
      return wrong(place, "it is called \"http\" here");
    return wrong(place, "it is neither http nor stdio");
  };
  const auto era = [this](const Json& value, const std::string& place) -> Status {
    const std::string given = value.string() == nullptr ? "" : *value.string();
    if (given != "pin" && given != "auto" && given != "legacy") return wrong(place, "it is not pin, auto or legacy");
    config_.era = given == "pin"    ? bridge::EraChoice::kPin
                  : given == "auto" ? bridge::EraChoice::kAuto
                                    : bridge::EraChoice::kLegacy;
    return {};
  };
  const auto bound = [this](Status (ServerReader::*reader)(const Json&, const std::string&)) {
    return [this, reader](const Json& value, const std::string& place) { return (this->*reader)(value, place); };
  };
  POSTERN_TRY_VOID(apply(object_, place_,
                         {{"type", type},
                          {"command", text(config_.command)},
                          {"args", texts(config_.args, false)},
                          {"env", bound(&ServerReader::read_environment)},
                          {"env_from", texts(config_.environment_from, true)},
                          {"cwd", absolute(config_.working_folder)},
                          {"url", text(config_.url)},
                          {"ca_file", absolute(config_.ca_file)},
                          {"headers", bound(&ServerReader::read_headers)},
                          {"bearer_token_env", variable(config_.bearer_token_env)},
                          {"oauth", bound(&ServerReader::read_oauth)},
                          {"era", era},
                          {"pins", absolute(config_.pins)},
                          {"enabled", flag(config_.enabled)},
                          {"limits", bound(&ServerReader::read_limits)}}));
  POSTERN_TRY_VOID(check());
  return std::move(config_);
}

}  // namespace

std::string_view text_of(bridge::EraChoice era) {
  switch (era) {
    case bridge::EraChoice::kPin:
      return "pinned";
    case bridge::EraChoice::kAuto:
      return "auto";
    case bridge::EraChoice::kLegacy:
      break;
  }
  return "legacy";
}

Result<std::map<std::string, ServerConfig>> read_servers(const Json& servers, const ServerFile& file) {
  if (!servers.is_object()) return ConfigInvalid{file.shown, "mcpServers is not an object"};
  if (servers.size() > kServersMax) return ConfigInvalid{file.shown, "mcpServers has more than 32 servers"};
  std::map<std::string, ServerConfig> read;
  for (const auto& [name, value] : servers.members()) {
    POSTERN_TRY(ServerConfig config, ServerReader(name, value, file).read());
    read.emplace(name, std::move(config));
  }
  return read;
}

std::string place_of(const ServerConfig& server) {
  if (server.is_http()) {
    // A query may hold a key.
    const std::size_t query = server.url.find('?');
    return visible_line(server.url.substr(0, query), 300) + (query == std::string::npos ? "" : "?…");
  }
  std::string place = server.command;
  // The script that an interpreter is given, and no argument that could hold a password.
  const bool has_script = !server.args.empty() && server.args.front().starts_with("/");
  if (has_script) place += " " + server.args.front();
  if (server.args.size() > (has_script ? 1U : 0U)) place += " …";
  return visible_line(place, 300);
}

Status check_server_names(const std::vector<ServerConfig>& servers) {
  std::map<std::string, std::string> seen;
  for (const std::string_view taken : kTaken) seen.emplace(bridge::look_alike_key(taken), "");
  for (const ServerConfig& server : servers) {
    const auto [other, fresh] = seen.emplace(bridge::look_alike_key(server.name), server.name);
    if (fresh) continue;
    if (other->second.empty()) {
      return ConfigInvalid{server.where, "a server may not be called \"" + server.name +
                                             "\": that is, or looks like, what the desk's side is called here"};
    }
    return ConfigInvalid{server.where, "the servers \"" + other->second + "\" and \"" + server.name +
                                           "\" look alike. Name one of them otherwise"};
  }
  return {};
}

}  // namespace postern::host
