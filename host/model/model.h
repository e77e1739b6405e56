// Model: one turn of a conversation, whatever service gives it.
//
// The host asks for the next turn of a transcript and gets what the model said and which tools it wants. A turn is all
// or nothing: a stream that breaks, a tool input that is not complete JSON, or an unknown stop reason gives no tool to
// run.
//
// Thread-safe is not required: one run has one model and one thread. Owns nothing of the transcript.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "host/transcript/transcript.h"
#include "wire/base/json.h"
#include "wire/base/result.h"

namespace postern::host {

struct ToolUse {
  std::string id;
  std::string name;
  Json input;
};

// What the service says ended the turn. The set is open: what is not known here is kUnknown, with its text in
// stop_text.
enum class StopReason {
  kEndTurn,
  kToolUse,
  kMaxTokens,
  kStopSequence,
  kPauseTurn,
  kRefusal,
  kContextWindowExceeded,
  kUnknown
};

struct ModelTurn {
  std::string content_json;        // the content array as received, for Transcript::append_assistant()
  std::string text;                // its text blocks joined by line feeds; may be empty
  std::vector<ToolUse> tool_uses;  // in their order; empty unless stop is kToolUse
  StopReason stop = StopReason::kUnknown;
  std::string stop_text;  // the value as received, made visible
  std::string refusal;    // category and explanation of a refusal, made visible; else empty
  std::int64_t input_tokens = 0;
  std::int64_t output_tokens = 0;
};

class Model {
 public:
  virtual ~Model() = default;
  // Failures (host/model/failures.h or the implementation's header): model.api_refused, model.api_unavailable,
  // model.malformed_reply, transport.* of the client. The token ends a call that is under way: transport.cancelled.
  [[nodiscard]] virtual Result<ModelTurn> next(const Transcript& transcript, std::stop_token stop) = 0;
  // The id that goes into requests and reports: "claude-sonnet-5-5", "script honest".
  [[nodiscard]] virtual const std::string& id() const = 0;
};

}  // namespace postern::host
