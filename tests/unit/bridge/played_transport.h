// A server as a Session sees it, without bytes: each request is answered by what a test says.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bridge/failures.h"
#include "bridge/server_transport.h"
#include "bridge/session.h"
#include "tests/support/test_env.h"
#include "wire/mcp/codec.h"

namespace postern::bridge::played {

class Transport final : public ServerTransport {
 public:
  using Handler = std::function<Result<ServerAnswer>(const OutgoingRequest&)>;
  Handler handle;
  bool is_http = true;
  std::uint64_t authorization = 0;
  Status notified_status;
  std::vector<OutgoingRequest> requests;
  std::vector<std::string> notifications;
  std::vector<std::string> eras;  // what was agreed on, in order: "older ", "older 2025-11-25", "newest"

  Result<ServerAnswer> exchange(const OutgoingRequest& request, const std::stop_token&) override {
    requests.push_back(request);
    return handle(request);
  }
  Status notify(const JsonRpcNotification& notification, SteadyTime, const std::stop_token&) override {
    notifications.push_back(notification.method);
    return notified_status;
  }
  void speak_older_era(std::string_view version) override { eras.push_back("older " + std::string(version)); }
  void leave_older_era(SteadyTime) override { eras.emplace_back("newest"); }
  std::uint64_t authorization_context() const override { return authorization; }
  const std::string& where() const override { return where_; }
  bool mirrors_parameters() const override { return is_http; }

  [[nodiscard]] std::vector<std::string> methods() const {
    std::vector<std::string> names;
    for (const OutgoingRequest& request : requests) names.push_back(request.method);
    return names;
  }

 private:
  std::string where_ = "the played server";
};

inline ServerAnswer result(Json json) {
  return JsonRpcResult{RequestId(1), std::move(json)};
}
inline ServerAnswer complete(Json json = Json::object()) {
  return result(json.set("resultType", "complete"));
}
inline ServerAnswer error(std::int64_t code, std::string message = "no", std::optional<Json> data = std::nullopt) {
  return JsonRpcError{RequestId(1), code, std::move(message), std::move(data)};
}
inline ServerAnswer discovered(Json versions = Json::array({"2026-07-28"}),
                               Json capabilities = Json::object({{"tools", Json::object()}})) {
  return complete(Json::object({{"supportedVersions", std::move(versions)},
                                {"capabilities", std::move(capabilities)},
                                {"ttlMs", 0},
                                {"cacheScope", "public"}}));
}
inline ServerAnswer initialized(std::string version = "2025-11-25") {
  return result(Json::object({{"protocolVersion", std::move(version)},
                              {"capabilities", Json::object({{"tools", Json::object()}})},
                              {"serverInfo", Json::object({{"name", "old"}, {"version", "1"}})}}));
}
inline ServerAnswer unsupported(Json versions) {
  return error(-32022, "Unsupported protocol version",
               Json::object({{"supported", std::move(versions)}, {"requested", "2026-07-28"}}));
}
inline Json tool(const std::string& name) {
  return Json::object({{"name", name}, {"inputSchema", Json::object({{"type", "object"}})}});
}
inline Json listed(Json tools) {
  return Json::object({{"tools", std::move(tools)}, {"ttlMs", 0}, {"cacheScope", "private"}});
}
inline Json text_result(std::string_view text) {
  return Json::object({{"content", Json::array({mcp::text_block(text)})}});
}

struct Bench {
  test::TestEnv env;
  Transport server;
  SessionOptions options = [] {
    SessionOptions usual;
    usual.client = {"postern", "0.1.0"};
    return usual;
  }();
  std::optional<Session> made;

  // With the options as they are at the first call.
  Session& session() {
    if (!made) made.emplace(env.env(), server, options);
    return *made;
  }
  Result<mcp::CallToolOutcome> call(const std::string& name, Json arguments = Json::object(),
                                    const std::vector<mcp::ParamHeader>& headers = {}) {
    mcp::CallToolParams params;
    params.name = name;
    params.arguments = std::move(arguments);
    return session().call(params, headers, Json::object({{"run_id", "r"}}), {});
  }
};

}  // namespace postern::bridge::played
