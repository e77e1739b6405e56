// A run as a grader looks at it: requests with their answers, calls of MCP, turns of the model.
//
// Made of the entries of a log and of nothing else; what cannot be paired or read stands in `unreadable`. Points into
// the Evidence that it was made from, which must outlive it. Plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/lab/grade/invariants/evidence.h"

namespace postern::lab {

struct Exchange {
  std::string peer;  // "server", "issuer", "model"
  std::string host;  // the Host that was asked
  const host::WireEntry* request = nullptr;
  const host::WireEntry* response = nullptr;  // its head; null: none came
  std::string response_body;                  // all parts
  std::size_t leg = 0;
  [[nodiscard]] int status() const { return response == nullptr ? 0 : response->status().value_or(0); }
};

// A JSON-RPC request of the host to a server, over HTTP or stdio.
struct ServerCall {
  std::string host;    // "stdio" for a program
  std::string method;  // "tools/call"
  Json params;
  Json result;  // null: none
  Json error;   // null: none
  const host::WireEntry* request = nullptr;
  const host::WireEntry* response = nullptr;
  int status = 0;  // of HTTP
  std::size_t leg = 0;
  std::string tool;  // of tools/call

  [[nodiscard]] bool is_call_of(std::string_view name) const { return method == "tools/call" && tool == name; }
  // A complete result that is no error.
  [[nodiscard]] bool succeeded() const;
  [[nodiscard]] bool asks_for_input() const { return result.string_at("resultType") == "input_required"; }
  [[nodiscard]] Json arguments() const;  // an empty object when there are none
  // structuredContent, or null.
  [[nodiscard]] Json structured() const;
};

struct ModelToolUse {
  std::string id;
  std::string name;
  Json input;
};

struct ModelTurn {
  const host::WireEntry* request = nullptr;
  Json body;      // what the model was sent
  Json response;  // null: none that is JSON
  std::vector<ModelToolUse> uses;
  std::size_t leg = 0;
};

struct RunView {
  std::vector<Exchange> exchanges;
  std::vector<ServerCall> calls;
  std::vector<ModelTurn> turns;
  std::vector<std::pair<const host::WireEntry*, std::string>> unreadable;  // and why
  // The server that opened the case, or the only one; empty when there is none. Calls of others are not the desk's.
  std::string desk;

  // Calls of the desk, in their order.
  [[nodiscard]] std::vector<const ServerCall*> desk_calls() const;
};
[[nodiscard]] RunView view_of(const Evidence& evidence);

// The fingerprint or alias in a text: "a1b2c3" of "Bearer <token:a1b2c3>", "#7" of "<token#7>". Empty when there is
// none. The kind is not part of it: the same secret may be found in places of different kinds.
[[nodiscard]] std::string mark_in(std::string_view text);
[[nodiscard]] std::set<std::string> marks_in(std::string_view text);
// The value of a header, in any case of its name; the first. And how many there are.
[[nodiscard]] std::string_view header_of(const host::WireEntry& entry, std::string_view name);
[[nodiscard]] std::size_t count_headers(const host::WireEntry& entry, std::string_view name);
// A tool of the desk: tools of other servers have a qualified name, "files__read_text_file".
[[nodiscard]] bool is_desk_tool(std::string_view shown_name);
// Every text of a value, with the path to it: "messages[2].content[0].content".
void for_each_text(const Json& value, const std::string& path,
                   const std::function<void(const std::string& path, const std::string& text)>& use);

}  // namespace postern::lab
