// What a program cannot do, it holds no code for: read from the programs' symbol tables.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>

#include "wire/base/file.h"
#include "wire/base/json.h"

namespace postern::architecture {
namespace {

std::string output_of(const std::string& command) {
  std::string out;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return out;
  std::array<char, 65536> buffer{};
  std::size_t got = 0;
  while ((got = fread(buffer.data(), 1, buffer.size(), pipe)) > 0) out.append(buffer.data(), got);
  pclose(pipe);
  return out;
}

// Read once a program.
const std::string& symbols_of(const std::string& program) {
  static std::map<std::string, std::string> known;
  auto found = known.find(program);
  if (found == known.end())
    found = known.emplace(program, output_of("nm -C " POSTERN_BIN_DIR "/" + program + " 2>&1")).first;
  return found->second;
}

bool holds(const std::string& program, const std::string& symbol) {
  const std::string& symbols = symbols_of(program);
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

// The list is the laboratory's own (tests/faults/fault_list.cc): a fault that is added there is looked for here.
TEST(Symbols, EveryFaultIsInTheLaboratoryAndInNoProductProgram) {
  const auto list = parse_json(output_of(POSTERN_BIN_DIR "/postern-lab fault list --json"), {1 << 20, 8});
  ASSERT_TRUE(list.has_value()) << "postern-lab gives no list of faults";
  const Json* faults = list->find("faults");
  ASSERT_NE(faults, nullptr);
  EXPECT_GE(faults->size(), 24U);
  for (const Json& fault : faults->elements()) {
    const std::string decorator(fault.string_at("decorator"));
    ASSERT_EQ(decorator.substr(0, 17), "postern::faults::") << fault.dump();
    // A function whose type holds a string has a mark of the library behind its name.
    EXPECT_TRUE(holds("postern-lab", " " + decorator + "(") || holds("postern-lab", " " + decorator + "[abi:cxx11]("))
        << decorator;
    for (const std::string program : kPrograms) EXPECT_FALSE(holds(program, decorator)) << program << ": " << decorator;
  }
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
