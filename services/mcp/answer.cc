#include "services/mcp/answer.h"

#include "services/gate/rate_limits.h"
#include "services/mcp/failures.h"
#include "wire/mcp/codec.h"

namespace postern::mcp {
namespace {

ErrorCode code_of(Disposition disposition) {
  switch (disposition) {
    case Disposition::kParseError:
      return ErrorCode::kParseError;
    case Disposition::kInvalidParams:
      return ErrorCode::kInvalidParams;
    case Disposition::kMethodNotFound:
      return ErrorCode::kMethodNotFound;
    case Disposition::kHeaderMismatch:
      return ErrorCode::kHeaderMismatch;
    case Disposition::kMissingCapability:
      return ErrorCode::kMissingRequiredClientCapability;
    case Disposition::kUnsupportedVersion:
      return ErrorCode::kUnsupportedProtocolVersion;
    case Disposition::kBadRequest:
    case Disposition::kMissingToken:
    case Disposition::kInvalidToken:
    case Disposition::kInsufficientScope:
    case Disposition::kForbidden:
    case Disposition::kTooLarge:
    case Disposition::kUnsupportedMedia:
    case Disposition::kTooManyRequests:
      return ErrorCode::kInvalidRequest;
    case Disposition::kInternal:
    case Disposition::kUnavailable:
    case Disposition::kNotFound:
    case Disposition::kConflict:
    case Disposition::kGone:
    case Disposition::kUnprocessable:
    case Disposition::kToolError:
    case Disposition::kPeer:
    case Disposition::kUsage:
      return ErrorCode::kInternalError;
  }
  return ErrorCode::kInternalError;
}

std::optional<Json> data_of(const Failure& failure) {
  if (const auto* version = failure.as<UnsupportedVersion>()) {
    std::vector<std::string> supported = version->supported;
    if (supported.empty()) supported.emplace_back(kProtocolVersion);
    return to_json(UnsupportedVersionData{std::move(supported), version->requested});
  }
  if (const auto* capability = failure.as<MissingClientCapability>())
    return required_capabilities_data(capability->required);
  if (const auto* missing = failure.as<ResourceNotFound>()) return Json::object({{"uri", missing->uri}});
  return std::nullopt;
}

std::string members_of(const CallToolResult& result) {
  std::string out = R"("resultType":"complete","content":)";
  if (result.structured_content) {
    const std::string structured = result.structured_content->dump();
    out.reserve(2 * structured.size() + 256);
    if (result.content.is_null()) {
      out += R"([{"type":"text","text":)";
      Json::append_quoted(out, structured);
      out += "}]";
    } else {
      out += result.content.dump();
    }
    out += ",\"structuredContent\":" + structured;
  } else {
    out += result.content.is_null() ? "[]" : result.content.dump();
  }
  if (result.is_error) out += ",\"isError\":true";
  return out;
}

std::string without_braces(const Json& object) {
  const std::string text = object.dump();
  return text.substr(1, text.size() - 2);
}

}  // namespace

JsonRpcError error_of(const Failure& failure, std::optional<RequestId> id) {
  const ErrorCode code = code_of(failure.disposition());
  const bool may_be_told =
      code != ErrorCode::kInternalError || failure.as<OutOfTime>() != nullptr || failure.as<Stopping>() != nullptr;
  std::string message = may_be_told ? failure.text() : "Internal error.";
  return {std::move(id), static_cast<std::int64_t>(code), std::move(message), data_of(failure)};
}

int http_status_of(Disposition disposition) {
  switch (disposition) {
    case Disposition::kParseError:
    case Disposition::kBadRequest:
    case Disposition::kInvalidParams:
    case Disposition::kHeaderMismatch:
    case Disposition::kMissingCapability:
    case Disposition::kUnsupportedVersion:
      return 400;
    case Disposition::kMissingToken:
    case Disposition::kInvalidToken:
      return 401;
    case Disposition::kInsufficientScope:
    case Disposition::kForbidden:
      return 403;
    case Disposition::kMethodNotFound:
    case Disposition::kNotFound:
      return 404;
    case Disposition::kConflict:
      return 409;
    case Disposition::kGone:
      return 410;
    case Disposition::kTooLarge:
      return 413;
    case Disposition::kUnsupportedMedia:
      return 415;
    case Disposition::kUnprocessable:
      return 422;
    case Disposition::kTooManyRequests:
      return 429;
    case Disposition::kUnavailable:
      return 503;
    case Disposition::kInternal:
    case Disposition::kToolError:
    case Disposition::kPeer:
    case Disposition::kUsage:
      return 500;
  }
  return 500;
}

std::optional<Seconds> retry_after_of(const Failure& failure) {
  if (const auto* limit = failure.as<services::RequestLimitReached>()) return limit->wait;
  if (failure.as<TooManySubscriptions>() != nullptr) return Seconds(TooManySubscriptions::kRetryAfterSeconds);
  if (failure.as<Stopping>() != nullptr) return Seconds(Stopping::kRetryAfterSeconds);
  return std::nullopt;
}

Answer refusal(const Failure& failure, std::optional<RequestId> id) {
  return {http_status_of(failure.disposition()), serialise(error_of(failure, std::move(id)))};
}

Json result_json(const CallToolResult& result) {
  if (!result.content.is_null() || !result.structured_content) return to_json(result);
  CallToolResult whole = result;
  whole.content = Json::array({text_block(result.structured_content->dump())});
  return to_json(whole);
}

ResultWriter::ResultWriter(const Implementation& server_info)
    : tail_(",\"_meta\":" + Json::object({{std::string(kMetaServerInfo), to_json(server_info)}}).dump() + "}}") {}

Answer ResultWriter::result_of_members(const RequestId& id, std::string_view members) const {
  std::string out = R"({"jsonrpc":"2.0","id":)";
  out.reserve(members.size() + tail_.size() + 64);
  out += id.json().dump();
  out += ",\"result\":{";
  out += members;
  out += tail_;
  return {200, std::move(out)};
}

Answer ResultWriter::result(const RequestId& id, const Json& result) const {
  return result_of_members(id, without_braces(result));
}

Answer ResultWriter::tool_outcome(const RequestId& id, const CallToolOutcome& outcome) const {
  if (const auto* asks = std::get_if<InputRequiredResult>(&outcome)) return result(id, to_json(*asks));
  return result_of_members(id, members_of(std::get<CallToolResult>(outcome)));
}

Answer ResultWriter::tool_error(const RequestId& id, std::string_view text) const {
  return tool_outcome(id, CallToolResult{Json::array({text_block(text)}), std::nullopt, true});
}

}  // namespace postern::mcp
