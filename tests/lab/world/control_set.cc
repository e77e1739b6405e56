#include "tests/lab/world/control_set.h"

#include <algorithm>

#include "issuer/scope_rules.h"
#include "services/approvals/controls.h"
#include "services/desk/compose.h"
#include "services/payments/payments.h"
#include "tests/lab/world/noting_rows.h"
#include "wire/base/visible_text.h"

namespace postern::lab {
namespace {

constexpr Control kControls[] = {
    {"desk.host_once", "services/gate/host_origin_check.cc", "a request with no Host, or with two"},
    {"desk.host", "services/gate/host_origin_check.cc", "a Host that is not the desk's: DNS rebinding"},
    {"desk.origin", "services/gate/host_origin_check.cc", "a page of another origin"},
    {"desk.token.signature", "services/gate/token_verifier.cc", "a token that the issuer's key did not sign"},
    {"desk.token.issuer", "services/gate/token_verifier.cc", "a token of another issuer"},
    {"desk.token.audience", "services/gate/token_verifier.cc", "a token for another server"},
    {"desk.token.type", "services/gate/token_verifier.cc", "a token that is no access token"},
    {"desk.token.lifetime", "services/gate/token_verifier.cc", "a token before or after its time, or without one"},
    {"desk.token.claims", "services/gate/token_verifier.cc", "a token without subject or scope"},
    {"desk.gate.expiry", "services/gate/bearer_gate.cc", "a verified token whose time has run out since"},
    {"desk.gate.second_audience", "services/gate/bearer_gate.cc",
     "a token for another server, looked at a second time"},
    {"desk.header.version", "wire/mcp/headers.cc", "a version in the header that is not the body's"},
    {"desk.header.method", "wire/mcp/headers.cc", "a method in the header that is not the body's"},
    {"desk.header.name", "wire/mcp/headers.cc", "a tool in the header that is not the body's"},
    {"desk.scope", "services/mcp/server.cc", "a token without the scopes of the tool"},
    {"desk.handle.principal", "services/desk/case_handles.cc", "a case handle of another caller"},
    {"desk.state.purpose", "services/mcp/sealed_state.cc", "a request state sealed for another purpose"},
    {"desk.state.principal", "services/mcp/sealed_state.cc", "a request state of another caller"},
    {"desk.state.method", "services/mcp/sealed_state.cc", "a request state of another method"},
    {"desk.state.name", "services/mcp/sealed_state.cc", "a request state of another tool"},
    {"desk.state.arguments", "services/mcp/sealed_state.cc", "a request state of a call with other arguments"},
    {"desk.state.expiry", "services/mcp/sealed_state.cc", "a request state whose time is over"},
    {"desk.refund.ticket_open", "services/desk/refund_checks.cc", "a refund on a closed ticket"},
    {"desk.refund.line", "services/desk/refund_checks.cc", "a refund of a line that is not on the order"},
    {"desk.refund.currency", "services/desk/refund_checks.cc", "a refund in another currency than its policy's"},
    {"desk.refund.window", "services/desk/refund_checks.cc", "a refund after the policy's days"},
    {"desk.refund.limit", "services/desk/refund_checks.cc",
     "a refund over the policy's limit, before anybody is asked"},
    {"desk.refund.once", "services/desk/refund_checks.cc", "a second refund of a line, before anybody is asked"},
    {"desk.decision", "services/desk/tools/issue_refund.cc", "a client's accept that would count as the decision"},
    {"desk.own_credential", "services/desk/desk_parts.h", "a caller's token on its way to a service"},
    {"approvals.form.origin", "services/approvals/form_guard.cc", "a form that a page of another origin sent"},
    {"approvals.form.fetch_site", "services/approvals/form_guard.cc",
     "a form that the browser says came from elsewhere"},
    {"approvals.form.content_type", "services/approvals/form_guard.cc", "a POST of a type that any page can send"},
    {"approvals.form.size", "services/approvals/form_guard.cc", "a form longer than ours can be"},
    {"approvals.form.token", "services/approvals/form_guard.cc",
     "a form without the token of this session and request"},
    {"approvals.decision.requester", "services/approvals/decide.cc", "a decision by whoever asked"},
    {"approvals.decision.desk", "services/approvals/decide.cc",
     "a decision by somebody who does not supervise the desk"},
    {"approvals.decision.scope", "services/approvals/decide.cc", "an approval without refunds:approve"},
    {"approvals.decision.sign_in", "services/approvals/decide.cc", "an approval on a sign-in older than five minutes"},
    {"approvals.decision.open", "services/approvals/decide.cc", "a decision on what is decided, withdrawn or expired"},
    {"approvals.decision.note", "services/approvals/decide.cc", "a denial that does not say why"},
    {"approvals.decision.case", "services/approvals/decide.cc",
     "an approval of a case that is no longer what was asked"},
    {"approvals.redemption.requester", "services/approvals/redeem.cc",
     "the token of an approval for somebody who did not ask"},
    {"approvals.redemption.digest", "services/approvals/redeem.cc", "the token of an approval for another action"},
    {"payments.spent", "services/payments/payments.cc", "an approval token that was paid on already"},
    {"payments.approval.ticket", "services/approval_token/approval_token.cc",
     "a payment on another ticket than was approved"},
    {"payments.approval.order", "services/approval_token/approval_token.cc",
     "a payment on another order than was approved"},
    {"payments.approval.line", "services/approval_token/approval_token.cc",
     "a payment for another line than was approved"},
    {"payments.approval.currency", "services/approval_token/approval_token.cc",
     "a payment in another currency than was approved"},
    {"payments.approval.amount", "services/approval_token/approval_token.cc",
     "a payment of another amount than was approved"},
    {"payments.approval.policy", "services/approval_token/approval_token.cc",
     "a payment under another policy than was approved"},
    {"payments.approval.digest", "services/approval_token/approval_token.cc",
     "a payment whose digest is not the approved action's"},
    {"payments.approval.expiry", "services/approval_token/approval_token.cc", "a payment after the approval's time"},
    {"payments.currency", "services/payments/payments.cc", "a payment in another currency than the policy's"},
    {"payments.line", "services/payments/payments.cc", "a second payment for one line"},
    {"payments.limit", "services/payments/payments.cc", "a payment that brings the ticket over the policy's limit"},
    {"issuer.scope.client", "issuer/scope_rules.cc", "a scope that the client may not ask for"},
    {"issuer.scope.browser", "issuer/scope_rules.cc", "refunds:approve without a browser"},
    {"issuer.scope.person", "issuer/scope_rules.cc", "a scope that the person may not hold"},
};

// Rows are named for people, controls for files and command lines.
std::string control_name(std::string_view prefix, std::string_view row) {
  std::string name = std::string(prefix) + std::string(row);
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

// Without it nothing would be left of a case handle: it is what is looked up, and no control.
constexpr std::string_view kHandleItself = "desk.handle.handle";

// What a spent token is known by once its control is gone: something that never comes twice.
constexpr payments::SpentKeyPart kNeverTheSame[] = {
    {"never", [](const services::ApprovalTokenPayload& token, RandomSource& random) {
       return random_token(random, token.token_id.value() + "/", 16);
     }}};

using Names = std::vector<std::string>;

bool holds(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

template <class Row>
std::vector<Row> rows_without(std::span<const Row> rows, std::string_view prefix, const Names& removed) {
  std::vector<Row> left;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(left),
               [&](const Row& row) { return !holds(removed, control_name(prefix, row.name)); });
  return left;
}

// The name of a control, by the table that its row stands in.
enum class Of {
  kDesk,
  kToken,
  kGate,
  kHeader,
  kState,
  kRefund,
  kApproval,
  kPayment,
  kDecision,
  kRedemption,
  kForm,
  kScopes
};
template <Of kTable>
std::string named(std::string_view row) {
  constexpr std::string_view kPrefixes[] = {
      "desk.",           "desk.token.",        "desk.gate.", "desk.header.",        "desk.state.",
      "desk.refund.",    "payments.approval.", "payments.",  "approvals.decision.", "approvals.redemption.",
      "approvals.form.", "issuer.scope."};
  return control_name(kPrefixes[static_cast<std::size_t>(kTable)], row);
}

template <class Row>
void add_names(Names& names, std::string_view prefix, std::span<const Row> rows) {
  for (const Row& row : rows) names.push_back(control_name(prefix, row.name));
}

}  // namespace

struct ControlSet::Tables {
  explicit Tables(Names names)
      : removed(std::move(names)),
        host_origin(
            NotingRows<services::product_host_origin_rows, &services::HostOriginRow::run, named<Of::kDesk>>::without(
                removed)),
        token(NotingRows<services::product_token_checks, &services::TokenCheck::run, named<Of::kToken>>::without(
            removed)),
        gate(NotingRows<services::product_gate_checks, &services::GateCheck::run, named<Of::kGate>>::without(removed)),
        headers(NotingRows<mcp::mirrored_headers, &mcp::MirroredHeader::check, named<Of::kHeader>>::without(removed)),
        scope(NotingRows<mcp::product_scope_checks, &mcp::ScopeCheck::holds, named<Of::kDesk>>::without(removed)),
        handle_key(rows_without(desk::product_handle_key(), "desk.handle.", removed)),
        state(NotingRows<desk::product_state_checks, &desk::StateCheck::holds, named<Of::kState>>::without(removed)),
        refund(NotingRows<desk::product_refund_checks, &desk::RefundCheck::run, named<Of::kRefund>>::without(removed)),
        approval(
            NotingRows<services::product_approval_checks, &services::ApprovalCheck::run, named<Of::kApproval>>::without(
                removed)),
        payment(
            NotingRows<payments::product_payment_checks, &payments::PaymentCheck::run, named<Of::kPayment>>::without(
                removed)),
        decision(NotingRows<approvals::product_decision_checks, &approvals::DecisionCheck::run,
                            named<Of::kDecision>>::without(removed)),
        redemption(NotingRows<approvals::product_redemption_checks, &approvals::RedemptionCheck::holds,
                              named<Of::kRedemption>>::without(removed)),
        form(
            NotingRows<approvals::product_form_checks, &approvals::FormCheck::run, named<Of::kForm>>::without(removed)),
        scopes(NotingRows<issuer::product_scope_rules, &issuer::ScopeRule::run, named<Of::kScopes>>::without(removed)) {
    desk_controls.host_origin = host_origin;
    desk_controls.token = token;
    desk_controls.gate = gate;
    desk_controls.server = {headers, scope};
    desk_controls.handle_key = handle_key;
    desk_controls.state = state;
    desk_controls.refund = refund;
    payments_controls.approval_checks = approval;
    payments_controls.payment_checks = payment;
    if (holds(removed, "payments.spent")) payments_controls.spent_key = kNeverTheSame;
    approvals_controls = {decision, redemption, form};
  }
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;

