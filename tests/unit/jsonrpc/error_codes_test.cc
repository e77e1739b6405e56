// Proves that the servers use the error codes of the revision and no others (MCP 2026-07-28 basic, "Error codes").
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "wire/base/file.h"
#include "wire/jsonrpc/message.h"

namespace postern {
namespace {

namespace fs = std::filesystem;

// The numbers from -32768 to -32000 in one line of code, comments left out.
std::vector<int> reserved_codes_of(std::string_view line) {
  std::vector<int> codes;
  line = line.substr(0, line.find("//"));
  for (std::size_t at = line.find("-32"); at != line.npos; at = line.find("-32", at + 1)) {
    const std::string_view digits = line.substr(at + 1, 5);
    const bool five = digits.size() == 5 && digits.find_first_not_of("0123456789") == digits.npos;
    const bool ends = at + 6 >= line.size() || line[at + 6] < '0' || line[at + 6] > '9';
    if (five && ends) codes.push_back(-std::stoi(std::string(digits)));
  }
  return codes;
}

TEST(ReservedCodes, AreFoundInCodeAndNotInComments) {
  EXPECT_EQ(reserved_codes_of("  kOther = -32007,  // not -32001"), std::vector<int>{-32007});
  EXPECT_EQ(reserved_codes_of("return -32700 - -32600;"), (std::vector<int>{-32700, -32600}));
  EXPECT_TRUE(reserved_codes_of("-320 -320000 -32").empty());
}

TEST(ErrorCodes, OfTheServersAreThoseOfTheRevision) {
  const std::set<int> defined{-32700, -32600, -32601, -32602, -32603, -32020, -32021, -32022};
  std::set<int> found;
  for (const char* folder : {"/wire", "/services"}) {
    for (const auto& entry : fs::recursive_directory_iterator(std::string(POSTERN_SOURCE_DIR) + folder)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".cc" && extension != ".h") continue;
      const std::string text = *read_file(entry.path().string(), 1U << 20U);
      for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        for (const int code : reserved_codes_of(std::string_view(text).substr(start, end - start))) {
          EXPECT_TRUE(defined.count(code) == 1) << code << " in " << entry.path();
          found.insert(code);
        }
        start = end + 1;
      }
    }
  }
  EXPECT_EQ(found, defined);
}

TEST(ErrorCodes, MeanWhatTheRevisionSays) {
  const std::pair<ErrorCode, int> rows[] = {
      {ErrorCode::kParseError, -32700},
      {ErrorCode::kInvalidRequest, -32600},
      {ErrorCode::kMethodNotFound, -32601},
      {ErrorCode::kInvalidParams, -32602},
      {ErrorCode::kInternalError, -32603},
      {ErrorCode::kHeaderMismatch, -32020},
      {ErrorCode::kMissingRequiredClientCapability, -32021},
      {ErrorCode::kUnsupportedProtocolVersion, -32022},
  };
  for (const auto& [code, number] : rows) EXPECT_EQ(static_cast<int>(code), number);
}

}  // namespace
}  // namespace postern
