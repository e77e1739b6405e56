// One tools/call of an attacker, written as MCP 2026-07-28 wants it, and its answer read from outside.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/base/json.h"
#include "wire/http_message/http_message.h"

namespace postern::lab {

struct McpCall {
  std::string tool;
  Json arguments = Json::object();
  std::string token;
  std::string state;                 // empty: none
  bool accept = false;               // answers the elicitation "approval" with accept
  Json meta = Json::object();        // members beside those that must be there
  std::vector<HeaderField> headers;  // beside those that must be there
};
// The elicitation's key is taken from `input_key`.
[[nodiscard]] HttpRequest http_request_of(const McpCall& call, std::string_view path,
                                          std::string_view input_key = "approval");
// The same as bytes for a connection of its own. A header of `instead` replaces those of its name; `also` are added.
[[nodiscard]] std::string bytes_of(const HttpRequest& request, std::string_view host,
                                   const std::vector<HeaderField>& instead, const std::vector<HeaderField>& also);

// An answer as a caller sees it.
struct Seen {
  int status = 0;         // 0: the connection ended without one
  std::string challenge;  // WWW-Authenticate
  Json result;            // of JSON-RPC; null: none
  Json error;             // of JSON-RPC; null: none
  std::string body;

  [[nodiscard]] bool tool_error() const { return result.boolean_at("isError").value_or(false); }
  [[nodiscard]] bool asks_for_input() const { return result.string_at("resultType") == "input_required"; }
  // No refusal of any kind: the caller got what it asked for, or was asked for more.
  [[nodiscard]] bool let_through() const { return status >= 200 && status < 300 && error.is_null() && !tool_error(); }
  // Says both that it succeeded and that it did not.
  [[nodiscard]] bool contradicts_itself() const { return !result.is_null() && !error.is_null(); }
  // The text of the result's content, or the message of what it asks for, or of the error.
  [[nodiscard]] std::string text() const;
  // Member of structuredContent; empty when there is none.
  [[nodiscard]] std::string structured(std::string_view name) const;
  [[nodiscard]] std::string state() const { return std::string(result.string_at("requestState")); }
  [[nodiscard]] std::string link() const;       // of the first URL that is to be opened
  [[nodiscard]] std::string input_key() const;  // of the first input request
  // "401 invalid_token (The access token is for another resource)": one line for people, made visible.
  [[nodiscard]] std::string line() const;
};
[[nodiscard]] Seen seen_of(const HttpResponse& response);
// The answer in the bytes that came on a connection, of any HTTP/1 and with line ends of either kind; status 0 when
// there is none.
[[nodiscard]] HttpResponse response_of_bytes(std::string_view bytes);
// Whether they are one by its own length, so that no more needs to come.
[[nodiscard]] bool is_whole_response(std::string_view bytes);

// The value of a parameter of a challenge: error="invalid_token". Empty when it is not there.
[[nodiscard]] std::string challenge_parameter(std::string_view challenge, std::string_view name);

}  // namespace postern::lab
