// Approvals, payments and the issuer as the desk meets them, played by an HttpClient: what they answer, and what breaks
// on the way, is set by the test; what was asked of them is kept.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "services/domain/refund_receipt.h"
#include "tests/unit/gate/signed_tokens.h"
#include "wire/base/json.h"
#include "wire/transport/http_client.h"

namespace postern::test {

inline constexpr const char* kApprovalsOrigin = "http://127.0.0.1:8941";
inline constexpr const char* kPaymentsOrigin = "http://127.0.0.1:8942";
inline constexpr const char* kDigest = "d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1";

struct Exchange {
  std::string where;  // "POST http://127.0.0.1:8941/requests"
  std::string authorization;
  Json body;
};

class PlayedServices final : public HttpClient {
 public:
  explicit PlayedServices(const SignedTokens& tokens) : tokens_(tokens) {}

  // ---- set by the test
  bool issuer_down = false;
  bool approvals_down = false;
  bool payments_down = false;
  std::string status = "pending";  // of the request for approval
  std::string decided_by = "Morgan Ellis";
  std::string note;
  Json changed_action;                          // members of the stored action that differ from what was asked
  int answers_lost = 0;                         // of POST /refunds: it is paid, and the answer does not come
  bool arrives = true;                          // false: with a lost answer, the refund was never seen
  bool states_lost = false;                     // GET /approvals/... gets no answer
  std::pair<std::string, std::string> refusal;  // of POST /refunds: id and sentence

  // ---- read by the test
  std::vector<Exchange> exchanges;
  std::vector<Json> refunds;  // receipts
  [[nodiscard]] int count(const std::string& start) const {
    int n = 0;
    for (const Exchange& exchange : exchanges) n += exchange.where.starts_with(start) ? 1 : 0;
    return n;
  }
  [[nodiscard]] Json last_body(const std::string& start) const {
    for (auto exchange = exchanges.rbegin(); exchange != exchanges.rend(); ++exchange) {
      if (exchange->where.starts_with(start)) return exchange->body;
    }
    return Json();
  }
  // A refund that was paid before.
  void paid_before(const char* ticket, const char* order, const char* line, std::int64_t cents,
                   const char* currency = "USD") {
    refunds.push_back(receipt(ticket, order, line, cents, currency, "APR-0900", "APV-0900"));
  }

  Result<HttpResponse> send(const Uri& uri, const HttpRequest& request, SteadyTime, std::stop_token) override {
    const std::string target = request.target.empty() ? uri.target() : request.target;
    const std::string* authorization = request.headers.find("Authorization");
    exchanges.push_back({request.method + " " + uri.origin() + target, authorization == nullptr ? "" : *authorization,
                         request.body.empty() ? Json() : *parse_json(request.body)});
    const bool down = (uri.origin() == kGateIssuer && issuer_down) ||
                      (uri.origin() == kApprovalsOrigin && approvals_down) ||
                      (uri.origin() == kPaymentsOrigin && payments_down);
    if (down) return Unreachable{uri.origin(), "connection refused"};
    if (uri.origin() == kGateIssuer) return issuer(target);
    if (uri.origin() == kApprovalsOrigin) return approvals(request.method, target);
    return payments(request.method, target);
  }
  Result<HttpResponse> open(const Uri& uri, const HttpRequest&, const std::function<bool(const HttpResponse&)>&,
                            const std::function<bool(std::string_view)>&, SteadyTime, std::stop_token) override {
    return Unreachable{uri.origin(), "not played"};
  }

 private:
  static HttpResponse ok(const Json& json) { return json_response(200, json.dump()); }
  static HttpResponse refused(int http_status, const std::string& id, const std::string& text) {
    return json_response(http_status, Json::object({{"error", Json::object({{"id", id}, {"text", text}})}}).dump());
  }

  Result<HttpResponse> issuer(const std::string& target) const {
    if (target == "/jwks") return ok(tokens_.jwk_set());
    return ok(Json::object({{"issuer", kGateIssuer},
                            {"authorization_endpoint", "http://127.0.0.1:8930/authorize"},
                            {"token_endpoint", "http://127.0.0.1:8930/token"},
                            {"jwks_uri", "http://127.0.0.1:8930/jwks"}}));
  }

  Result<HttpResponse> approvals(const std::string& method, const std::string& target) {
    Json answer = Json::object({{"approval_id", "APR-0001"}, {"request_digest", kDigest}, {"expires_in_s", 900}});
    if (method == "POST" && target == "/requests") {
      asked_ = exchanges.back().body;
      return ok(answer.set("status", "pending"));
    }
    const Json& body = exchanges.back().body;
    const Json* requester = body.find("requester");
    const bool same = requester != nullptr && body.string_at("request_digest") == kDigest &&
                      requester->string_at("subject") == asked_.find("requester")->string_at("subject");
    if (!same) return refused(404, "approval.no_such_request", "There is no such request. Nothing was refunded.");
    answer.set("status", status).set("decided_by", decided_by).set("note", note);
    if (status != "approved") return ok(answer);
    Json action = Json::object();
    for (const char* member : {"ticket_id", "order_id", "line_id", "amount_cents", "currency", "policy_id"}) {
      action.set(member, *asked_.find(member));
    }
    for (const auto& [member, value] : changed_action.members()) action.set(member, value);
    return ok(answer.set("token", "apt_payload.signature").set("token_id", "APV-0001").set("action", action));
  }

  static Json receipt(const std::string& ticket, const std::string& order, const std::string& line, std::int64_t cents,
                      const std::string& currency, const std::string& approval, const std::string& token) {
    return Json::object({{"refund_id", "RF-0001"},
                         {"ticket_id", ticket},
                         {"order_id", order},
                         {"line_id", line},
                         {"amount_cents", cents},
                         {"currency", currency},
                         {"approval_id", approval},
                         {"token_id", token},
                         {"refunded_at", "2026-11-30T02:51:07.123Z"}});
  }
  // Once, however often it comes.
  HttpResponse pay() {
    for (const Json& paid : refunds) {
      if (paid.string_at("token_id") == "APV-0001") return ok(Json(paid).set("repeated", true));
    }
    const Json& action = *exchanges.back().body.find("action");
    refunds.push_back(receipt(std::string(action.string_at("ticket_id")), std::string(action.string_at("order_id")),
                              std::string(action.string_at("line_id")), action.integer_at("amount_cents").value_or(0),
                              std::string(action.string_at("currency")), "APR-0001", "APV-0001"));
    return ok(Json(refunds.back()).set("repeated", false));
  }
  Result<HttpResponse> payments(const std::string& method, const std::string& target) {
    if (method == "POST") {
      if (!refusal.first.empty()) return refused(422, refusal.first, refusal.second);
      if (answers_lost > 0) {
        --answers_lost;
        if (arrives) pay();
        return PeerClosed{kPaymentsOrigin};
      }
      return pay();
    }
    if (target.starts_with("/approvals/")) {
      if (states_lost) return TimedOut{kPaymentsOrigin};
      for (const Json& paid : refunds) {
        if (target == "/approvals/" + std::string(paid.string_at("approval_id"))) {
          return ok(
              Json::object({{"approval_id", paid.string_at("approval_id")}, {"status", "paid"}, {"refund", paid}}));
        }
      }
      return ok(Json::object({{"approval_id", "APR-0001"}, {"status", "none"}}));
    }
    const std::string wanted = target.substr(target.find('=') + 1);
    Json list = Json::array();
    for (const Json& paid : refunds) {
      if (paid.string_at("ticket_id") == wanted || paid.string_at("order_id") == wanted) list.push(paid);
    }
    return ok(Json::object({{"refunds", list}}));
  }

  const SignedTokens& tokens_;
  Json asked_;
};

}  // namespace postern::test
