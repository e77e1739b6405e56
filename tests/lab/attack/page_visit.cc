#include "tests/lab/attack/page_visit.h"

#include "tests/lab/supervisor.h"
#include "wire/base/visible_text.h"

namespace postern::lab {
namespace {

constexpr int kPagesMax = 12;
constexpr std::size_t kSeenMax = 2000;
constexpr std::chrono::seconds kAnswerMax{15};
constexpr std::string_view kDecides = "Pay back";

DecisionAttempt attempt_of(const OpenPage& page, bool done) {
  return {done, page.status, visible_line(page.html.title + ": " + page.html.text, kSeenMax)};
}

bool shows_approval(const OpenPage& page) {
  return page.status == 200 && page.html.text.find("Approved by") != std::string::npos;
}

// The form token that some form of the page holds; empty: none does.
std::string form_token_of(const OpenPage& page) {
  for (const HtmlForm& form : page.html.forms) {
    if (form.action.find("/approvals/") == std::string::npos) continue;
    for (const auto& [name, value] : form.fields) {
      if (name == "csrf") return value;
    }
  }
  return {};
}

}  // namespace

std::string full_name_of(std::string_view person) {
  if (person == "rowan") return "Rowan Diaz";
  if (person == "quinn") return "Quinn Hale";
  return person == "morgan" ? "Morgan Ellis" : std::string(person);
}

Result<HttpResponse> headless_sign_in(ProductStack& stack, std::string_view person, std::string_view scope,
                                      std::string_view challenge) {
  POSTERN_TRY(const Uri issuer, parse_uri(stack.origin("issuer") + "/headless"));
  HttpRequest request;
  request.method = "POST";
  request.target = "/headless";
  request.headers.add("Content-Type", "application/x-www-form-urlencoded");
  request.body = form_encode({{"response_type", "code"},
                              {"client_id", "postern-host"},
                              {"redirect_uri", "http://127.0.0.1/callback"},
                              {"scope", std::string(scope)},
                              {"state", "state-of-an-attack"},
                              {"resource", stack.origin("desk") + "/mcp"},
                              {"code_challenge", std::string(challenge)},
                              {"code_challenge_method", "S256"},
                              {"person", std::string(person)},
                              {"secret", stack.headless_secret()}});
  return stack.http().send(issuer, request, stack.env().clock.steady_now() + kAnswerMax);
}

Result<OpenPage> PageVisit::walk(Browser& browser, std::string_view url, std::string_view person) {
  POSTERN_TRY(OpenPage page, browser.open(url));
  for (int pages = 0; pages < kPagesMax; ++pages) {
    const HtmlPage html = page.html;
    if (html.button(kDecides)) return page;
    if (const HtmlLink* approve = html.link("Approve")) {
      POSTERN_TRY(page, browser.follow(page, *approve));
    } else if (const auto button = html.button(full_name_of(person))) {
      POSTERN_TRY(page, browser.press(page, *button->form, *button->button));
    } else if (const HtmlLink* sign_in = html.link("Sign in"); sign_in != nullptr && pages == 0) {
      POSTERN_TRY(page, browser.follow(page, *sign_in));
    } else {
      return page;
    }
  }
  return page;
}

HtmlForm PageVisit::decision_form(std::string_view form_token) const {
  HtmlForm form;
  form.action = link_ + "/approve";
  form.method = "post";
  form.fields = {{"csrf", std::string(form_token)}, {"version", "1"}, {"digest", digest_}};
  return form;
}

Result<DecisionAttempt> PageVisit::decide_at_page(std::string_view person) {
  Browser browser(http_, env_.clock);
  POSTERN_TRY(OpenPage page, walk(browser, link_, person));
  if (const auto button = page.html.button(kDecides)) {
    const HtmlPage html = page.html;
    const auto pressable = html.button(kDecides);
    POSTERN_TRY(page, browser.press(page, *pressable->form, *pressable->button));
  }
  return attempt_of(page, shows_approval(page));
}

Result<DecisionAttempt> PageVisit::force_post(std::string_view person) {
  Browser browser(http_, env_.clock);
  POSTERN_TRY(const OpenPage page, walk(browser, link_, person));
  const std::string token = form_token_of(page);
  if (token.empty())
    return AttackFailed{"the page gave " + std::string(person) + " no form: " + attempt_of(page, false).seen};
  POSTERN_TRY(const OpenPage answer, browser.press(page, decision_form(token), HtmlButton{}));
  return attempt_of(answer, shows_approval(answer));
}

Result<DecisionAttempt> PageVisit::forge_form() {
  Browser browser(http_, env_.clock);
  POSTERN_TRY(const OpenPage page, walk(browser, link_, "morgan"));
  const std::string token = form_token_of(page);
  if (token.empty()) return AttackFailed{"the supervisor was given no form: " + attempt_of(page, false).seen};
  OpenPage elsewhere;
  POSTERN_TRY(elsewhere.uri, parse_uri("http://127.0.0.1:9/prize"));
  POSTERN_TRY(const OpenPage answer, browser.press(elsewhere, decision_form("A" + token.substr(1)), HtmlButton{}));
  return attempt_of(answer, shows_approval(answer));
}

Result<DecisionAttempt> PageVisit::step_up(std::string_view person) {
  Browser browser(http_, env_.clock);
  const std::string path = link_.substr(stack_.origin("page").size());
  POSTERN_TRY(
      const OpenPage page,
      walk(browser, stack_.origin("page") + "/login?fresh=1&next=" + percent_encode(path + "/approve"), person));
  return attempt_of(page, page.html.button(kDecides).has_value());
}

Result<DecisionAttempt> PageVisit::sign_in_headless(std::string_view person) {
  const std::string_view scope = person == "morgan" ? "desk:read refunds:approve" : "desk:read refunds:write";
  POSTERN_TRY(const HttpResponse response,
              headless_sign_in(stack_, person, scope, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"));
  const std::string* location = response.headers.find("Location");
  const bool code = location != nullptr && location->find("code=") != std::string::npos;
  // The code is not shown.
  const bool error = location != nullptr && location->find("error=") != std::string::npos;
  const std::string seen = code ? "a code" : error ? location->substr(location->find("error=")) : response.body;
  return DecisionAttempt{code, response.status, visible_line(seen, kSeenMax)};
}

Result<DecisionAttempt> PageVisit::preselect() {
  Browser browser(http_, env_.clock);
  const std::string wish = "person=morgan&login_hint=morgan";
  POSTERN_TRY(OpenPage page, browser.open(link_ + "?" + wish));
  if (const HtmlLink* sign_in = page.html.link("Sign in")) {
    HtmlLink with_wish = *sign_in;
    with_wish.href += (with_wish.href.find('?') == std::string::npos ? "?" : "&") + wish;
    POSTERN_TRY(page, browser.follow(page, with_wish));
  }
  const bool in = page.uri.origin() == stack_.origin("page") && page.html.link("Approve") != nullptr;
  return attempt_of(page, in || page.html.button(kDecides).has_value() || shows_approval(page));
}

Result<DecisionAttempt> PageVisit::go(std::string_view person, std::string_view way) {
  if (way == "page") return decide_at_page(person);
  if (way == "forced-post") return force_post(person);
  if (way == "forged-form") return forge_form();
  if (way == "step-up") return step_up(person);
  if (way == "headless") return sign_in_headless(person);
  if (way == "preselected") return preselect();
  return AttackFailed{"nobody knows how to decide in the way \"" + std::string(way) + "\""};
}

}  // namespace postern::lab
