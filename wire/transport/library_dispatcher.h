// The HTTP library's part in the server: dispatch, and the form of a response.
//
// The library is handed a head that this file writes (method, path, a fixed Host) in a stream that ends where the head
// ends, and is answered in its pre-routing handler, before it would read a body. So it never reads a byte of a peer but
// the path: no header for it to decode, no Range, no Accept-Encoding, no query. What it writes comes back in one piece,
// head and body, for one write(2).
//
// Also the last place that a response passes: a header that cannot be sent as it is makes the response a 500, never a
// second header. One object a loop thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "wire/base/clock.h"
#include "wire/http_message/http_message.h"
#include "wire/transport/http_server.h"

namespace postern {

class LibraryDispatcher {
 public:
  // The clock, for the Date header, must outlive it.
  explicit LibraryDispatcher(const Clock& clock);
  ~LibraryDispatcher();
  LibraryDispatcher(const LibraryDispatcher&) = delete;
  LibraryDispatcher& operator=(const LibraryDispatcher&) = delete;

  // Runs the routes. A whole response is appended to `out`; anything else is returned. `close` asks for "Connection:
  // close", and is set when the response asked for it.
  [[nodiscard]] std::optional<HttpReply> dispatch(const Routes& routes, const HttpRequest& request, bool& close,
                                                  std::string& out);
  // Appends a response that was made elsewhere: by the lane, or by a refusal. `head_only` leaves the body out, as for
  // HEAD.
  void format(HttpResponse response, bool head_only, bool& close, std::string& out);
  // Appends the head of an event stream: chunked (RFC 9112 section 7.1), so that a reader can tell an end from a cut.
  void format_stream_head(const EventStream& stream, std::string& out);

 private:
  class Library;
  std::unique_ptr<Library> library_;
};

}  // namespace postern
