#include "services/gate/host_origin_check.h"

#include <algorithm>
#include <string_view>

namespace postern::services {
namespace {

bool listed(const std::vector<std::string>& allowed, std::string_view value) {
  return std::find(allowed.begin(), allowed.end(), value) != allowed.end();
}

}  // namespace

std::optional<HttpResponse> HostOriginCheck::operator()(const HttpRequest& request) const {
  const auto hosts = request.headers.all("Host");
  if (hosts.size() != 1) return text_response(400, "A request must name its host once.\n");
  if (!listed(hosts_, hosts.front())) return text_response(403, "This server does not answer for that host.\n");
  const auto origins = request.headers.all("Origin");
  const bool all_listed =
      std::all_of(origins.begin(), origins.end(), [&](std::string_view o) { return listed(origins_, o); });
  if (origins.size() > 1 || !all_listed) return text_response(403, "This server does not answer to that origin.\n");
  return std::nullopt;
}

HostOriginCheck host_origin_check_of(const Uri& origin) {
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
  return {std::move(hosts), std::move(origins)};
}

}  // namespace postern::services
