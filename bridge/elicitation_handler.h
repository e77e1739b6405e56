// ElicitationHandler: what a person is shown and asked when a server asks for something before it goes on with a call
// (MCP 2026-07-28 client/elicitation).
//
// The host implements it. Nothing here can approve anything: a link is shown, perhaps opened by the person, never
// fetched by us; a form is filled in, looked over and sent, or not.
#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "bridge/elicitation_form.h"
#include "wire/base/json.h"
#include "wire/base/uri.h"
#include "wire/mcp/types.h"

namespace postern::bridge {

// Who asks, in words of ours: never what a server calls itself.
struct AskingServer {
  std::string name;   // of the configuration: "support-desk"
  std::string where;  // host and port, or the command
};

struct LinkRequest {
  AskingServer server;
  std::string tool;
  std::string message;     // the server's, made visible
  Uri url;                 // checked by the elicitation policy
  std::string host;        // host and port, for emphasis
  std::string looks_like;  // an internationalised host in its own letters, with a word about them; empty: plain ASCII
  bool foreign_host = false;  // not the server's own host: warn
  // Somebody else does what the page is for. The call goes on at once, and what the person says to the link is taken
  // while it waits.
  bool for_somebody_else = false;
};

struct FormRequest {
  AskingServer server;
  std::string tool;
  std::string message;  // the server's, made visible; a few lines
  ElicitationForm form;
};

struct FormAnswer {
  mcp::ElicitAction action = mcp::ElicitAction::kCancel;
  Json content;  // with kAccept: the answers by the names of their fields, checked against the form
};

class ElicitationHandler {
 public:
  virtual ~ElicitationHandler() = default;
  // A link that has not been shown before. kAccept: the person agreed to go there, or it is for somebody else.
  // kDecline: the person said no. kCancel: nobody said anything, or `stop` came.
  [[nodiscard]] virtual mcp::ElicitAction show_link(const LinkRequest& request, const std::stop_token& stop) = 0;
  // A link that was not shown, and why. `shown_url` is visible text, cut.
  virtual void link_refused(const std::string& shown_url, const std::string& reason) = 0;
  // The message of a later round that differs from the one shown: made visible.
  virtual void still_waiting(const std::string& message) = 0;
  // What the person has said since of the link that was shown last, when it is a no; once.
  [[nodiscard]] virtual std::optional<mcp::ElicitAction> withdrawn() { return std::nullopt; }

  // False when there is nobody who could agree to anything: then no form is shown, and no link but one that is for
  // somebody else.
  [[nodiscard]] virtual bool can_ask() const { return false; }
  // Shows the form and gives what came of it. kCancel when `stop` comes. REQUIRES can_ask().
  [[nodiscard]] virtual FormAnswer fill_in(const FormRequest& /*request*/, const std::stop_token& /*stop*/) {
    return {};
  }
};

}  // namespace postern::bridge
