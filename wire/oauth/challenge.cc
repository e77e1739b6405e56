#include "wire/oauth/challenge.h"

#include <algorithm>

#include "wire/base/visible_text.h"

namespace postern {
namespace {

constexpr std::size_t kFieldBytesMax = 8192;
constexpr std::size_t kChallengesMax = 16;
constexpr std::size_t kParametersMax = 32;

bool is_letter_or_digit(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}
bool is_token_character(char c) {
  return is_letter_or_digit(c) || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}
bool is_token68_character(char c) {
  return is_letter_or_digit(c) || std::string_view("-._~+/").find(c) != std::string_view::npos;
}

// Reads the grammar of RFC 9110 section 11.2 from left to right.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Result<std::vector<AuthChallenge>> challenges() {
    std::vector<AuthChallenge> out;
    skip_separators();
    while (!at_end()) {
      if (out.size() == kChallengesMax) return MalformedChallenge{"it holds too many challenges"};
      POSTERN_TRY(AuthChallenge challenge, one_challenge());
      out.push_back(std::move(challenge));
    }
    return out;
  }

 private:
  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  [[nodiscard]] char peek() const { return at_end() ? '\0' : text_[at_]; }

  void skip_blanks() {
    while (peek() == ' ' || peek() == '\t') ++at_;
  }
  void skip_separators() {
    while (peek() == ' ' || peek() == '\t' || peek() == ',') ++at_;
  }

  std::string_view take_while(bool (*admits)(char)) {
    const std::size_t start = at_;
    while (!at_end() && admits(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }

  // True when "token BWS =" stands here and what follows is not the end of a token68 ("abc==").
  [[nodiscard]] bool parameter_ahead() {
    const std::size_t start = at_;
    const bool named = !take_while(is_token_character).empty();
    skip_blanks();
    bool ahead = named && peek() == '=';
    if (ahead) {
      ++at_;
      skip_blanks();
      ahead = !at_end() && peek() != ',' && peek() != '=';
    }
    at_ = start;
    return ahead;
  }

  Result<AuthChallenge> one_challenge() {
    AuthChallenge challenge;
    challenge.scheme = take_while(is_token_character);
    if (challenge.scheme.empty()) return MalformedChallenge{"a scheme is missing"};
    const std::size_t before_blanks = at_;
    skip_blanks();
    if (at_end()) return challenge;
    if (peek() == ',') {
      skip_separators();
      return challenge;
    }
    if (at_ == before_blanks) return MalformedChallenge{"no blank follows a scheme"};
    if (!parameter_ahead()) {
      POSTERN_TRY_VOID(read_token68(challenge));
      return challenge;
    }
    POSTERN_TRY_VOID(read_parameters(challenge));
    return challenge;
  }

  Status read_token68(AuthChallenge& challenge) {
    challenge.token68 = take_while(is_token68_character);
    challenge.token68 += take_while([](char c) { return c == '='; });
    skip_blanks();
    if (challenge.token68.empty() || (!at_end() && peek() != ',')) {
      return MalformedChallenge{"a parameter has no value that is a token or a quoted string"};
    }
    skip_separators();
    return {};
  }

  Status read_parameters(AuthChallenge& challenge) {
    while (!at_end() && parameter_ahead()) {
      if (challenge.parameters.size() == kParametersMax) return MalformedChallenge{"it holds too many parameters"};
      std::string name(take_while(is_token_character));
      std::transform(name.begin(), name.end(), name.begin(),
                     [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
      skip_blanks();
      ++at_;  // "="
      skip_blanks();
      POSTERN_TRY(std::string value, parameter_value());
      if (challenge.find(name) != nullptr) return MalformedChallenge{"the parameter " + name + " occurs twice"};
      challenge.parameters.emplace_back(std::move(name), std::move(value));
      skip_blanks();
      if (!at_end() && peek() != ',') return MalformedChallenge{"no comma follows a parameter"};
      skip_separators();
    }
    return {};
  }

  Result<std::string> parameter_value() {
    if (peek() != '"') {
      const std::string_view token = take_while(is_token_character);
      // A single quote is a token character, but a value in single quotes is somebody's mistake for a quoted string.
      if (token.empty() || token.front() == '\'')
        return MalformedChallenge{"a value is neither a token nor a quoted string"};
      return std::string(token);
    }
    std::string value;
    for (++at_; !at_end(); ++at_) {
      char c = text_[at_];
      if (c == '"') {
        ++at_;
        return value;
      }
      if (c == '\\') {
        if (++at_ == text_.size()) break;
        c = text_[at_];
      }
      if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F) {
        return MalformedChallenge{"a control character stands in a quoted string"};
      }
      value += c;
    }
    return MalformedChallenge{"a quoted string does not end"};
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

void add_to(BearerChallenge& bearer, const AuthChallenge& challenge) {
  const auto copy = [&](std::string_view name, std::optional<std::string>& to) {
    const std::string* value = challenge.find(name);
    if (value != nullptr && !to) to = *value;
  };
  copy("error", bearer.error);
  copy("error_description", bearer.error_description);
  const std::string* scope = challenge.find("scope");
  if (scope != nullptr && !bearer.scope) bearer.scope = ScopeSet::parse(*scope);
  const std::string* url = challenge.find("resource_metadata");
  auto& urls = bearer.resource_metadata;
  if (url != nullptr && std::find(urls.begin(), urls.end(), *url) == urls.end()) urls.push_back(*url);
}

}  // namespace

const std::string* AuthChallenge::find(std::string_view name) const {
  const auto found = std::find_if(parameters.begin(), parameters.end(),
                                  [&](const auto& parameter) { return parameter.first == name; });
  return found == parameters.end() ? nullptr : &found->second;
}

Result<std::vector<AuthChallenge>> parse_challenges(std::string_view field_value) {
  if (field_value.size() > kFieldBytesMax) return MalformedChallenge{"it is too long"};
  return Reader(field_value).challenges();
}

Result<std::optional<BearerChallenge>> read_bearer_challenge(const HeaderList& headers) {
  std::optional<Failure> malformed;
  std::optional<BearerChallenge> bearer;
  for (const std::string_view field : headers.all("WWW-Authenticate")) {
    const auto challenges = parse_challenges(field);
    if (!challenges) {
      malformed = challenges.error();
      continue;
    }
    for (const AuthChallenge& challenge : *challenges) {
      if (!equal_ignoring_case(challenge.scheme, "Bearer") && !equal_ignoring_case(challenge.scheme, "DPoP")) continue;
      if (!bearer) bearer.emplace();
      add_to(*bearer, challenge);
    }
  }
  if (!bearer && malformed) return *malformed;
  return bearer;
}

ChallengeWriter& ChallengeWriter::add(std::string_view name, std::string_view value) {
  text_ += first_ ? " " : ", ";
  first_ = false;
  text_.append(name).append("=\"");
  for (const char c : value) {
    const bool allowed = c >= 0x20 && c <= 0x7E && c != '"' && c != '\\';
    text_ += allowed ? c : '?';
  }
  text_ += '"';
  return *this;
}

std::string MalformedChallenge::text() const {
  return "The server's WWW-Authenticate header cannot be read: " + visible_line(reason, 120) +
         ". Nothing in it was used.";
}

}  // namespace postern
