#include "bridge/session.h"

#include <algorithm>
#include <utility>

#include "bridge/failures.h"
#include "bridge/older_era.h"
#include "bridge/server_versions.h"
#include "wire/base/check.h"
#include "wire/base/visible_text.h"

namespace postern::bridge {
namespace {

constexpr std::string_view kClaimsKey = "dev.postern/run";
constexpr std::string_view kExtensions = "extensions";
constexpr Milliseconds kProgressPause{100};  // a server that reports in a flood is shown ten times a second

bool has_code(const JsonRpcError& error, ErrorCode code) {
  return error.code == static_cast<std::int64_t>(code);
}

Failure error_of(std::string_view method, const Json& params, const JsonRpcError& error) {
  if (has_code(error, ErrorCode::kUnsupportedProtocolVersion)) return VersionNotOffered{versions_in(error)};
  constexpr std::int64_t kOldResourceNotFound = -32002;  // of the older era; the other codes around it mean nothing
  if (method == "resources/read" && (error.code == kOldResourceNotFound || has_code(error, ErrorCode::kInvalidParams)))
    return ResourceNotFound{visible_line(params.string_at("uri"), 400), visible_line(error.message, 400)};
  return ServerError{std::string(method), error.code, visible_line(error.message)};
}

// The capability that a server declares when it answers this method; empty when it needs none.
std::string_view capability_of(std::string_view method) {
  constexpr std::pair<std::string_view, std::string_view> kOf[] = {
      {"tools/", "tools"}, {"resources/", "resources"}, {"prompts/", "prompts"}, {"completion/", "completions"}};
  for (const auto& [beginning, capability] : kOf) {
    if (method.starts_with(beginning)) return capability;
  }
  return {};
}

bool same_headers(const std::vector<mcp::ParamHeader>& a, const std::vector<mcp::ParamHeader>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& other) {
    return one.suffix == other.suffix && one.path == other.path && one.type == other.type;
  });
}

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_label(std::string_view label) {
  const auto inside = [](char c) { return is_alphanumeric(c) || c == '-'; };
  return !label.empty() && is_alphanumeric(label.front()) && !(label.front() >= '0' && label.front() <= '9') &&
         is_alphanumeric(label.back()) && std::all_of(label.begin(), label.end(), inside);
}

}  // namespace

bool is_extension_id(std::string_view id) {
  const std::size_t slash = id.find('/');
  if (slash == std::string_view::npos) return false;
  std::string_view prefix = id.substr(0, slash);
  const std::string_view name = id.substr(slash + 1);
  std::vector<std::string_view> labels;
  for (;;) {
    const std::size_t dot = prefix.find('.');
    labels.push_back(prefix.substr(0, dot));
    if (!is_label(labels.back())) return false;
    if (dot == std::string_view::npos) break;
    prefix.remove_prefix(dot + 1);
  }
  const bool reserved = labels.size() > 1 && (labels[1] == "modelcontextprotocol" || labels[1] == "mcp");
  if (reserved && !id.starts_with("io.modelcontextprotocol/")) return false;
  const auto inside = [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; };
  return !name.empty() && is_alphanumeric(name.front()) && is_alphanumeric(name.back()) &&
         std::all_of(name.begin(), name.end(), inside);
}

Session::Session(Env env, ServerTransport& transport, SessionOptions options)
    : env_(env), transport_(transport), options_(std::move(options)) {
  for (const ClientExtension& extension : options_.extensions) POSTERN_CHECK(is_extension_id(extension.id));
  if (options_.era == EraChoice::kPin) use_newest_era();
  if (options_.era == EraChoice::kLegacy) era_ = Era::kOlder;
}

Session::~Session() {
  if (older_session_open_) transport_.leave_older_era(env_.clock.steady_now() + kFarewellMax);
}

// ---- What goes out

