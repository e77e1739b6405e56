// People at the approval page and at the issuer, who decide what they may and try what they may not.
#pragma once

#include <string>
#include <string_view>

#include "tests/lab/attack/product_stack.h"
#include "tests/lab/attack/target.h"
#include "tests/lab/browser.h"

namespace postern::lab {

class PageVisit {
 public:
  // The stack and the client must outlive it. `digest`: of the request, as a requester may know it.
  PageVisit(ProductStack& stack, HttpClient& http, std::string link, std::string digest)
      : stack_(stack), http_(http), env_(stack.env()), link_(std::move(link)), digest_(std::move(digest)) {}

  // "page": signs in and presses what there is. "forced-post": posts the decision with a session and a form token of
  // one's own. "forged-form": the supervisor is at the page, and a form of elsewhere is sent by that browser.
  // "step-up": signs in for refunds:approve. "headless": asks for a token as `person` through the host's client without
  // a browser; of a supervisor with refunds:approve. "preselected": opens a link that names the supervisor.
  [[nodiscard]] Result<DecisionAttempt> go(std::string_view person, std::string_view way);

 private:
  [[nodiscard]] Result<DecisionAttempt> decide_at_page(std::string_view person);
  [[nodiscard]] Result<DecisionAttempt> force_post(std::string_view person);
  [[nodiscard]] Result<DecisionAttempt> forge_form();
  [[nodiscard]] Result<DecisionAttempt> step_up(std::string_view person);
  [[nodiscard]] Result<DecisionAttempt> sign_in_headless(std::string_view person);
  [[nodiscard]] Result<DecisionAttempt> preselect();
  // Signs in and follows the way to a decision as far as it goes, without pressing what decides.
  [[nodiscard]] Result<OpenPage> walk(Browser& browser, std::string_view url, std::string_view person);
  [[nodiscard]] HtmlForm decision_form(std::string_view form_token) const;

  ProductStack& stack_;
  HttpClient& http_;
  Env env_;
  std::string link_;
  std::string digest_;
};

// As the issuer's page shows the name: "Rowan Diaz".
[[nodiscard]] std::string full_name_of(std::string_view person);
// A sign-in of the local profile: the answer's redirect. POST /headless.
[[nodiscard]] Result<HttpResponse> headless_sign_in(ProductStack& stack, std::string_view person,
                                                    std::string_view scope, std::string_view challenge);

}  // namespace postern::lab
