#include "issuer/scope_rules.h"

#include "issuer/failures.h"

namespace postern::issuer {
namespace {

Status check_client(const ScopeAsked& asked) {
  const ScopeSet beyond = asked.scope.without(asked.client.scopes).without({kOfflineAccess});
  if (beyond.empty()) return {};
  return OAuthError{"invalid_scope",
                    "The client " + asked.client.client_id + " may not ask for " + *beyond.tokens().begin() + "."};
}

// Whoever may approve must be a person at a browser, whatever the data of clients and people says.
Status check_browser(const ScopeAsked& asked) {
  if (!asked.headless || !asked.scope.contains("refunds:approve")) return {};
  return OAuthError{"invalid_scope", "refunds:approve is never given without a browser."};
}

Status check_person(const ScopeAsked& asked) {
  if (asked.person == nullptr) return {};
  const ScopeSet beyond = asked.scope.without(asked.person->may_hold).without({"openid", kOfflineAccess});
  if (beyond.empty()) return {};
  return OAuthError{"invalid_scope", asked.person->name + " may not hold " + *beyond.tokens().begin() + "."};
}

constexpr ScopeRule kRules[] = {{"client", check_client}, {"browser", check_browser}, {"person", check_person}};

}  // namespace

std::span<const ScopeRule> product_scope_rules() {
  return kRules;
}

}  // namespace postern::issuer
