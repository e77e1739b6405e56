// Which model a run talks to: the Messages API with a key, or, in the profile local only, the scripted double.
//
// Nothing is ever downgraded: a profile other than local without a key, a model that was named without a key, and a
// script outside of the profile local are refused (own.config_invalid, exit 2).
#pragma once

#include <memory>
#include <string>

#include "host/command.h"
#include "host/config.h"
#include "host/local_stack.h"
#include "host/model/messages_api.h"
#include "host/model/model.h"
#include "wire/env/env.h"

namespace postern::host {

struct ModelChoice {
  std::string script;  // of the double; empty: the real service
  std::string id;      // of the model
  std::string line;    // for the progress line
  [[nodiscard]] std::string recorded() const { return script.empty() ? id : "script:" + script; }
};

[[nodiscard]] Result<ModelChoice> choose_model(const Config& config, const Environment& environment);

// The client, with the HTTP client it talks through. `stack` is needed for the double.
struct ModelClient {
  std::unique_ptr<HttpClient> http;
  std::unique_ptr<Model> model;
};
[[nodiscard]] Result<ModelClient> make_model(const CommandContext& context, Env env, const ModelChoice& choice,
                                             const LocalStack* stack);

}  // namespace postern::host
