// Makes the lines of a wire log comparable from run to run: what differs each time is replaced by aliases.
//
//   <token:a1b2c3>        <token#1>     secrets: by first appearance; the digits decide, whatever the kind
//   127.0.0.1:4310        {desk}        addresses of the world, also percent-encoded: {desk%3A}
//   http-20261130T...     {run}         and {nonce}, {folder}
//   code_challenge=...    <challenge#1> random, though no secret
//   "exchange":1734       1             by first appearance
//   "digest":"9f2c..."    "#1"          equal bytes, equal numbers
//   "at":"2026-..."       5000          milliseconds since the run began
//   "seq"                 gone          the order of the lines says it; a gap is a limit of the recording
//
// Nothing else is changed, and nothing else is left out. The numbers go on over the legs of a run. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/base/json.h"

namespace postern::lab {

class Normaliser {
 public:
  // What the run's own words are for what differs; texts that are empty stand nowhere.
  struct Words {
    std::map<std::string, std::string, std::less<>> origins;  // "desk" -> "127.0.0.1:4310"
    std::string run;
    std::string nonce;
    std::string folder;
    std::int64_t began_ms = 0;  // Unix time
  };

  void learn(Words words) { words_ = std::move(words); }
  // A line of the log. Nothing when it cannot be read; `trouble` of an entry says what could not be kept apart.
  [[nodiscard]] std::optional<Json> line(std::string_view text);
  // Any text of the run: what was printed.
  [[nodiscard]] std::string text(std::string_view text);

  // The number of an exchange that was seen, 0 for another.
  [[nodiscard]] std::int64_t exchange_of(std::int64_t exchange) const {
    const auto found = exchanges_.find(exchange);
    return found == exchanges_.end() ? 0 : found->second;
  }
  // The number of a fingerprint that was seen ("a1b2c3"), 0 for another.
  [[nodiscard]] std::size_t number_of(std::string_view digits) const;
  // Text that already looks like an alias: it could not be told from one.
  [[nodiscard]] bool saw_alias() const { return saw_alias_; }
  [[nodiscard]] std::uint64_t last_seq() const { return last_seq_; }
  [[nodiscard]] std::size_t missing() const { return missing_; }

 private:
  [[nodiscard]] std::string with_numbers(std::string_view text);
  [[nodiscard]] Json value(const Json& from);
  [[nodiscard]] std::string challenges(std::string text);

  Words words_;
  std::map<std::string, std::size_t, std::less<>> secrets_;
  std::map<std::string, std::size_t, std::less<>> challenges_;
  std::map<std::string, std::size_t, std::less<>> digests_;
  std::map<std::int64_t, std::int64_t> exchanges_;
  std::uint64_t last_seq_ = 0;
  std::size_t missing_ = 0;
  bool saw_alias_ = false;
};

// A mark in a text: `<kind:a1b2c3>` or `<kind#12>`.
struct SecretMark {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string_view kind;
  std::string_view id;  // "a1b2c3", "12"
};
// The next one from there on. `sign` is ':' or '#'.
[[nodiscard]] std::optional<SecretMark> next_mark(std::string_view text, std::size_t from, char sign);

// "2026-11-30T02:45:12.104Z" as milliseconds since 1970; nothing for anything else.
[[nodiscard]] std::optional<std::int64_t> unix_ms_of(std::string_view rfc3339_text);

}  // namespace postern::lab
