#include "issuer/authorization_request.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "issuer/failures.h"
#include "wire/base/visible_text.h"

namespace postern::issuer {
namespace {

constexpr std::size_t kTextBytesMax = 512;  // of state and nonce

// VSCHAR of RFC 6749 appendix A: no line break can hide in what is sent back.
bool is_printable(std::string_view text) {
  return text.size() <= kTextBytesMax &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c <= 0x7E; });
}

Result<std::optional<Seconds>> read_max_age(const std::string& text) {
  if (text.empty()) return std::optional<Seconds>();
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || seconds < 0 || seconds > 1'000'000'000) {
    return OAuthError{"invalid_request", "max_age is not a number of seconds."};
  }
  return std::optional(Seconds(seconds));
}

struct Prompt {
  bool login = false;
  bool consent = false;
};

// The people are shown whatever is asked, so select_account asks for nothing more, and none cannot be served.
Result<Prompt> read_prompt(const std::string& text) {
  const auto prompts = ScopeSet::parse(text);
  if (!prompts) return OAuthError{"invalid_request", "prompt is malformed."};
  for (const std::string& prompt : prompts->tokens()) {
    if (prompt == "none") return OAuthError{"login_required", "This issuer always asks who is signing in."};
    if (prompt != "login" && prompt != "select_account" && prompt != "consent") {
      return OAuthError{"invalid_request", "prompt has an unknown value."};
    }
  }
  return Prompt{prompts->contains("login"), prompts->contains("consent")};
}

Result<ScopeSet> read_scope(const Client& client, const std::string& text, const ScopePolicy& policy) {
  auto scope = ScopeSet::parse(text);
  if (!scope) return OAuthError{"invalid_scope", "scope holds a character that no scope may hold."};
  if (!client.grants.refresh_token) scope = scope->without({kOfflineAccess});
  if (scope->without({kOfflineAccess}).empty()) scope = scope->join(policy.default_scope.intersect(client.scopes));
  if (scope->without({kOfflineAccess}).empty()) return OAuthError{"invalid_scope", "scope is missing."};
  POSTERN_TRY_VOID(policy.check({client, nullptr, false, *scope}));
  return *std::move(scope);
}

Status check_response_form(const FormFields& fields) {
  if (value_of(fields, "response_type") != "code") {
    return OAuthError{"unsupported_response_type", "Only response_type=code is offered here."};
  }
  const std::string mode = value_of(fields, "response_mode");
  if (!mode.empty() && mode != "query")
    return OAuthError{"invalid_request", "Only response_mode=query is offered here."};
  if (!value_of(fields, "request").empty())
    return OAuthError{"request_not_supported", "Request objects are not offered here."};
  if (!value_of(fields, "request_uri").empty()) {
    return OAuthError{"request_uri_not_supported", "Request objects are not offered here."};
  }
  return {};
}

}  // namespace

std::string value_of(const FormFields& fields, std::string_view name) {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const auto& field) { return field.first == name; });
  return found == fields.end() ? std::string() : found->second;
}

const std::string* repeated_name(const FormFields& fields) {
  std::set<std::string_view> seen;
  for (const auto& [name, value] : fields) {
    if (!seen.insert(name).second) return &name;
  }
  return nullptr;
}

Result<ReturnAddress> read_return_address(ClientDirectory& clients, const FormFields& fields) {
  for (const std::string_view name : {"client_id", "redirect_uri", "state"}) {
    if (!sole_field(fields, name)) return UntrustedRequest{"The parameter " + std::string(name) + " is there twice."};
  }
  ReturnAddress address;
  address.client = clients.find(value_of(fields, "client_id"));
  if (address.client == nullptr) return UntrustedRequest{"No client with that client_id is known here."};
  address.redirect_uri = value_of(fields, "redirect_uri");
  if (address.redirect_uri.empty()) return UntrustedRequest{"The parameter redirect_uri is missing."};
  if (!address.client->may_redirect_to(address.redirect_uri)) {
    return UntrustedRequest{"That redirect_uri is not registered for the client " +
                            visible_line(address.client->name, 60) + "."};
  }
  address.state = value_of(fields, "state");
  if (!is_printable(address.state))
    return UntrustedRequest{"The parameter state is too long or holds a control character."};
  return address;
}

Result<Asked> read_asked(const Client& client, const FormFields& fields, const ScopePolicy& policy) {
  std::string resource = value_of(fields, "resource");
  if (!client.may_ask_for_resource(resource)) {
    return OAuthError{"invalid_target",
                      "The client " + client.client_id + " may not ask for tokens for that resource."};
  }
  POSTERN_TRY(ScopeSet scope, read_scope(client, value_of(fields, "scope"), policy));
  return Asked{std::move(scope), std::move(resource)};
}

Result<AuthorizationRequest> read_authorization_request(ReturnAddress address, const FormFields& fields,
                                                        const ScopePolicy& policy) {
  if (const std::string* name = repeated_name(fields)) {
    return OAuthError{"invalid_request", "The parameter " + visible_line(*name, 40) + " is there twice."};
  }
  POSTERN_TRY_VOID(check_response_form(fields));
  if (!address.client->grants.authorization_code) {
    return OAuthError{"unauthorized_client", "The client may not use this grant."};
  }
  auto challenge = CodeChallenge::of_text(value_of(fields, "code_challenge"));
  if (!challenge || value_of(fields, "code_challenge_method") != "S256") {
    return OAuthError{"invalid_request", "A code_challenge with code_challenge_method=S256 is required."};
  }
  POSTERN_TRY(Asked asked, read_asked(*address.client, fields, policy));
  AuthorizationRequest request;
  POSTERN_TRY(request.max_age, read_max_age(value_of(fields, "max_age")));
  POSTERN_TRY(const Prompt prompt, read_prompt(value_of(fields, "prompt")));
  request.nonce = value_of(fields, "nonce");
  if (!is_printable(request.nonce))
    return OAuthError{"invalid_request", "nonce is too long or holds a control character."};
  request.address = std::move(address);
  request.challenge = std::move(challenge);
  request.resource = std::move(asked.resource);
  request.scope = std::move(asked.scope);
  request.fresh_sign_in = prompt.login;
  request.fresh_consent = prompt.consent;
  return request;
}

std::string answer_location(const ReturnAddress& address, std::string_view issuer, FormFields answer) {
  if (!address.state.empty()) answer.emplace_back("state", address.state);
  answer.emplace_back("iss", issuer);
  const char* separator = address.redirect_uri.find('?') == std::string::npos ? "?" : "&";
  return address.redirect_uri + separator + form_encode(answer);
}

}  // namespace postern::issuer
