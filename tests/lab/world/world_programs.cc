#include "tests/lab/world/world_programs.h"

#include <optional>
#include <utility>

#include "issuer/launch_document.h"
#include "services/approvals/launch_document.h"
#include "services/desk/launch_document.h"
#include "services/payments/compose.h"
#include "services/seed/seed.h"
#include "tests/lab/world/planted_records.h"
#include "tests/lab/world/weak_desk.h"
#include "tests/support/seeded_random.h"
#include "wire/base/bytes.h"
#include "wire/base/canonical_json.h"
#include "wire/base/check.h"
#include "wire/base/digest.h"
#include "wire/signing/es256_signer.h"

namespace postern::lab {
namespace {

HttpClientOptions client_options(std::string_view self, std::string_view peer) {
  HttpClientOptions options;
  options.tap_self = self;
  options.tap_peer = peer;
  return options;
}

// What every program has of its own.
struct Own {
  Own(const WorldParts& parts, std::string seed) : clock(parts.clock), random(std::move(seed)) {}
  [[nodiscard]] Env env() { return {clock, random, tap}; }
  // To that peer, as the laboratory wants it.
  [[nodiscard]] std::unique_ptr<HttpClient> client(const WorldParts& parts, std::string_view self,
                                                   std::string_view peer) {
    auto made = parts.network.client(env(), client_options(self, peer));
    return parts.decorators.http ? parts.decorators.http(std::move(made), self, peer) : std::move(made);
  }

  const Clock& clock;
  test::SeededRandom random;
  NoTap tap;
};

// One client for two peers, as the desk has it for our services: each may be changed for itself.
class ClientByOrigin final : public HttpClient {
 public:
  ClientByOrigin(std::string origin, std::unique_ptr<HttpClient> there, std::unique_ptr<HttpClient> elsewhere)
      : origin_(std::move(origin)), there_(std::move(there)), elsewhere_(std::move(elsewhere)) {}
  Result<HttpResponse> send(const Uri& uri, const HttpRequest& request, SteadyTime deadline,
                            std::stop_token stop) override {
    return to(uri).send(uri, request, deadline, std::move(stop));
  }
  Result<HttpResponse> open(const Uri& uri, const HttpRequest& request,
                            const std::function<bool(const HttpResponse&)>& on_head,
                            const std::function<bool(std::string_view)>& on_bytes, SteadyTime deadline,
                            std::stop_token stop) override {
    return to(uri).open(uri, request, on_head, on_bytes, deadline, std::move(stop));
  }

