// ValidatedResult: a tool's result that has the shape it was reviewed to have.
//
// structuredContent must conform to the pinned outputSchema unless isError; content must be text blocks only: links,
// audio, images and embedded resources are refused, because nothing here can show where they come from. Over 256 KiB is
// refused. Thread-safe, immutable.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pins/pin_gate.h"
#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/mcp/types.h"
#include "wire/schema/schema.h"

namespace postern::bridge {

class ValidatedResult {
 public:
  [[nodiscard]] const std::string& tool() const { return tool_; }
  // The JSON text of structuredContent, or the text blocks joined when there is none.
  [[nodiscard]] const std::string& data() const { return data_; }
  // structuredContent, for the host's own reading of facts; null when there was none.
  [[nodiscard]] const Json& structured() const { return structured_; }
  [[nodiscard]] bool is_error() const { return is_error_; }

 private:
  friend class ResultValidator;
  ValidatedResult(std::string tool, std::string data, Json structured, bool is_error)
      : tool_(std::move(tool)), data_(std::move(data)), structured_(std::move(structured)), is_error_(is_error) {}
  std::string tool_;
  std::string data_;
  Json structured_;
  bool is_error_;
};

class ResultValidator {
 public:
  // Compiles the output schemas. A tool whose schema cannot be compiled is left out and named in unusable().
  explicit ResultValidator(const std::vector<pins::PinnedTool>& tools);

  // Failures: schema.output_invalid, schema.content_refused.
  [[nodiscard]] Result<ValidatedResult> validate(std::string_view tool, const mcp::CallToolResult& result) const;
  [[nodiscard]] const std::vector<std::pair<std::string, Failure>>& unusable() const { return unusable_; }

 private:
  std::map<std::string, Schema, std::less<>> output_schemas_;
  std::vector<std::pair<std::string, Failure>> unusable_;
};

struct OutputInvalid {
  static constexpr std::string_view kId = "schema.output_invalid";
  static constexpr Layer kLayer = Layer::kSchema;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string tool;
  std::string reason;
  [[nodiscard]] std::string text() const;
};
struct ContentRefused {
  static constexpr std::string_view kId = "schema.content_refused";
  static constexpr Layer kLayer = Layer::kSchema;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string tool;
  std::string reason;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::bridge
