#include "wire/oauth/device_authorization.h"

#include <algorithm>
#include <utility>

#include "wire/base/json.h"
#include "wire/base/uri.h"
#include "wire/base/visible_text.h"
#include "wire/oauth/token_response.h"

namespace postern {
namespace {

constexpr JsonBounds kDeviceBounds{64 * 1024, 8};
constexpr std::size_t kDeviceCodeBytesMax = 8192;
constexpr std::size_t kUserCodeBytesMax = 64;  // a person types it
constexpr std::int64_t kDayInSeconds = 86'400;

bool can_be_typed(const std::string& code) {
  return !code.empty() && code.size() <= kUserCodeBytesMax &&
         std::all_of(code.begin(), code.end(), [](char c) { return c >= 0x20 && c <= 0x7E; });
}

bool can_be_sent(const std::string& code) {
  return !code.empty() && code.size() <= kDeviceCodeBytesMax &&
         std::all_of(code.begin(), code.end(), [](char c) { return c >= 0x21 && c <= 0x7E; });
}

std::string take_string(Json& json, std::string_view name) {
  Json* member = json.find(name);
  std::string* text = member == nullptr ? nullptr : member->string();
  return text == nullptr ? std::string() : std::exchange(*text, std::string());
}

}  // namespace

Result<DeviceAuthorization> read_device_authorization(const HttpResponse& response) {
  auto json = parse_json(response.body, kDeviceBounds);
  if (response.status != 200) {
    TokenRefused refused{response.status, "", ""};
    if (json) {
      refused.error = visible_line(json->string_at("error"), 60);
      refused.description = visible_line(json->string_at("error_description"), 200);
    }
    return refused;
  }
  if (!json || !json->is_object()) return MalformedDeviceAuthorization{"it is not a JSON object"};
  DeviceAuthorization out;
  std::string device_code = take_string(*json, "device_code");
  if (!can_be_sent(device_code)) return MalformedDeviceAuthorization{"it holds no device_code that could be sent"};
  out.device_code = DeviceCode::take(std::move(device_code));
  out.user_code = take_string(*json, "user_code");
  if (!can_be_typed(out.user_code))
    return MalformedDeviceAuthorization{"it holds no user_code that a person could type"};
  out.verification_uri = take_string(*json, "verification_uri");
  if (!parse_uri(out.verification_uri)) return MalformedDeviceAuthorization{"its verification_uri is no http(s) URL"};
  out.verification_uri_complete = take_string(*json, "verification_uri_complete");
  if (!out.verification_uri_complete.empty() && !parse_uri(out.verification_uri_complete)) {
    return MalformedDeviceAuthorization{"its verification_uri_complete is no http(s) URL"};
  }
  const auto expires_in = json->integer_at("expires_in");
  if (!expires_in || *expires_in < 1) return MalformedDeviceAuthorization{"it does not say how long the code is good"};
  out.expires_in = Seconds(std::min(*expires_in, kDayInSeconds));
  if (const Json* interval = json->find("interval")) {
    if (!interval->integer()) return MalformedDeviceAuthorization{"its interval is not a whole number of seconds"};
    out.interval = Seconds(std::clamp<std::int64_t>(*interval->integer(), 1, kDayInSeconds));
  }
  return out;
}

std::string MalformedDeviceAuthorization::text() const {
  return "The issuer's answer to the request for a code cannot be used: " + reason + ". Nobody was signed in.";
}

}  // namespace postern
