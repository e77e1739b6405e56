// The list of faults: the only one. What postern-lab shows, what the tests run and what docs/faults.md says is read
// from here.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/faults/decorators.h"
#include "tests/faults/scene.h"

namespace postern::faults {

struct Fault {
  std::string_view name;       // "missing-header"
  std::string_view seam;       // the product's object that the decorator stands around
  std::string_view decorator;  // the symbol: "postern::faults::missing_header"
  std::string_view about;      // one line: what is wrong with the peer
  std::string_view ticket = "T-1042";
  // The rung of the ladder on which it is first seen: "bytes", "envelope", "http", "schema", "model", or "own" when the
  // ladder shows nothing. Empty for a control that is missing: security holes are requests that succeed.
  std::string_view first_seen = {};
  std::string_view shown_tool = {};  // whose result a golden text has whole
  std::string_view attack = {};      // the one that gets through without the control: "A1"

  // Exactly one of the three.
  void (*put_in)(Scene& scene) = nullptr;
  std::unique_ptr<LineDecorator> (*lines)() = nullptr;
  std::vector<std::string> (*removed)() = nullptr;

  // "tests/faults/missing_header.cc"
  [[nodiscard]] std::string file() const;
  // The rung, or "not on the ladder: attack A1 gets through".
  [[nodiscard]] std::string seen() const;
};

// In the order of docs/faults.md.
[[nodiscard]] std::span<const Fault> all_faults();
// Null when there is none of that name.
[[nodiscard]] const Fault* find_fault(std::string_view name);
// The name that is closest to a mistyped one. Never empty.
[[nodiscard]] std::string_view nearest_fault(std::string_view name);

}  // namespace postern::faults
