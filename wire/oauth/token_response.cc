#include "wire/oauth/token_response.h"

#include <algorithm>
#include <utility>

#include "wire/base/json.h"
#include "wire/base/visible_text.h"
#include "wire/oauth/authorization_header.h"

namespace postern {
namespace {

constexpr JsonBounds kTokenBounds{64 * 1024, 8};
constexpr std::size_t kTokenBytesMax = 8192;

// The member's characters, taken out of the document; empty when it is no string.
std::string take_string(Json& json, std::string_view name) {
  Json* member = json.find(name);
  std::string* text = member == nullptr ? nullptr : member->string();
  return text == nullptr ? std::string() : std::exchange(*text, std::string());
}

Failure refusal_of(const HttpResponse& response) {
  TokenRefused refused{response.status, "", ""};
  if (const auto json = parse_json(response.body, kTokenBounds)) {
    refused.error = visible_line(json->string_at("error"), 60);
    refused.description = visible_line(json->string_at("error_description"), 200);
  }
  return refused;
}

// What came as a secret goes on as one; nothing when it is not of the form that can be sent.
template <class Token>
std::optional<Token> take_token(Json& json, std::string_view name) {
  std::string text = take_string(json, name);
  if (text.size() > kTokenBytesMax || !is_bearer_token(text)) return std::nullopt;
  return Token::take(std::move(text));
}

}  // namespace

Result<TokenResponse> read_token_response(const HttpResponse& response, const ScopeSet& asked) {
  if (response.status != 200) return refusal_of(response);
  auto parsed = parse_json(response.body, kTokenBounds);
  if (!parsed || !parsed->is_object()) return MalformedTokens{"it is not a JSON object"};
  Json& json = *parsed;
  TokenResponse tokens;
  auto access_token = take_token<AccessToken>(json, "access_token");
  if (!access_token) return MalformedTokens{"it holds no access_token that could be sent"};
  tokens.access_token = *std::move(access_token);
  if (equal_ignoring_case(json.string_at("token_type"), "DPoP")) {
    tokens.token_type = "DPoP";
  } else if (!equal_ignoring_case(json.string_at("token_type"), "Bearer")) {
    return MalformedTokens{"its token_type is neither Bearer nor DPoP"};
  }
  if (const Json* expires_in = json.find("expires_in")) {
    tokens.expires_in_s = expires_in->integer();
    if (!tokens.expires_in_s) return MalformedTokens{"its expires_in is not a whole number of seconds"};
  }
  tokens.scope = asked;
  if (const Json* scope = json.find("scope")) {
    const auto granted = scope->string() == nullptr ? std::nullopt : ScopeSet::parse(*scope->string());
    if (!granted) return MalformedTokens{"its scope is not a list of scopes"};
    tokens.scope = *granted;
  }
  if (json.has("refresh_token")) {
    // One that could not be sent back is as good as none.
    if (auto refresh = take_token<RefreshToken>(json, "refresh_token")) tokens.refresh_token = *std::move(refresh);
  }
  tokens.name = visible_line(json.string_at("name"), 100);
  if (json.has("id_token")) tokens.id_token = IdToken::take(take_string(json, "id_token"));
  return tokens;
}

Result<Assertion> read_exchanged_assertion(const HttpResponse& response, std::string_view issued_token_type) {
  if (response.status != 200) return refusal_of(response);
  auto json = parse_json(response.body, kTokenBounds);
  if (!json || !json->is_object()) return MalformedTokens{"it is not a JSON object"};
  if (json->string_at("issued_token_type") != issued_token_type)
    return MalformedTokens{"its issued_token_type is not the one that was asked for"};
  if (!equal_ignoring_case(json->string_at("token_type"), "N_A"))
    return MalformedTokens{"its token_type is not N_A, as it must be for a token that opens nothing by itself"};
  auto assertion = take_token<Assertion>(*json, "access_token");
  if (!assertion) return MalformedTokens{"it holds no assertion that could be sent"};
  return *std::move(assertion);
}

std::string TokenRefused::text() const {
  std::string out = "The issuer did not give a token (status " + std::to_string(status);
  if (!error.empty()) out += ", " + error;
  return out + ")" + (description.empty() ? "." : ": " + description);
}
std::string MalformedTokens::text() const {
  return "The issuer's token response cannot be used: " + reason + ".";
}

}  // namespace postern
