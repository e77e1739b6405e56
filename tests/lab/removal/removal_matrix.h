// The matrix control x attack: what no longer ends as it must when a control is taken away, alone or with another.
//
// A control whose removal changes nothing does no work, or is one of two that are one: it must show in a pair, or be
// explained by a sentence that names the test which proves it (matrix.json, "explained").
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/base/json.h"
#include "wire/base/result.h"

namespace postern::lab {

// The cases that did not end as they must, each with how it ended: {"A05-handle-of-another": "through"}. How:
// "through", "otherwise" (refused, by something else), "neighbour" (whoever may, may not), "error".
using Ends = std::map<std::string, std::string>;

struct Matrix {
  std::map<std::string, Ends> singles;  // by control; all of them
  // "a + b": only the cases that neither of the two alone shows, or shows otherwise. Pairs without any are left out.
  std::map<std::string, Ends> pairs;
  std::map<std::string, std::string> explained;  // by control
};

[[nodiscard]] Result<Matrix> read_matrix(std::string_view text);
[[nodiscard]] std::string to_text(const Matrix& matrix);

// Plays every attack with those controls removed. Called from several threads at once.
using RemovalPlayer = std::function<Result<Ends>(const std::vector<std::string>& removed)>;

struct MatrixOptions {
  std::vector<std::string> controls;
  bool pairs = false;
  int threads = 2;
  // After each set, from one thread at a time: how many of how many are done.
  std::function<void(std::size_t done, std::size_t all)> progress{};
  std::function<bool()> stopped{};  // then what is left is not played: lab.removal_stopped
};
// The failure of the player that comes first in the order of the sets.
[[nodiscard]] Result<Matrix> play_matrix(const MatrixOptions& options, const RemovalPlayer& play);

// The control alone shows nothing, no pair with it does, and nothing is explained; in their order. `pairs`: the matrix
// in which pairs are looked for.
[[nodiscard]] std::vector<std::string> idle_controls(const Matrix& singles, const Matrix& pairs);
// What is wrong with the explanations: of a control that does show, or that names no test, or of no control.
[[nodiscard]] std::vector<std::string> wrong_explanations(const Matrix& singles, const Matrix& expected);
// One line a difference: "desk.token.audience: A01-token-of-another-server is otherwise, and not through".
[[nodiscard]] std::vector<std::string> differences(const std::string& name, const Ends& expected, const Ends& got);

// A line a control, a column an attack: T got through, o refused by something else, n a neighbour was refused, . as
// with all controls.
[[nodiscard]] std::string table_of(const Matrix& matrix);

struct BadMatrix {
  static constexpr std::string_view kId = "lab.bad_matrix";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string reason;
  [[nodiscard]] std::string text() const { return "The expected matrix cannot be read: " + reason + "."; }
};
struct RemovalStopped {
  static constexpr std::string_view kId = "lab.removal_stopped";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  [[nodiscard]] std::string text() const { return "Stopped before every control was taken away."; }
};

}  // namespace postern::lab
