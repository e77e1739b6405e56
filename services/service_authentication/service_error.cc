#include "services/service_authentication/service_error.h"

#include "wire/base/json.h"

namespace postern::services {

int http_status_of(Disposition disposition) {
  switch (disposition) {
    case Disposition::kInternal:
    case Disposition::kUsage:
      return 500;
    case Disposition::kUnavailable:
      return 503;
    case Disposition::kPeer:
      return 502;
    case Disposition::kBadRequest:
    case Disposition::kParseError:
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
    case Disposition::kToolError:
      return 422;
    case Disposition::kTooManyRequests:
      return 429;
  }
  return 500;
}

HttpResponse service_error_response(const Failure& failure) {
  const int status = http_status_of(failure.disposition());
  const std::string text = status == 500 ? "The service failed. Its log says why." : failure.text();
  HttpResponse response =
      json_response(status, Json::object({{"error", Json::object({{"id", failure.id()}, {"text", text}})}}).dump());
  if (status == 503) response.headers.set("Retry-After", "1");
  return response;
}

}  // namespace postern::services
