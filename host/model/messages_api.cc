#include "host/model/messages_api.h"

#include <utility>

#include "host/model/failures.h"
#include "host/model/messages_reply.h"
#include "host/model/retry_policy.h"
#include "wire/base/replace_text.h"
#include "wire/base/visible_text.h"

namespace postern::host {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kAgent = "postern/0.1.0";

struct ApiError {
  std::string type;
  std::string code;
  std::string message;
};

// An error body may be anything: an HTML page of a proxy has none of these members.
ApiError read_error(std::string_view body) {
  const auto parsed = parse_json(body);
  if (!parsed) return {};
  const Json* error = parsed->find("error");
  if (error == nullptr) return {};
  ApiError read;
  read.type = visible_line(error->string_at("type"), 80);
  read.message = visible_line(error->string_at("message"), 300);
  if (const Json* details = error->find("details"); details != nullptr) {
    read.code = visible_line(details->string_at("error_code"), 80);
  }
  return read;
}

std::string request_id_of(const HttpResponse& response) {
  const std::string* id = response.headers.find("request-id");
  return id == nullptr ? "" : visible_line(*id, 80);
}

// Whether sending the same bytes again can help: not when the peer's certificate or the size of its reply was the
// reason.
bool may_retry(const Failure& failure) {
  return failure.as<Unreachable>() != nullptr || failure.as<TimedOut>() != nullptr ||
         failure.as<PeerClosed>() != nullptr;
}

std::string without_full_stop(std::string text) {
  while (text.ends_with('.')) text.pop_back();
  return text;
}

std::string in_seconds(milliseconds wait) {
  return std::to_string((wait.count() + 999) / 1000) + " s";
}

}  // namespace

Result<Uri> model_base_url(std::string_view text) {
  auto uri = parse_uri(text);
  if (!uri) return ModelUrlRefused{visible_line(text, 200), "it is no http or https URL"};
  if (uri->has_query) return ModelUrlRefused{visible_line(text, 200), "it has a query"};
  if (uri->scheme != "https" && !uri->is_loopback()) {
    return ModelUrlRefused{visible_line(text, 200), "a model key goes over https, or to this machine only"};
  }
  return *std::move(uri);
}

MessagesApi::MessagesApi(Env env, HttpClient& http, ModelApiKey key, MessagesApiOptions options)
    : env_(env), http_(http), key_(std::move(key)), options_(std::move(options)), endpoint_(options_.base) {
  if (options_.id.empty()) options_.id = options_.model;
  while (endpoint_.path.ends_with('/')) endpoint_.path.pop_back();
  endpoint_.path += "/v1/messages";
}

HttpRequest MessagesApi::request(const Transcript& transcript) const {
  HttpRequest request;
  request.method = "POST";
  request.headers.add("Accept", "application/json");
  request.headers.add("Content-Type", "application/json");
  request.headers.add("User-Agent", std::string(kAgent));
  request.headers.add("anthropic-version", std::string(kMessagesApiVersion));
  const std::string key(key_.reveal(Passkey<MessagesApi>{}));
  if (options_.key_header == ModelKeyHeader::kBearer) {
    request.headers.add("Authorization", "Bearer " + key);
  } else {
    request.headers.add("x-api-key", key);
  }
  std::string& body = request.body;
  body = "{\"model\":";
  Json::append_quoted(body, options_.model);
  body += ",\"max_tokens\":" + std::to_string(options_.max_tokens);
  if (!options_.effort.empty()) {
    body += ",\"output_config\":{\"effort\":";
    Json::append_quoted(body, options_.effort);
    body += "}";
  }
  body += ",\"system\":" + transcript.system_json();
  if (transcript.tools_json() != "[]") {
    body += ",\"tools\":" + transcript.tools_json();
    // Forced choices are refused beside thinking, so "auto" is the only one there is; a run is serial.
    body += ",\"tool_choice\":{\"type\":\"auto\",\"disable_parallel_tool_use\":true}";
  }
  body += ",\"messages\":[" + transcript.messages_json() + "]}";
  return request;
}

bool MessagesApi::wait(milliseconds how_long, std::string_view why, std::stop_token stop) const {
  if (options_.on_wait) options_.on_wait(how_long, why);
  return options_.pause ? options_.pause(how_long, stop) : !env_.clock.wait_for(how_long, stop);
}

Result<ModelTurn> MessagesApi::next(const Transcript& transcript, std::stop_token stop) {
  const HttpRequest request = this->request(transcript);
  const std::string where = endpoint_.origin();
  for (int attempt = 1;; ++attempt) {
    const bool last = attempt > options_.retries_max;
    auto response = http_.send(endpoint_, request, env_.clock.steady_now() + options_.request_ms_max, stop);
    milliseconds pause = default_wait(attempt - 1, env_.random);
    std::string why;
    // A service that quotes the key it was sent, in an error for example, brings it to no screen and no transcript.
    if (response) replace_all(response->body, key_.reveal(Passkey<MessagesApi>{}), "[model key]");
    if (!response) {
      if (response.error().as<Cancelled>() != nullptr) return std::move(response).error();
      why = without_full_stop(response.error().text());
      if (last || !may_retry(response.error())) return ModelApiUnavailable{where, why, attempt};
    } else if (response->status == 200) {
      return read_messages_reply(response->body);
    } else {
      const ApiError error = read_error(response->body);
      if (!may_retry(response->status, response->headers, error.code)) {
        return ModelApiRefused{where,      response->status, error.type,
                               error.code, error.message,    request_id_of(*response)};
      }
      why = error.type.empty() ? "it answered " + std::to_string(response->status)
                               : "it answered " + std::to_string(response->status) + " " + error.type;
      if (last) return ModelApiUnavailable{where, why, attempt};
      if (const auto asked = asked_wait(response->headers, env_.clock.now())) {
        if (*asked > kRetryAfterMax) {
          const std::string when = rfc3339(env_.clock.now() + *asked);
          return ModelApiUnavailable{where, why + " and asks to come back in " + in_seconds(*asked) + ", at " + when,
                                     attempt};
        }
        pause = *asked;
      }
    }
    if (!wait(pause, why, stop)) return Cancelled{};
  }
}

}  // namespace postern::host
