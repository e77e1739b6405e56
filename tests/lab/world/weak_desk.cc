#include "tests/lab/world/weak_desk.h"

#include <utility>

#include "tests/lab/supervisor.h"
#include "wire/base/mutex.h"

namespace postern::lab {

struct WeakDesk::Parts {
  Parts(Env environment, const ControlSet& controls, HttpClient& client, std::string page)
      : env(environment),
        accept_decides(controls.removes("desk.decision")),
        token_goes_on(controls.removes("desk.own_credential")),
        browser(client),
        page_origin(std::move(page)) {}

  void note(std::string authorization) POSTERN_EXCLUDES(mutex) {
    const MutexLock lock(mutex);
    callers = std::move(authorization);
  }
  std::string noted() POSTERN_EXCLUDES(mutex) {
    const MutexLock lock(mutex);
    return callers;
  }

  const Env env;
  const bool accept_decides;
  const bool token_goes_on;
  HttpClient& browser;
  const std::string page_origin;
  Mutex mutex;
  std::string callers POSTERN_GUARDED_BY(mutex);
};

namespace {

using services::ApprovalAnswer;
using services::ApprovalsClient;

// The desk redeems only after an accept: whoever decides here has the client's word for it and nothing else.
class ClientAcceptDecides final : public ApprovalsClient {
 public:
  ClientAcceptDecides(std::unique_ptr<ApprovalsClient> inner, std::function<void(std::string_view)> approve)
      : inner_(std::move(inner)), approve_(std::move(approve)) {}

  Result<ApprovalAnswer> request(const services::ApprovalAsk& ask, SteadyTime deadline, std::stop_token stop) override {
    return inner_->request(ask, deadline, std::move(stop));
  }
  Result<ApprovalAnswer> redeem(std::string_view id, std::string_view issuer, std::string_view subject,
                                std::string_view digest, SteadyTime deadline, std::stop_token stop) override {
    const auto before = inner_->redeem(id, issuer, subject, digest, deadline, stop);
    if (before && before->status == services::ApprovalStatus::kPending) approve_(id);
    return inner_->redeem(id, issuer, subject, digest, deadline, std::move(stop));
  }
  Result<ApprovalAnswer> withdraw(std::string_view id, std::string_view issuer, std::string_view subject,
                                  SteadyTime deadline, std::stop_token stop) override {
    return inner_->withdraw(id, issuer, subject, deadline, std::move(stop));
  }
  Result<ApprovalAnswer> state(std::string_view id, std::string_view issuer, std::string_view subject,
                               SteadyTime deadline, std::stop_token stop) override {
    return inner_->state(id, issuer, subject, deadline, std::move(stop));
  }

 private:
  std::unique_ptr<ApprovalsClient> inner_;
  std::function<void(std::string_view)> approve_;
};

class TokenPassthrough final : public HttpClient {
 public:
  TokenPassthrough(std::unique_ptr<HttpClient> inner, std::function<std::string()> callers)
      : inner_(std::move(inner)), callers_(std::move(callers)) {}
  Result<HttpResponse> send(const Uri& uri, const HttpRequest& request, SteadyTime deadline,
                            std::stop_token stop) override {
    return inner_->send(uri, with_token(request), deadline, std::move(stop));
  }
  Result<HttpResponse> open(const Uri& uri, const HttpRequest& request,
                            const std::function<bool(const HttpResponse&)>& on_head,
                            const std::function<bool(std::string_view)>& on_bytes, SteadyTime deadline,
                            std::stop_token stop) override {
    return inner_->open(uri, with_token(request), on_head, on_bytes, deadline, std::move(stop));
  }

 private:
  HttpRequest with_token(HttpRequest request) const {
    const std::string token = callers_();
    if (!token.empty()) request.headers.set(std::string(WeakDesk::kCallersHeader), token);
    return request;
  }
  std::unique_ptr<HttpClient> inner_;
  std::function<std::string()> callers_;
};

}  // namespace

WeakDesk::WeakDesk(Env env, const ControlSet& controls, HttpClient& browser, std::string page_origin)
    : parts_(std::make_shared<Parts>(env, controls, browser, std::move(page_origin))) {}
WeakDesk::~WeakDesk() = default;

desk::DeskDecorators WeakDesk::decorators(std::function<void(mcp::ServerFeatures&)> features) const {
  desk::DeskDecorators decorators;
  decorators.features = std::move(features);
  if (!parts_->accept_decides) return decorators;
  decorators.approvals = [parts = parts_](std::unique_ptr<ApprovalsClient> inner) -> std::unique_ptr<ApprovalsClient> {
    return std::make_unique<ClientAcceptDecides>(std::move(inner), [parts](std::string_view id) {
      Browser browser(parts->browser, parts->env.clock);
      // Whether it could is seen in what the services answer afterwards.
      static_cast<void>(Supervisor(browser, {}).decide(parts->page_origin + "/approvals/" + std::string(id)));
    });
  };
  return decorators;
}

std::unique_ptr<HttpClient> WeakDesk::services(std::unique_ptr<HttpClient> client) const {
  if (!parts_->token_goes_on) return client;
  return std::make_unique<TokenPassthrough>(std::move(client), [parts = parts_] { return parts->noted(); });
}

Routes WeakDesk::routes(Routes of_the_desk) const {
  if (!parts_->token_goes_on) return of_the_desk;
  of_the_desk.before([parts = parts_](const HttpRequest& request) -> std::optional<HttpResponse> {
    if (const std::string* token = request.headers.find("Authorization")) parts->note(*token);
    return std::nullopt;
  });
  return of_the_desk;
}

}  // namespace postern::lab
