#include "services/gate/host_origin_check.h"

#include <algorithm>
#include <string_view>

namespace postern::services {
namespace {

bool listed(const std::vector<std::string>& allowed, std::string_view value) {
  return std::find(allowed.begin(), allowed.end(), value) != allowed.end();
}

std::optional<HttpResponse> check_host_once(const HttpRequest& request, const HostOriginLists&) {
  if (request.headers.all("Host").size() == 1) return std::nullopt;
  return text_response(400, "A request must name its host once.\n");
}

std::optional<HttpResponse> check_host(const HttpRequest& request, const HostOriginLists& allowed) {
  for (const std::string_view host : request.headers.all("Host")) {
    if (!listed(allowed.hosts, host)) return text_response(403, "This server does not answer for that host.\n");
  }
  return std::nullopt;
}

std::optional<HttpResponse> check_origin(const HttpRequest& request, const HostOriginLists& allowed) {
  const auto origins = request.headers.all("Origin");
  const bool all_listed =
      std::all_of(origins.begin(), origins.end(), [&](std::string_view o) { return listed(allowed.origins, o); });
  if (origins.size() > 1 || !all_listed) return text_response(403, "This server does not answer to that origin.\n");
  return std::nullopt;
}

constexpr HostOriginRow kRows[] = {{"host_once", check_host_once}, {"host", check_host}, {"origin", check_origin}};

}  // namespace

std::span<const HostOriginRow> product_host_origin_rows() {
  return kRows;
}

std::optional<HttpResponse> HostOriginCheck::operator()(const HttpRequest& request) const {
  for (const HostOriginRow& row : rows_) {
    if (auto refusal = row.run(request, allowed_)) return refusal;
  }
  return std::nullopt;
}

HostOriginCheck host_origin_check_of(const Uri& origin, std::span<const HostOriginRow> rows) {
  std::vector<std::string> hosts{origin.authority()};
  std::vector<std::string> origins{origin.origin()};
  if (origin.is_loopback()) {
    for (const char* name : {"127.0.0.1", "localhost"}) {
      Uri other = origin;
      other.host = name;
      if (other.authority() == origin.authority()) continue;
      hosts.push_back(other.authority());
      origins.push_back(other.origin());
    }
  }
  return {std::move(hosts), std::move(origins), rows};
}

}  // namespace postern::services