mcp::RequestMeta Session::meta(const Json& claims) const {
  mcp::RequestMeta meta;
  meta.client_capabilities = options_.client_capabilities;
  if (!options_.extensions.empty()) {
    Json extensions = Json::object();
    for (const ClientExtension& extension : options_.extensions) extensions.set(extension.id, extension.settings);
    meta.client_capabilities.set(std::string(kExtensions), std::move(extensions));
  }
  if (options_.names_client) meta.client_info = options_.client;
  if (claims.is_object()) meta.extra.set(std::string(kClaimsKey), claims);
  return meta;
}

Json Session::request_meta() const {
  return mcp::to_json(meta(Json()));
}

// With the token of the progress that is to be reported, 0 for none.
Json Session::meta_of(const Json& claims, std::int64_t progress_token) const {
  Json json = Json::object();
  if (era_ != Era::kOlder) {
    json = mcp::to_json(meta(claims));
  } else if (claims.is_object()) {
    json.set(std::string(kClaimsKey), claims);
  }
  if (progress_token != 0) json.set("progressToken", progress_token);
  return json;
}

Session::Question Session::question(std::string_view method, Json params) const {
  Question question{method, std::move(params), Json(), {}, options_.request_ms_max};
  if (!question.params.is_object()) question.params = Json::object();
  auto limit = options_.request_ms_of.end();
  if (method == "tools/call") limit = options_.request_ms_of.find(question.params.string_at("name"));
  if (limit == options_.request_ms_of.end()) limit = options_.request_ms_of.find(method);
  if (limit != options_.request_ms_of.end()) question.ms_max = limit->second;
  return question;
}

Result<ServerAnswer> Session::send(const Question& question, const std::stop_token& stop) {
  const bool wants_progress = options_.on_progress || options_.silence_ms_max.count() > 0;
  const Json meta = meta_of(question.claims, wants_progress ? next_progress_token_++ : 0);
  OutgoingRequest request;
  request.method = question.method;
  request.params = question.params;
  if (era_ == Era::kOlder) {
    request.params = older_params(question.params, meta);
  } else {
    request.params.set("_meta", meta);
    request.param_headers = question.headers;
  }
  request.deadline = env_.clock.steady_now() + question.ms_max;
  request.silence_ms_max = options_.silence_ms_max;
  ProgressFilter filter(request.method, request.params);
  std::optional<SteadyTime> shown_at;
  request.on_notification = [&](const JsonRpcNotification& notification) {
    if (notification.method == "notifications/tools/list_changed") tools_changed();
    const std::optional<ProgressReport> report = filter.admit(notification);
    if (!report || !options_.on_progress) return true;
    const SteadyTime now = env_.clock.steady_now();
    if (shown_at && now - *shown_at < kProgressPause) return true;
    shown_at = now;
    options_.on_progress(*report);
    return true;
  };
  return transport_.exchange(request, stop);
}

// ---- Corrections

Result<ServerAnswer> Session::corrected(const Question& question, const std::stop_token& stop) {
  Result<ServerAnswer> answer = send(question, stop);
  // A server that lists the version that it has just refused is asked once more, and no oftener.
  if (const JsonRpcError* error = error_in(answer); error != nullptr && offers_newest(*error))
    answer = send(question, stop);
  if (failed_with(answer, SessionEnded::kId)) {
    POSTERN_TRY_VOID(open_older_era(stop));
    answer = send(question, stop);
  }
  if (failed_with(answer, ServerExited::kId)) older_session_open_ = false;
  if (options_.era != EraChoice::kAuto || !shows_another_era(answer)) return answer;
  const Era before = era_;
  const auto connected = connect_to_either(stop);
  // What a call did before it was answered with a number that means nothing is not known.
  const bool did_not_run = question.method != "tools/call" || !answer || before == Era::kOlder;
  if (connected && era_ != before && did_not_run) answer = send(question, stop);
  return answer;
}

Status Session::be_open(const std::stop_token& stop) {
  if (era_ == Era::kUnknown) {
    POSTERN_TRY_VOID(connect_to_either(stop));
  } else if (era_ == Era::kOlder && !older_session_open_) {
    POSTERN_TRY_VOID(open_older_era(stop));
  }
  return {};
}

Status Session::check_offered(std::string_view method) const {
  if (!capabilities_.is_object()) return {};
  const std::string_view capability = capability_of(method);
  if (!capability.empty() && !capabilities_.has(capability))
    return NotOffered{std::string(method), std::string(capability)};
  for (const ClientExtension& extension : options_.extensions) {
    const bool of_it = std::any_of(extension.methods.begin(), extension.methods.end(),
                                   [&](const std::string& beginning) { return method.starts_with(beginning); });
    const Json* declared = capabilities_.find(kExtensions);
    if (of_it && (declared == nullptr || !declared->has(extension.id)))
      return NotOffered{std::string(method), std::string(kExtensions) + "." + extension.id};
  }
  return {};
}

Status Session::check_result_type(const Json& result) const {
  const Json* type = result.find("resultType");
  if (type == nullptr || era_ == Era::kOlder) return {};  // the older eras know none (basic, "resultType")
  const std::string* name = type->string();
  if (name == nullptr) return mcp::MalformedResult{"result.resultType", "a string"};
  if (*name == "complete" || *name == "input_required") return {};
  for (const ClientExtension& extension : options_.extensions) {
    const auto& types = extension.result_types;
    if (std::find(types.begin(), types.end(), *name) != types.end()) return {};
  }
  return mcp::UnexpectedResultType{visible_line(*name, 80)};
}

Result<Json> Session::ask(const Question& question, const std::stop_token& stop) {
  POSTERN_TRY_VOID(be_open(stop));
  POSTERN_TRY_VOID(check_offered(question.method));
  POSTERN_TRY(const ServerAnswer answer, corrected(question, stop));
  if (const auto* error = std::get_if<JsonRpcError>(&answer)) {
    const bool refuses_version = has_code(*error, ErrorCode::kUnsupportedProtocolVersion);
    if (refuses_version && options_.era != EraChoice::kPin) return NoCommonVersion{versions_in(*error)};
    return error_of(question.method, question.params, *error);
  }
  const Json& result = std::get<JsonRpcResult>(answer).result;
  POSTERN_TRY_VOID(check_result_type(result));
  return result;
}

Result<Json> Session::request(std::string_view method, const Json& params, const std::stop_token& stop) {
  transport_.begin_operation();
  return ask(question(method, params), stop);
}

Result<mcp::CallToolOutcome> Session::call(const mcp::CallToolParams& params,
                                           const std::vector<mcp::ParamHeader>& param_headers, const Json& claims,
                                           std::stop_token stop) {
  Json json = mcp::to_json(params, mcp::RequestMeta{});
  json.erase("_meta");
  Question asked = question("tools/call", std::move(json));
  asked.claims = claims;
  asked.headers = param_headers;
  Result<Json> result = ask(asked, stop);
  // The tool has other annotations than those that were read: the newest list says which. The server refused the call
  // before it ran (basic/transports/streamable-http, "Client behavior").
  const ServerError* error = result ? nullptr : result.error().as<ServerError>();
  const bool mismatch = error != nullptr && error->code == static_cast<std::int64_t>(ErrorCode::kHeaderMismatch);
  if (mismatch && transport_.mirrors_parameters()) {
    const Result<std::vector<mcp::Tool>> tools = fetch_tools(stop, false);
    if (!tools) return result.error();
    const auto tool =
        std::find_if(tools->begin(), tools->end(), [&](const mcp::Tool& served) { return served.name == params.name; });
    if (tool == tools->end()) return result.error();
    POSTERN_TRY(asked.headers, mcp::param_headers_of(tool->input_schema));
    if (same_headers(asked.headers, param_headers)) return result.error();
    result = ask(asked, stop);
  }
  if (!result) return result.error();
  return mcp::read_call_tool_outcome(*result);
}

}  // namespace postern::bridge
