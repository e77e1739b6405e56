// Why a skill is not served or not found (SEP-2640).
#pragma once

#include <string>
#include <string_view>

#include "wire/base/failure.h"

namespace postern::mcp {

// A row of the table of skills that is not fit to be served. Found when the skills are made.
struct BadSkill {
  static constexpr std::string_view kId = "skills.bad_skill";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kInternal;
  std::string uri;
  std::string reason;
  [[nodiscard]] std::string text() const;
};
struct UnknownSkill {
  static constexpr std::string_view kId = "skills.unknown_skill";
  static constexpr Layer kLayer = Layer::kEnvelope;
  static constexpr Disposition kDisposition = Disposition::kInvalidParams;
  [[nodiscard]] std::string text() const;
};
// Nothing is there, or a file.
struct NotADirectory {
  static constexpr std::string_view kId = "skills.not_a_directory";
  static constexpr Layer kLayer = Layer::kEnvelope;
  static constexpr Disposition kDisposition = Disposition::kInvalidParams;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::mcp
