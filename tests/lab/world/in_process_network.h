// A network in one process: who asks for an origin reaches the server that stands there, byte for byte as over a
// socket.
//
// A client of it writes a request with the product's writer, reads the answer with the product's reader, and shows both
// to the tap of its Env as the client over sockets does. Nothing of another machine is reached: an origin at which
// nobody stands refuses the connection, and is remembered. One thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "tests/lab/world/in_process_server.h"
#include "wire/base/result.h"
#include "wire/env/env.h"
#include "wire/transport/http_client.h"

namespace postern::lab {

class InProcessNetwork {
 public:
  InProcessNetwork() = default;
  InProcessNetwork(const InProcessNetwork&) = delete;
  InProcessNetwork& operator=(const InProcessNetwork&) = delete;

  // "http://127.0.0.1:8931". In place of whoever stood there; null: nobody stands there now.
  void put(const std::string& origin, std::shared_ptr<InProcessServer> server);
  // What a server answers on its way to its client, as bytes. Set before anything is sent.
  void change_answers(std::function<std::string(const std::string& origin, std::string bytes)> change) {
    change_ = std::move(change);
  }
  // It must not outlive the network; the Env must outlive it.
  [[nodiscard]] std::unique_ptr<HttpClient> client(Env env, HttpClientOptions options);
  // What comes back on one connection. transport.unreachable.
  [[nodiscard]] Result<std::string> exchange(const std::string& origin, std::string_view bytes,
                                             const std::stop_token& stop = {});
  // URLs that somebody asked for and nobody stands at, but those of servers that were taken away.
  [[nodiscard]] const std::vector<std::string>& strangers() const { return strangers_; }

 private:
  friend class InProcessHttpClient;
  std::map<std::string, std::shared_ptr<InProcessServer>> servers_;
  std::function<std::string(const std::string&, std::string)> change_;
  std::vector<std::string> strangers_;
};

}  // namespace postern::lab
