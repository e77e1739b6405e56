// Target: a server that is attacked, and what an attacker and a grader can get there: addresses, tokens, decisions, and
// what can be seen of the money.
//
// Three kinds: the product's own stack as child processes over real HTTP (process_stack.h; with a starter
// configuration some of them are the laboratory's weak parts), a whole world in one process (world_stack.h: for the
// control matrix), both behind product_target.h; and somebody else's server behind a URL (server_target.h: black box).
// What a kind cannot do is "not observable" and never a pass. One thread.
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

// The attack could not be made: the target is broken, or a step that must succeed did not.
struct AttackFailed {
  static constexpr std::string_view kId = "lab.attack_failed";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kInternal;
  std::string what;  // made visible
  [[nodiscard]] std::string text() const { return what; }
};

// A step that must come before an attempt was refused by the target.
struct StepRefused {
  static constexpr std::string_view kId = "lab.step_refused";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string what;  // made visible
  [[nodiscard]] std::string text() const { return what; }
};

// A genuine token with one thing wrong.
struct Forgery {
  std::string how;     // "expired", "not-yet-valid", "no-exp", "untrusted-issuer", "alg-none", "hs256-public-key",
                       // "own-jwk", "own-jku", "own-x5u": closed, fixtures/README.md
  std::string person;  // "rowan"
  std::string scope;   // "desk:read"
};

// A request state as the server itself would have sealed it, with one thing otherwise.
struct StateForgery {
  std::string person;   // for whom
  std::string tool;     // "issue_refund"
  std::string method;   // "tools/call"
  std::string purpose;  // empty: the server's own
  Json arguments;       // of the call
  std::string link;     // of the approval
  std::string ticket;
  Seconds ago{0};  // when it was sealed
};

// What the page or its like was asked to do, and what came of it.
struct DecisionAttempt {
  bool done = false;  // decided, or for the ways that end earlier: let in
  int status = 0;     // of the last answer
  std::string seen;   // its own words, made visible
};

// The names that an implementation has chosen for the tools, and for their arguments.
class ToolNames {
 public:
  // The product's own names.
  ToolNames() = default;
  // {"get_order": {"name": "get_order", "arguments": {"ticket_id": "ticket", "line_id": null}}}: what is null is left
  // out of a call, what is not named keeps its name; a tool that is null is not offered.
  explicit ToolNames(Json table) : table_(std::move(table)) {}
  // Empty: there is no such tool.
  [[nodiscard]] std::string tool(std::string_view name) const;
  [[nodiscard]] Json arguments(std::string_view tool, const Json& arguments) const;
  // False for an argument that is left out.
  [[nodiscard]] bool takes(std::string_view tool, std::string_view argument) const;

 private:
  Json table_;  // null: all as they are
};

class Target {
 public:
  virtual ~Target() = default;
  [[nodiscard]] virtual std::string name() const = 0;  // "product", "starter lab1", the URL
  // It is the product: refusals have the product's own words, and not only what the boundary asks for.
  [[nodiscard]] virtual bool is_product() const = 0;
  [[nodiscard]] virtual const Clock& clock() const = 0;
  [[nodiscard]] virtual HttpClient& http() = 0;    // reaches all of it
  [[nodiscard]] virtual Uri endpoint() const = 0;  // the MCP endpoint
  [[nodiscard]] virtual const ToolNames& tools() const = 0;

  // A genuine token. `resource` empty: for this server; "other": for another server of the same issuer.
  [[nodiscard]] virtual Result<std::string> token(std::string_view person, std::string_view scope,
                                                  std::string_view resource = {}) = 0;
  [[nodiscard]] virtual Result<std::string> forge(const Forgery& forgery) = 0;
  [[nodiscard]] virtual Result<std::string> forge_state(const StateForgery& forgery) = 0;
  // Bytes on a connection of their own to the MCP endpoint's server; the bytes of the answer, empty when it hung up.
  [[nodiscard]] virtual Result<std::string> raw(std::string_view bytes) = 0;
  // A person goes to the link of an approval, or to the issuer, and does what the case says: "page", "forced-post",
  // "forged-form", "step-up", "headless", "preselected": closed, fixtures/README.md.
  [[nodiscard]] virtual Result<DecisionAttempt> decide(std::string_view link, std::string_view person,
                                                       std::string_view way) = 0;
  // Receipts of a ticket as the mover of money has them, oldest first.
  [[nodiscard]] virtual Result<std::vector<Json>> refunds(std::string_view ticket) = 0;
  // A direct call of the mover of money with the approval of that link, for its action with some members changed.
  [[nodiscard]] virtual Result<HttpResponse> pay(std::string_view link, const Json& changes) = 0;
  // Every log, page, database, downstream call and output so far, by name.
  [[nodiscard]] virtual Result<std::map<std::string, std::string>> artefacts() = 0;
  // The same call through two processes at the same instant; the answers.
  [[nodiscard]] virtual Result<std::vector<HttpResponse>> at_once(const HttpRequest& request) = 0;
  // Ends the desk between payment and answer of the call, starts it again, and sends the call once more: that answer.
  [[nodiscard]] virtual Result<HttpResponse> after_crash(const HttpRequest& request) = 0;
};

}  // namespace postern::lab
