#include "tests/lab/attack/outlook.h"

#include <algorithm>

#include "wire/base/visible_text.h"

namespace postern::lab {
namespace {

bool says(const std::string& text, std::string_view words) {
  return text.find(words) != std::string::npos;
}
bool invalid_token(const Attempt& a) {
  return a.seen.status == 401 && challenge_parameter(a.seen.challenge, "error") == "invalid_token";
}
template <int kStatus>
bool status_is(const Attempt& a) {
  return (a.is_decision ? a.decision.status : a.seen.status) == kStatus;
}
// Refused with a status before it came to a handler, or by hanging up.
bool refused_early(const Attempt& a) {
  return a.seen.status == 0 || (a.seen.status >= 400 && a.seen.status < 500);
}
bool refused(const Attempt& a) {
  return !a.let_through();
}
bool described(const Attempt& a, std::string_view words) {
  return invalid_token(a) && says(challenge_parameter(a.seen.challenge, "error_description"), words);
}
bool insufficient_scope(const Attempt& a) {
  return a.seen.status == 403 && challenge_parameter(a.seen.challenge, "error") == "insufficient_scope" &&
         says(challenge_parameter(a.seen.challenge, "scope"), "refunds:write");
}
// RFC 6750 section 3.1 and the step-up rule of MCP: the set is whole, what the token has already is in it.
bool whole_scope(const Attempt& a) {
  return challenge_parameter(a.seen.challenge, "scope") == "desk:read refunds:write" &&
         !challenge_parameter(a.seen.challenge, "resource_metadata").empty();
}
bool no_handle(const Attempt& a) {
  return a.seen.tool_error() && says(a.seen.text(), "No open case with that handle for this caller.");
}
bool still_pending(const Attempt& a) {
  return (a.seen.tool_error() || a.seen.asks_for_input()) &&
         says(a.seen.text(), "still pending. Nothing was refunded.");
}
bool asked_again(const Attempt& a) {
  return a.seen.status == 200 && a.seen.asks_for_input() && !a.seen.state().empty();
}
template <int kCode>
bool error_code_is(const Attempt& a) {
  return a.seen.error.integer_at("code") == kCode;
}
bool page_says(const Attempt& a, std::string_view words) {
  return a.is_decision && says(a.decision.seen, words);
}
// A refusal of payments, in the form of its API: {"error":{"id","text"}}.
bool payments_error(const Attempt& a, std::string_view id) {
  const auto json = parse_json(a.seen.body);
  const Json* error = json ? json->find("error") : nullptr;
  return error != nullptr && error->string_at("id") == id;
}
bool anything(const Attempt&) {
  return true;
}

constexpr Outlook kOutlooks[] = {
    {"token.wrong_audience", "401 invalid_token: for another resource", invalid_token,
     [](const Attempt& a) { return described(a, "for another resource"); }},
    {"token.expired", "401 invalid_token: its time is over", invalid_token,
     [](const Attempt& a) { return described(a, "has expired"); }},
    {"token.not_yet_valid", "401 invalid_token: its time has not begun", invalid_token,
     [](const Attempt& a) { return described(a, "not valid yet"); }},
    {"token.missing_claim", "401 invalid_token: a claim that every token must have", invalid_token,
     [](const Attempt& a) { return described(a, "is not valid"); }},
    {"token.unknown_key", "401 invalid_token: no key of the issuer", invalid_token,
     [](const Attempt& a) { return described(a, "is not valid"); }},
    {"token.bad_signature", "401 invalid_token: another way of signing, or not the issuer's", invalid_token,
     [](const Attempt& a) { return described(a, "is not valid"); }},
    {"token.wrong_issuer", "401 invalid_token: of another issuer", invalid_token,
     [](const Attempt& a) { return described(a, "another issuer"); }},
    {"token.wrong_type", "401 invalid_token: no access token", invalid_token,
     [](const Attempt& a) { return described(a, "is not valid"); }},
    {"token.insufficient_scope", "403 insufficient_scope, and the challenge names the whole set", insufficient_scope,
     whole_scope},
    {"case.no_such_handle", "a tool error: No open case with that handle for this caller.", no_handle, anything},
    {"bridge.still_pending", "a tool error or a new question: still pending. Nothing was refunded.", still_pending,
     asked_again},
    {"case.request_state_refused", "any refusal; of the product -32602", refused, error_code_is<-32602>},
    {"approval.own_request", "no decision; of the product's page: somebody else must decide", refused,
     [](const Attempt& a) {
       return page_says(a, "cannot decide your own request") || page_says(a, "Someone else must decide");
     }},
    {"approval.foreign_form", "no decision; of the product's page: it came from elsewhere", refused,
     [](const Attempt& a) { return status_is<403>(a) && page_says(a, "came from elsewhere"); }},
    {"approval.sign_in_refused", "no decision: the issuer signs nobody in for that", refused,
     [](const Attempt& a) { return status_is<400>(a) && page_says(a, "You are not signed in"); }},
    {"approval.signed_out", "no decision: the person has still to sign in, by choosing who it is", refused,
     [](const Attempt& a) { return page_says(a, "Who is signing in?"); }},
    {"issuer.oauth_error", "no token: the issuer refuses by an error of OAuth", refused,
     [](const Attempt& a) { return a.is_decision; }},
    {"payment.action_mismatch", "payments refuses; of the product 422 with this id", refused_early,
     [](const Attempt& a) { return status_is<422>(a) && payments_error(a, "payment.action_mismatch"); }},
    {"payment.token_spent", "one refund, however often it is asked for", anything, anything},
    {"lab.refused_before_handler", "a status of 4xx, or the connection ends", refused_early,
     [](const Attempt& a) { return status_is<400>(a) || status_is<403>(a); }},
    {"mcp.header_mismatch", "400; of the product with -32020", refused_early,
     [](const Attempt& a) { return status_is<400>(a) && error_code_is<-32020>(a); }},
    {"lab.token_found", "no piece of the token in anything that is kept, sent on or shown", anything, anything},
};

Ended ended_elsewhere(const Outlook& outlook, const Attempt& attempt) {
  const int status = attempt.is_decision ? attempt.decision.status : attempt.seen.status;
  if (!attempt.is_decision && attempt.seen.contradicts_itself()) return Ended::kThrough;
  if (status >= 500) return Ended::kBrokeDown;
  if (status >= 100 && status < 400 && status / 100 != 2) return Ended::kUnclear;
  if (outlook.any(attempt)) return Ended::kAsItMust;
  const bool pends = outlook.id == "bridge.still_pending";
  if (attempt.let_through() && !(pends && attempt.seen.asks_for_input())) return Ended::kThrough;
  // A tool that fails in its own words may have paid before.
  if (pends && attempt.seen.tool_error()) return Ended::kUnclear;
  if (outlook.id.substr(0, 6) == "token.") {
    const bool challenged = (status == 401 || status == 403) && !attempt.seen.challenge.empty();
    return challenged ? Ended::kRefusedOtherwise : Ended::kUnclear;
  }
  const bool in_handler = outlook.id.substr(0, 4) != "lab." && outlook.id.substr(0, 4) != "mcp.";
  return in_handler ? Ended::kRefusedOtherwise : Ended::kUnclear;
}

}  // namespace

std::string Attempt::line() const {
  if (!is_decision) return seen.line();
  return visible_line((decision.done ? "done: " : "not done: ") + decision.seen, 200);
}

std::span<const Outlook> outlooks() {
  return kOutlooks;
}

const Outlook* outlook_of(std::string_view id) {
  const auto found = std::find_if(std::begin(kOutlooks), std::end(kOutlooks),
                                  [&](const Outlook& outlook) { return outlook.id == id; });
  return found == std::end(kOutlooks) ? nullptr : found;
}

Ended ended(const Outlook& outlook, const Attempt& attempt, bool is_product) {
  if (!is_product) return ended_elsewhere(outlook, attempt);
  if (!outlook.any(attempt)) return attempt.let_through() ? Ended::kThrough : Ended::kRefusedOtherwise;
  return !outlook.product(attempt) ? Ended::kRefusedOtherwise : Ended::kAsItMust;
}

}  // namespace postern::lab
