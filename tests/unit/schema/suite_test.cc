// The JSON Schema Test Suite, where it is present: every required test of both dialects passes; the optional ones that
// fail are known by name. The suite is third-party data and not part of the project.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <set>

#include "wire/base/file.h"
#include "wire/schema/schema.h"

namespace postern {
namespace {

namespace fs = std::filesystem;

const fs::path kSuite = fs::path(POSTERN_SOURCE_DIR) / "../shared/vectors/json-schema";

Json suite_json(const fs::path& path) {
  return *parse_json(*read_file(path.string(), 8 << 20), {8 << 20, 128});
}

// The suite's own remote documents stand at http://localhost:1234/.
SchemaDocuments remotes(const std::string& draft) {
  SchemaDocuments documents;
  for (const auto& entry : fs::recursive_directory_iterator(kSuite / "remotes")) {
    if (entry.path().extension() != ".json") continue;
    const std::string relative = fs::relative(entry.path(), kSuite / "remotes").generic_string();
    Json document = suite_json(entry.path());
    const bool other_draft = relative.rfind("draft", 0) == 0 && relative.rfind(draft, 0) != 0;
    if (!other_draft) documents.emplace("http://localhost:1234/" + relative, std::move(document));
  }
  return documents;
}

struct Tally {
  std::size_t passed = 0;
  std::vector<std::string> failed;
};

void run_file(const fs::path& file, const std::string& dialect, const SchemaDocuments& documents, Tally& tally) {
  const Json groups = suite_json(file);
  for (const Json& group : groups.elements()) {
    Json schema = *group.find("schema");
    if (schema.is_object() && !schema.has("$schema")) schema.set("$schema", dialect);
    const auto compiled = Schema::compile(schema, {}, documents);
    for (const Json& test : group.find("tests")->elements()) {
      const bool expected = *test.boolean_at("valid");
      const bool valid = compiled && compiled->validate(*test.find("data")).has_value();
      if (compiled && valid == expected) {
        ++tally.passed;
      } else {
        tally.failed.push_back(file.stem().string() + ": " + std::string(group.string_at("description")) + ": " +
                               std::string(test.string_at("description")) +
                               (compiled ? "" : " [" + std::string(compiled.error().id()) + "]"));
      }
    }
  }
}

Tally run_folder(const fs::path& folder, const std::string& draft, const std::string& dialect) {
  const SchemaDocuments documents = remotes(draft);
  Tally tally;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) run_file(file, dialect, documents, tally);
  return tally;
}

class SchemaSuite : public testing::TestWithParam<std::pair<std::string, std::string>> {
 protected:
  void SetUp() override {
    if (!fs::exists(kSuite)) GTEST_SKIP() << "the JSON Schema Test Suite is not here";
  }
};

TEST_P(SchemaSuite, PassesEveryRequiredTest) {
  const auto& [draft, dialect] = GetParam();
  const Tally tally = run_folder(kSuite / draft, draft, dialect);
  EXPECT_GT(tally.passed, 900U);
  EXPECT_EQ(tally.failed, std::vector<std::string>());
  std::cout << draft << ": " << tally.passed << " required tests pass\n";
}

TEST_P(SchemaSuite, ListsOptionalTestsThatFail) {
  const auto& [draft, dialect] = GetParam();
  const Tally tally = run_folder(kSuite / draft / "optional", draft, dialect);
  std::cout << draft << " optional: " << tally.passed << " pass, " << tally.failed.size() << " do not\n";
  for (const std::string& name : tally.failed) std::cout << "  " << name << "\n";
  EXPECT_GT(tally.passed, tally.failed.size());
}

INSTANTIATE_TEST_SUITE_P(
    Dialects, SchemaSuite,
    testing::Values(std::pair<std::string, std::string>("draft2020-12", "https://json-schema.org/draft/2020-12/schema"),
                    std::pair<std::string, std::string>("draft7", "http://json-schema.org/draft-07/schema#")),
    [](const auto& entry) { return entry.param.first == "draft7" ? "Draft7" : "Draft202012"; });

}  // namespace
}  // namespace postern
