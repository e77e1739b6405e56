// Names under which secrets stand on the wire, and the shapes that secrets have: the tables of the redactor.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace postern {

struct SecretPlace {
  std::string_view name;  // lower case
  std::string_view kind;  // what its fingerprint is called
  // The name means something else in prose and in most JSON ("code", "state"): it counts as a place only in a URL or
  // form, or, in JSON, when the value does not read like a word.
  bool ambiguous;
};

// The place of that name in any case, percent-decoded; nothing when the name holds no secret.
[[nodiscard]] std::optional<SecretPlace> secret_place(std::string_view name);

// One expression for every beginning of a secret, by place or by shape. See Redactor for how a match is read.
[[nodiscard]] std::string secret_expression();

}  // namespace postern
