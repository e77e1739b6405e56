#include "wire/transport/failures.h"

#include "wire/base/visible_text.h"

namespace postern {

std::string Unreachable::text() const {
  return "Cannot reach " + visible_line(where) + ": " + visible_line(reason) + ".";
}

std::string AddressRefused::text() const {
  if (address.empty()) {
    return "Nothing was sent to " + visible_line(where) +
           ": a server named it, and the proxy would look up its address, so that it cannot be checked here. Name it "
           "in "
           "the configuration if you trust it, or exempt it with no_proxy.";
  }
  return "Nothing was sent to " + visible_line(where) + ": its name leads to " + visible_line(address) +
         ", where the server that named it may not send this program.";
}

std::string ProxyFailed::text() const {
  return "The proxy " + visible_line(proxy) + " opened no way to " + visible_line(where) + ": " + visible_line(reason) +
         ". Nothing was sent.";
}

std::string TimedOut::text() const {
  return visible_line(where) + " did not answer in time. What it did with the request is not known.";
}

std::string PeerClosed::text() const {
  return visible_line(where) +
         " closed the connection before its answer was complete. What it did with the request is not known.";
}

std::string ResponseOverBound::text() const {
  return "The answer of " + visible_line(where) + " was cut off: " + visible_line(what) + ".";
}

std::string MalformedResponse::text() const {
  return "The answer of " + visible_line(where) + " is not HTTP/1.1 as it should be: " + visible_line(what) + ".";
}

std::string TlsFailed::text() const {
  return "No trusted connection to " + visible_line(where) + ": " + visible_line(reason) + ". Nothing was sent.";
}

std::string Unsendable::text() const {
  return "A request was not sent, because its " + visible_line(what) + " cannot be written as HTTP/1.1.";
}

std::string Cancelled::text() const {
  return "The request was cancelled. What the server did with it is not known.";
}

std::string FrameTooLarge::text() const {
  return "A " + std::string(what) + " of more than " + std::to_string(bytes_max) + " bytes was dropped.";
}

}  // namespace postern
