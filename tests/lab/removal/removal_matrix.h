// The matrix control x attack: what no longer ends as it must when a control is taken away, alone or with another.
//
// A control whose removal changes nothing does no work, or is one of two that are one: it must show in a pair, or be
// explained by a sentence that names the test which proves it (matrix.json, "explained").
#pragma once

#include <functional>
#include <map>
#include <set>
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

// A case as it was played without some controls.
struct PlayedCase {
  std::string end;                 // as in Ends; empty: as it must
  std::set<std::string> objected;  // the controls that refused something in it, or may have
};
using Played = std::map<std::string, PlayedCase>;  // by case

[[nodiscard]] Ends ends_of(const Played& played);

// Plays those cases, or all of them when there are none, without those controls. Called from several threads at once.
using RemovalPlayer =
    std::function<Result<Played>(const std::vector<std::string>& removed, const std::vector<std::string>& cases)>;

struct MatrixOptions {
  std::vector<std::string> controls;
  bool pairs = false;
  int threads = 2;
  // After each set, from one thread at a time: how many of how many are done.
  std::function<void(std::size_t done, std::size_t all)> progress{};
  std::function<bool()> stopped{};  // then what is left is not played: lab.removal_stopped
};
// A pair is played in those cases in which each of the two objected while the other was gone. Of any other case it is
// known how it ends: a control that did not object in a play changed nothing in it, so that the play without it too is
// the same (tests/lab/world/objections.h). Where both plays say so and do not end alike, something else than the
// controls differs between two plays: lab.plays_differ.
//
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
struct PlaysDiffer {
  static constexpr std::string_view kId = "lab.plays_differ";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kInternal;
  std::string what;
  [[nodiscard]] std::string text() const {
    return "Two plays that must be the same ended differently, so nothing can be said of pairs: " + what + ".";
  }
};
struct RemovalStopped {
  static constexpr std::string_view kId = "lab.removal_stopped";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  [[nodiscard]] std::string text() const { return "Stopped before every control was taken away."; }
};

}  // namespace postern::lab