  const Names removed;
  const std::vector<services::HostOriginRow> host_origin;
  const std::vector<services::TokenCheck> token;
  const std::vector<services::GateCheck> gate;
  const std::vector<mcp::MirroredHeader> headers;
  const std::vector<mcp::ScopeCheck> scope;
  const std::vector<desk::HandleKeyPart> handle_key;
  const std::vector<desk::StateCheck> state;
  const std::vector<desk::RefundCheck> refund;
  const std::vector<services::ApprovalCheck> approval;
  const std::vector<payments::PaymentCheck> payment;
  const std::vector<approvals::DecisionCheck> decision;
  const std::vector<approvals::RedemptionCheck> redemption;
  const std::vector<approvals::FormCheck> form;
  const std::vector<issuer::ScopeRule> scopes;
  desk::DeskControls desk_controls;
  payments::PaymentsControls payments_controls;
  approvals::ApprovalsControls approvals_controls;
};

std::span<const Control> ControlSet::all() {
  return kControls;
}

ControlSet::ControlSet() : tables_(std::make_shared<const Tables>(Names{})) {}

Result<ControlSet> ControlSet::without(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const bool known =
        std::any_of(std::begin(kControls), std::end(kControls), [&](const Control& c) { return c.name == name; });
    if (!known) return NoSuchControl{visible_line(name, 60)};
  }
  ControlSet set;
  set.tables_ = std::make_shared<const Tables>(names);
  return set;
}

const std::vector<std::string>& ControlSet::removed() const {
  return tables_->removed;
}

bool ControlSet::removes(std::string_view name) const {
  return holds(tables_->removed, name);
}

const desk::DeskControls& ControlSet::desk() const {
  return tables_->desk_controls;
}
const payments::PaymentsControls& ControlSet::payments() const {
  return tables_->payments_controls;
}
const approvals::ApprovalsControls& ControlSet::approvals() const {
  return tables_->approvals_controls;
}
std::span<const issuer::ScopeRule> ControlSet::issuer() const {
  return tables_->scopes;
}

std::vector<std::string> ControlSet::names_of_rows() {
  Names names;
  add_names(names, "desk.", services::product_host_origin_rows());
  add_names(names, "desk.token.", services::product_token_checks());
  add_names(names, "desk.gate.", services::product_gate_checks());
  add_names(names, "desk.header.", mcp::mirrored_headers());
  add_names(names, "desk.", mcp::product_scope_checks());
  add_names(names, "desk.handle.", desk::product_handle_key());
  add_names(names, "desk.state.", desk::product_state_checks());
  add_names(names, "desk.refund.", desk::product_refund_checks());
  add_names(names, "payments.approval.", services::product_approval_checks());
  add_names(names, "payments.", payments::product_payment_checks());
  add_names(names, "approvals.decision.", approvals::product_decision_checks());
  add_names(names, "approvals.redemption.", approvals::product_redemption_checks());
  add_names(names, "approvals.form.", approvals::product_form_checks());
  add_names(names, "issuer.scope.", issuer::product_scope_rules());
  std::erase(names, kHandleItself);
  return names;
}

std::string NoSuchControl::text() const {
  return "There is no control \"" + name + "\". postern-lab attack --mutate prints their names.";
}

}  // namespace postern::lab
