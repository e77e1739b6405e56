// Outside: all that a command has of the world outside of its process, beside the terminal and the files: time,
// randomness, sockets, and the programs of a local run.
//
// The product passes the system's (system_outside()). A laboratory passes its own, and the command is the same.
// Everything in it outlives the command.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>

#include "host/local_stack.h"
#include "wire/base/clock.h"
#include "wire/base/random_source.h"
#include "wire/base/result.h"
#include "wire/env/env.h"
#include "wire/transport/http_client.h"

namespace postern::host {

using HttpClientMaker = std::function<std::unique_ptr<HttpClient>(Env env, HttpClientOptions options)>;

struct Outside {
  const Clock& clock;
  RandomSource& random;
  HttpClientMaker http_client;
  std::function<Result<std::unique_ptr<LocalStack>>(Env env, const LocalStackOptions& options, std::stop_token stop)>
      start_stack;
};

// The system's clocks, its randomness, sockets and processes.
[[nodiscard]] const Outside& system_outside();

}  // namespace postern::host
