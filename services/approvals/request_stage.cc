#include "services/approvals/request_stage.h"

namespace postern::approvals {
namespace {

Seconds time_left(WallTime until, WallTime now) {
  return until > now ? std::chrono::ceil<Seconds>(until - now) : Seconds(0);
}

Html decided_by(std::string_view word, const ApprovalRequest& request) {
  Html html;
  html.text(word).raw(" by <bdi class=\"name\">").text(request.decided_by_name).raw("</bdi>");
  if (request.decided_at) html.raw(" at ").time(*request.decided_at);
  return html;
}

StageView approved(const ApprovalRequest& request, const services::PaymentState* money, WallTime now) {
  StageView view{.stage = Stage::kApprovedUnknown,
                 .status = "approved",
                 .token = "unknown",
                 .title_word = "Approved",
                 .look = "",
                 .mark = "?",
                 .sentence = decided_by("Approved", request),
                 .left = std::nullopt};
  if (money == nullptr) {
    view.sentence.raw(". Payments cannot be asked: we do not know yet whether it was paid.");
    return view;
  }
  if (money->status == services::PaymentStatus::kPaid && money->receipt) {
    const services::RefundReceipt& receipt = *money->receipt;
    view.stage = Stage::kPaid;
    view.token = "spent";
    view.title_word = "Paid";
    view.look = "good";
    view.mark = "✓";
    view.sentence = Html("Paid. ");
    view.sentence.text(receipt.refund_id.value())
        .raw(", ")
        .money(receipt.amount)
        .raw(", token ")
        .text(receipt.token_id.value());
    view.sentence.raw(", ").time(receipt.refunded_at).raw(".");
    return view;
  }
  if (money->status == services::PaymentStatus::kRefused) {
    view.stage = Stage::kPaymentRefused;
    view.token = "refused";
    view.title_word = "Not paid";
    view.look = "bad";
    view.mark = "✕";
    view.sentence = Html("Approved, but payments refused: ");
    view.sentence.text(money->refusal);
    return view;
  }
  if (now >= request.use_by()) {
    view.stage = Stage::kLapsed;
    view.token = "lapsed";
    view.title_word = "Lapsed";
    view.look = "bad";
    view.mark = "✕";
    view.sentence = Html("Approved, but not used in time. Nothing was refunded.");
    return view;
  }
  view.stage = Stage::kApprovedUnused;
  view.token = "unspent";
  view.mark = "…";
  view.left = time_left(request.use_by(), now);
  view.sentence.raw(". Not paid yet: waiting for the run.");
  return view;
}

StageView closed(Stage stage, std::string_view status, std::string_view title_word, std::string_view look,
                 std::string_view mark, Html sentence) {
  return {.stage = stage,
          .status = status,
          .token = "none",
          .title_word = title_word,
          .look = look,
          .mark = mark,
          .sentence = std::move(sentence),
          .left = std::nullopt};
}

}  // namespace

StageView stage_of(const ApprovalRequest& request, const services::PaymentState* money, WallTime now) {
  switch (request.status_at(now)) {
    case RequestStatus::kApproved:
      return approved(request, money, now);
    case RequestStatus::kDenied: {
      Html sentence = "Denied by <bdi class=\"name\">";
      sentence.text(request.decided_by_name)
          .raw("</bdi>: <q class=\"note\" dir=\"auto\">")
          .lines(request.note)
          .raw("</q> Nothing was refunded.");
      return closed(Stage::kDenied, "denied", "Denied", "bad", "✕", std::move(sentence));
    }
    case RequestStatus::kExpired: {
      Html sentence = "Nobody decided in ";
      sentence.number(
          std::chrono::duration_cast<std::chrono::minutes>(request.expires_at - request.created_at).count());
      sentence.raw(" minutes. Nothing was refunded.");
      return closed(Stage::kExpired, "expired", "Expired", "bad", "✕", std::move(sentence));
    }
    case RequestStatus::kWithdrawn: {
      Html sentence = "Withdrawn by <bdi class=\"name\">";
      sentence.text(request.asked.requester_name).raw("</bdi>. Nothing was refunded.");
      return closed(Stage::kWithdrawn, "withdrawn", "Withdrawn", "bad", "✕", std::move(sentence));
    }
    case RequestStatus::kPending:
      break;
  }
  StageView view = closed(Stage::kPending, "pending", "Pending", "", "●", Html("Waits for a decision."));
  view.left = time_left(request.expires_at, now);
  return view;
}

}  // namespace postern::approvals
