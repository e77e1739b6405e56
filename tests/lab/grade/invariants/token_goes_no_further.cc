// I5: a caller's token never goes further than the server it was issued for; services see only the desk's own
// credential.

#include "tests/lab/grade/invariants/invariants.h"

namespace postern::lab {
namespace {

void judge_downstream(const WorldRecords& world, bool whole, Judgement& judgement) {
  std::size_t number = 0;
  for (const Json& call : world.downstream) {
    ++number;
    if (call.string_at("credential_kind") == "service") continue;
    judgement.broken("downstream.jsonl of " + std::string(call.string_at("service")) + ", line " +
                         std::to_string(number) + ", credential_kind",
                     "a service was shown a credential of the kind " + std::string(call.string_at("credential_kind")));
  }
  if (number > 0 && whole)
    judgement.seen(std::to_string(number) + " calls of services, each with a service's own credential");
}

// Why the services' logs cannot be all of them; empty: they can. What the desk answered, it asked a service for.
std::string silent_services(const WorldRecords& world, const RunView& view) {
  std::size_t answered = 0;
  bool paid = false;
  for (const ServerCall* call : view.desk_calls()) {
    if (call->method != "tools/call" || !call->succeeded()) continue;
    ++answered;
    paid = paid || call->is_call_of("issue_refund");
  }
  if (answered > 0 && world.downstream.empty())
    return "the desk answered " + std::to_string(answered) + " calls, and no service's log has a line of one";
  for (const Json& line : world.downstream) {
    if (line.string_at("operation") == "payments:refund") paid = false;
  }
  return paid ? "a refund was paid, and the log of payments has no line of it" : "";
}

// Each start of the host has other fingerprints: only those of the same one are the same secret.
void judge_elsewhere(const Exchange& exchange, const std::set<std::string>& tokens, Judgement& judgement) {
  const host::WireEntry& request = *exchange.request;
  const auto look = [&](const std::string& field, std::string_view text) {
    for (const std::string& mark : marks_in(text)) {
      if (tokens.count(mark) != 0) judgement.broken(request, field, "the caller's token was sent to " + exchange.host);
    }
  };
  look("start", request.start);
  for (const auto& [name, value] : request.headers) look("headers." + name, value);
  look("body", request.body);
  look("raw", request.raw);
}

}  // namespace

Finding token_goes_no_further(const Evidence& evidence, const RunView& view) {
  Judgement judgement;
  std::vector<std::set<std::string>> tokens(evidence.legs.size() + 1);
  bool any = false;
  for (const Exchange& exchange : view.exchanges) {
    if (exchange.peer != "server" || exchange.host != view.desk) continue;
    const std::string token = mark_in(header_of(*exchange.request, "authorization"));
    if (token.empty()) continue;
    any = true;
    tokens[exchange.leg].insert(token);
  }
  std::size_t others = 0;
  for (const Exchange& exchange : view.exchanges) {
    // The issuer made the token; it may be told which one is to be ended.
    if (exchange.peer == "issuer" || (exchange.peer == "server" && exchange.host == view.desk)) continue;
    ++others;
    judge_elsewhere(exchange, tokens[exchange.leg], judgement);
  }
  const std::string silent = evidence.world ? silent_services(*evidence.world, view) : "";
  if (any && others > 0 && silent.empty()) {
    judgement.seen("the desk's tokens occur in none of " + std::to_string(others) + " requests to others");
  }
  if (evidence.world && any) {
    judge_downstream(*evidence.world, silent.empty(), judgement);
  } else if (any) {
    judgement.unseen("the services' own logs, which are not in this evidence");
  }
  if (!silent.empty()) return judgement.finding(silent);
  return judgement.finding(any ? "nobody but the desk was called" : "no token was shown to the desk in this run");
}

}  // namespace postern::lab