 private:
  HttpClient& to(const Uri& uri) { return uri.origin() == origin_ ? *there_ : *elsewhere_; }
  std::string origin_;
  std::unique_ptr<HttpClient> there_;
  std::unique_ptr<HttpClient> elsewhere_;
};

// RFC 7638, as issuer/key_ring.cc names its keys.
std::string key_id_of(const Es256Signer& signer) {
  return base64url(sha256(canonical_json(signer.public_point())));
}

std::string authority_of(const std::string& origin) {
  return origin.substr(origin.find("//") + 2);
}

}  // namespace

struct WorldPrograms::Issuer {
  Issuer(const WorldParts& parts, std::string seed)
      : own(parts, std::move(seed)), key(Es256Signer::generate()), documents(own.client(parts, "issuer", "anybody")) {}
  Own own;
  Es256Signer key;
  std::unique_ptr<HttpClient> documents;
  std::optional<issuer::AuthorizationServer> server;
};

struct WorldPrograms::Payments {
  Payments(const WorldParts& parts, std::string seed) : own(parts, std::move(seed)) {}
  Own own;
  std::unique_ptr<payments::PaymentsServer> server;
};

struct WorldPrograms::Desk {
  Desk(const WorldParts& parts, std::string seed)
      : own(parts, std::move(seed)),
        issuer(own.client(parts, "desk", "issuer")),
        browser(parts.network.client(own.env(), client_options("desk", "page"))),
        weak(own.env(), parts.controls, *browser, parts.world.origin("page")),
        services(parts.world.origin("approvals"), weak.services(own.client(parts, "desk", "approvals")),
                 weak.services(own.client(parts, "desk", "payments"))) {}
  Own own;
  std::unique_ptr<HttpClient> issuer;
  std::unique_ptr<HttpClient> browser;  // of whoever decides without having been asked: see WeakDesk
  WeakDesk weak;
  ClientByOrigin services;
  std::unique_ptr<desk::HttpDesk> server;
};

struct WorldPrograms::Approvals {
  Approvals(const WorldParts& parts, std::string seed)
      : own(parts, std::move(seed)),
        issuer(own.client(parts, "approvals", "issuer")),
        payments(own.client(parts, "approvals", "payments")) {}
  Own own;
  std::unique_ptr<HttpClient> issuer;
  std::unique_ptr<HttpClient> payments;
  std::unique_ptr<approvals::ApprovalsServer> server;
};

WorldPrograms::WorldPrograms(WorldParts parts) : parts_(std::move(parts)) {}
WorldPrograms::~WorldPrograms() {
  for (const std::string_view name : {"issuer", "payments", "desk", "approvals"}) POSTERN_CHECK(stop(name).has_value());
}

std::string WorldPrograms::seed_of(std::string_view name) {
  return parts_.seed + "/" + std::string(name) + "/" + std::to_string(++starts_);
}

Status WorldPrograms::start(std::string_view name) {
  POSTERN_TRY_VOID(stop(name));
  if (name == "issuer") return start_issuer();
  if (name == "payments") return start_payments();
  return name == "desk" ? start_desk() : start_approvals();
}

Status WorldPrograms::start_issuer() {
  POSTERN_TRY(issuer::ServeOptions options, issuer::read_launch_document(parts_.world.issuer_document()));
  auto program = std::make_unique<Issuer>(parts_, seed_of("issuer"));
  options.issuer.http = program->documents.get();
  options.issuer.first_key = program->key;
  options.issuer.scope_rules = parts_.controls.issuer();
  POSTERN_TRY(program->server, issuer::AuthorizationServer::make(program->own.env(), std::move(options.issuer)));
  issuer_ = std::move(program);
  parts_.network.put(
      parts_.world.origin("issuer"),
      std::make_shared<InProcessServer>(parts_.clock, issuer_->server->routes(), issuer::listener_limits()));
  return {};
}

Status WorldPrograms::start_payments() {
  POSTERN_TRY(payments::ServeOptions options, payments::read_launch_document(parts_.world.payments_document()));
  auto program = std::make_unique<Payments>(parts_, seed_of("payments"));
  POSTERN_TRY(program->server,
              payments::PaymentsServer::compose(program->own.env(), std::move(options), parts_.controls.payments()));
  payments_ = std::move(program);
  const std::string origin = parts_.world.origin("payments");
  parts_.network.put(origin, std::make_shared<InProcessServer>(
                                 parts_.clock, payments_->server->routes_at(authority_of(origin)), HttpLimits{}));
  return {};
}

namespace {

// Before the desk fills its databases by itself: then they are no longer empty, and it leaves them.
Status seed_planted(Env env, const desk::StoreOptions& store, const Json& planted) {
  const services::World world(env.clock.now());
  DeskRecords records{services::customers_of(world), services::orders_of(world), services::returns_of(world)};
  POSTERN_TRY_VOID(plant(planted, records));
  const services::ServiceOptions options{store.database_dir, store.admitted, "postern-desk", store.throwaway};
  POSTERN_TRY(auto customers, services::Customers::open(env, options));
  POSTERN_TRY(auto orders, services::Orders::open(env, options));
  POSTERN_TRY(auto returns, services::Returns::open(env, options));
  POSTERN_TRY_VOID(customers->fill_if_empty(records.customers));
  POSTERN_TRY_VOID(orders->fill_if_empty(records.orders));
  return returns->fill_if_empty(records.returns);
}

}  // namespace

Status WorldPrograms::start_desk() {
  Json document = parts_.world.desk_document();
  POSTERN_TRY(desk::ServeOptions options, desk::read_launch_document(document));
  options.desk.store.throwaway = true;
  auto program = std::make_unique<Desk>(parts_, seed_of("desk"));
  if (parts_.planted.is_object()) {
    POSTERN_TRY_VOID(seed_planted(program->own.env(), options.desk.store, parts_.planted));
  }
  const desk::DeskDecorators decorators = program->weak.decorators(parts_.decorators.desk_features);
  POSTERN_TRY(program->server,
              desk::HttpDesk::compose(program->own.env(), std::move(options.desk),
                                      {*program->issuer, program->services}, parts_.controls.desk(), decorators));
  desk_ = std::move(program);
  parts_.network.put(
      parts_.world.origin("desk"),
      std::make_shared<InProcessServer>(parts_.clock, desk_->weak.routes(desk_->server->routes()), HttpLimits{}));
  return {};
}

Status WorldPrograms::start_approvals() {
  POSTERN_TRY(approvals::ServeOptions options, approvals::read_launch_document(parts_.world.approvals_document()));
  auto program = std::make_unique<Approvals>(parts_, seed_of("approvals"));
  POSTERN_TRY(program->server,
              approvals::ApprovalsServer::compose(program->own.env(), std::move(options.approvals),
                                                  {*program->issuer, *program->payments}, parts_.controls.approvals()));
  approvals_ = std::move(program);
  approvals::ApprovalsServer& server = *approvals_->server;
  const std::string api = parts_.world.origin("approvals");
  parts_.network.put(parts_.world.origin("page"),
                     std::make_shared<InProcessServer>(parts_.clock, server.page_routes(), server.page_limits()));
  parts_.network.put(
      api, std::make_shared<InProcessServer>(parts_.clock, server.api_routes(authority_of(api)), server.api_limits()));
  return {};
}

Status WorldPrograms::stop(std::string_view name) {
  if (name == "approvals") parts_.network.put(parts_.world.origin("page"), nullptr);
  if (name == "issuer" || name == "payments" || name == "desk" || name == "approvals") {
    parts_.network.put(parts_.world.origin(name), nullptr);
  } else {
    return NoSuchProgram{std::string(name)};
  }
  if (name == "issuer") issuer_.reset();
  if (name == "payments") payments_.reset();
  if (name == "desk") desk_.reset();
  if (name == "approvals") approvals_.reset();
  return {};
}

void WorldPrograms::settle() {
  if (approvals_) approvals_->server->settle();
}

std::string WorldPrograms::sign_as_issuer(const Json& header, const Json& claims) const {
  POSTERN_CHECK(issuer_ != nullptr);
  Json head = Json::object({{"alg", "ES256"}, {"typ", "at+jwt"}, {"kid", key_id_of(issuer_->key)}});
  for (const auto& [name, value] : header.members()) head.set(name, value);
  const auto written = [](const Json& json) {
    Json kept = Json::object();
    for (const auto& [name, value] : json.members()) {
      if (!value.is_null()) kept.append_member(name, value);
    }
    return base64url(kept.dump());
  };
  const std::string signed_part = written(head) + "." + written(claims);
  return signed_part + "." + base64url(issuer_->key.sign(signed_part));
}

}  // namespace postern::lab
