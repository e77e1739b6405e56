// What a program cannot do, it holds no code for: read from the programs' symbol tables.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>
#include <string_view>

#include "wire/base/file.h"
#include "wire/base/json.h"

namespace postern::architecture {
namespace {

std::string symbols_of(const std::string& program) {
  const std::string command = "nm -C " POSTERN_BIN_DIR "/" + program + " 2>&1";
  std::string out;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return out;
  std::array<char, 65536> buffer{};
  std::size_t got = 0;
  while ((got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0) out.append(buffer.data(), got);
  pclose(pipe);
  return out;
}

bool holds(const std::string& program, const std::string& symbol) {
  const std::string symbols = symbols_of(program);
  EXPECT_NE(symbols.find(" main"), std::string::npos) << program << ": no symbols can be read";
  return symbols.find(symbol) != std::string::npos;
}

constexpr const char* kPrograms[] = {"postern", "postern-desk", "postern-approvals", "postern-payments",
                                     "postern-issuer"};

TEST(Symbols, OnlyTheIssuerCanIssueAccessTokens) {
  EXPECT_TRUE(holds("postern-issuer", "issuer::AccessTokenIssuer"));
  for (const std::string program : {"postern", "postern-desk", "postern-approvals", "postern-payments"}) {
    EXPECT_FALSE(holds(program, "issuer::AccessTokenIssuer")) << program;
  }
}

TEST(Symbols, OnlyApprovalsCanSignApprovalTokens) {
  EXPECT_TRUE(holds("postern-approvals", "postern::Ed25519Signer::sign"));
  for (const std::string program : {"postern-desk", "postern-payments", "postern-issuer"}) {
    EXPECT_FALSE(holds(program, "postern::Ed25519Signer::sign")) << program;
  }
}

TEST(Symbols, ProductProgramsHoldNoLabCode) {
  for (const std::string program : kPrograms) {
    EXPECT_FALSE(holds(program, "postern::lab::")) << program;
    EXPECT_FALSE(holds(program, "postern::faults::")) << program;
    EXPECT_FALSE(holds(program, "postern::conformance::")) << program;
  }
  EXPECT_TRUE(holds("postern-lab", "postern::lab::"));
}

TEST(Symbols, TheHostHoldsNoServiceAndTheServicesNoHost) {
  EXPECT_FALSE(holds("postern", "postern::desk::"));
  EXPECT_FALSE(holds("postern", "sqlite3_"));
  EXPECT_FALSE(holds("postern-desk", "postern::host::"));
  EXPECT_FALSE(holds("postern-desk", "postern::bridge::"));
  EXPECT_FALSE(holds("postern-payments", "postern::desk::"));
}

// The packaged HTTP library was built with switches that change the layout of its classes: a unit that includes it
// without the same ones shares objects of another shape with it, and crashes at random. So each unit of the folder that
// may include it is compiled with them.
TEST(CompileCommands, GiveEveryUnitOfTheTransportTheLibrarysSwitches) {
  const auto text = read_file(POSTERN_BUILD_DIR "/compile_commands.json", 64 << 20);
  ASSERT_TRUE(text.has_value()) << "no compile_commands.json";
  const auto commands = parse_json(*text, {64 << 20, 8});
  ASSERT_TRUE(commands.has_value());
  std::size_t units = 0;
  for (const Json& entry : commands->elements()) {
    if (entry.string_at("file").find("/wire/transport/") == std::string_view::npos) continue;
    ++units;
    for (const std::string_view name : {"OPENSSL", "ZLIB", "BROTLI"}) {
      const std::string wanted = "-DCPPHTTPLIB_" + std::string(name) + "_SUPPORT";
      EXPECT_NE(entry.string_at("command").find(wanted), std::string_view::npos)
          << entry.string_at("file") << " lacks " << wanted;
    }
  }
  EXPECT_GT(units, 15U);
}

}  // namespace
}  // namespace postern::architecture
