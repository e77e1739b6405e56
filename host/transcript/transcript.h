// Transcript: the conversation with a model, as bytes that only grow.
//
// `system`, `tools` and each message are serialised once, in the form of the Messages API, and those bytes are kept:
// thinking blocks are bound to everything before them, so a changed prefix would break the run. Nothing is redacted,
// trimmed or re-labelled afterwards. What enters is a ModelText, a LabeledResult, or the model's own words as they
// came; no other text has a way in.
//
// Not thread-safe. Owns its bytes.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bridge/label.h"
#include "bridge/model_text.h"
#include "bridge/model_tools.h"
#include "wire/base/result.h"

namespace postern::host {

// The answer to one tool_use. A ModelText is the host's own sentence about a call that gave no result.
struct ToolAnswer {
  std::string tool_use_id;
  std::variant<bridge::LabeledResult, bridge::ModelText> content;
  bool is_error = false;
};

class Transcript {
 public:
  Transcript(const bridge::ModelText& system, const std::vector<bridge::ModelTool>& tools,
             const bridge::ModelText& opening);

  // The assistant's content array, exactly as received. REQUIRES the text of a JSON array.
  void append_assistant(std::string_view content_json);
  // All answers to one assistant turn, in one user message. REQUIRES at least one.
  void append_answers(const std::vector<ToolAnswer>& answers);

  // JSON texts: a string, an array, and the inside of the messages array (objects joined by commas).
  [[nodiscard]] const std::string& system_json() const { return system_; }
  [[nodiscard]] const std::string& tools_json() const { return tools_; }
  [[nodiscard]] const std::string& messages_json() const { return messages_; }
  // One JSON text a line: system, tools, then each message. read() gives the same bytes back; own.bad_transcript when
  // it cannot.
  [[nodiscard]] std::string serialise() const;
  [[nodiscard]] static Result<Transcript> read(std::string_view text);

 private:
  Transcript() = default;
  void append_message(std::string message);
  std::string system_;
  std::string tools_;
  std::string messages_;
  std::vector<std::string> lines_;  // each message by itself
};

struct BadTranscript {
  static constexpr std::string_view kId = "own.bad_transcript";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kInternal;
  std::string reason;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::host
