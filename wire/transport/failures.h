// What can go wrong between two processes, over sockets and over pipes.
#pragma once

#include <string>
#include <string_view>

#include "wire/base/failure.h"

namespace postern {

struct Unreachable {
  static constexpr std::string_view kId = "transport.unreachable";
  static constexpr Layer kLayer = Layer::kBytes;
  static constexpr Disposition kDisposition = Disposition::kUnavailable;
  std::string where;   // the origin
  std::string reason;  // "connection refused"
  [[nodiscard]] std::string text() const;
};
// A stranger's URL whose name leads where strangers may not send us.
struct AddressRefused {
  static constexpr std::string_view kId = "transport.address_refused";
  static constexpr Layer kLayer = Layer::kBytes;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string where;    // the origin
  std::string address;  // empty: a proxy resolves the name, so that it is not known
  [[nodiscard]] std::string text() const;
};
// The proxy did not open a way to the server. Nothing of the request was sent to either.
struct ProxyFailed {
  static constexpr std::string_view kId = "transport.proxy_failed";
  static constexpr Layer kLayer = Layer::kBytes;
  static constexpr Disposition kDisposition = Disposition::kUnavailable;
  std::string proxy;   // "proxy.example:3128"
  std::string where;   // the origin behind it
  std::string reason;  // "it answered with status 407"
  [[nodiscard]] std::string text() const;
};
struct TimedOut {
  static constexpr std::string_view kId = "transport.timed_out";
  static constexpr Layer kLayer = Layer::kBytes;
  static constexpr Disposition kDisposition = Disposition::kUnavailable;
  std::string where;
  [[nodiscard]] std::string text() const;
};
// The connection ended before the response did: whether the request was carried out is not known.
struct PeerClosed {
  static constexpr std::string_view kId = "transport.closed";
  static constexpr Layer kLayer = Layer::kBytes;
  static constexpr Disposition kDisposition = Disposition::kUnavailable;
  std::string where;
  [[nodiscard]] std::string text() const;
};
struct ResponseOverBound {
  static constexpr std::string_view kId = "transport.response_over_bound";
  static constexpr Layer kLayer = Layer::kBytes;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string where;
  std::string what;  // "more than 8388608 bytes of body"
  [[nodiscard]] std::string text() const;
};
// The reply is not HTTP/1.1 as RFC 9112 has it. Where readers of it disagree, a second reply can hide in the first.
struct MalformedResponse {
  static constexpr std::string_view kId = "transport.malformed_response";
  static constexpr Layer kLayer = Layer::kBytes;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string where;
  std::string what;  // "two Content-Length fields"
  [[nodiscard]] std::string text() const;
};
struct TlsFailed {
  static constexpr std::string_view kId = "transport.tls_failed";
  static constexpr Layer kLayer = Layer::kBytes;
  static constexpr Disposition kDisposition = Disposition::kUnavailable;
  std::string where;
  std::string reason;
  [[nodiscard]] std::string text() const;
};
struct Unsendable {
  static constexpr std::string_view kId = "transport.unsendable";
  static constexpr Layer kLayer = Layer::kBytes;
  static constexpr Disposition kDisposition = Disposition::kInternal;
  std::string what;  // the header's name; never its value
  [[nodiscard]] std::string text() const;
};
struct Cancelled {
  static constexpr std::string_view kId = "transport.cancelled";
  static constexpr Layer kLayer = Layer::kBytes;
  static constexpr Disposition kDisposition = Disposition::kUnavailable;
  [[nodiscard]] std::string text() const;
};
// A stdio line, or an event of a stream, that is longer than its bound. It was dropped whole, never cut.
struct FrameTooLarge {
  static constexpr std::string_view kId = "transport.frame_too_large";
  static constexpr Layer kLayer = Layer::kBytes;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string_view what;  // "line" or "event"
  std::size_t bytes_max = 0;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern
