// Who may be given which scope, as rows: the product passes them whole, the laboratory minus one to see which attack
// that row stops. The first that objects decides the answer. Pure.
#pragma once

#include <span>
#include <string_view>

#include "issuer/clients.h"
#include "issuer/people.h"
#include "wire/base/result.h"
#include "wire/oauth/scope.h"

namespace postern::issuer {

struct ScopeAsked {
  const Client& client;
  const Person* person;  // null: nobody was chosen yet
  bool headless;         // without a browser
  const ScopeSet& scope;
};
struct ScopeRule {
  std::string_view name;
  Status (*run)(const ScopeAsked& asked);
};
// "client": what it may ask for. "browser": refunds:approve is never given without one. "person": what that person may
// hold; the failure names the first scope that is too much. `issuer.oauth_error`.
[[nodiscard]] std::span<const ScopeRule> product_scope_rules();

struct ScopePolicy {
  ScopeSet default_scope{};  // of a request that names none (RFC 6749 section 3.3), within what its client may ask for
  std::span<const ScopeRule> rules = product_scope_rules();
  [[nodiscard]] Status check(const ScopeAsked& asked) const {
    for (const ScopeRule& rule : rules) POSTERN_TRY_VOID(rule.run(asked));
    return {};
  }
};

}  // namespace postern::issuer
