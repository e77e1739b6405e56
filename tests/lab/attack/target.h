// Target: a server that is attacked, and what an attacker and a grader can get there: addresses, tokens, decisions, and
// what can be seen of the money.
//
// Three kinds: the product's own stack as child processes over real HTTP (process_target.h; with a starter
// configuration some of them are the laboratory's weak parts), a whole world in one process (world_target.h: for the
// control matrix), and somebody else's server behind a URL (server_target.h: black box). What a kind cannot do is
// "not observable" and never a pass.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/base/clock.h"
#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/base/uri.h"
#include "wire/http_message/http_message.h"
#include "wire/transport/http_client.h"

namespace postern::lab {

// This target has no way to do or to see that. Why, as a sentence.
struct NotObservable {
  static constexpr std::string_view kId = "lab.not_observable";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string reason;
  [[nodiscard]] std::string text() const { return reason; }
};

// A token as the issuer would sign it, with one thing wrong.
struct Forgery {
  std::string how;     // "expired", "not_yet_valid", "no_exp", "untrusted_issuer", "alg_none", "hs256_public_key", "own_jwk",
                       // "own_jku", "own_x5u", "other_audience": closed, fixtures/README.md
  std::string person;  // "rowan"
  std::string scope;   // "desk:read"
};

// What the page or its like was asked to do, and what came of it.
struct DecisionAttempt {
  bool decided = false;
  std::string seen;  // the page's own words, made visible
};

class Target {
 public:
  virtual ~Target() = default;
  [[nodiscard]] virtual std::string name() const = 0;  // "product", "starter lab1", the URL
  [[nodiscard]] virtual const Clock& clock() const = 0;
  [[nodiscard]] virtual HttpClient& http() = 0;  // reaches all of it
  [[nodiscard]] virtual Uri endpoint() const = 0;  // the MCP endpoint
  // Names that another implementation may have chosen otherwise: of tools and of their arguments.
  [[nodiscard]] virtual Json contract() const = 0;

  // A genuine token; `resource` empty: for this server; "other": for another server of the same issuer.
  [[nodiscard]] virtual Result<std::string> token(std::string_view person, std::string_view scope,
                                                  std::string_view resource = {}) = 0;
  [[nodiscard]] virtual Result<std::string> forge(const Forgery& forgery) = 0;
  // Bytes on a connection of their own to the MCP endpoint's server; the bytes of the answer.
  [[nodiscard]] virtual Result<std::string> raw(std::string_view bytes) = 0;
  // A person goes to the link of an approval and does what the case says: "approve", "deny", "forced-post",
  // "forged-form", "step-up", "preselected": closed, fixtures/README.md.
  [[nodiscard]] virtual Result<DecisionAttempt> decide(std::string_view link, std::string_view person,
                                                       std::string_view way) = 0;
  // Receipts of a ticket as the mover of money has them, oldest first; of a black box as its own tools show them.
  [[nodiscard]] virtual Result<std::vector<Json>> refunds(std::string_view ticket) = 0;
  // A direct call of payments with an approval that was had for `approved`, for another action.
  [[nodiscard]] virtual Result<HttpResponse> pay(std::string_view approval_id, const Json& action) = 0;
  // Every log, page, database and output so far, by name.
  [[nodiscard]] virtual Result<std::map<std::string, std::string>> artefacts() = 0;
  // The same call from two processes (or two connections) at once; the answers.
  [[nodiscard]] virtual Result<std::vector<HttpResponse>> at_once(const HttpRequest& request, int times) = 0;
  // Ends the desk between payment and answer of the call, starts it again, and sends the call once more.
  [[nodiscard]] virtual Result<HttpResponse> crash_between_pay_and_answer(const HttpRequest& request) = 0;
};

}  // namespace postern::lab
