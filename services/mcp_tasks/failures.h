// Why a task is not started or not found (SEP-2663, "Error Handling").
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "wire/base/failure.h"

namespace postern::mcp {

// Never started, forgotten, or of somebody else: the answer is the same, so that nobody learns which.
struct UnknownTask {
  static constexpr std::string_view kId = "tasks.unknown_task";
  static constexpr Layer kLayer = Layer::kEnvelope;
  static constexpr Disposition kDisposition = Disposition::kInvalidParams;
  [[nodiscard]] std::string text() const;
};
struct TooManyTasks {
  static constexpr std::string_view kId = "tasks.too_many";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kToolError;
  std::size_t most = 0;
  [[nodiscard]] std::string text() const;
};
struct TooManyTasksOfCaller {
  static constexpr std::string_view kId = "tasks.too_many_of_caller";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kToolError;
  std::size_t most = 0;
  [[nodiscard]] std::string text() const;
};

// The process that carried the task out ended, or stopped doing it, before the round was done.
struct TaskAbandoned {
  static constexpr std::string_view kId = "tasks.abandoned";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kInternal;
  [[nodiscard]] std::string text() const;
};
// What a store keeps is not of this version.
struct BadTaskRecord {
  static constexpr std::string_view kId = "tasks.bad_record";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kInternal;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::mcp
