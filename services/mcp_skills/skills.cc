#include "services/mcp_skills/skills.h"

#include <algorithm>
#include <set>
#include <utility>

#include "services/mcp/failures.h"
#include "services/mcp/list_pages.h"
#include "services/mcp_skills/failures.h"
#include "services/mcp_skills/front_matter.h"
#include "wire/base/bytes.h"
#include "wire/base/digest.h"
#include "wire/mcp/codec.h"

namespace postern::mcp {
namespace {

constexpr std::string_view kSkillFile = "/SKILL.md";
constexpr std::size_t kNameMax = 64;           // Agent Skills, "name"
constexpr std::size_t kDescriptionMax = 1024;  // Agent Skills, "description"
// Texts that were written here a moment ago.
constexpr JsonBounds kOwnText{Skills::kBytesMax * 8, 64};

bool is_lower_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

// Agent Skills: lower-case letters, digits and single hyphens within.
bool is_skill_name(std::string_view name) {
  return !name.empty() && name.size() <= kNameMax && name.front() != '-' && name.back() != '-' &&
         name.find("--") == std::string_view::npos &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_lower_or_digit(c) || c == '-'; });
}

// Unreserved characters of RFC 3986, and no step within the path.
bool is_segment(std::string_view segment) {
  return !segment.empty() && segment != "." && segment != ".." &&
         std::all_of(segment.begin(), segment.end(), [](char c) {
           return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' || c == '_' || c == '~';
         });
}

