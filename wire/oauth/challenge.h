// WWW-Authenticate, read and written (RFC 9110 section 11.6.1, RFC 6750 section 3, RFC 9728 section 5.1).
//
// The reader takes several challenges in one field or in several, quoted strings with commas and escapes, parameters in
// any order, names and schemes in any case, and white space around "=". A parameter is found by its whole name only.
// One that occurs twice in a challenge, or a value that is neither token nor quoted string, makes the field malformed:
// then nothing in it is used.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/base/result.h"
#include "wire/http_message/http_message.h"
#include "wire/oauth/scope.h"

namespace postern {

struct AuthChallenge {
  std::string scheme;                                           // as it came
  std::string token68;                                          // of schemes that use one; then there are no parameters
  std::vector<std::pair<std::string, std::string>> parameters;  // names in lower case, values unquoted
  // The value of that parameter, or null.
  [[nodiscard]] const std::string* find(std::string_view name) const;
};

// `oauth.malformed_challenge`.
[[nodiscard]] Result<std::vector<AuthChallenge>> parse_challenges(std::string_view field_value);

// What a resource server says when it refuses a token or wants one: by the scheme Bearer (RFC 6750 section 3) or DPoP
// (RFC 9449 section 7.1), which have the same parameters.
struct BearerChallenge {
  std::optional<std::string> error;
  std::optional<std::string> error_description;  // a peer's text
  std::optional<ScopeSet> scope;                 // absent when the parameter is, or when it is no scope list
  std::vector<std::string> resource_metadata;    // of each challenge that names one; different URLs, in their order
};

// The well-formed Bearer and DPoP challenges of the response as one: each parameter of the first that has it. Nothing
// when there is none; `oauth.malformed_challenge` when there is none and a field could not be read, in which case the
// caller goes on as if nothing had been said (the well-known URLs).
[[nodiscard]] Result<std::optional<BearerChallenge>> read_bearer_challenge(const HeaderList& headers);

// Builds one field value, parameters in the order in which they are added. Characters that RFC 6750 section 3 does not
// allow in a value become "?", so that no value can end the string, the field or the line.
class ChallengeWriter {
 public:
  explicit ChallengeWriter(std::string_view scheme) : text_(scheme) {}
  ChallengeWriter& add(std::string_view name, std::string_view value);
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
  bool first_ = true;
};

struct MalformedChallenge {
  static constexpr std::string_view kId = "oauth.malformed_challenge";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string reason;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern
