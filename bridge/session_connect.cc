// Session: which era a server speaks, and how it is found out (MCP 2026-07-28 basic/versioning, "Backward compatibility
// with initialization-based versions").
#include <algorithm>
#include <utility>

#include "bridge/failures.h"
#include "bridge/older_era.h"
#include "bridge/server_versions.h"
#include "bridge/session.h"
#include "wire/base/visible_text.h"

namespace postern::bridge {
namespace {

bool speaks_newest(const std::vector<std::string>& versions) {
  return std::find(versions.begin(), versions.end(), mcp::kProtocolVersion) != versions.end();
}

std::vector<std::string> visible_versions(const std::vector<std::string>& versions) {
  std::vector<std::string> visible;
  for (const std::string& version : versions) visible.push_back(visible_line(version, 40));
  return visible;
}

// A status that says nothing about eras: credentials are missing, or the server is not well.
bool is_of_any_era(const HttpStatus& status) {
  return status.status == 401 || status.status == 403 || status.status == 429 || status.status >= 500 ||
         (status.status >= 300 && status.status < 400);
}

}  // namespace

// Everything but a recognised answer of the newest era: what old servers answer to a method that they do not know has
// any code, any status, or is silence.
bool Session::may_be_older(const Result<ServerAnswer>& answer) const {
  if (const JsonRpcError* error = error_in(answer)) return !is_of_newest_era(*error);
  if (answer) return !mcp::read_discover_result(std::get<JsonRpcResult>(*answer).result).has_value();
  const Failure& failure = answer.error();
  if (const auto* status = failure.as<HttpStatus>()) return !is_of_any_era(*status);
  const bool is_process = !transport_.mirrors_parameters();
  if (failure.as<RequestTimedOut>() != nullptr || failure.as<ServerExited>() != nullptr) return is_process;
  const std::string_view id = failure.id();
  return id == BadResponse::kId || id.starts_with("json.") || id.starts_with("jsonrpc.");
}

// Whether the server seems to be another than the one whose era was found out.
bool Session::shows_another_era(const Result<ServerAnswer>& answer) const {
  if (const JsonRpcError* error = error_in(answer)) {
    if (era_ == Era::kOlder) return is_of_newest_era(*error);
    return error->code <= -32000 && error->code > -32020 && error->code != -32002;
  }
  if (answer) return false;
  const auto* status = answer.error().as<HttpStatus>();
  return status != nullptr && status->status >= 400 && !is_of_any_era(*status);
}

void Session::use_newest_era() {
  if (era_ == Era::kOlder) transport_.leave_older_era(env_.clock.steady_now() + kFarewellMax);
  era_ = Era::kNewest;
  older_session_open_ = false;
  protocol_version_ = mcp::kProtocolVersion;
}

// server/discover, with the one correction of a version.
Result<ServerAnswer> Session::probe(const std::stop_token& stop) {
  use_newest_era();
  Question asked = question("server/discover", Json());
  // A process that says nothing is not waited for as long as one that works.
  if (!transport_.mirrors_parameters()) asked.ms_max = std::min(asked.ms_max, options_.probe_ms_max);
  Result<ServerAnswer> answer = send(asked, stop);
  if (const JsonRpcError* error = error_in(answer); error != nullptr && offers_newest(*error))
    answer = send(asked, stop);
  return answer;
}

Result<mcp::DiscoverResult> Session::take_discovered(const Json& result) {
  POSTERN_TRY(mcp::DiscoverResult discovered, mcp::read_discover_result(result));
  if (!speaks_newest(discovered.supported_versions))
    return VersionNotOffered{visible_versions(discovered.supported_versions)};
  capabilities_ = discovered.capabilities;
  return discovered;
}

Result<mcp::DiscoverResult> Session::discover(std::stop_token stop) {
  transport_.begin_operation();
  const Result<ServerAnswer> answer = probe(stop);
  const JsonRpcError* error = error_in(answer);
  if (answer && error == nullptr) return take_discovered(std::get<JsonRpcResult>(*answer).result);
  const bool refuses_version =
      error != nullptr && error->code == static_cast<std::int64_t>(ErrorCode::kUnsupportedProtocolVersion);
  // A server of another era answers in its own way: whatever it says, it does not speak the pinned revision.
  if (error != nullptr && (refuses_version || may_be_older(answer))) return VersionNotOffered{versions_in(*error)};
  if (error != nullptr) return ServerError{"server/discover", error->code, visible_line(error->message)};
  const bool unreadable = answer.error().as<HttpStatus>() == nullptr && transport_.mirrors_parameters();
  if (const auto* exited = answer.error().as<ServerExited>(); exited != nullptr && may_be_older(answer))
    return VersionNotOffered{{}, "The server process " + exited->command + " " + exited->how_it_ended() + "."};
  if (may_be_older(answer) && !unreadable) return VersionNotOffered{};
  return answer.error();
}

Result<mcp::DiscoverResult> Session::connect(const std::stop_token& stop) {
  transport_.begin_operation();
  switch (options_.era) {
    case EraChoice::kPin:
      return discover(stop);
    case EraChoice::kAuto:
      return connect_to_either(stop);
    case EraChoice::kLegacy:
      break;
  }
  return open_older_era(stop);
}

Result<mcp::DiscoverResult> Session::connect_to_either(const std::stop_token& stop) {
  const Result<ServerAnswer> answer = probe(stop);
  era_ = Era::kUnknown;
  std::vector<std::string> said;
  if (const JsonRpcError* error = error_in(answer)) {
    said = versions_in(*error);
    if (error->code == static_cast<std::int64_t>(ErrorCode::kUnsupportedProtocolVersion)) return NoCommonVersion{said};
    if (!may_be_older(answer)) return ServerError{"server/discover", error->code, visible_line(error->message)};
  } else if (!may_be_older(answer)) {
    if (!answer) return answer.error();
    Result<mcp::DiscoverResult> discovered = take_discovered(std::get<JsonRpcResult>(*answer).result);
    if (discovered) {
      era_ = Era::kNewest;
      return discovered;
    }
    const auto* other = discovered.error().as<VersionNotOffered>();
    if (other == nullptr) return discovered.error();
    said = other->offered;
    // It knows server/discover and names what it speaks: initialize is tried when one of those is older and ours.
    if (std::none_of(said.begin(), said.end(), is_older_version)) return NoCommonVersion{said};
  }
  Result<mcp::DiscoverResult> opened = open_older_era(stop);
  if (opened) return opened;
  era_ = Era::kUnknown;
  const auto* status = opened.error().as<HttpStatus>();
  const bool refused = opened.error().as<ServerError>() != nullptr || (status != nullptr && !is_of_any_era(*status));
  if (refused) return NoCommonVersion{said};
  return opened.error();
}

Result<mcp::DiscoverResult> Session::open_older_era(const std::stop_token& stop) {
  era_ = Era::kOlder;
  older_session_open_ = false;
  transport_.speak_older_era("");
  const Question asked = question("initialize", initialize_params(options_.client));
  POSTERN_TRY(const ServerAnswer answer, send(asked, stop));
  if (const auto* error = std::get_if<JsonRpcError>(&answer))
    return ServerError{"initialize", error->code, visible_line(error->message)};
  POSTERN_TRY(mcp::DiscoverResult opened, read_initialize_result(std::get<JsonRpcResult>(answer).result));
  const std::string version = opened.supported_versions.front();
  if (!is_older_version(version)) return NoCommonVersion{visible_versions(opened.supported_versions)};
  transport_.speak_older_era(version);
  older_session_open_ = true;  // it exists at the server, whatever comes of the rest
  POSTERN_TRY_VOID(transport_.notify(JsonRpcNotification{"notifications/initialized", Json()},
                                     env_.clock.steady_now() + asked.ms_max, stop));
  protocol_version_ = version;
  capabilities_ = opened.capabilities;
  return opened;
}

}  // namespace postern::bridge
