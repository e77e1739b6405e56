// What the fuzzer runs: the readers of strangers' bytes, each with the properties that hold for every input. A property
// that does not hold ends the process (POSTERN_CHECK), as a crash does.
//
// `./dev test --fuzz` runs each for a minute with libFuzzer; the ordinary tests replay tests/fuzz/corpus/<name>, whose
// files are written by hand, one thing a file. What the fuzzer finds becomes a file there and a unit test.
#pragma once

#include <string_view>

namespace postern::fuzz {

void json(std::string_view input);           // wire/base/json: any text
void jsonrpc(std::string_view input);        // wire/jsonrpc/message: any text
void line(std::string_view input);           // wire/transport/line_framer: bytes of a stdio stream
void http_request(std::string_view input);   // wire/transport/request_framer: bytes of a connection
void http_response(std::string_view input);  // wire/transport/response_reader: bytes of a connection
void event_stream(std::string_view input);   // wire/transport/sse: a text/event-stream body
void header_value(std::string_view input);   // wire/mcp/headers: a header's value, and any text to put in one
void schema(std::string_view input);         // wire/schema: a schema on the first line, an instance behind it

struct Target {
  std::string_view name;
  void (*run)(std::string_view input);
};
inline constexpr Target kTargets[] = {
    {"json", json},
    {"jsonrpc", jsonrpc},
    {"line", line},
    {"http_request", http_request},
    {"http_response", http_response},
    {"event_stream", event_stream},
    {"header_value", header_value},
    {"schema", schema},
};

}  // namespace postern::fuzz
