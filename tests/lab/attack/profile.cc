#include "tests/lab/attack/profile.h"

#include <algorithm>

#include "tests/lab/attack/forged_token.h"
#include "wire/base/file.h"
#include "wire/base/visible_text.h"

namespace postern::lab {
namespace {

constexpr std::size_t kBytesMax = 256 * 1024;

// Reads the members of one object, and knows which of them nobody asked for.
class Members {
 public:
  Members(const std::string& file, const Json& json, std::string where)
      : file_(file), json_(json), where_(std::move(where)) {}

  [[nodiscard]] Failure bad(const std::string& reason) const {
    return BadProfile{file_, where_ + (where_.empty() ? "" : ": ") + reason};
  }
  [[nodiscard]] Status only(std::initializer_list<std::string_view> names) const {
    if (!json_.is_object()) return bad("it is no object");
    for (const auto& [name, value] : json_.members()) {
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        return bad("there is no key \"" + visible_line(name, 40) + "\"");
      }
    }
    return {};
  }
  [[nodiscard]] Result<std::string> text(std::string_view name, bool required = false) const {
    const Json* value = json_.find(name);
    if (value == nullptr && !required) return std::string();
    if (value == nullptr || value->string() == nullptr || value->string()->empty()) {
      return bad("\"" + std::string(name) + "\" must be a text");
    }
    return *value->string();
  }
  [[nodiscard]] Result<Json> object(std::string_view name) const {
    const Json* value = json_.find(name);
    if (value == nullptr) return Json::object();
    if (!value->is_object()) return bad("\"" + std::string(name) + "\" must be an object");
    return *value;
  }

 private:
  const std::string& file_;
  const Json& json_;
  std::string where_;
};

Result<KeptToken> kept_token(const std::string& file, const Json& json, const std::string& where) {
  const Members members(file, json, where);
  POSTERN_TRY_VOID(members.only({"env", "file"}));
  KeptToken token;
  POSTERN_TRY(token.environment, members.text("env"));
  POSTERN_TRY(token.file, members.text("file"));
  if (token.environment.empty() == token.file.empty())
    return members.bad("it must have exactly one of \"env\" and \"file\"");
  return token;
}

bool is_token_name(std::string_view name) {
  const auto& ways = forgery_ways();
  return name == "other" || name.find(':') != std::string_view::npos ||
         std::find(ways.begin(), ways.end(), name) != ways.end();
}

Result<ProfilePerson> person_of(const std::string& file, const Json& json, const std::string& name) {
  const Members members(file, json, "people." + name);
  POSTERN_TRY_VOID(members.only({"login_hint", "tokens"}));
  ProfilePerson person;
  POSTERN_TRY(person.login_hint, members.text("login_hint"));
  POSTERN_TRY(const Json tokens, members.object("tokens"));
  for (const auto& [token, where] : tokens.members()) {
    if (!is_token_name(token)) {
      return members.bad("\"" + visible_line(token, 40) + "\" is neither a scope nor what may be wrong with a token");
    }
    POSTERN_TRY(KeptToken kept, kept_token(file, where, "people." + name + ".tokens." + token));
    person.tokens.emplace(token, std::move(kept));
  }
  return person;
}

Status check_tools(const std::string& file, const Json& tools) {
  for (const auto& [tool, row] : tools.members()) {
    const Members members(file, row, "tools." + visible_line(tool, 40));
    if (row.is_null()) continue;
    POSTERN_TRY_VOID(members.only({"name", "arguments"}));
    POSTERN_TRY_VOID(members.text("name"));
    POSTERN_TRY(const Json arguments, members.object("arguments"));
    for (const auto& [argument, own] : arguments.members()) {
      if (!own.is_null() && own.string() == nullptr) return members.bad("an argument is a name, or null");
    }
  }
  return {};
}

}  // namespace

bool Profile::admits(const Uri& uri) const {
  return uri.is_loopback() || std::find(hosts.begin(), hosts.end(), uri.host) != hosts.end();
}

Result<Profile> profile_of_text(const std::string& file, std::string_view text) {
  const auto json = parse_json(text);
  if (!json) return BadProfile{file, json.error().text()};
  const Members members(file, *json, "");
  POSTERN_TRY_VOID(members.only(
      {"name", "hosts", "issuer", "client_id", "redirect_uri", "other_resource", "people", "tools", "approval"}));
  Profile profile;
  POSTERN_TRY(profile.name, members.text("name", true));
  POSTERN_TRY(profile.issuer, members.text("issuer"));
  POSTERN_TRY(profile.client_id, members.text("client_id", !profile.issuer.empty()));
  POSTERN_TRY(profile.redirect_uri, members.text("redirect_uri", !profile.issuer.empty()));
  POSTERN_TRY(profile.other_resource, members.text("other_resource"));
  if (const Json* hosts = json->find("hosts")) {
    if (!hosts->is_array()) return members.bad("\"hosts\" must be a list of names");
    for (const Json& host : hosts->elements()) {
      if (host.string() == nullptr) return members.bad("\"hosts\" must be a list of names");
      profile.hosts.push_back(*host.string());
    }
  }
  POSTERN_TRY(const Json people, members.object("people"));
  for (const auto& [name, person] : people.members()) {
    if (name != "rowan" && name != "quinn" && name != "morgan") return members.bad("there are rowan, quinn and morgan");
    POSTERN_TRY(ProfilePerson read, person_of(file, person, name));
    profile.people.emplace(name, std::move(read));
  }
  POSTERN_TRY(const Json tools, members.object("tools"));
  POSTERN_TRY_VOID(check_tools(file, tools));
  profile.tools = ToolNames(tools);
  POSTERN_TRY(const Json approval, members.object("approval"));
  const Members of_approval(file, approval, "approval");
  POSTERN_TRY_VOID(of_approval.only({"method", "origin", "bearer_scope"}));
  POSTERN_TRY(profile.approval.method, of_approval.text("method"));
  POSTERN_TRY(profile.approval.bearer_scope, of_approval.text("bearer_scope"));
  POSTERN_TRY(profile.approval.origin, of_approval.text("origin"));
  if (!profile.approval.origin.empty()) {
    const auto origin = parse_uri(profile.approval.origin);
    if (!origin || origin->origin() != profile.approval.origin)
      return of_approval.bad("\"origin\" must be one, such as http://127.0.0.1:8080");
  }
  if (!profile.approval.method.empty() && profile.approval.method != "POST")
    return of_approval.bad("the only method is POST");
  return profile;
}

Result<Profile> read_profile(const std::string& file) {
  const auto text = read_file(file, kBytesMax);
  if (!text) return BadProfile{visible_line(file, 200), "it cannot be read"};
  return profile_of_text(visible_line(file, 200), *text);
}

}  // namespace postern::lab
