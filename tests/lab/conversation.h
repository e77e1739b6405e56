// A request of the Messages API, read as what it is for a script: which tools it offers, which calls were made, and
// what came back.
//
// Everything is taken from the request itself: the double keeps no picture of a run, so a script can only act on what
// the model was given.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/base/json.h"
#include "wire/base/result.h"

namespace postern::lab {

// The marks that a host puts around what a server returned, as the script states them:
//
//   <MARK nonce="N" server="S" tool="T">
//   lines that begin with one of `preface`
//   the data
//   </MARK nonce="N">
struct LabelForm {
  std::string mark;
  std::vector<std::string> preface;
};

// One tool call of the model and the answer that it got.
struct AnsweredCall {
  std::string id;
  std::string tool;
  Json input;
  std::string text;  // the tool_result's text, whole
  bool is_error = false;
  bool labeled = false;  // the text is one labeled block
  std::string nonce;     // of the label
  std::string data;      // inside the label; the whole text when there is none
  Json json;             // `data` as JSON, when it is JSON; else null
};

struct Conversation {
  Json request;  // the whole body
  std::string system;
  std::vector<std::string> offered;  // names of tools
  std::string opening;               // the first user message's text
  std::vector<AnsweredCall> calls;   // in their order
  [[nodiscard]] bool offers(std::string_view tool) const;
  [[nodiscard]] int calls_of(std::string_view tool) const;
  // The newest answered call of that tool, or null.
  [[nodiscard]] const AnsweredCall* last(std::string_view tool) const;
  // The newest one that gave a labeled result without error, or null.
  [[nodiscard]] const AnsweredCall* last_good(std::string_view tool) const;
};

// What is wrong with a request, in the words of the service's error.
struct RequestRefused {
  static constexpr std::string_view kId = "lab.request_refused";
  static constexpr Layer kLayer = Layer::kModel;
  static constexpr Disposition kDisposition = Disposition::kBadRequest;
  std::string reason;
  int status = 400;
  std::string type = "invalid_request_error";
  [[nodiscard]] std::string text() const { return reason; }
};

// Checks the form that the Messages API wants (roles, blocks, each tool_use answered at once and results first) and
// reads it. Failure: lab.request_refused.
[[nodiscard]] Result<Conversation> read_conversation(std::string_view body, const LabelForm& label);

// The block of `text` between its marks, when the whole text is one labeled block.
struct LabeledBlock {
  std::string tool;
  std::string nonce;
  std::string data;
};
[[nodiscard]] std::optional<LabeledBlock> read_label(std::string_view text, const LabelForm& label);

}  // namespace postern::lab
