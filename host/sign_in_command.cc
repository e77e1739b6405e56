#include "host/sign_in_command.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "bridge/http_transport.h"
#include "bridge/oauth/failures.h"
#include "bridge/oauth/token_client.h"
#include "bridge/session.h"
#include "host/kept_credentials.h"
#include "host/sign_in.h"
#include "wire/base/visible_text.h"
#include "wire/oauth/discovery.h"

namespace postern::host {
namespace {

constexpr std::chrono::milliseconds kIssuerMsMax{15'000};

// One server that a person can be signed in at.
struct Place {
  std::string name;  // "desk", or as mcpServers names it; empty: a server that is no longer configured
  std::string url;   // of its endpoint; empty then
  const ServerConfig* server = nullptr;  // null: the desk, or none
};

struct KeptSignIn {
  Place place;
  bridge::TokenKey key;
  bridge::StoredTokens tokens;
};

// What a resource identifier stands for: everything below its path, at its origin (RFC 9728 section 3.3).
bool covers(const std::string& resource, const std::string& endpoint) {
  const auto outer = parse_uri(resource);
  const auto inner = parse_uri(endpoint);
  if (!outer || !inner || outer->origin() != inner->origin()) return false;
  std::string path = outer->path;
  if (path.back() != '/') path += '/';
  return (inner->path + "/").substr(0, path.size()) == path;
}

std::vector<Place> places_of(const Config& config) {
  std::vector<Place> places;
  if (!config.server.empty()) places.push_back({"desk", config.server, nullptr});
  for (const ServerConfig& server : config.servers) {
    if (server.is_http() && server.oauth.enabled && server.bearer_token_env.empty())
      places.push_back({server.name, server.url, &server});
  }
  return places;
}

// The place of that name; "" is the desk.
Result<Place> place_named(const Config& config, const std::string& name) {
  const std::vector<Place> places = places_of(config);
  const std::string wanted = name.empty() ? "desk" : name;
  for (const Place& place : places) {
    if (place.name == wanted) return place;
  }
  if (wanted == "desk") {
    return UsageWrong{
        "The desk of the profile local signs its person in by itself, and nothing of that is kept.\n"
        "Name another desk with --server or --profile, or a server of mcpServers: postern servers"};
  }
  if (config.find_server(wanted) != nullptr)
    return UsageWrong{"The server " + wanted + " is not one that a person signs in at. See: postern servers"};
  std::vector<std::string> names;
  for (const Place& place : places) names.push_back(place.name);
  const std::string near = nearest(wanted, names);
  return UsageWrong{"There is no server \"" + visible_line(wanted, 60) + "\"." +
                    (near.empty() ? " See: postern servers" : " Did you mean: " + near)};
}

// Two places may stand for one resource: then it is signed in at both.
bool is_at(const KeptSignIn& kept, const Place& place) {
  return place.name.empty() ? kept.place.name.empty() : covers(kept.key.resource, place.url);
}

Result<std::vector<KeptSignIn>> kept_sign_ins(const Config& config, KeptCredentials& store) {
  const std::vector<Place> places = places_of(config);
  POSTERN_TRY(const std::vector<bridge::TokenKey> keys, store.keys());
  std::vector<KeptSignIn> kept;
  for (const bridge::TokenKey& key : keys) {
    POSTERN_TRY(std::optional<bridge::StoredTokens> tokens, store.tokens(key));
    if (!tokens) continue;
    const auto place =
        std::find_if(places.begin(), places.end(), [&](const Place& one) { return covers(key.resource, one.url); });
    kept.push_back({place == places.end() ? Place() : *place, key, *std::move(tokens)});
  }
  return kept;
}

std::string person_of(const KeptSignIn& kept) {
  if (!kept.tokens.name.empty()) return visible_line(kept.tokens.name, 100);
  if (!kept.tokens.subject.empty()) return visible_line(kept.tokens.subject, 100);
  const ServerConfig* server = kept.place.server;
  if (server != nullptr && server->oauth.flow == OAuthConfig::Flow::kClientCredentials) return "this program itself";
  return "somebody whom the issuer does not name";
}

bool is_over(const bridge::StoredTokens& tokens) {
  return tokens.expires_at && SystemClock().now() >= *tokens.expires_at;
}

std::string until_of(const bridge::StoredTokens& tokens) {
  const std::string renewed = tokens.refresh_token.empty() ? "" : ", renewed by itself";
  if (!tokens.expires_at) return "until this program ends";
  if (is_over(tokens))
    return tokens.refresh_token.empty() ? "has run out: sign in again" : "has run out, is renewed at its next use";
  return "until " + rfc3339(*tokens.expires_at) + renewed;
}

void print_sign_in(Terminal& terminal, const KeptSignIn& kept, const std::string& kept_in) {
  terminal.out("  " + person_of(kept) + ", signed in at " + visible_line(kept.key.issuer, 200));
  const std::string scopes = kept.tokens.granted.text();
  terminal.out("  may: " + (scopes.empty() ? "what the issuer decides" : visible_line(scopes, 300)));
  terminal.out("  " + until_of(kept.tokens));
  terminal.out("  kept in " + kept_in);
}

Json json_of(const KeptSignIn& kept) {
  Json scopes = Json::array();
  for (const std::string& scope : kept.tokens.granted.tokens()) scopes.push(scope);
  Json json = Json::object({{"issuer", kept.key.issuer}, {"resource", kept.key.resource}});
  json.set("person", kept.tokens.name).set("subject", kept.tokens.subject).set("scopes", std::move(scopes));
  json.set("expires_at", kept.tokens.expires_at ? Json(rfc3339(*kept.tokens.expires_at)) : Json());
  return json.set("renewable", !kept.tokens.refresh_token.empty());
}

Json json_of(const Place& place, const std::vector<const KeptSignIn*>& kept) {
  Json list = Json::array();
  for (const KeptSignIn* one : kept) list.push(json_of(*one));
  return Json::object({{"name", place.name}, {"server", place.url}, {"sign_ins", std::move(list)}});
}

std::unique_ptr<KeptCredentials> credentials_of(const CommandContext& context) {
  const Config& config = context.config;
  return open_credentials(config.state_home, config.search_path, config.session_bus);
}

class Watcher final : public bridge::SignInObserver {
 public:
  void signed_in(std::string_view /*name*/, std::string_view /*scopes*/) override { new_ = true; }
  [[nodiscard]] bool saw_a_new_token() const { return new_; }

 private:
  bool new_ = false;
};

// Asks the server what a run asks it first; whatever that takes of a sign-in happens on the way.
Status visit(const CommandContext& context, const LoginCommand& command, const Place& place, KeptCredentials& store,
             Watcher& watcher) {
  NoTap tap;
  const Env env{context.outside.clock, context.outside.random, tap};
  POSTERN_TRY(const Uri endpoint, parse_uri(place.url));
  HttpClientOptions http;
  http.proxy = context.config.proxy;
  if (place.server != nullptr) http.ca_file = place.server->ca_file;
  const std::unique_ptr<HttpClient> server_http = client_to(context.outside, env, "server", http);
  SignInParts parts{env, context.outside, context.terminal, watcher, store};
  parts.is_ahead_of_a_run = true;
  parts.way = command.device ? SignInWay::kDevice : command.no_browser ? SignInWay::kPasted : SignInWay::kConfigured;
  auto sign_in = place.server == nullptr ? SignIn::at_desk(parts, context.config, endpoint, nullptr)
                                         : SignIn::at_server(parts, context.config, *place.server, endpoint,
                                                             !context.terminal.options().no_input);
  if (!sign_in) return std::move(sign_in).error();
  bridge::HttpTransport transport(env, *server_http, (*sign_in)->client(), endpoint);
  bridge::SessionOptions options;
  options.client = {"postern", "0.1.0"};
  if (place.server != nullptr) options.era = place.server->era;
  bridge::Session session(env, transport, std::move(options));
  POSTERN_TRY(const auto discovered, session.connect(context.interrupt.token()));
  static_cast<void>(discovered);
  // Some servers let strangers ask what they speak, and want to know who asks for more.
  POSTERN_TRY(const auto tools, session.list_tools(context.interrupt.token()));
  static_cast<void>(tools);
  return {};
}

// What became of the tokens of one sign-in at their issuer.
struct Leaving {
  bool revoked = true;             // all of them
  bool failed = false;             // one was not, although the issuer revokes such tokens
  std::vector<std::string> notes;  // what a person must know
};

bool is_not_offered(const Failure& failure) {
  const auto* refused = failure.as<bridge::RevocationRefused>();
  return refused != nullptr && refused->error == "unsupported_token_type";  // RFC 7009 section 2.2.1
}

Result<bridge::ClientIdentity> identity_for(const CommandContext& context, const Env& env, HttpClient& issuer_http,
                                            KeptCredentials& store, const AuthorizationServerMetadata& metadata,
                                            const KeptSignIn& kept) {
  bridge::ClientRegistrationOptions registration;
  if (kept.place.server != nullptr) {
    POSTERN_TRY(registration, registration_of(*kept.place.server));
  } else if (!kept.place.name.empty()) {
    registration = registration_of(context.config);
  }
  bridge::ClientRegistrar registrar(env, issuer_http, store, std::move(registration));
  POSTERN_TRY(std::optional<bridge::ClientIdentity> known, registrar.known_at(metadata));
  if (known && known->client_id == kept.tokens.client_id) return *std::move(known);
  // A client that the configuration no longer knows: whoever has the token may give it back.
  bridge::ClientIdentity identity;
  identity.issuer = metadata.issuer;
  identity.client_id = kept.tokens.client_id;
  return identity;
}

// "the one that was kept is good until ... for whoever else has it"
std::string rest_of(const bridge::StoredTokens& tokens) {
  return tokens.expires_at
             ? "The access token is good until " + rfc3339(*tokens.expires_at) + " for whoever else has it."
             : "The access token may be good for whoever else has it.";
}

Status revoke_at_issuer(const CommandContext& context, KeptCredentials& store, const KeptSignIn& kept,
                        Leaving& leaving) {
  NoTap tap;
  const Env env{context.outside.clock, context.outside.random, tap};
  HttpClientOptions http;
  http.proxy = context.config.proxy;
  if (kept.place.server != nullptr) http.ca_file = kept.place.server->ca_file;
  const std::unique_ptr<HttpClient> socket = client_to(context.outside, env, "issuer", http);
  POSTERN_TRY(const Uri issuer, parse_uri(kept.key.issuer));
  const DiscoveryPolicy policy(issuer);
  AdmittingHttpClient issuer_http(*socket, policy);
  const std::stop_token stop = context.interrupt.token();
  POSTERN_TRY(const AuthorizationServerMetadata metadata,
              fetch_authorization_server_metadata(issuer_http, kept.key.issuer, policy,
                                                  env.clock.steady_now() + kIssuerMsMax, stop));
  const bridge::StoredTokens& tokens = kept.tokens;
  if (metadata.revocation_endpoint.empty()) {
    leaving.revoked = false;
    leaving.notes.push_back(visible_line(kept.key.issuer, 200) + " does not revoke tokens. " +
                            (is_over(tokens) ? "" : rest_of(tokens)));
    return {};
  }
  POSTERN_TRY(const bridge::ClientIdentity identity, identity_for(context, env, issuer_http, store, metadata, kept));
  bridge::TokenClient client(env, issuer_http, metadata, identity, nullptr);
  const auto take = [&](const Status& status, const std::string& not_offered) {
    if (status) return;
    leaving.revoked = false;
    leaving.failed = leaving.failed || !is_not_offered(status.error());
    leaving.notes.push_back(is_not_offered(status.error()) ? not_offered : status.error().text());
  };
  const std::string who = visible_line(kept.key.issuer, 200);
  // The refresh token first: with it new access tokens could be had.
  if (!tokens.refresh_token.empty())
    take(client.revoke(tokens.refresh_token, env.clock.steady_now() + kIssuerMsMax, stop),
         who + " does not revoke refresh tokens.");
  if (!tokens.access_token.empty() && !is_over(tokens))
    take(client.revoke(tokens.access_token, env.clock.steady_now() + kIssuerMsMax, stop),
         who + " does not revoke access tokens. " + rest_of(tokens));
  return {};
}

Leaving leave(const CommandContext& context, KeptCredentials& store, const KeptSignIn& kept) {
  Leaving leaving;
  if (const Status asked = revoke_at_issuer(context, store, kept, leaving); !asked) {
    leaving.revoked = false;
    leaving.failed = true;
    leaving.notes.push_back("The tokens were not revoked: " + asked.error().text());
  }
  return leaving;
}

void print_leaving(Terminal& terminal, const KeptSignIn& kept, const Leaving& leaving) {
  terminal.out(person_of(kept) + " is signed out of " +
               (kept.place.name.empty() ? visible_line(kept.key.resource, 200) : kept.place.name) +
               (leaving.revoked ? ": the tokens are revoked and forgotten." : ": the tokens are forgotten here."));
  for (const std::string& note : leaving.notes) terminal.err("  " + note);
}

}  // namespace

ExitCode login_command(const CommandContext& context, const LoginCommand& command) {
  Terminal& terminal = context.terminal;
  if (command.device && command.no_browser)
    return refuse(terminal, UsageWrong{"--device and --no-browser are two ways; choose one."});
  const Result<Place> place = place_named(context.config, command.server);
  if (!place) return refuse(terminal, place.error());
  const std::unique_ptr<KeptCredentials> store = credentials_of(context);
  Watcher watcher;
  if (const Status visited = visit(context, command, *place, *store, watcher); !visited) {
    if (const auto stopped = stopped_by_signal(context)) return *stopped;
    const auto* no_way = visited.error().as<bridge::NoWayToSignIn>();
    if (no_way == nullptr) return refuse(terminal, visited.error());
    terminal.err("To sign in at " + no_way->issuer +
                 " takes a person, and nobody can be asked here. Nothing was changed.");
    return ExitCode::kSignIn;
  }
  const auto kept = kept_sign_ins(context.config, *store);
  if (!kept) return refuse(terminal, kept.error());
  std::vector<const KeptSignIn*> here;
  for (const KeptSignIn& one : *kept) {
    if (is_at(one, *place)) here.push_back(&one);
  }
  if (terminal.options().json) {
    Json json = Json::object({{"schema", "postern.login/1"}, {"kept_in", store->place()}});
    terminal.out(json.set("server", json_of(*place, here)).dump());
    return ExitCode::kDone;
  }
  if (here.empty()) {
    terminal.out("The server " + place->name + " asks for no sign-in.");
    return ExitCode::kDone;
  }
  terminal.out(place->name + (watcher.saw_a_new_token() ? ": signed in" : ": the sign-in that is kept is good"));
  for (const KeptSignIn* one : here) print_sign_in(terminal, *one, store->place());
  return ExitCode::kDone;
}

ExitCode logout_command(const CommandContext& context, const LogoutCommand& command) {
  Terminal& terminal = context.terminal;
  if (command.all && !command.server.empty())
    return refuse(terminal, UsageWrong{"--all is every server; leave its name out."});
  Place only;
  if (!command.all) {
    const Result<Place> place = place_named(context.config, command.server);
    if (!place) return refuse(terminal, place.error());
    only = *place;
  }
  const std::unique_ptr<KeptCredentials> store = credentials_of(context);
  const auto kept = kept_sign_ins(context.config, *store);
  if (!kept) return refuse(terminal, kept.error());
  bool failed = false;
  Json list = Json::array();
  for (const KeptSignIn& one : *kept) {
    if (!command.all && !is_at(one, only)) continue;
    const Leaving leaving = leave(context, *store, one);
    if (const Status forgotten = store->forget(one.key); !forgotten) return refuse(terminal, forgotten.error());
    failed = failed || leaving.failed;
    if (!terminal.options().json) print_leaving(terminal, one, leaving);
    Json notes = Json::array();
    for (const std::string& note : leaving.notes) notes.push(note);
    Json left = Json::object({{"issuer", one.key.issuer}, {"resource", one.key.resource}});
    list.push(left.set("revoked", leaving.revoked).set("notes", std::move(notes)));
  }
  if (command.all) {
    if (const Status forgotten = store->forget_all(); !forgotten) return refuse(terminal, forgotten.error());
  }
  if (terminal.options().json) {
    terminal.out(Json::object({{"schema", "postern.logout/1"}, {"signed_out", std::move(list)}}).dump());
  } else if (list.size() == 0) {
    terminal.out(command.all ? "Nobody was signed in anywhere." : "Nobody was signed in at " + only.name + ".");
  }
  return failed ? ExitCode::kNo : ExitCode::kDone;
}

ExitCode whoami_command(const CommandContext& context) {
  Terminal& terminal = context.terminal;
  const std::unique_ptr<KeptCredentials> store = credentials_of(context);
  const auto kept = kept_sign_ins(context.config, *store);
  if (!kept) return refuse(terminal, kept.error());
  std::vector<Place> places = places_of(context.config);
  const bool has_others =
      std::any_of(kept->begin(), kept->end(), [](const KeptSignIn& one) { return one.place.name.empty(); });
  if (has_others) places.emplace_back();
  Json list = Json::array();
  for (const Place& place : places) {
    std::vector<const KeptSignIn*> here;
    for (const KeptSignIn& one : *kept) {
      if (is_at(one, place)) here.push_back(&one);
    }
    list.push(json_of(place, here));
    if (terminal.options().json) continue;
    if (place.name.empty()) terminal.out("servers that are not configured any more (postern logout --all)");
    if (!place.name.empty()) terminal.out(place.name + "  " + visible_line(place.url, 200));
    if (here.empty()) terminal.out("  not signed in");
    for (const KeptSignIn* one : here) print_sign_in(terminal, *one, store->place());
  }
  if (terminal.options().json) {
    Json json = Json::object({{"schema", "postern.whoami/1"}, {"kept_in", store->place()}});
    terminal.out(json.set("servers", std::move(list)).dump());
  } else if (places.empty()) {
    terminal.out("No server is configured that a person signs in at. The profile local needs none.");
  }
  return kept->empty() ? ExitCode::kNo : ExitCode::kDone;
}

}  // namespace postern::host
