#include "bridge/session.h"

#include <algorithm>
#include <set>

#include "bridge/failures.h"
#include "wire/base/visible_text.h"

namespace postern::bridge {
namespace {

constexpr std::string_view kClaimsKey = "dev.postern/run";

// Names of revisions in what a server of another era says of itself: its data first, its words second.
std::vector<std::string> versions_in(const JsonRpcError& error) {
  std::string text = visible_line(error.message, 400);
  if (error.data) text += " " + visible_line(error.data->dump(), 400);
  std::vector<std::string> versions;
  const auto digit = [&](std::size_t at) { return text[at] >= '0' && text[at] <= '9'; };
  for (std::size_t at = 0; at + 10 <= text.size(); ++at) {
    bool date = text[at] == '2' && text[at + 4] == '-' && text[at + 7] == '-';
    for (const std::size_t offset : {1U, 2U, 3U, 5U, 6U, 8U, 9U}) date = date && digit(at + offset);
    if (!date) continue;
    std::string version = text.substr(at, 10);
    const bool known = std::find(versions.begin(), versions.end(), version) != versions.end();
    if (version != mcp::kProtocolVersion && !known) versions.push_back(std::move(version));
    at += 9;
  }
  return versions;
}

Failure error_of(std::string_view method, const JsonRpcError& error) {
  if (error.code == static_cast<std::int64_t>(ErrorCode::kUnsupportedProtocolVersion)) {
    return VersionNotOffered{versions_in(error)};
  }
  return ServerError{std::string(method), error.code, visible_line(error.message)};
}

}  // namespace

Session::Session(Env env, ServerTransport& transport, SessionOptions options)
    : env_(env), transport_(transport), options_(std::move(options)) {}

mcp::RequestMeta Session::meta(const Json& claims) const {
  mcp::RequestMeta meta;
  meta.client_capabilities = Json::object({{"elicitation", Json::object({{"url", Json::object()}})}});
  meta.client_info = options_.client;
  if (claims.is_object()) meta.extra.set(std::string(kClaimsKey), claims);
  return meta;
}

Result<Json> Session::request(std::string_view method, const Json& params,
                              const std::vector<mcp::ParamHeader>& param_headers, std::stop_token stop) {
  const OutgoingRequest request{std::string(method), params,
                                param_headers,       env_.clock.steady_now() + options_.request_ms_max,
                                Milliseconds(0),     nullptr};
  POSTERN_TRY(const ServerAnswer answer, transport_.exchange(request, stop));
  if (const auto* error = std::get_if<JsonRpcError>(&answer)) return error_of(method, *error);
  return std::get<JsonRpcResult>(answer).result;
}

Result<mcp::DiscoverResult> Session::discover(std::stop_token stop) {
  transport_.begin_operation();
  const Result<Json> result = request("server/discover", mcp::discover_params(meta(Json())), {}, std::move(stop));
  if (!result) {
    // A server of another era answers in its own way: whatever it says, it does not speak the pinned revision.
    if (const auto* error = result.error().as<ServerError>()) {
      JsonRpcError said;
      said.message = error->message;
      return VersionNotOffered{versions_in(said)};
    }
    const auto* status = result.error().as<HttpStatus>();
    if (status != nullptr && status->status >= 400 && status->status < 500 && status->status != 403) {
      return VersionNotOffered{};
    }
    return result.error();
  }
  POSTERN_TRY(mcp::DiscoverResult discovered, mcp::read_discover_result(*result));
  const auto& offered = discovered.supported_versions;
  if (std::find(offered.begin(), offered.end(), mcp::kProtocolVersion) == offered.end()) {
    VersionNotOffered failure;
    for (const std::string& version : offered) failure.offered.push_back(visible_line(version, 40));
    return failure;
  }
  return discovered;
}

Result<std::vector<mcp::Tool>> Session::list_tools(std::stop_token stop) {
  std::vector<mcp::Tool> tools;
  std::optional<std::string> cursor;
  std::set<std::string> seen;
  for (int page = 0; page < options_.pages_max; ++page) {
    transport_.begin_operation();
    POSTERN_TRY(const Json result, request("tools/list", mcp::list_tools_params(meta(Json()), cursor), {}, stop));
    POSTERN_TRY(mcp::ListToolsResult list, mcp::read_list_tools_result(result));
    for (mcp::Tool& tool : list.tools) tools.push_back(std::move(tool));
    if (tools.size() > options_.tools_max) return TooMany{"tools", options_.tools_max};
    if (!list.next_cursor) return tools;
    if (!seen.insert(*list.next_cursor).second) return BadResponse{"the list of tools runs in a circle"};
    cursor = list.next_cursor;
  }
  return TooMany{"pages of tools", static_cast<std::size_t>(options_.pages_max)};
}

Result<mcp::CallToolOutcome> Session::call(const mcp::CallToolParams& params,
                                           const std::vector<mcp::ParamHeader>& param_headers, const Json& claims,
                                           std::stop_token stop) {
  POSTERN_TRY(const Json result,
              request("tools/call", mcp::to_json(params, meta(claims)), param_headers, std::move(stop)));
  return mcp::read_call_tool_outcome(result);
}

}  // namespace postern::bridge
