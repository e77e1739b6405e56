#include "services/approvals/approval_page.h"

#include <memory>

#include "services/approvals/failures.h"
#include "services/approvals/page_answers.h"
#include "services/approvals/pages.h"
#include "services/gate/host_origin_check.h"

namespace postern::approvals {
namespace {

using RequestPage = HttpReply (*)(const ApprovalPageParts&, const HttpRequest&, std::string_view id);

// What stands below /approvals/{id}.
struct RequestPath {
  std::string_view name;
  RequestPage get;
  RequestPage post;
  std::string_view allow;
};
constexpr RequestPath kRequestPaths[] = {
    {"", show_request, nullptr, "GET, HEAD"},           {"approve", show_approve, press_approve, "GET, HEAD, POST"},
    {"deny", show_deny, press_deny, "GET, HEAD, POST"}, {"withdraw", nullptr, press_withdraw, "POST"},
    {"state", show_state, nullptr, "GET, HEAD"},        {"record", show_record, nullptr, "GET, HEAD"},
};

bool reads_only(const HttpRequest& request) {
  return request.method == "GET" || request.method == "HEAD";
}

HttpReply request_path(const ApprovalPageParts& parts, const HttpRequest& request) {
  constexpr std::string_view kPrefix = "/approvals/";
  const std::string_view rest = request.path().substr(kPrefix.size());
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  const std::string_view id = rest.substr(0, slash);
  const std::string_view name = slash < rest.size() ? rest.substr(slash + 1) : std::string_view();
  const bool bare_slash = slash < rest.size() && name.empty();
  for (const RequestPath& path : kRequestPaths) {
    if (path.name != name || bare_slash) continue;
    if (reads_only(request) && path.get != nullptr) return path.get(parts, request, id);
    if (request.method == "POST" && path.post != nullptr) return path.post(parts, request, id);
    return method_not_allowed(path.allow);
  }
  return failure_page(NoSuchRequest{}, {}, {});
}

// The address bar and the tab are ours alone: a request that was sent to another name ended up here by a trick of name
// resolution.
std::optional<HttpResponse> check_host(const services::HostOriginCheck& check, const HttpRequest& request) {
  HttpRequest host_only;
  for (const std::string_view host : request.headers.all("Host")) host_only.headers.add("Host", std::string(host));
  return check(host_only);
}

}  // namespace

Routes approval_page_routes(const ApprovalPageParts& the_parts) {
  const auto parts = std::make_shared<const ApprovalPageParts>(the_parts);
  const auto reading = [](const std::function<HttpReply(const HttpRequest&)>& page) {
    return [page](const HttpRequest& request) -> HttpReply {
      return reads_only(request) ? page(request) : HttpReply(method_not_allowed("GET, HEAD"));
    };
  };
  Routes routes;
  routes.before([check = services::HostOriginCheck({parts->host}, {})](const HttpRequest& request) {
    return check_host(check, request);
  });
  routes.after([](const HttpRequest&, HttpResponse& response) { set_page_headers(response); });
  routes.fallback([](const HttpRequest&) -> HttpReply {
    return plain_page({404, "Not found", "There is no such page.", "/approvals", "All requests"}, {});
  });
  routes.add_any("/", reading([](const HttpRequest&) { return redirect_response("/approvals"); }));
  routes.add_any("/healthz", reading([](const HttpRequest&) { return text_response(200, "ok\n"); }));
  routes.add_any("/static/*", reading([](const HttpRequest& request) { return static_asset(request.path()); }));
  routes.add_any("/signed-out", reading([](const HttpRequest&) { return show_signed_out(); }));
  routes.add_any("/approvals", reading([parts](const HttpRequest& request) { return show_queue(*parts, request); }));
  routes.add_any("/audit", reading([parts](const HttpRequest& request) { return show_audit(*parts, request); }));
  routes.add_any("/login", reading([parts](const HttpRequest& request) { return start_sign_in(*parts, request); }));
  routes.add_any("/callback", reading([parts](const HttpRequest& request) { return end_sign_in(*parts, request); }));
  routes.add_any("/approvals/*", [parts](const HttpRequest& request) { return request_path(*parts, request); });
  routes.add_any("/logout", [parts](const HttpRequest& request) -> HttpReply {
    return request.method == "POST" ? press_sign_out(*parts, request) : HttpReply(method_not_allowed("POST"));
  });
  return routes;
}

}  // namespace postern::approvals
