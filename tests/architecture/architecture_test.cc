// The rules of the house hold over the project's own files, and each rule objects to planted bad text.
#include <gtest/gtest.h>

#include "tests/architecture/rules.h"

namespace postern::architecture {
namespace {

const std::vector<SourceFile>& project() {
  static const std::vector<SourceFile> files = read_project(POSTERN_SOURCE_DIR);
  return files;
}

std::string shown(const Findings& findings) {
  std::string out;
  for (const std::string& finding : findings) out += "\n  " + finding;
  return out;
}

#define EXPECT_NO_FINDINGS(check)                     \
  do {                                                \
    const Findings findings = (check);                \
    EXPECT_TRUE(findings.empty()) << shown(findings); \
  } while (false)

SourceFile planted(std::string path, std::string text) {
  return {std::move(path), std::move(text)};
}

TEST(Architecture, ReadsTheProject) {
  EXPECT_GT(project().size(), 100U);
}

TEST(Architecture, KeepsDirections) {
  EXPECT_NO_FINDINGS(check_directions(project()));
}

TEST(Architecture, ObjectsToAForbiddenDirection) {
  EXPECT_EQ(check_directions({planted("bridge/call.cc", "#include \"host/cli.h\"\n")}).size(), 1U);
  EXPECT_EQ(check_directions({planted("bridge/call.cc", "#include \"services/desk/tool_table.h\"\n")}).size(), 1U);
  EXPECT_EQ(check_directions({planted("services/customers/x.cc", "#include \"services/desk/x.h\"\n")}).size(), 1U);
  EXPECT_EQ(check_directions({planted("services/payments/x.cc", "#include \"wire/signing/ed25519_signer.h\"\n"),
                              planted("services/payments/y.cc", "#include \"services/approval_token_issuer/x.h\"\n")})
                .size(),
            1U);
  EXPECT_EQ(check_directions({planted("unknown/x.cc", "")}).size(), 1U);
  EXPECT_NO_FINDINGS(check_directions({planted("bridge/call.cc", "#include \"pins/pin_gate.h\"\n")}));
}

TEST(Architecture, ConfinesThirdParties) {
  EXPECT_NO_FINDINGS(check_third_parties(project()));
  EXPECT_EQ(check_third_parties({planted("bridge/call.cc", "#include <httplib.h>\n")}).size(), 1U);
  EXPECT_EQ(check_third_parties({planted("host/report.cc", "#include <nlohmann/json.hpp>\n")}).size(), 1U);
  EXPECT_EQ(check_third_parties({planted("wire/oauth/jwk.h", "#include <openssl/evp.h>\n")}).size(), 1U);
}

TEST(Architecture, HasOneWayOutForEachEffect) {
  EXPECT_NO_FINDINGS(check_ways_out(project()));
  EXPECT_EQ(check_ways_out({planted("bridge/call.cc", "  const auto t = std::chrono::system_clock::now();\n")}).size(),
            1U);
  EXPECT_EQ(check_ways_out({planted("issuer/main.cc", "  std::cout << 1;\n")}).size(), 1U);
  EXPECT_NO_FINDINGS(check_ways_out({planted("bridge/call.cc", "// not system_clock::now\n")}));
}

TEST(Architecture, KeepsFilesSmallAndNamed) {
  EXPECT_NO_FINDINGS(check_form(project()));
  std::string long_text;
  for (int i = 0; i < 501; ++i) long_text += "int x;\n";
  EXPECT_EQ(check_form({planted("host/x.cc", long_text)}).size(), 1U);
  EXPECT_EQ(check_form({planted("host/string_util.cc", "")}).size(), 1U);
  EXPECT_EQ(check_form({planted("host/x.cc", "#include \"../bridge/call.h\"\n")}).size(), 1U);
  EXPECT_EQ(check_form({planted("host/x.h", "int x;\n")}).size(), 2U);
}

TEST(Architecture, KeepsFunctionsShort) {
  EXPECT_NO_FINDINGS(check_function_lengths(project()));
  std::string body;
  for (int i = 0; i < 71; ++i) body += "  x();\n";
  EXPECT_EQ(check_function_lengths({planted("host/x.cc", "void f() {\n" + body + "}\n")}).size(), 1U);
  EXPECT_EQ(check_function_lengths({planted("host/x.cc", "class A {\n  void f() {\n" + body + "  }\n};\n")}).size(),
            1U);
  EXPECT_NO_FINDINGS(check_function_lengths({planted("host/x.cc", "void f() {\n  x();\n}\n")}));
}

TEST(Architecture, BuildsEveryFile) {
  EXPECT_NO_FINDINGS(check_no_dead_files(project()));
  EXPECT_EQ(
      check_no_dead_files({planted("tests/unit/x/lost_test.cc", ""), planted("tests/CMakeLists.txt", "other_test.cc")})
          .size(),
      1U);
}

TEST(Architecture, HasDistinctFailureIds) {
  EXPECT_NO_FINDINGS(check_failure_ids(project()));
  const std::string one = "static constexpr std::string_view kId = \"a.b\";\n";
  EXPECT_EQ(check_failure_ids({planted("host/x.h", one), planted("bridge/y.h", one)}).size(), 1U);
  EXPECT_EQ(check_failure_ids({planted("host/x.h", "static constexpr std::string_view kId = \"NoDot\";\n")}).size(),
            1U);
}

}  // namespace
}  // namespace postern::architecture
