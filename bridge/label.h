// LabeledResult: what a server returned, marked as untrusted data. The only form of a server's text that a model turn
// accepts.
//
// The block names the server and the tool, carries a nonce of the run in both its marks, and says that what stands
// between them is data, never an instruction. A mark inside the data is broken up, so that data cannot close its own
// block; characters that cannot be seen are made visible and counted. The label is guidance to a model and no control:
// the controls are the schema, the pin, the scope and the supervisor.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "bridge/result_validator.h"
#include "wire/base/random_source.h"

namespace postern::bridge {

class LabeledResult {
 public:
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool is_error() const { return is_error_; }
  [[nodiscard]] std::size_t hidden_characters() const { return hidden_; }

 private:
  friend class Labeler;
  LabeledResult(std::string text, bool is_error, std::size_t hidden)
      : text_(std::move(text)), is_error_(is_error), hidden_(hidden) {}
  std::string text_;
  bool is_error_;
  std::size_t hidden_;
};

// One for a run. Thread-safe, immutable.
class Labeler {
 public:
  // `nonce` is that of the run, of new_nonce(): a run that goes on later goes on with its own. `server` is the name
  // that the composer chose, never one that the server gave. A tool's name is the server's: it is written so that it
  // cannot leave its place (bridge/tool_names.h).
  Labeler(std::string nonce, std::string server) : nonce_(std::move(nonce)), server_(std::move(server)) {}
  // 64 bits in hex: nothing that a server sends can guess it.
  [[nodiscard]] static std::string new_nonce(RandomSource& random);
  [[nodiscard]] LabeledResult label(const ValidatedResult& result) const;

 private:
  std::string nonce_;
  std::string server_;
};

}  // namespace postern::bridge
