// postern-conformance-issuer: the product's issuer, with a person at its pages who is played for one client.
//
//   postern-conformance-issuer serve --config FILE|-
//
// The launch document has "issuer", "clients" and "strangers" as postern-issuer's has, and "played_client" and
// "played_person".
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "issuer/authorization_server.h"
#include "tests/conformance/issuer/played_person.h"
#include "wire/transport/http_client.h"
#include "wire/transport/http_server.h"
#include "wire/transport/launch.h"
#include "wire/transport/server_program.h"

namespace postern::conformance {
namespace {

constexpr std::string_view kUsage = "usage: postern-conformance-issuer serve --config FILE|-\n";

Status serve(const std::string& config) {
  POSTERN_TRY(Launch launch, read_launch(config));
  LaunchReader reader(launch.document);
  const std::string issuer = reader.string("issuer");
  const std::string client = reader.string("played_client");
  const std::string person = reader.string("played_person");
  const Json* clients_json = reader.json("clients");
  const Json* strangers_json = reader.json("strangers");
  POSTERN_TRY_VOID(reader.finish());
  if (clients_json == nullptr || strangers_json == nullptr) {
    return BadLaunchDocument{"\"clients\" or \"strangers\" is missing"};
  }
  POSTERN_TRY(issuer::Clients clients, issuer::Clients::of_json(*clients_json));
  POSTERN_TRY(issuer::StrangerRules strangers, issuer::StrangerRules::of_json(*strangers_json));
  const SystemClock clock;
  SystemRandomSource random;
  NoTap tap;
  const Env env{clock, random, tap};
  const std::unique_ptr<HttpClient> documents = make_http_client(env, {});
  POSTERN_TRY(auto server,
              issuer::AuthorizationServer::make(env, {issuer, std::move(clients), issuer::People::embedded(), "",
                                                      ScopeSet{"desk:read"}, std::move(strangers), documents.get()}));
  PlayedPerson played(issuer, client, person, server.routes());
  POSTERN_TRY(ListeningSocket socket, launch.take_socket("issuer", 0));
  std::vector<HttpListener> listeners;
  listeners.push_back(HttpListener{std::move(socket), played.routes(), HttpLimits{}, "issuer"});
  HttpServer http(std::move(listeners), env);
  http.start();
  wait_until_told_to_stop(clock, launch.from_stdin);
  http.drain(std::chrono::milliseconds(2'000));
  return {};
}

}  // namespace
}  // namespace postern::conformance

int main(int count, char** arguments) {
  return postern::run_server_program(
      {"postern-conformance-issuer", postern::conformance::kUsage, postern::conformance::serve}, count, arguments);
}
