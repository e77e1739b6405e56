// Searching in texts that people and carriers wrote: sentences, words, amounts. Without case where letters are
// compared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace postern::lab {

[[nodiscard]] std::string lower_case(std::string_view text);
[[nodiscard]] std::size_t find_ignoring_case(std::string_view text, std::string_view part, std::size_t from = 0);
// Letters and digits in lower case, everything else a border.
[[nodiscard]] std::vector<std::string> words_of(std::string_view text);
// The sentence around the first occurrence: it ends with ".", "!" or "?" before white space, or at a line feed.
[[nodiscard]] std::optional<std::string> sentence_with(std::string_view text, std::string_view part);
// The text between two quotation marks that holds the part.
[[nodiscard]] std::optional<std::string> quoted_with(std::string_view text, std::string_view part);
// "$129.00" -> 12900. The first one.
[[nodiscard]] std::optional<std::int64_t> money_in(std::string_view text);
// The first run of characters other than white space, brackets, quotation marks and sentence ends that holds the part.
[[nodiscard]] std::optional<std::string> word_with(std::string_view text, std::string_view part);
// Days since 1970-01-01 of "2026-11-30T…"; nothing when it is no date.
[[nodiscard]] std::optional<std::int64_t> day_number(std::string_view rfc3339);

}  // namespace postern::lab
