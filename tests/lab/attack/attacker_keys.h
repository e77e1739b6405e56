// The attacker's own key set, served on a loopback port: a verifier that fetches what a token names would find it.
#pragma once

#include <memory>
#include <string>

#include "wire/base/result.h"
#include "wire/env/env.h"
#include "wire/transport/http_server.h"

namespace postern::lab {

class AttackerKeys {
 public:
  // `env` must outlive it.
  [[nodiscard]] static Result<std::unique_ptr<AttackerKeys>> serve(Env env);
  [[nodiscard]] const std::string& url() const { return url_; }

 private:
  AttackerKeys(std::string url, std::unique_ptr<HttpServer> server)
      : url_(std::move(url)), server_(std::move(server)) {}
  std::string url_;
  std::unique_ptr<HttpServer> server_;
};

}  // namespace postern::lab
