// What stands in for the aliases of a recording while it is played: addresses, the run's own words, and for each secret
// either what the host itself sent in its place, or a text that was made here, of the same length and beginning.
//
// One thread.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/lab/replay/normaliser.h"
#include "tests/lab/replay/recorded_run.h"

namespace postern::lab {

class StandIns {
 public:
  explicit StandIns(const RecordedRun& run);

  // `{run}`, `{nonce}` and the like.
  void learn(const Normaliser::Words& words);
  // Learns from what the host sent: `normalised` has marks where `sent` has secrets, and is the same elsewhere. What
  // cannot be told apart is left.
  void bind(std::string_view normalised, std::string_view sent);
  // The text with everything in place.
  [[nodiscard]] std::string fill(std::string_view text);
  // All of them that were used.
  [[nodiscard]] std::vector<std::string> secrets() const;
  // The text with all but the secrets in place.
  [[nodiscard]] std::string with_words(std::string_view text) const;

 private:
  [[nodiscard]] const std::string& secret(const SecretMark& mark);

  std::map<std::string, std::string, std::less<>> words_;    // "{desk}" -> "127.0.0.1:4310"
  std::map<std::string, std::string, std::less<>> secrets_;  // "12", "challenge 1"
  std::map<std::string, SecretShape, std::less<>> shapes_;
};

// A text of that many bytes which reads like a secret and is none; the same for the same name.
[[nodiscard]] std::string stand_in(std::string_view name, std::string_view prefix, std::size_t bytes);

}  // namespace postern::lab
