// The faults of lines: what is answered in a server's place, and what is written for a line of it.
#include <gtest/gtest.h>

#include "tests/faults/decorators.h"

namespace postern::faults {
namespace {

constexpr std::string_view kDiscover = R"({"jsonrpc":"2.0","id":7,"method":"server/discover"})";
constexpr std::string_view kInitialize = R"({"jsonrpc":"2.0","id":7,"method":"initialize"})";
constexpr std::string_view kAnswer = R"({"jsonrpc":"2.0","id":7,"result":{}})";

TEST(LegacyStdioEntry, KnowsInitializeAlone) {
  const auto fault = legacy_stdio_entry();
  EXPECT_NE(fault->answer_to(kDiscover).find("-32601"), std::string::npos);
  EXPECT_NE(fault->answer_to(kDiscover).find("\"id\":7"), std::string::npos);
  EXPECT_EQ(fault->answer_to(kInitialize), "");
  EXPECT_EQ(fault->written_for(kAnswer), std::string(kAnswer) + "\n");
}

TEST(StdoutNoise, WithALineEndLeavesTheMessageWhole) {
  EXPECT_EQ(stdout_noise()->written_for(kAnswer), "DEBUG: loading cases...\n" + std::string(kAnswer) + "\n");
  EXPECT_EQ(stdout_noise()->answer_to(kDiscover), "");
}

TEST(StdoutNoise, WithoutALineEndBreaksTheMessage) {
  EXPECT_EQ(stdout_noise_fused()->written_for(kAnswer), "DEBUG: loading cases..." + std::string(kAnswer) + "\n");
}

}  // namespace
}  // namespace postern::faults
