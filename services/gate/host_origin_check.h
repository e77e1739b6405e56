// The raw Host and Origin of a request against lists of exact strings: the guard against DNS rebinding and foreign
// pages.
//
// A loopback server is reachable from every page that a browser shows, so the address a connection came to proves
// nothing; what the browser was told does. Host must be one of the allowed values and be there once (400 otherwise: RFC
// 9112 section 3.2); Origin must be absent or one of the allowed values. Both are compared as the bytes they are: no
// decoding, no case folding, no default ports. The checks are a table, in the order in which they run; the product
// passes it whole, the lab minus a row. Immutable, thread-safe.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/base/uri.h"
#include "wire/http_message/http_message.h"

namespace postern::services {

struct HostOriginLists {
  std::vector<std::string> hosts;
  std::vector<std::string> origins;
};
struct HostOriginRow {
  std::string_view name;
  // The refusal, or nothing.
  std::optional<HttpResponse> (*run)(const HttpRequest& request, const HostOriginLists& allowed);
};
// "host_once", "host", "origin".
[[nodiscard]] std::span<const HostOriginRow> product_host_origin_rows();

class HostOriginCheck {
 public:
  // `hosts` like "127.0.0.1:8931", `origins` like "http://127.0.0.1:8931"; no origins: every request that has one is
  // refused.
  HostOriginCheck(std::vector<std::string> hosts, std::vector<std::string> origins,
                  std::span<const HostOriginRow> rows = product_host_origin_rows())
      : allowed_{std::move(hosts), std::move(origins)}, rows_(rows) {}
  // For Routes::before(): the refusal, or nothing.
  [[nodiscard]] std::optional<HttpResponse> operator()(const HttpRequest& request) const;

 private:
  HostOriginLists allowed_;
  std::span<const HostOriginRow> rows_;
};

// For what is served at that origin: its own names, and of a loopback one each of the loopback names of that port,
// because a browser or a client may know the server by either.
[[nodiscard]] HostOriginCheck host_origin_check_of(const Uri& origin,
                                                   std::span<const HostOriginRow> rows = product_host_origin_rows());

}  // namespace postern::services
