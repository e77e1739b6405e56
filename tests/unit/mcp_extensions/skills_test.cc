// Proves what a server says of its skills (SEP-2640): front matter as written, sizes and digests of the bytes that
// resources/read gives, folders; and that a skill which a client would refuse is not served at all.
#include "services/mcp_skills/skills.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "services/mcp_skills/failures.h"
#include "services/mcp_skills/front_matter.h"
#include "tests/support/refused.h"
#include "tests/unit/mcp_extensions/extension_server.h"
#include "wire/base/bytes.h"
#include "wire/base/digest.h"

namespace postern::mcp {
namespace {

using test::json_of_text;
using test::refused;
using test::succeeded;

constexpr const char* kDemo = "skill://demo-skill/SKILL.md";

SkillRow demo() {
  SkillRow row;
  row.uri = kDemo;
  row.name = "demo-skill";
  row.description = "A demo skill";
  row.skill_md = "---\nname: demo-skill\ndescription: A demo skill\nlicense: \"1.0\"\n---\n\n# Demo\n";
  row.files = {{"skill://demo-skill/references/FORMS.md", "text/markdown", "forms\n"},
               {"skill://demo-skill/references/deep/a.bin", "application/octet-stream", std::string("\0\xff", 2)},
               {"skill://demo-skill/odd.txt", "text/plain", "not UTF-8: \xff"}};
  return row;
}

SkillRow named(const std::string& path, const std::string& name) {
  SkillRow row;
  row.uri = "skill://" + path + "/SKILL.md";
  row.name = name;
  row.description = "Another one";
  row.skill_md = "---\nname: " + name + "\ndescription: Another one\n---\n";
  return row;
}

class SkillsOfAServer : public testing::Test {
 protected:
  void serve(std::vector<SkillRow> rows, SkillListOptions options = {}) {
    const auto skills = Skills::make(std::move(rows), options);
    ASSERT_TRUE(succeeded(skills));
    ServerFeatures features;
    features.extensions.push_back(*skills);
    server_.serve(std::move(features));
  }
  // What a client gets by resources/read: the bytes, decoded.
  std::string bytes_of(const Json& uri) {
    const Json read = server_.result_of("resources/read", Json::object({{"uri", uri}}));
    const Json* contents = read.find("contents");
    if (contents == nullptr || contents->size() != 1) return "not read";
    const Json& content = contents->elements()[0];
    if (const Json* blob = content.find("blob")) return *base64_decode(*blob->string());
    return std::string(content.string_at("text"));
  }
  Json directory(const char* uri) {
    return server_.result_of("resources/directory/read", Json::object({{"uri", uri}}));
  }
  static std::vector<std::string> members(const Json& result, std::string_view list, std::string_view member) {
    std::vector<std::string> found;
    const Json* rows = result.find(list);
    if (rows == nullptr) return {"no list"};
    for (const Json& row : rows->elements()) found.emplace_back(row.string_at(member));
    return found;
  }
  test::ExtensionServer server_;
};

TEST_F(SkillsOfAServer, AreAdvertisedWithTheirResources) {
  serve({demo()});
  const Json discovered = server_.result_of("server/discover", Json::object());
  EXPECT_EQ(*discovered.find("capabilities"),
            json_of_text(R"({"resources":{},"extensions":{"io.modelcontextprotocol/skills":{"directoryRead":true}}})"));
}

TEST_F(SkillsOfAServer, AreListedWithSizesAndDigestsOfWhatIsRead) {
  serve({demo(), named("acme/billing/refunds", "refunds")});
  const Json listed = server_.result_of("skills/list", Json::object());
  EXPECT_EQ(listed.string_at("resultType"), "complete");
  EXPECT_EQ(listed.integer_at("ttlMs"), 60'000);
  EXPECT_EQ(listed.string_at("cacheScope"), "public");
  EXPECT_FALSE(listed.has("nextCursor"));
  EXPECT_EQ(members(listed, "skills", "uri"),
            (std::vector<std::string>{kDemo, "skill://acme/billing/refunds/SKILL.md"}));
  const Json& skill = listed.find("skills")->elements()[0];
  EXPECT_EQ(*skill.find("frontmatter"),
            json_of_text(R"({"name":"demo-skill","description":"A demo skill","license":"1.0"})"));
  ASSERT_EQ(skill.find("resources")->size(), 4U);
  for (const Json& file : skill.find("resources")->elements()) {
    const std::string bytes = bytes_of(*file.find("uri"));
    EXPECT_EQ(file.integer_at("size"), static_cast<std::int64_t>(bytes.size())) << file.dump();
    EXPECT_EQ(file.string_at("digest"), "sha256:" + sha256_hex(bytes));
  }
  EXPECT_EQ(bytes_of("skill://demo-skill/odd.txt"), "not UTF-8: \xff");
  EXPECT_EQ(bytes_of(kDemo), demo().skill_md);
}

TEST_F(SkillsOfAServer, AreGotOneByOne) {
  serve({demo()});
  const Json got = server_.result_of("skills/get", Json::object({{"uri", kDemo}}));
  EXPECT_EQ(*got.find("skill"), server_.result_of("skills/list", Json::object()).find("skills")->elements()[0]);
  EXPECT_TRUE(got.has("ttlMs") && got.has("cacheScope") && !got.has("nextCursor"));
  for (const char* uri : {"skill://other/SKILL.md", "skill://demo-skill", "skill://demo-skill/odd.txt", ""})
    EXPECT_EQ(server_.error_of("skills/get", Json::object({{"uri", uri}})), -32602) << uri;
  EXPECT_EQ(server_.error_of("skills/get", Json::object()), -32602);
}

TEST_F(SkillsOfAServer, AreResourcesWithTheWordsOfTheirFrontMatter) {
  serve({demo()});
  const Json listed = server_.result_of("resources/list", Json::object());
  EXPECT_EQ(listed.find("resources")->elements()[0],
            Json::object({{"uri", kDemo},
                          {"name", "demo-skill"},
                          {"description", "A demo skill"},
                          {"mimeType", "text/markdown"},
                          {"size", static_cast<std::int64_t>(demo().skill_md.size())}}));
  EXPECT_EQ(listed.find("resources")->size(), 4U);
}

TEST_F(SkillsOfAServer, HaveFoldersThatListTheirDirectChildren) {
  serve({demo(), named("acme/billing/refunds", "refunds")});
  const Json root = directory("skill://demo-skill");
  EXPECT_EQ(members(root, "resources", "uri"),
            (std::vector<std::string>{kDemo, "skill://demo-skill/odd.txt", "skill://demo-skill/references"}));
  EXPECT_EQ(
      root.find("resources")->elements()[2],
      json_of_text(R"({"uri":"skill://demo-skill/references","name":"references","mimeType":"inode/directory"})"));
  EXPECT_TRUE(root.has("ttlMs") && root.has("cacheScope"));
  EXPECT_EQ(members(directory("skill://demo-skill/references"), "resources", "name"),
            (std::vector<std::string>{"FORMS.md", "deep"}));
  EXPECT_EQ(members(directory("skill://acme"), "resources", "uri"), std::vector<std::string>{"skill://acme/billing"});
  for (const char* uri : {kDemo, "skill://demo-skill/", "skill://demo-skill/none", "skill:", "skill:/", ""})
    EXPECT_EQ(server_.error_of("resources/directory/read", Json::object({{"uri", uri}})), -32602) << uri;
}

TEST_F(SkillsOfAServer, ComeInPages) {
  SkillListOptions options;
  options.page_size = 1;
  serve({demo(), named("b", "b"), named("c", "c")}, options);
  std::vector<std::string> uris;
  Json params = Json::object();
  for (int page = 0; page < 3; ++page) {
    const Json listed = server_.result_of("skills/list", params);
    ASSERT_EQ(listed.find("skills")->size(), 1U);
    uris.emplace_back(listed.find("skills")->elements()[0].string_at("uri"));
    EXPECT_EQ(listed.has("nextCursor"), page < 2);
    params = Json::object({{"cursor", listed.string_at("nextCursor")}});
  }
  EXPECT_EQ(std::set<std::string>(uris.begin(), uris.end()).size(), 3U);
  EXPECT_EQ(server_.error_of("skills/list", Json::object({{"cursor", ""}})), -32602);
  EXPECT_EQ(server_.error_of("skills/list", Json::object({{"cursor", "x"}})), -32602);
  const Json first = directory("skill://demo-skill");
  EXPECT_EQ(first.find("resources")->size(), 1U);
  const Json next = Json::object({{"uri", "skill://demo-skill"}, {"cursor", first.string_at("nextCursor")}});
  EXPECT_EQ(members(server_.result_of("resources/directory/read", next), "resources", "name"),
            std::vector<std::string>{"odd.txt"});
}

struct Spoiled {
  const char* why;
  std::function<void(SkillRow& row)> change;
};
class SpoiledSkills : public testing::TestWithParam<Spoiled> {};

TEST_P(SpoiledSkills, AreNotServed) {
  SkillRow row = demo();
  EXPECT_TRUE(succeeded(Skills::make({row})));
  GetParam().change(row);
  EXPECT_TRUE(refused(Skills::make({row}), "skills.bad_skill"));
}

INSTANTIATE_TEST_SUITE_P(
    EachRule, SpoiledSkills,
    testing::Values(
        Spoiled{"OtherName", [](SkillRow& r) { r.skill_md.replace(r.skill_md.find("demo-skill"), 4, "demi"); }},
        Spoiled{"OtherDescription", [](SkillRow& r) { r.description = "Another"; }},
        Spoiled{"FolderWithoutTheName", [](SkillRow& r) { r.uri = "skill://demo/SKILL.md", r.files.clear(); }},
        Spoiled{"NoSkillFile", [](SkillRow& r) { r.uri = "skill://demo-skill/skill.md"; }},
        Spoiled{"NoFrontMatter", [](SkillRow& r) { r.skill_md = "# Demo\n"; }},
        Spoiled{"FileOutside", [](SkillRow& r) { r.files[0].uri = "skill://demo-skills/a.md"; }},
        Spoiled{"FileThatClimbs", [](SkillRow& r) { r.files[0].uri = "skill://demo-skill/../a.md"; }},
        Spoiled{"FileTwice", [](SkillRow& r) { r.files[1].uri = r.files[0].uri; }},
        Spoiled{"FileThatIsAFolder", [](SkillRow& r) { r.files[2].uri = "skill://demo-skill/references"; }},
        Spoiled{"FolderThatIsAFile", [](SkillRow& r) { r.files[1].uri = r.files[0].uri + "/a"; }},
        Spoiled{"SkillFileTwice", [](SkillRow& r) { r.files[0].uri = r.uri; }},
        Spoiled{"TooManyFiles", [](SkillRow& r) { r.files.resize(512, r.files[0]); }},
        Spoiled{"TooManyBytes", [](SkillRow& r) { r.files[1].bytes.resize(Skills::kBytesMax); }}),
    [](const auto& param) { return std::string(param.param.why); });

TEST(SkillTables, RefuseNamesTwiceAndSkillsInSkills) {
  EXPECT_TRUE(succeeded(Skills::make({named("a/x", "x"), named("a/z", "z")})));
  EXPECT_TRUE(refused(Skills::make({named("a/x", "x"), named("b/x", "x")}), "skills.bad_skill"));
  EXPECT_TRUE(refused(Skills::make({named("x", "x"), named("x/z", "z")}), "skills.bad_skill"));
}

// Every YAML reads these alike, and none of the others.
TEST(FrontMatter, IsReadOnlyWhereItIsPlain) {
  const auto value = [](const std::string& text) -> std::string {
    const auto front = read_front_matter("---\nkey: " + text + "\n---\n", "skill://x/SKILL.md");
    return front ? std::string(front->string_at("key")) : "refused";
  };
  EXPECT_EQ(value("Plain words, with commas (and more): no"), "refused");
  EXPECT_EQ(value("Plain words, with commas (and more)"), "Plain words, with commas (and more)");
  EXPECT_EQ(value("\"quoted: \\u00e9 # 1\""), "quoted: \u00e9 # 1");
  for (const char* text : {"1.0", "true",  "No",     "null",    "~", "2026-11-30", "[a]",  "{a: b}", "- a",
                           "'a'", "a # b", "a: b",   "a:",      "|", ">",          "&a b", "*a",     "!a b",
                           "%a",  "@a",    "\"open", "\"a\" b", "",  " ",          "a\tb", "a "})
    EXPECT_EQ(value(text), "refused") << text;
}

TEST(FrontMatter, IsABlockOfDistinctKeys) {
  const auto reads = [](const char* text) { return read_front_matter(text, "skill://x/SKILL.md").has_value(); };
  EXPECT_TRUE(reads("---\nname: a\n\n# words\nallowed-tools: b\n---\nbody"));
  for (const char* text : {"name: a\n---\n", "---\nname: a\n", "---\nname: a\n---", "---\nname: a\nname: b\n---\n",
                           "---\nname:\n  a: b\n---\n", "--- \nname: a\n---\n", "\xef\xbb\xbf---\nname: a\n---\n",
                           "---\nname a\n---\n", "---\nyes: a\n---\n", "---\r\nname: a\r\n---\r\n", ""})
    EXPECT_FALSE(reads(text)) << text;
}

}  // namespace
}  // namespace postern::mcp
