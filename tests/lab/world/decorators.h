// Where a fault or a removed control steps in: at the seams, around what the product composed. Empty: nothing.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "wire/transport/http_client.h"

namespace postern::mcp {
struct ServerFeatures;
}

namespace postern::lab {

struct Decorators {
  // Around each HTTP client of the world. `from` and `to` are the names of programs: "host", "desk", "approvals",
  // "browser" (the supervisor's), "outside" (LabWorld::network()); "server", "issuer", "model", "approvals",
  // "payments"; for the last two `to` is "anybody".
  std::function<std::unique_ptr<HttpClient>(std::unique_ptr<HttpClient> client, std::string_view from,
                                            std::string_view to)>
      http;
  // Around the desk's tools and what it says of itself, before its server is made.
  std::function<void(mcp::ServerFeatures& features)> desk_features;
  // The bytes of an answer on their way from a listener ("issuer", "desk", "page", "approvals", "payments", "model") to
  // whoever asked: head and body as a client and its tap see them.
  std::function<std::string(std::string_view from, std::string bytes)> answers;
};

}  // namespace postern::lab
