// The rows of a product's table, each with the same name and the same answer, that also note when they object.
//
// Row functions carry no state, so each place of a table has a function of its own that calls the product's row there.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/lab/world/objections.h"
#include "wire/base/check.h"

namespace postern::lab {

template <class Answer>
bool objects(const Answer& answer) {
  return !static_cast<bool>(answer);
}
// A row that gives the refusal itself.
template <class Refusal>
bool objects(const std::optional<Refusal>& refusal) {
  return refusal.has_value();
}

// `name_of` gives the control's name of a row of Table().
template <auto Table, auto Run, auto NameOf>
class NotingRows {
  using Row = std::remove_cvref_t<decltype(Table()[0])>;
  using Function = std::remove_cvref_t<decltype(std::declval<Row>().*Run)>;
  static constexpr std::size_t kRowsMax = 16;

  template <class F>
  struct Of;
  template <class Answer, class... Arguments>
  struct Of<Answer (*)(Arguments...)> {
    template <std::size_t Place>
    static Answer call(Arguments... arguments) {
      const Row& row = Table()[Place];
      Answer answer = (row.*Run)(std::forward<Arguments>(arguments)...);
      if (objects(answer)) Objections::note(NameOf(row.name));
      return answer;
    }
  };
  template <std::size_t... Places>
  static constexpr std::array<Function, kRowsMax> functions(std::index_sequence<Places...> /*places*/) {
    return {&Of<Function>::template call<Places>...};
  }

 public:
  // Without those controls.
  [[nodiscard]] static std::vector<Row> without(const std::vector<std::string>& removed) {
    constexpr std::array<Function, kRowsMax> kFunctions = functions(std::make_index_sequence<kRowsMax>());
    const std::span<const Row> rows = Table();
    POSTERN_CHECK(rows.size() <= kRowsMax);
    std::vector<Row> left;
    for (std::size_t place = 0; place < rows.size(); ++place) {
      if (std::find(removed.begin(), removed.end(), NameOf(rows[place].name)) != removed.end()) continue;
      Row row = rows[place];
      row.*Run = kFunctions[place];
      left.push_back(row);
    }
    return left;
  }
};

}  // namespace postern::lab
