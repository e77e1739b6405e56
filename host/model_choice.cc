#include "host/model_choice.h"

#include "host/connection.h"
#include "wire/base/check.h"

namespace postern::host {
namespace {

constexpr std::string_view kDefaultModel = "claude-sonnet-5-5";
constexpr std::string_view kDefaultBase = "https://api.anthropic.com";
constexpr std::string_view kScript = "script:";

bool has_key(const Environment& environment) {
  return environment.get("ANTHROPIC_API_KEY").has_value() || environment.get("ANTHROPIC_AUTH_TOKEN").has_value();
}

}  // namespace

Result<ModelChoice> choose_model(const Config& config, const Environment& environment) {
  ModelChoice choice;
  if (config.model_api.substr(0, kScript.size()) == kScript) {
    if (!config.model.empty())
      return ConfigInvalid{"flag --model", "a scripted model has no other id; leave --model out"};
    choice.script = config.model_api.substr(kScript.size());
    choice.line = "scripted double \"" + choice.script + "\" (as asked for)";
  } else if (has_key(environment)) {
    choice.id = config.model.empty() ? std::string(kDefaultModel) : config.model;
    choice.line = choice.id;
  } else if (config.local() && config.model.empty() && config.model_api.empty() && config.model_url.empty()) {
    choice.script = "honest";
    choice.line = "scripted double \"honest\" (no model key is set)";
  } else {
    return ConfigInvalid{"profile " + config.profile,
                         "no model key is set. Set ANTHROPIC_API_KEY; nothing falls back to the scripted model"};
  }
  if (!choice.script.empty()) choice.id = "scripted-" + choice.script;
  return choice;
}

Result<ModelClient> make_model(const CommandContext& context, Env env, const ModelChoice& choice,
                               const LocalStack* stack) {
  const Config& config = context.config;
  const Environment& environment = context.environment;
  Terminal& terminal = context.terminal;
  MessagesApiOptions options;
  options.model = choice.id;
  options.id = choice.id;
  options.effort = config.effort;
  options.on_wait = [&terminal](std::chrono::milliseconds how_long, std::string_view why) {
    terminal.progress("model", "waiting " + std::to_string(how_long.count()) + " ms: " + std::string(why));
  };
  std::string key;
  if (!choice.script.empty()) {
    POSTERN_CHECK(stack != nullptr);
    key = random_token(env.random, "sk-local-", 24);
    POSTERN_TRY(options.base, model_base_url(stack->model_url()));
  } else {
    POSTERN_TRY(options.base,
                model_base_url(config.model_url.empty() ? kDefaultBase : std::string_view(config.model_url)));
    const auto api_key = environment.get("ANTHROPIC_API_KEY");
    options.key_header = api_key ? ModelKeyHeader::kApiKey : ModelKeyHeader::kBearer;
    key = api_key ? *api_key : environment.get("ANTHROPIC_AUTH_TOKEN").value_or("");
  }
  ModelClient client;
  HttpClientOptions http;
  http.proxy = config.proxy;
  client.http = client_to(context.outside, env, "model", http);
  client.model =
      std::make_unique<MessagesApi>(env, *client.http, ModelApiKey::take(std::move(key)), std::move(options));
  return client;
}

}  // namespace postern::host
