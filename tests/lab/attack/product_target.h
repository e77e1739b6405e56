// The product under attack, whichever way it runs.
//
// A grader of our own desk has what a black box does not give: the stack's service credentials, so that payments can be
// asked what it paid and can be called with an approval that was had for something else.
#pragma once

#include <memory>
#include <string>

#include "tests/lab/attack/product_stack.h"
#include "tests/lab/attack/target.h"

namespace postern::lab {

// Keeps what every server but the issuer answered: pages, and what a host would tell its model.
class RecordingClient final : public HttpClient {
 public:
  explicit RecordingClient(HttpClient& http) : http_(http) {}
  [[nodiscard]] Result<HttpResponse> send(const Uri& uri, const HttpRequest& request, SteadyTime deadline,
                                          std::stop_token stop) override;
  [[nodiscard]] Result<HttpResponse> open(const Uri& uri, const HttpRequest& request,
                                          const std::function<bool(const HttpResponse&)>& on_head,
                                          const std::function<bool(std::string_view)>& on_bytes, SteadyTime deadline,
                                          std::stop_token stop) override {
    return http_.open(uri, request, on_head, on_bytes, deadline, std::move(stop));
  }
  // By origin.
  [[nodiscard]] const std::map<std::string, std::string>& answers() const { return answers_; }

 private:
  HttpClient& http_;
  std::map<std::string, std::string> answers_;
};

class ProductTarget final : public Target {
 public:
  // `name`: "product", "starter lab1".
  ProductTarget(std::unique_ptr<ProductStack> stack, std::string name)
      : stack_(std::move(stack)), env_(stack_->env()), name_(std::move(name)), http_(stack_->http()) {}

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] bool is_product() const override { return true; }
  [[nodiscard]] const Clock& clock() const override { return env_.clock; }
  [[nodiscard]] HttpClient& http() override { return http_; }
  [[nodiscard]] Uri endpoint() const override;
  [[nodiscard]] const ToolNames& tools() const override { return tools_; }
  [[nodiscard]] Result<std::string> token(std::string_view person, std::string_view scope,
                                          std::string_view resource) override;
  [[nodiscard]] Result<std::string> forge(const Forgery& forgery) override;
  [[nodiscard]] Result<std::string> forge_state(const StateForgery& forgery) override;
  [[nodiscard]] Result<std::string> raw(std::string_view bytes) override { return stack_->raw(bytes); }
  [[nodiscard]] Result<DecisionAttempt> decide(std::string_view link, std::string_view person,
                                               std::string_view way) override;
  [[nodiscard]] Result<std::vector<Json>> refunds(std::string_view ticket) override;
  [[nodiscard]] Result<HttpResponse> pay(std::string_view link, const Json& changes) override;
  [[nodiscard]] Result<std::map<std::string, std::string>> artefacts() override;
  [[nodiscard]] Result<std::vector<HttpResponse>> at_once(const HttpRequest& request) override {
    return stack_->at_once(request);
  }
  [[nodiscard]] Result<HttpResponse> after_crash(const HttpRequest& request) override {
    return stack_->after_crash(request);
  }

 private:
  // A call of approvals or payments with the desk's own credential for that operation.
  [[nodiscard]] Result<HttpResponse> as_desk(std::string_view service, std::string_view operation, HttpRequest request);
  [[nodiscard]] Result<std::string> digest_of(std::string_view approval_id);
  [[nodiscard]] Json requester(std::string_view person) const;

  std::unique_ptr<ProductStack> stack_;
  Env env_;
  std::string name_;
  RecordingClient http_;
  ToolNames tools_;
};

}  // namespace postern::lab
