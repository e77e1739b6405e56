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

}  // namespace postern::services
