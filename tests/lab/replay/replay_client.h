// The HTTP client of a host that is played again: no socket, no server; each request is shown to the host's own tap as
// the product's client shows it, is compared with the recorded one, and gets the recorded answer, byte for byte, read
// by the product's own reader.
//
// After the first difference nothing is answered any more: the recording has no answer to what was never asked. One
// thread at a time.
#pragma once

#include <memory>

#include "tests/lab/replay/replay_stage.h"
#include "wire/env/env.h"
#include "wire/transport/http_client.h"

namespace postern::lab {

// `stage` and the Env outlive it.
[[nodiscard]] std::unique_ptr<HttpClient> make_replay_client(ReplayStage& stage, Env env, HttpClientOptions options);

// A failed request as a line of a recording: `{"kind":"failed","at":0,"to":"server","request":"POST /mcp",...}`.
// `exchange` 0: no log shows the request.
[[nodiscard]] Json failed_line(std::string_view peer, const Uri& uri, const HttpRequest& request,
                               const Failure& failure, std::int64_t exchange);

}  // namespace postern::lab
