// Payments, as the desk and the approval page ask it over loopback HTTP.
//
// After an unavailable answer to refund() nobody knows whether money moved: ask state_of_approval() before any last
// word about money, or send the same refund again, which pays once however often it arrives.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "services/approval_token/approval_token.h"
#include "services/domain/ids.h"
#include "services/domain/refund_action.h"
#include "services/domain/refund_receipt.h"
#include "services/service_authentication/service_credential.h"
#include "wire/base/clock.h"
#include "wire/base/result.h"
#include "wire/base/uri.h"
#include "wire/transport/http_client.h"

namespace postern::services {

struct PaidRefund {
  RefundReceipt receipt;
  bool repeated = false;  // it had been paid before this call
};

enum class PaymentStatus { kNone, kPaid, kRefused };
struct PaymentState {
  PaymentStatus status = PaymentStatus::kNone;
  std::optional<RefundReceipt> receipt;  // when paid
  std::string refusal;                   // when refused: payments' own sentence
};

class PaymentsClient {
 public:
  virtual ~PaymentsClient() = default;
  // Failures of all four: `payments.refused` (payments said no: its id and text are inside), `payments.unavailable`.
  [[nodiscard]] virtual Result<PaidRefund> refund(const ApprovalToken& token, const RefundAction& action,
                                                  const std::string& request_digest, SteadyTime deadline,
                                                  std::stop_token stop = {}) = 0;
  [[nodiscard]] virtual Result<std::vector<RefundReceipt>> refunds_of_ticket(const TicketId& id, SteadyTime deadline,
                                                                             std::stop_token stop = {}) = 0;
  [[nodiscard]] virtual Result<std::vector<RefundReceipt>> refunds_of_order(const OrderId& id, SteadyTime deadline,
                                                                            std::stop_token stop = {}) = 0;
  [[nodiscard]] virtual Result<PaymentState> state_of_approval(const ApprovalId& id, SteadyTime deadline,
                                                               std::stop_token stop = {}) = 0;
};

struct PaymentsCredentials {
  ServiceCredential read;    // payments:read
  ServiceCredential refund;  // payments:refund; empty for those who may only ask
};

// Thread-safe when `client` is. `client` must outlive it.
class HttpPaymentsClient final : public PaymentsClient {
 public:
  // `base` is payments_url of the launch document. `caller` names this process in payments' downstream log.
  HttpPaymentsClient(HttpClient& client, Uri base, PaymentsCredentials credentials, std::string caller);

  Result<PaidRefund> refund(const ApprovalToken& token, const RefundAction& action, const std::string& request_digest,
                            SteadyTime deadline, std::stop_token stop) override;
  Result<std::vector<RefundReceipt>> refunds_of_ticket(const TicketId& id, SteadyTime deadline,
                                                       std::stop_token stop) override;
  Result<std::vector<RefundReceipt>> refunds_of_order(const OrderId& id, SteadyTime deadline,
                                                      std::stop_token stop) override;
  Result<PaymentState> state_of_approval(const ApprovalId& id, SteadyTime deadline, std::stop_token stop) override;

 private:
  Result<Json> exchange(HttpRequest request, const ServiceCredential& credential, SteadyTime deadline,
                        std::stop_token stop);
  Result<std::vector<RefundReceipt>> list(const std::string& query, SteadyTime deadline, std::stop_token stop);

  HttpClient& client_;
  Uri base_;
  PaymentsCredentials credentials_;
  std::string caller_;
};

struct PaymentsRefused {
  static constexpr std::string_view kId = "payments.refused";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kToolError;
  std::string remote_id;    // "payment.over_limit"
  std::string remote_text;  // payments' sentence, made visible: it says that nothing was refunded
  [[nodiscard]] std::string text() const;
};
struct PaymentsUnavailable {
  static constexpr std::string_view kId = "payments.unavailable";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUnavailable;
  std::string reason;
  bool may_have_paid = false;  // a refund was sent and its answer is not known
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::services
