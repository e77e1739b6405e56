// Verbs onto the readers of formats: JSON, JSON-RPC, lines, headers, schemas.
#include <iterator>

#include "tests/public/verbs.h"
#include "tests/support/temporary_folder.h"
#include "wire/base/canonical_json.h"
#include "wire/base/file.h"
#include "wire/base/visible_text.h"
#include "wire/jsonrpc/message.h"
#include "wire/mcp/codec.h"
#include "wire/mcp/headers.h"
#include "wire/schema/schema.h"
#include "wire/transport/line_framer.h"

namespace postern::test {
namespace {

// Named: the canonical form.
Status play_json(const CaseFile& file, const CaseStep&) {
  POSTERN_TRY(const Json json, json_of(file, "json"));
  if (const std::string* canonical = file.section("canonical");
      canonical != nullptr && *canonical != canonical_json(json)) {
    return AnotherValue{*canonical, canonical_json(json)};
  }
  return {};
}

Status play_integer(const CaseFile& file, const CaseStep& step) {
  POSTERN_TRY(const Json json, json_of(file, "json"));
  POSTERN_TRY(const std::int64_t value, safe_integer(json, "amount_cents"));
  return same_as_named(step, "is", std::to_string(value));
}

Status play_message(const CaseFile& file, const CaseStep&) {
  POSTERN_TRY(const std::string text, section_of(file, "message"));
  POSTERN_TRY(const JsonRpcMessage message, parse_message(text));
  if (const auto* request = std::get_if<JsonRpcRequest>(&message);
      request != nullptr && request->method == "tools/call") {
    POSTERN_TRY(const mcp::CallToolParams params, mcp::read_call_tool_params(request->params));
  }
  return {};
}

Status play_line(const CaseFile& file, const CaseStep& step) {
  POSTERN_TRY(const std::string text, section_of(file, "line"));
  const auto bound = step.parameters.find("max");
  LineFramer framer(bound == step.parameters.end() ? 4096 : std::stoul(bound->second));
  framer.feed(text + "\n");
  POSTERN_TRY(const std::optional<std::string> line, framer.next());
  if (!line || *line != text) return AnotherValue{"the whole line", line.value_or("nothing")};
  return {};
}

// A request's head and its message, as an HTTP server of MCP compares them.
Status play_headers(const CaseFile& file, const CaseStep&) {
  POSTERN_TRY(const std::string head, section_of(file, "headers"));
  POSTERN_TRY(const std::string text, section_of(file, "message"));
  POSTERN_TRY(const JsonRpcMessage message, parse_message(text));
  const auto* request = std::get_if<JsonRpcRequest>(&message);
  if (request == nullptr) return BadCaseFile{file.file(), 0, "the message is no request"};
  HeaderList headers;
  for (std::size_t at = 0; at < head.size();) {
    const std::size_t end = std::min(head.find('\n', at), head.size());
    const std::size_t colon = head.find(": ", at);
    headers.add(head.substr(at, colon - at), head.substr(colon + 2, end - colon - 2));
    at = end + 1;
  }
  return mcp::check_headers(headers, "2026-07-28", request->method, request->params);
}

Status play_schema(const CaseFile& file, const CaseStep&) {
  POSTERN_TRY(const Json schema, json_of(file, "schema"));
  POSTERN_TRY(const Schema compiled, Schema::compile(schema));
  return {};
}

Status play_value(const CaseFile& file, const CaseStep&) {
  POSTERN_TRY(const Json schema, json_of(file, "schema"));
  POSTERN_TRY(const Schema compiled, Schema::compile(schema));
  POSTERN_TRY(const Json value, json_of(file, "value"));
  return compiled.validate(value);
}

// What a person sees of a stranger's text.
Status play_shown(const CaseFile& file, const CaseStep&) {
  POSTERN_TRY(const Json text, json_of(file, "json"));
  POSTERN_TRY(const std::string shown, section_of(file, "shown"));
  const std::string got = visible_line(text.string() == nullptr ? "" : *text.string());
  if (got != shown) return AnotherValue{shown, got};
  return {};
}

Status play_log(const CaseFile&, const CaseStep& step) {
  const TemporaryFolder folder;
  const std::string place = step.parameters.contains("folder") ? "/" + step.parameters.at("folder") : "";
  POSTERN_TRY(const LineFile log, LineFile::open(folder.path() + place + "/wire.jsonl"));
  return log.append("{}");
}

constexpr Verb kVerbs[] = {{"read-json", play_json},
                           {"read-integer", play_integer},
                           {"read-message", play_message},
                           {"read-line", play_line},
                           {"compare-headers", play_headers},
                           {"compile-schema", play_schema},
                           {"validate-value", play_value},
                           {"show", play_shown},
                           {"open-log", play_log}};

}  // namespace

std::span<const Verb> format_verbs() {
  return kVerbs;
}

}  // namespace postern::test
