#include "tests/conformance/client/client_host.h"

#include "bridge/oauth/client_credentials_grant.h"
#include "bridge/oauth/code_grant.h"
#include "bridge/oauth/enterprise_grant.h"
#include "bridge/oauth/jwt_bearer_grant.h"
#include "wire/oauth/admitting_http_client.h"
#include "wire/signing/es256_signer.h"

namespace postern::conformance {
namespace {

// The suite's own, served nowhere: an authorization server that reads such documents knows it.
constexpr std::string_view kMetadataDocument = "https://conformance-test.local/client-metadata.json";

std::string text_at(const Json& context, std::string_view member) {
  return std::string(context.string_at(member));
}

Result<std::optional<bridge::ClientIdentity>> registered_client(const Json& context) {
  if (!context.has("client_id")) return std::optional<bridge::ClientIdentity>();
  bridge::ClientIdentity identity;
  identity.client_id = text_at(context, "client_id");
  identity.secret = bridge::ClientSecret::take(text_at(context, "client_secret"));
  if (context.has("private_key_pem")) {
    POSTERN_TRY(Es256Signer key, Es256Signer::of_pem(PrivateKeyPem::take(text_at(context, "private_key_pem"))));
    identity.key = std::make_shared<const Es256Signer>(std::move(key));
    identity.authentication = bridge::ClientAuthentication::kPrivateKeyJwt;
  }
  return std::optional<bridge::ClientIdentity>(std::move(identity));
}

std::unique_ptr<HttpClient> plain_client(Env env, std::string peer) {
  HttpClientOptions options;
  options.tap_peer = std::move(peer);
  return make_http_client(env, std::move(options));
}

}  // namespace

void ClientHost::choose_grant(const ScenarioInput& input) {
  const std::string_view scenario = input.scenario;
  if (scenario == "auth/client-credentials-basic" || scenario == "auth/client-credentials-jwt") {
    grant_ = std::make_unique<bridge::ClientCredentialsGrant>(env_);
  } else if (scenario == "auth/wif-jwt-bearer") {
    grant_ = std::make_unique<bridge::JwtBearerGrant>(env_, [jwt = text_at(input.context, "valid_jwt")](const auto&) {
      return Result<Assertion>(Assertion::take(std::string(jwt)));
    });
  } else if (scenario == "auth/enterprise-managed-authorization") {
    bridge::IdentityProvider provider;
    provider.issuer = text_at(input.context, "idp_issuer");
    provider.token_endpoint = text_at(input.context, "idp_token_endpoint");
    provider.identity.client_id = text_at(input.context, "idp_client_id");
    provider.subject_token = [token = text_at(input.context, "idp_id_token")] {
      return Result<Assertion>(Assertion::take(std::string(token)));
    };
    grant_ = std::make_unique<bridge::EnterpriseGrant>(env_, *provider_http_, std::move(provider));
  } else {
    grant_ = std::make_unique<bridge::CodeGrant>(env_, *user_agent_);
  }
}

Result<std::unique_ptr<ClientHost>> ClientHost::make(const ScenarioInput& input) {
  std::unique_ptr<ClientHost> made(new ClientHost());
  ClientHost& host = *made;
  POSTERN_TRY(const Uri endpoint, parse_uri(input.url));
  host.server_http_ = plain_client(host.env_, "server");
  host.stranger_http_ = plain_client(host.env_, "issuer");
  host.admitted_http_ = std::make_unique<AdmittingHttpClient>(*host.stranger_http_, DiscoveryPolicy(endpoint));
  host.provider_http_ = plain_client(host.env_, "identity provider");
  host.user_agent_ = std::make_unique<RedirectReader>(host.clock_, *host.admitted_http_);
  host.choose_grant(input);

  bridge::ClientRegistrationOptions registration;
  POSTERN_TRY(registration.registered, registered_client(input.context));
  registration.metadata_document_url = kMetadataDocument;
  registration.dynamic = true;
  host.registrar_ =
      std::make_unique<bridge::ClientRegistrar>(host.env_, *host.admitted_http_, host.store_, std::move(registration));
  if (input.scenario.substr(0, 9) == "auth/dpop") host.dpop_ = std::make_unique<bridge::DpopKey>(host.env_);
  bridge::OAuthClientOptions oauth;
  oauth.endpoint = endpoint;
  host.oauth_ = std::make_unique<bridge::OAuthClient>(host.env_, *host.admitted_http_, *host.admitted_http_,
                                                      *host.registrar_, *host.grant_, host.store_,
                                                      host.sign_in_observer_, std::move(oauth), host.dpop_.get());
  host.transport_ = std::make_unique<bridge::HttpTransport>(host.env_, *host.server_http_, *host.oauth_, endpoint);
  bridge::SessionOptions session;
  session.client = {"postern-conformance-client", "0.1.0"};
  session.client_capabilities = AnswersAtOnce::capabilities();
  host.session_ = std::make_unique<bridge::Session>(host.env_, *host.transport_, std::move(session));
  return made;
}

Status ClientHost::list_tools() {
  POSTERN_TRY(const std::vector<mcp::Tool> tools, session_->list_tools({}));
  listed_ = tools;
  pins::PinFile reviewed;
  for (const mcp::Tool& tool : tools) {
    pins::ReviewedTool review;
    review.pin = pins::pin_of(tool);
    review.definition = tool.definition;
    reviewed.tools.push_back(std::move(review));
  }
  pins::PinVerdict verdict = pins::PinGate(std::move(reviewed)).admit_all(tools, std::nullopt);
  const bridge::ModelTools shown(verdict.admitted, {});
  usable_.clear();
  for (pins::PinnedTool& tool : verdict.admitted) {
    if (shown.find(tool.name()) != nullptr) usable_.push_back(std::move(tool));
  }
  validator_ = std::make_unique<bridge::ResultValidator>(usable_);
  bridge::CallOptions options;
  options.moves_money.clear();
  options.bound_argument.clear();
  call_ = std::make_unique<bridge::Call>(env_, *session_, *oauth_, *validator_, answers_, call_observer_,
                                         std::move(options), [](std::chrono::milliseconds, const std::stop_token&) {
                                           return false;  // nothing here waits for a person
                                         });
  return {};
}

Status ClientHost::call(std::string_view tool, const Json& arguments) {
  for (const pins::PinnedTool& usable : usable_) {
    if (usable.name() != tool) continue;
    POSTERN_TRY_VOID(call_->run(usable, arguments, Json(), {}));
    return {};
  }
  return NoSuchTool{std::string(tool)};
}

std::string NoSuchTool::text() const {
  return "the server lists no usable \"" + tool + "\"";
}

}  // namespace postern::conformance
