// PinGate: the only maker of PinnedTool. A tool whose definition is not exactly what was reviewed is never offered to a
// model.
//
// Thread-safe, immutable after construction.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pins/pin_file.h"
#include "pins/tool_pin.h"
#include "wire/base/result.h"
#include "wire/mcp/types.h"

namespace postern::pins {

// A tool that is exactly what was reviewed.
class PinnedTool {
 public:
  [[nodiscard]] const mcp::Tool& tool() const { return tool_; }
  [[nodiscard]] const std::string& name() const { return tool_.name; }
  [[nodiscard]] const ToolPin& pin() const { return pin_; }
  // What the reviewer decided: whether a person is asked before each call.
  [[nodiscard]] bool asks_first() const { return asks_first_; }

 private:
  friend class PinGate;
  PinnedTool(mcp::Tool tool, const ReviewedTool& reviewed)
      : tool_(std::move(tool)), pin_(reviewed.pin), asks_first_(reviewed.asks_first()) {}
  mcp::Tool tool_;
  ToolPin pin_;
  bool asks_first_;
};

// One tool that was not let through.
struct PinRefusal {
  std::string tool;
  Failure failure;
  std::string pinned_digest;  // empty when the tool was never reviewed
  std::string served_digest;  // empty when the server no longer serves it
};

struct PinVerdict {
  std::vector<PinnedTool> admitted;
  std::vector<PinRefusal> refused;    // changed, not reviewed, repeated, removed
  bool instructions_changed = false;  // then they are left out of what a model reads
};

class PinGate {
 public:
  explicit PinGate(PinFile file) : file_(std::move(file)) {}
  [[nodiscard]] const PinFile& file() const { return file_; }

  // Failures: pin.not_reviewed, pin.definition_changed.
  [[nodiscard]] Result<PinnedTool> admit(const mcp::Tool& tool) const;
  // A whole list: also refuses a name that occurs twice (every tool of that name: pin.repeated_name), and names what
  // was reviewed and is no longer served (pin.removed). What the reviewer keeps from
  // the model is in neither list.
  [[nodiscard]] PinVerdict admit_all(const std::vector<mcp::Tool>& tools,
                                     const std::optional<std::string>& instructions) const;

 private:
  PinFile file_;
};

struct PinMismatch {
  static constexpr std::string_view kId = "pin.definition_changed";
  static constexpr Layer kLayer = Layer::kSchema;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string tool;
  std::vector<std::string> fields;  // "description", "annotations (added)"
  [[nodiscard]] std::string text() const;
  // "definition changed: description"
  [[nodiscard]] std::string reason() const;
};
struct ToolNotPinned {
  static constexpr std::string_view kId = "pin.not_reviewed";
  static constexpr Layer kLayer = Layer::kSchema;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string tool;
  [[nodiscard]] std::string text() const;
};
struct PinnedToolRemoved {
  static constexpr std::string_view kId = "pin.removed";
  static constexpr Layer kLayer = Layer::kSchema;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string tool;
  [[nodiscard]] std::string text() const;
};
struct ToolNameRepeated {
  static constexpr std::string_view kId = "pin.repeated_name";
  static constexpr Layer kLayer = Layer::kSchema;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string tool;
  [[nodiscard]] std::string text() const;
};

// What a refusal says in one bracket: "definition changed: description", "not reviewed", "no longer served", "served
// twice".
[[nodiscard]] std::string reason_of(const PinRefusal& refusal);

}  // namespace postern::pins
