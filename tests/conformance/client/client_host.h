// ClientHost: the product objects between a scenario and its server, wired as the host wires them, with what the suite
// gives in the place of a person: redirects are read, input is answered at once, every served definition counts as
// reviewed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bridge/call.h"
#include "bridge/call_observer.h"
#include "bridge/http_transport.h"
#include "bridge/model_tools.h"
#include "bridge/oauth/client_identity.h"
#include "bridge/oauth/credential_store.h"
#include "bridge/oauth/dpop_key.h"
#include "bridge/oauth/oauth_client.h"
#include "bridge/oauth/sign_in_observer.h"
#include "bridge/oauth/token_grant.h"
#include "bridge/result_validator.h"
#include "bridge/session.h"
#include "pins/pin_gate.h"
#include "tests/conformance/client/answers_at_once.h"
#include "tests/conformance/client/redirect_reader.h"
#include "tests/conformance/client/scenarios.h"
#include "wire/env/env.h"
#include "wire/tap/tap.h"
#include "wire/transport/http_client.h"

namespace postern::conformance {

class ClientHost {
 public:
  [[nodiscard]] static Result<std::unique_ptr<ClientHost>> make(const ScenarioInput& input);

  [[nodiscard]] bridge::Session& session() { return *session_; }
  // tools/list through the gate and the rules of what a host can use. The tools stay here.
  [[nodiscard]] Status list_tools();
  // What may be called: the tools that a model would be shown.
  [[nodiscard]] const std::vector<pins::PinnedTool>& tools() const { return usable_; }
  // What was listed, as it came.
  [[nodiscard]] const std::vector<mcp::Tool>& listed() const { return listed_; }
  // REQUIRES list_tools() before. conformance.no_such_tool
  [[nodiscard]] Status call(std::string_view tool, const Json& arguments);

 private:
  ClientHost() = default;
  void choose_grant(const ScenarioInput& input);

  SystemClock clock_;
  SystemRandomSource random_;
  NoTap tap_;
  Env env_{clock_, random_, tap_};
  bridge::CallObserver call_observer_;
  bridge::SignInObserver sign_in_observer_;
  AnswersAtOnce answers_;
  bridge::MemoryCredentialStore store_;
  std::unique_ptr<HttpClient> server_http_;
  std::unique_ptr<HttpClient> stranger_http_;  // whatever a server or an issuer names
  std::unique_ptr<HttpClient> admitted_http_;
  std::unique_ptr<HttpClient> provider_http_;  // configured
  std::unique_ptr<RedirectReader> user_agent_;
  std::unique_ptr<bridge::DpopKey> dpop_;
  std::unique_ptr<bridge::TokenGrant> grant_;
  std::unique_ptr<bridge::ClientRegistrar> registrar_;
  std::unique_ptr<bridge::OAuthClient> oauth_;
  std::unique_ptr<bridge::HttpTransport> transport_;
  std::unique_ptr<bridge::Session> session_;
  std::vector<pins::PinnedTool> usable_;
  std::vector<mcp::Tool> listed_;
  std::unique_ptr<bridge::ResultValidator> validator_;
  std::unique_ptr<bridge::Call> call_;
};

struct NoSuchTool {
  static constexpr std::string_view kId = "conformance.no_such_tool";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string tool;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::conformance
