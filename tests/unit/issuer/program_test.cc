// The issuer as a process: its launch document, its sockets, and a token that a resource server takes.
#include <gtest/gtest.h>

#include <csignal>

#include "services/gate/bearer_gate.h"
#include "tests/support/refused.h"
#include "tests/support/seeded_random.h"
#include "wire/base/clock.h"
#include "wire/oauth/authorization_code_grant.h"
#include "wire/oauth/discovery.h"
#include "wire/transport/child_process.h"
#include "wire/transport/http_client.h"
#include "wire/transport/listening_socket.h"

namespace postern::issuer {
namespace {

using test::refused;
using test::succeeded;

constexpr const char* kProgramSecret = "hs_program-test-0123456789abcdef";
constexpr const char* kProgramDesk = "http://127.0.0.1:9/mcp";

std::string launch_line(const std::string& issuer, const char* more = "") {
  return R"({"issuer":")" + issuer + R"(","headless_secret":")" + kProgramSecret +
         R"(","clients":[{"client_id":"postern-host","name":"Postern","application_type":"native",)"
         R"("redirect_uris":["http://127.0.0.1/callback"],"scopes":["desk:read"],"resources":[")" +
         kProgramDesk + R"("],"headless":true}])" + more + "}\n";
}

class IssuerProgram : public testing::Test {
 protected:
  ChildProcess start(const std::string& launch, std::vector<std::pair<std::string, int>> sockets = {}) {
    ChildOptions options;
    options.argv = {std::string(POSTERN_BIN_DIR) + "/postern-issuer", "serve", "--config", "-"};
    options.sockets = std::move(sockets);
    options.pipe_stdout = true;
    options.stderr_file = "/dev/null";
    auto child = ChildProcess::spawn(options);
    EXPECT_TRUE(succeeded(child));
    EXPECT_TRUE(succeeded(child->write(launch)));
    return *std::move(child);
  }
  SteadyTime soon() const { return clock_.steady_now() + Seconds(10); }

  SystemClock clock_;
  SystemRandomSource random_;
  NoTap tap_;
  Env env_{clock_, random_, tap_};
};

TEST_F(IssuerProgram, GivesTokensThatAResourceServerTakes) {
  const auto socket = ListeningSocket::on_loopback(0);
  ASSERT_TRUE(succeeded(socket));
  const std::string issuer = socket->origin();
  ChildProcess child = start(launch_line(issuer), {{"issuer", socket->descriptor()}});
  const auto client = make_http_client(env_, {});

  const DiscoveryPolicy policy(*parse_uri(issuer));
  auto metadata = fetch_authorization_server_metadata(*client, issuer, policy, soon());
  ASSERT_TRUE(succeeded(metadata));
  AuthorizationCodeRequest asked;
  asked.server = *metadata;
  asked.client_id = "postern-host";
  asked.redirect_uri = "http://127.0.0.1:49152/callback";
  asked.resource = kProgramDesk;
  asked.scope = {"desk:read"};
  auto grant = AuthorizationCodeGrant::begin(asked, random_);
  ASSERT_TRUE(succeeded(grant));

  FormFields fields = grant->authorization_fields();
  fields.emplace_back("person", "rowan");
  fields.emplace_back("secret", kProgramSecret);
  const HttpRequest sign_in{
      "POST", "/headless", {{"Content-Type", "application/x-www-form-urlencoded"}}, form_encode(fields), ""};
  const auto answer = client->send(*parse_uri(issuer), sign_in, soon());
  ASSERT_TRUE(succeeded(answer));
  ASSERT_EQ(answer->status, 303);
  const std::string& location = *answer->headers.find("Location");
  auto code = grant->accept_answer(location.substr(location.find('?') + 1));
  ASSERT_TRUE(succeeded(code));
  const auto reply = client->send(grant->token_endpoint(), grant->token_request(*code), soon());
  ASSERT_TRUE(succeeded(reply));
  const auto tokens = grant->accept_tokens(*reply);
  ASSERT_TRUE(succeeded(tokens));
  EXPECT_EQ(tokens->name, "Rowan Diaz");

  services::IssuerKeys keys(env_, *client, issuer);
  services::BearerGate gate(clock_, services::TokenVerifier(issuer, kProgramDesk), keys);
  const auto verified = gate.verify(tokens->access_token, services::KeyAccess::kMayFetch);
  ASSERT_TRUE(succeeded(verified));
  EXPECT_EQ((*verified)->principal().subject(), "rowan");
  services::BearerGate other(clock_, services::TokenVerifier(issuer, "http://127.0.0.1:9/other"), keys);
  EXPECT_TRUE(refused(other.verify(tokens->access_token, services::KeyAccess::kMayFetch), "token.wrong_audience"));

  child.close_stdin();  // the lifeline
  EXPECT_EQ(child.wait(Seconds(10)), 0);
}

// SIGHUP publishes the next signing key, and the program goes on.
TEST_F(IssuerProgram, MakesTheNextKeyWhenItsOperatorSaysSo) {
  const auto socket = ListeningSocket::on_loopback(0);
  ASSERT_TRUE(succeeded(socket));
  ChildProcess child = start(launch_line(socket->origin()), {{"issuer", socket->descriptor()}});
  const auto client = make_http_client(env_, {});
  const auto published = [&]() -> std::size_t {
    const auto answer = client->send(*parse_uri(socket->origin() + "/jwks"), {"GET", "", {}, "", ""}, soon());
    const auto set = answer ? parse_json(answer->body) : Result<Json>(answer.error());
    const Json* keys = set ? set->find("keys") : nullptr;
    return keys == nullptr ? 0 : keys->size();
  };
  ASSERT_EQ(published(), 1U);  // it answers, so it is ready for signals too, or will take this one when it is
  child.signal(SIGHUP);
  const SteadyTime give_up = soon();
  while (published() < 2 && clock_.steady_now() < give_up) {
  }
  EXPECT_EQ(published(), 2U);
  child.close_stdin();
  EXPECT_EQ(child.wait(Seconds(10)), 0);
}

TEST_F(IssuerProgram, RefusesLaunchDocumentsThatItMustNotServe) {
  for (const std::string& launch :
       {launch_line("http://0.0.0.0:8930"), launch_line("http://10.0.0.1:8930"), launch_line("http://127.0.0.1:8930/t"),
        launch_line("http://127.0.0.1:8930", R"(,"strangers":{"registration":true})"),
        launch_line("http://127.0.0.1:8930", R"(,"default_scope":"caf\u00e9")"),
        launch_line("http://127.0.0.1:8930", R"(,"colour":1)"), launch_line("http://127.0.0.1:8930", R"(,"people":[])"),
        std::string("{}\n"), std::string("no json\n")}) {
    ChildProcess child = start(launch);
    EXPECT_EQ(child.wait(Seconds(10)), 2) << launch;
  }
}

TEST_F(IssuerProgram, RefusesASocketThatIsNotWhereItsNameSays) {
  const auto socket = ListeningSocket::on_loopback(0);
  ASSERT_TRUE(succeeded(socket));
  ChildProcess child = start(launch_line("http://127.0.0.1:1"), {{"issuer", socket->descriptor()}});
  EXPECT_EQ(child.wait(Seconds(10)), 2);
}

}  // namespace
}  // namespace postern::issuer