bool is_path(std::string_view path) {
  for (;;) {
    const std::size_t slash = path.find('/');
    if (!is_segment(path.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

bool is_skill_uri(std::string_view uri) {
  const std::size_t colon = uri.find("://");
  return colon != std::string_view::npos && is_segment(uri.substr(0, colon)) && is_path(uri.substr(colon + 3)) &&
         uri.ends_with(kSkillFile);
}

std::string_view last_segment(std::string_view uri) {
  return uri.substr(uri.rfind('/') + 1);
}

// The URI of the folder that a file or folder stands in; empty above the first segment.
std::string_view parent_of(std::string_view uri) {
  const std::size_t slash = uri.rfind('/');
  if (slash == std::string_view::npos || uri.substr(0, slash).ends_with('/')) return {};
  return uri.substr(0, slash);
}

Json contents_of(const SkillFile& file) {
  Json content = Json::object({{"uri", file.uri}, {"mimeType", file.mime_type}});
  const std::string& type = file.mime_type;
  const bool textual = type.starts_with("text/") || type == "application/json" || type == "application/yaml" ||
                       type.ends_with("+json") || type.ends_with("+xml");
  // As text only when the client gets the very bytes that the digest is of.
  const auto read_back = textual ? parse_json(Json(file.bytes).dump(), kOwnText) : Json();
  if (read_back && read_back->is_string() && *read_back->string() == file.bytes)
    content.append_member("text", file.bytes);
  else
    content.append_member("blob", base64(file.bytes));
  return Json::array({std::move(content)});
}

ResourceRow resource_row(Json definition, const SkillFile& file, const SkillListOptions& options) {
  ResourceRow row;
  row.definition = std::move(definition);
  const auto result = std::make_shared<const ReadResourceResult>(
      ReadResourceResult{contents_of(file), options.ttl_ms, options.cache_scope});
  row.handler = [result](const ReadCall&) -> Result<ReadOutcome> { return ReadOutcome(*result); };
  return row;
}

Json definition_of(const SkillFile& file, std::string_view name) {
  return Json::object({{"uri", file.uri},
                       {"name", name},
                       {"mimeType", file.mime_type},
                       {"size", static_cast<std::int64_t>(file.bytes.size())}});
}

Status check_files(const SkillRow& row) {
  const std::string root = row.uri.substr(0, row.uri.size() - kSkillFile.size()) + "/";
  if (row.files.size() >= Skills::kFilesMax) return BadSkill{row.uri, "it has more than 512 files"};
  std::size_t bytes = row.skill_md.size();
  for (const SkillFile& file : row.files) {
    if (!file.uri.starts_with(root) || !is_path(std::string_view(file.uri).substr(root.size())))
      return BadSkill{row.uri,
                      "the URI of one of its files is not below its folder, or has other characters than "
                      "letters, digits, '-', '.', '_' and '~'"};
    if (file.mime_type.find('/') == std::string::npos) return BadSkill{row.uri, "one of its files has no media type"};
    bytes += file.bytes.size();
  }
  if (bytes > Skills::kBytesMax) return BadSkill{row.uri, "its files have more than 16 MiB"};
  return {};
}

// The front matter of a row that may be served.
Result<Json> check_row(const SkillRow& row) {
  if (!is_skill_uri(row.uri)) return BadSkill{row.uri, "its URI is not <scheme>://<path>/SKILL.md"};
  if (!is_skill_name(row.name)) return BadSkill{row.uri, "its name is not one of lower-case words with hyphens"};
  const std::string_view root = parent_of(row.uri);
  if (last_segment(root) != row.name) return BadSkill{row.uri, "its folder does not have its name"};
  if (row.description.empty() || row.description.size() > kDescriptionMax)
    return BadSkill{row.uri, "its description is empty or longer than 1024 bytes"};
  POSTERN_TRY(Json front, read_front_matter(row.skill_md, row.uri));
  if (front.string_at("name") != row.name) return BadSkill{row.uri, "its front matter has another name"};
  if (front.string_at("description") != row.description)
    return BadSkill{row.uri, "its front matter has another description"};
  POSTERN_TRY_VOID(check_files(row));
  return front;
}

// The folders of all files, each with its children in the order of their URIs.
class SkillFolders {
 public:
  // `skills.bad_skill` when the URI is a file or a folder already.
  Status add_file(const SkillRow& skill, const std::string& uri, Json definition) {
    if (!uris_.insert(uri).second) return BadSkill{skill.uri, "two files have one URI, or a file that of a folder"};
    std::string child = uri;
    for (std::string parent(parent_of(uri)); !parent.empty(); parent = std::string(parent_of(parent))) {
      const bool is_new = folders_.find(parent) == folders_.end();
      if (is_new && !uris_.insert(parent).second) return BadSkill{skill.uri, "a folder has the URI of a file"};
      folders_[parent].insert_or_assign(child, std::move(definition));
      if (!is_new) break;
      definition = Json::object({{"uri", parent}, {"name", last_segment(parent)}, {"mimeType", "inode/directory"}});
      child = parent;
    }
    return {};
  }
  // By URI of the folder, then of the child.
  [[nodiscard]] const std::map<std::string, std::map<std::string, Json>>& folders() const { return folders_; }

 private:
  std::set<std::string> uris_;
  std::map<std::string, std::map<std::string, Json>> folders_;
};

// As the core cuts its own lists (server/utilities/pagination), by cursor.
std::map<std::string, Json, std::less<>> cut(const std::string& member, const std::vector<Json>& rows,
                                             const SkillListOptions& options) {
  const ListPages pages(member, rows, options.page_size, {options.ttl_ms, options.cache_scope});
  std::map<std::string, Json, std::less<>> by_cursor;
  std::optional<std::string> cursor;
  do {
    Json page = *parse_json("{" + *pages.page(cursor) + "}", kOwnText);
    page.erase("resultType");  // of the core
    const std::string next(page.string_at("nextCursor"));
    by_cursor.emplace(cursor.value_or(""), std::move(page));
    cursor = next.empty() ? std::nullopt : std::optional(next);
  } while (cursor);
  return by_cursor;
}

Result<Json> page_of(const std::map<std::string, Json, std::less<>>& pages, const Json& params) {
  POSTERN_TRY(const auto cursor, read_cursor(params));
  const auto found = pages.find(cursor.value_or(""));
  if (found == pages.end() || (cursor && cursor->empty())) return UnknownCursor{};
  return found->second;
}

Result<std::string> read_uri(const Json& params) {
  const Json* uri = params.find("uri");
  if (uri == nullptr || !uri->is_string()) return MalformedParams{"params.uri", "a string"};
  return *uri->string();
}

}  // namespace

Result<std::shared_ptr<Skills>> Skills::make(std::vector<SkillRow> rows, SkillListOptions options) {
  std::shared_ptr<Skills> skills(new Skills);
  SkillFolders folders;
  std::set<std::string> names;
  std::vector<Json> listed;
  for (SkillRow& row : rows) {
    POSTERN_TRY(Json front, check_row(row));
    if (!names.insert(row.name).second) return BadSkill{row.uri, "another skill has its name"};
    row.files.insert(row.files.begin(), SkillFile{row.uri, "text/markdown", std::move(row.skill_md)});
    Json files = Json::array();
    for (const SkillFile& file : row.files) {
      const bool is_skill_md = file.uri == row.uri;
      Json definition = definition_of(file, is_skill_md ? row.name : last_segment(file.uri));
      if (is_skill_md) definition.append_member("description", row.description);
      POSTERN_TRY_VOID(folders.add_file(row, file.uri, definition));
      files.push(Json::object({{"uri", file.uri},
                               {"digest", "sha256:" + sha256_hex(file.bytes)},
                               {"size", static_cast<std::int64_t>(file.bytes.size())}}));
      skills->resources_.push_back(resource_row(std::move(definition), file, options));
    }
    Json entry = Json::object({{"uri", row.uri}, {"frontmatter", std::move(front)}, {"resources", std::move(files)}});
    skills->skills_.emplace(
        row.uri, Json::object({{"skill", entry}, {"ttlMs", options.ttl_ms}, {"cacheScope", options.cache_scope}}));
    listed.push_back(std::move(entry));
  }
  // A skill in the folder of another one would be part of both (SEP-2640, "Nested skills"); none of ours is.
  for (const SkillRow& row : rows) {
    const std::string root = std::string(parent_of(row.uri)) + "/";
    for (const SkillRow& other : rows) {
      if (&other != &row && other.uri.starts_with(root))
        return BadSkill{other.uri, "it stands in the folder of another skill"};
    }
  }
  skills->list_pages_ = cut("skills", listed, options);
  for (const auto& [uri, children] : folders.folders()) {
    std::vector<Json> definitions;
    for (const auto& [child, definition] : children) definitions.push_back(definition);
    skills->directories_.emplace(uri, cut("resources", definitions, options));
  }
  return skills;
}

std::vector<ExtensionMethod> Skills::methods() {
  const auto method = [](const char* name, std::function<Result<Json>(const MethodCall&)> handler) {
    ExtensionMethod row;
    row.name = name;
    row.handler = std::move(handler);
    return row;
  };
  return {method("skills/list", [this](const MethodCall& call) { return list(call); }),
          method("skills/get", [this](const MethodCall& call) { return get(call); }),
          method("resources/directory/read", [this](const MethodCall& call) { return read_directory(call); })};
}

Result<Json> Skills::list(const MethodCall& call) const {
  return page_of(list_pages_, call.params);
}

Result<Json> Skills::get(const MethodCall& call) const {
  POSTERN_TRY(const std::string uri, read_uri(call.params));
  const auto found = skills_.find(uri);
  if (found == skills_.end()) return UnknownSkill{};
  return found->second;
}

Result<Json> Skills::read_directory(const MethodCall& call) const {
  POSTERN_TRY(const std::string uri, read_uri(call.params));
  const auto found = directories_.find(uri);
  if (found == directories_.end()) return NotADirectory{};
  return page_of(found->second, call.params);
}

}  // namespace postern::mcp
