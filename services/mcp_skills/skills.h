// Skills that a server offers: the extension io.modelcontextprotocol/skills (SEP-2640), with directoryRead.
//
//   SkillRow skill;
//   skill.uri = "skill://demo-skill/SKILL.md";
//   skill.name = "demo-skill";
//   skill.description = "A demo skill";
//   skill.skill_md = "---\nname: demo-skill\ndescription: A demo skill\n---\n\n# Demo\n";
//   skill.files = {{"skill://demo-skill/references/FORMS.md", "text/markdown", "forms\n"}};
//   POSTERN_TRY(const auto skills, Skills::make({skill}));
//   features.extensions.push_back(skills);
//
// skills/list and skills/get give the front matter and each file with its size and digest; resources/directory/read
// lists a folder of a skill; the files themselves are resources of the server, read with resources/read. All of it is
// computed when it is made. Immutable, thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/mcp/extension.h"
#include "wire/base/json.h"
#include "wire/base/result.h"

namespace postern::mcp {

inline constexpr std::string_view kSkillsExtension = "io.modelcontextprotocol/skills";

struct SkillFile {
  std::string uri;        // below the folder of the skill
  std::string mime_type;  // text/*, application/json and the like are served as text when they are UTF-8
  std::string bytes;
};

struct SkillRow {
  std::string uri;               // of its SKILL.md; the segment before that is the name
  std::string name;              // as in the front matter, which has the same words
  std::string description;       // likewise
  std::string skill_md;          // begins with the front matter (front_matter.h says what is read)
  std::vector<SkillFile> files;  // without SKILL.md
};

struct SkillListOptions {
  std::size_t page_size = 0;  // of skills/list and of a folder; 0: one page
  std::int64_t ttl_ms = 60'000;
  std::string cache_scope = "public";
};

class Skills final : public Extension {
 public:
  // SEP-2640, "Limits".
  static constexpr std::size_t kFilesMax = 512;
  static constexpr std::size_t kBytesMax = 16 * 1024 * 1024;

  // `skills.bad_skill` names the skill that cannot be served, and why.
  [[nodiscard]] static Result<std::shared_ptr<Skills>> make(std::vector<SkillRow> rows, SkillListOptions options = {});

  [[nodiscard]] std::string_view identifier() const override { return kSkillsExtension; }
  [[nodiscard]] Json settings() const override { return Json::object({{"directoryRead", true}}); }
  // skills/list, skills/get, resources/directory/read. Failures: mcp.unknown_cursor, skills.unknown_skill,
  // skills.not_a_directory, mcp.malformed_params. A client need not declare anything.
  [[nodiscard]] std::vector<ExtensionMethod> methods() override;
  [[nodiscard]] std::vector<ResourceRow> resources() override { return resources_; }

 private:
  using Pages = std::map<std::string, Json, std::less<>>;  // by cursor; the first page by ""

  Skills() = default;
  [[nodiscard]] Result<Json> list(const MethodCall& call) const;
  [[nodiscard]] Result<Json> get(const MethodCall& call) const;
  [[nodiscard]] Result<Json> read_directory(const MethodCall& call) const;

  Pages list_pages_;
  std::map<std::string, Json, std::less<>> skills_;        // the result of skills/get by URI
  std::map<std::string, Pages, std::less<>> directories_;  // by URI, without a trailing slash
  std::vector<ResourceRow> resources_;
};

}  // namespace postern::mcp
