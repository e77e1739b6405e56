// InputAnswerer: what answers the questions that a server asks before it goes on with a call (MCP 2026-07-28
// basic/patterns/mrtr).
//
// The product's answers elicitation/create and nothing else (bridge/input_answers.h): sampling and roots are neither
// declared nor answered, because they would put a server's words before a model without a label. Called on the thread
// of the call, one question at a time, in the order in which the server named them. It must outlive the Call.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/mcp/types.h"

namespace postern::bridge {

// Where a call stands that waits for a person: for reports and for a run that goes on later.
struct PendingApproval {
  std::string message;  // the server's last, made visible
  std::string url;
};

struct InputAnswer {
  Json response;  // the bare result of the question's method, {"action":"accept"}
  // The server goes on when something has happened outside of the call: it is asked again at intervals. Without this
  // the answer is sent at once.
  std::optional<PendingApproval> pending;
  // The server is told the response. When it then asks again instead of giving a result, the call ends with this.
  std::optional<Failure> ending;
};

class InputAnswerer {
 public:
  virtual ~InputAnswerer() = default;
  // Whether the question is one that can be answered at all. All of a round are looked at before anybody is asked for
  // the first: with one that cannot be answered none is, and the call ends. Failure: bridge.input_not_supported.
  [[nodiscard]] virtual Status understands(const mcp::InputRequest& request) const = 0;
  // REQUIRES that it understands the request. May wait for a person; `stop` ends that.
  [[nodiscard]] virtual InputAnswer answer(std::string_view tool, const mcp::InputRequest& request,
                                           const std::stop_token& stop) = 0;
  // What the person has said since of a question that is pending, when it is a no; once. Asked for while a call waits.
  [[nodiscard]] virtual std::optional<mcp::ElicitAction> withdrawn() { return std::nullopt; }
};

// A person said no, the server was told so, and asked again.
struct AskedAgain {
  static constexpr std::string_view kId = "elicitation.asked_again";
  static constexpr Layer kLayer = Layer::kModel;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string tool;
  mcp::ElicitAction action = mcp::ElicitAction::kDecline;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::bridge
