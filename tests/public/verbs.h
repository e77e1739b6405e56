// What a public case can do: a closed table of verbs, each onto a parser, a check or a server of the product.
//
// The outcome of a case is what the product says: success, or a failure by its id. Where the product answers with an
// HTTP status or a JSON-RPC code instead, the id is "http.403" or "jsonrpc.32020"; a value that was read otherwise
// than the case says is "public.another_value".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "tests/support/case_file.h"
#include "wire/base/json.h"
#include "wire/base/result.h"

namespace postern::test {

struct Verb {
  std::string_view name;
  Status (*play)(const CaseFile& file, const CaseStep& step);
};
[[nodiscard]] std::span<const Verb> format_verbs();
[[nodiscard]] std::span<const Verb> definition_verbs();
[[nodiscard]] std::span<const Verb> identity_verbs();
[[nodiscard]] std::span<const Verb> exchange_verbs();
[[nodiscard]] std::span<const Verb> money_verbs();

struct AnotherValue {
  static constexpr std::string_view kId = "public.another_value";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string expected;
  std::string got;
  [[nodiscard]] std::string text() const { return "expected '" + expected + "', got '" + got + "'"; }
};

constexpr std::string_view id_of_status(int status) {
  constexpr std::pair<int, std::string_view> kKnown[] = {
      {400, "http.400"}, {403, "http.403"}, {405, "http.405"}, {413, "http.413"}, {414, "http.414"},
      {415, "http.415"}, {417, "http.417"}, {431, "http.431"}, {501, "http.501"}, {505, "http.505"}};
  for (const auto& known : kKnown) {
    if (known.first == status) return known.second;
  }
  return "http.other";
}
// A refusal that is an HTTP status.
template <int kStatus>
struct Answered {
  static constexpr std::string_view kId = id_of_status(kStatus);
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kBadRequest;
  std::string words;
  [[nodiscard]] std::string text() const { return words; }
};
[[nodiscard]] Status answered(int status, std::string words);

// A section of the case, in which "${100*ab}" stands for "ab" a hundred times; lab.bad_case_file when it is not there.
[[nodiscard]] Result<std::string> section_of(const CaseFile& file, std::string_view name);
// The same as JSON. Failures of parse_json() too.
[[nodiscard]] Result<Json> json_of(const CaseFile& file, std::string_view name);
// public.another_value when the step names that parameter and it is another.
[[nodiscard]] Status same_as_named(const CaseStep& step, std::string_view parameter, std::string_view got);
// The first "given" of that verb.
[[nodiscard]] Result<CaseStep> given_of(const CaseFile& file, std::string_view verb);
[[nodiscard]] bool has_given(const CaseFile& file, std::string_view verb);

}  // namespace postern::test
