// One listener of a server program without its socket: the bytes of a connection in, the bytes of its answers out.
//
// What frames and checks a request (RequestFramer), what finds its handler (Routes) and what writes the answer
// (LibraryDispatcher) are the product's. Work that a handler leaves to the blocking lane is done at once, on the thread
// that calls. One thread at a time; a handler may call this server again.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include "wire/base/clock.h"
#include "wire/transport/http_server.h"
#include "wire/transport/library_dispatcher.h"

namespace postern::lab {

class InProcessServer {
 public:
  // The clock, and what the routes refer to, must outlive it.
  InProcessServer(const Clock& clock, Routes routes, HttpLimits limits);

  // What comes back on one connection on which `bytes` are sent and nothing after them. An event stream is answered
  // with what was written to it by the time its work ended; one that stays open is cut there, as by a lost connection.
  [[nodiscard]] std::string answer(std::string_view bytes, const std::stop_token& stop = {});

 private:
  // False when the connection is over.
  bool serve(HttpRequest& request, const std::stop_token& stop, std::string& out);
  bool write_reply(HttpReply reply, bool head_only, bool close, const std::stop_token& stop, std::string& out);
  void write_stream(EventStream stream, bool head_only, const std::stop_token& stop, std::string& out);

  const Clock& clock_;
  const Routes routes_;
  const HttpLimits limits_;
  LibraryDispatcher dispatcher_;
  bool busy_ = false;  // the dispatcher is at work
};

}  // namespace postern::lab
