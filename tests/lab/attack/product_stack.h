// The product's stack as an attacker finds it, and what a grader can get out of it: what differs between child
// processes and a world in memory.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/base/uri.h"
#include "wire/env/env.h"
#include "wire/http_message/http_message.h"
#include "wire/transport/http_client.h"

namespace postern::lab {

class ProductStack {
 public:
  virtual ~ProductStack() = default;
  [[nodiscard]] virtual Env env() = 0;
  [[nodiscard]] virtual HttpClient& http() = 0;  // from outside, to every origin of the stack
  // "issuer", "desk", "page", "approvals", "payments".
  [[nodiscard]] virtual std::string origin(std::string_view name) const = 0;
  [[nodiscard]] virtual std::string headless_secret() const = 0;
  // What the desk was started with: its service credentials and its key ring's file.
  [[nodiscard]] virtual Json desk_document() const = 0;
  [[nodiscard]] virtual Result<std::string> sign_as_issuer(const Json& header, const Json& claims) = 0;
  // Where the attacker's key set can be fetched from.
  [[nodiscard]] virtual std::string own_keys_url() const = 0;
  [[nodiscard]] virtual Result<std::string> raw(std::string_view bytes) = 0;  // to the desk
  [[nodiscard]] virtual Result<std::map<std::string, std::string>> artefacts() = 0;
  [[nodiscard]] virtual Result<std::vector<HttpResponse>> at_once(const HttpRequest& request) = 0;
  [[nodiscard]] virtual Result<HttpResponse> after_crash(const HttpRequest& request) = 0;
};

}  // namespace postern::lab
