#include "tests/lab/attack/attacker_keys.h"

#include "tests/lab/attack/forged_token.h"

namespace postern::lab {

Result<std::unique_ptr<AttackerKeys>> AttackerKeys::serve(Env env) {
  POSTERN_TRY(ListeningSocket socket, ListeningSocket::on_loopback(0));
  std::string url = socket.origin() + "/keys.json";
  Routes routes;
  routes.add("GET", "/keys.json", [](const HttpRequest&) { return json_response(200, own_key_set().dump()); });
  std::vector<HttpListener> listeners;
  listeners.push_back(HttpListener{std::move(socket), std::move(routes), HttpLimits{}, "attacker"});
  auto server = std::make_unique<HttpServer>(std::move(listeners), env);
  server->start();
  return std::unique_ptr<AttackerKeys>(new AttackerKeys(std::move(url), std::move(server)));
}

}  // namespace postern::lab
