// What a program cannot do, it holds no code for: read from the programs' symbol tables.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>

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

}  // namespace
}  // namespace postern::architecture
