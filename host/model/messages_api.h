// The Messages API over HTTPS (anthropic-version 2026-10-21), one whole reply a request.
//
// A request holds the transcript's own bytes: system, tools and messages are written once by Transcript and only grow,
// and `messages` stands last, so each request begins with the whole of the one before. No sampling parameter, no forced
// tool choice, at most one tool a turn. Redirects are not followed, so the key goes to the configured origin and
// nowhere else.
//
// One run, one thread. The Env and the HttpClient must outlive it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "host/model/model.h"
#include "wire/base/result.h"
#include "wire/base/secret.h"
#include "wire/base/uri.h"
#include "wire/env/env.h"
#include "wire/http_message/http_message.h"
#include "wire/transport/http_client.h"

namespace postern::host {

class MessagesApi;
struct ModelApiKeyTag {
  using RevealedBy = Reveals<MessagesApi>;
};
using ModelApiKey = Secret<ModelApiKeyTag>;

// ANTHROPIC_API_KEY goes out as x-api-key, ANTHROPIC_AUTH_TOKEN as a bearer token.
enum class ModelKeyHeader { kApiKey, kBearer };

struct MessagesApiOptions {
  Uri base;           // of model_base_url()
  std::string model;  // "claude-sonnet-5-5"
  std::string id;     // for reports; empty: the model's
  ModelKeyHeader key_header = ModelKeyHeader::kApiKey;
  std::int64_t max_tokens = 4096;
  std::string effort;  // "low", "medium", "high"; empty: not sent
  int retries_max = 2;
  std::chrono::milliseconds request_ms_max{600'000};  // one request, with its reply
  // Told before each wait: how long, and why.
  std::function<void(std::chrono::milliseconds, std::string_view)> on_wait;
  // Waits; false when the token fired. Empty: waits on the clock.
  std::function<bool(std::chrono::milliseconds, std::stop_token)> pause;
};

inline constexpr std::string_view kMessagesApiVersion = "2026-10-21";

// https, or http to this machine; a path is a prefix of /v1/messages. model.url_refused.
[[nodiscard]] Result<Uri> model_base_url(std::string_view text);

class MessagesApi final : public Model {
 public:
  MessagesApi(Env env, HttpClient& http, ModelApiKey key, MessagesApiOptions options);
  // Failures: model.api_refused, model.api_unavailable (after its retries), model.malformed_reply,
  // model.server_side_work, transport.cancelled.
  [[nodiscard]] Result<ModelTurn> next(const Transcript& transcript, std::stop_token stop) override;
  [[nodiscard]] const std::string& id() const override { return options_.id; }

 private:
  [[nodiscard]] HttpRequest request(const Transcript& transcript) const;
  [[nodiscard]] bool wait(std::chrono::milliseconds how_long, std::string_view why, std::stop_token stop) const;

  Env env_;
  HttpClient& http_;
  ModelApiKey key_;
  MessagesApiOptions options_;
  Uri endpoint_;
};

}  // namespace postern::host
