#include "bridge/failures.h"

#include "wire/jsonrpc/message.h"

namespace postern::bridge {

std::string VersionNotOffered::text() const {
  std::string line =
      "Version negotiation failed: the server did not offer pinned protocol version 2026-07-28 via server/discover (no "
      "fallback "
      "in pin mode).\n";
  if (!ended.empty()) return line + ended + " No case was opened.";
  if (offered.empty()) return line + "It did not say what it offers. No case was opened.";
  line += "It offered: ";
  for (std::size_t i = 0; i < offered.size(); ++i) line += (i == 0 ? "" : ", ") + offered[i];
  return line + ". No case was opened.";
}

std::string NoCommonVersion::text() const {
  std::string line =
      "Version negotiation failed: the server speaks no protocol version that this program speaks (2026-07-28; "
      "2025-11-25 "
      "and before it where the configuration allows them).\n";
  if (offered.empty()) return line + "It did not say what it offers. No case was opened.";
  line += "It offered: ";
  for (std::size_t i = 0; i < offered.size(); ++i) line += (i == 0 ? "" : ", ") + offered[i];
  return line + ". No case was opened.";
}

std::string NotOffered::text() const {
  return "The server does not offer " + capability + ", so " + method + " was not sent to it.";
}

std::string ScopeNeeded::text() const {
  return "The call needs the scopes " + scopes + ".";
}

std::string ServerError::text() const {
  return "The server answered " + method + " with the error " + std::to_string(code) + ": " + message;
}

bool wants_what_was_not_declared(const Failure& failure) {
  const auto* error = failure.as<ServerError>();
  return error != nullptr && error->code == static_cast<std::int64_t>(ErrorCode::kMissingRequiredClientCapability);
}

std::string ResourceNotFound::text() const {
  return "The server has no resource " + uri + ": " + message;
}

std::string RequestTimedOut::text() const {
  const std::string time = std::to_string(waited_ms) + " ms";
  return (silent ? "The server gave no sign of life for " + time + " after " + method + "."
                 : "The server did not answer " + method + " within " + time + ".") +
         " The request was cancelled and is not sent again." +
         (printed.empty() ? "" : " Meanwhile it printed what is no message: \"" + printed + "\".");
}

std::string EndedByCaller::text() const {
  return "The request " + method + " was ended before its answer came.";
}

std::string ServerExited::text() const {
  std::string text = "The server process " + command + " ended" + (how.empty() ? "" : " " + how) + " before it ";
  text += sent ? "answered. Whether it did what it was asked for is not known, and nothing is sent again by itself."
               : "could be asked. Nothing was sent to it.";
  if (given_up) {
    text += " It was started " + std::to_string(starts) +
            " times and is not started any more in this run: correct its configuration, then run again.";
  } else {
    text += " It is started again for the next request.";
  }
  return said.empty() ? text : text + " Its last words: \"" + said + "\".";
}

std::string ServerExited::how_it_ended() const {
  return "ended" + (how.empty() ? "" : " " + how) + (said.empty() ? "" : "; its last words: \"" + said + "\"");
}

std::string SessionEnded::text() const {
  return "The server no longer knows the session that " + method + " was sent in. The request was not carried out.";
}

std::string HttpStatus::text() const {
  if (status >= 300 && status < 400) {
    return "The server answered " + method + " with a redirect (" + std::to_string(status) +
           "). Redirects are not followed.";
  }
  return "The server answered " + method + " with HTTP status " + std::to_string(status) + " and no usable body.";
}

std::string BadResponse::text() const {
  return "The server's answer cannot be used: " + reason + ".";
}

std::string TooMany::text() const {
  return "The server gave more than " + std::to_string(bound) + " " + what + ". Nothing more is asked of it.";
}

std::string StillPending::text() const {
  return message;
}

std::string OutcomeUnknown::text() const {
  return "The answer to " + tool + " was lost (" + reason +
         "). Whether money moved is not known. It is not sent again.";
}

std::string InputNotSupported::text() const {
  return "The server asked for " + what + ", which this host does not give.";
}

std::string CaseNotOpened::text() const {
  const bool says_so = message.find("o case was opened") != std::string::npos;
  return says_so ? message : message + " No case was opened.";
}

std::string StoppedByPerson::text() const {
  return "Stopped.";
}

}  // namespace postern::bridge
