// PinFile: the record of a review (tool-pins.json).
//
//   {"schema":"postern.pins/1","server":{"name":"support-desk","version":"0.1.0"},"reviewer":"Morgan
//   Ellis","reviewed_at":"2026-11-12",
//    "instructions":{"digest":"sha256:...","text":"..."},
//    "tools":[{"name":"get_order","digest":"sha256:...","fields":{"description":"sha256:..."},
//              "confirm":true,"offer":true,"definition":{...}}]}
//
// "confirm" and "offer" are the reviewer's own decisions and part of no digest: whether a person is asked before each
// call of the tool (a server's annotations never decide that), and whether a model is offered it at all. Absent, both
// are true.
//
// The reviewed definitions stand in the file beside their digests, so that a change can be shown as a difference; a
// file whose digests are not those of its definitions is refused, so the digests cannot be edited apart from the text
// that a person read. An immutable value.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pins/tool_pin.h"
#include "wire/base/result.h"

namespace postern::pins {

struct ReviewedTool {
  ToolPin pin;
  Json definition;
  std::optional<bool> confirm = std::nullopt;  // as the file has it
  std::optional<bool> offer = std::nullopt;

  [[nodiscard]] bool asks_first() const { return confirm.value_or(true); }
  [[nodiscard]] bool is_offered() const { return offer.value_or(true); }
};

struct PinFile {
  std::string server_name;
  std::string server_version;
  std::string reviewer;                     // empty in a review that nobody has accepted yet
  std::string reviewed_at;                  // a date, "2026-11-12"
  std::optional<std::string> instructions;  // the server's, as reviewed; absent when it gave none
  std::vector<ReviewedTool> tools;

  // The reviewed tool of that name, or null.
  [[nodiscard]] const ReviewedTool* find(std::string_view tool) const;
};

// Failures: those of parse_json(), and pin.bad_file.
[[nodiscard]] Result<PinFile> parse_pin_file(std::string_view text);
// Indented JSON text that parse_pin_file() reads back to the same value.
[[nodiscard]] std::string serialise(const PinFile& file);
// The pins that are part of the program: those of the desk, as reviewed in this repository.
[[nodiscard]] Result<PinFile> embedded_pins();

struct BadPinFile {
  static constexpr std::string_view kId = "pin.bad_file";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string reason;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::pins
