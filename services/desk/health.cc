#include "services/desk/health.h"

#include <algorithm>
#include <iterator>

#include "services/desk/failures.h"
#include "services/gate/host_origin_check.h"
#include "services/gate/principal.h"
#include "services/mcp/key_ring.h"
#include "wire/base/file.h"

namespace postern::desk {
namespace {

constexpr std::string_view kDatabases[] = {"customers", "orders", "returns", "desk"};

// A caller that nobody is: with it, the desk's own database is asked for a case that nobody opened.
const services::StdioLaunch& nobody() {
  static const services::StdioLaunch kNobody("");
  return kNobody;
}

}  // namespace

bool Health::is_good() const {
  // A database whose file was taken away can still be read by whoever has it open: that is no store any more.
  const bool all_there = std::all_of(std::begin(kDatabases), std::end(kDatabases), [this](std::string_view name) {
    return file_exists(database_dir_ + "/" + std::string(name) + ".sqlite");
  });
  if (!all_there || !mcp::KeyRing::check(key_ring_file_)) return false;
  if (!parts_.customers->is_empty() || !parts_.orders->is_empty() || !parts_.returns->is_empty()) return false;
  const auto no_case = parts_.cases->find(nobody().principal(), "");
  return !no_case && no_case.error().as<NoOpenCase>() != nullptr;
}

Routes Health::routes(const Uri& origin) const {
  Routes routes;
  routes.before(services::host_origin_check_of(origin));
  routes.after([](const HttpRequest&, HttpResponse& response) {
    response.headers.set("Cache-Control", "no-store");
    response.headers.set("X-Content-Type-Options", "nosniff");
  });
  routes.add("GET", "/healthz", [this](const HttpRequest&) {
    if (is_good()) return json_response(200, R"({"status":"ok"})");
    return json_response(503, R"({"status":"unavailable"})");
  });
  return routes;
}

}  // namespace postern::desk
