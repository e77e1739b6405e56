#include "services/approval_token/approval_token.h"

#include <gtest/gtest.h>

#include "tests/support/issued_approval.h"
#include "tests/support/manual_clock.h"
#include "tests/support/refused.h"
#include "wire/base/bytes.h"

namespace postern::services {
namespace {

using test::approval_of;
using test::issuer_of_seed;
using test::refund_action;
using test::refused;
using test::succeeded;

// Signs any text under any domain, as nobody but a thief of the key could.
std::string signed_text(const std::string& payload, std::string_view domain = kApprovalTokenDomain) {
  const auto signer = Ed25519Signer::of_seed(SigningSeed::take(std::string(32, 'k')));
  return "apt_" + base64url(payload) + "." + base64url(signer->sign(std::string(domain) + payload));
}

class ApprovalTokenText : public testing::Test {
 protected:
  Result<AuthenticApproval> open(std::string text) const {
    return verifier_.open(ApprovalToken::take(std::move(text)));
  }

  test::ManualClock clock_;
  ApprovalTokenIssuer issuer_ = issuer_of_seed('k');
  ApprovalTokenVerifier verifier_{issuer_.public_key()};
  ApprovalTokenPayload payload_ = approval_of(refund_action(), 1, clock_.now());
};

TEST_F(ApprovalTokenText, OpensToWhatWasIssued) {
  const auto approval = verifier_.open(issuer_.issue(payload_));
  ASSERT_TRUE(succeeded(approval));
  EXPECT_EQ(canonical_payload(approval->payload()), canonical_payload(payload_));
  EXPECT_EQ(approval->payload().action, refund_action());
  EXPECT_EQ(approval->payload().approved_by.subject, "morgan");
}

TEST_F(ApprovalTokenText, IsTheSameWheneverItIsIssuedAgain) {
  EXPECT_TRUE(issuer_.issue(payload_).equal(issuer_.issue(payload_)));
  ApprovalTokenPayload other = payload_;
  other.token_id = TokenId("APV-0002");
  EXPECT_FALSE(issuer_.issue(payload_).equal(issuer_.issue(other)));
}

TEST_F(ApprovalTokenText, RefusesTheTokenOfAnotherKey) {
  EXPECT_TRUE(refused(verifier_.open(issuer_of_seed('x').issue(payload_)), "payment.token_invalid"));
}

TEST_F(ApprovalTokenText, RefusesASignatureMadeForAnotherPurpose) {
  ASSERT_TRUE(succeeded(open(signed_text(canonical_payload(payload_)))));
  EXPECT_TRUE(refused(open(signed_text(canonical_payload(payload_), "")), "payment.token_invalid"));
  EXPECT_TRUE(
      refused(open(signed_text(canonical_payload(payload_), "postern approval token v2\n")), "payment.token_invalid"));
}

TEST_F(ApprovalTokenText, RefusesEveryChangedCharacter) {
  const std::string whole = signed_text(canonical_payload(payload_));
  ASSERT_TRUE(succeeded(open(whole)));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_TRUE(refused(open(changed), "payment.token_invalid")) << i;
  }
}

TEST_F(ApprovalTokenText, RefusesOtherForms) {
  const std::string whole = signed_text(canonical_payload(payload_));
  for (const std::string& text : {std::string(), std::string("apt_"), std::string("apt_."), whole + "=", whole + "\n",
                                  " " + whole, whole.substr(4), whole.substr(0, whole.find('.')),
                                  whole + whole.substr(whole.find('.')), std::string(5000, 'a')}) {
    EXPECT_TRUE(refused(open(text), "payment.token_invalid")) << text;
  }
}

TEST_F(ApprovalTokenText, RefusesASignedPayloadThatIsNotItsOneForm) {
  const std::string canonical = canonical_payload(payload_);
  const std::string rest = canonical.substr(1);
  for (const std::string& payload : {" " + canonical, "{\"extra\":1," + rest, std::string("{}"), std::string("[]"),
                                     std::string("text"), std::string()}) {
    EXPECT_TRUE(refused(open(signed_text(payload)), "payment.token_invalid")) << payload;
  }
  for (const char* member :
       {"token_id", "approval_id", "request_digest", "ticket_id", "order_id", "line_id", "amount_cents", "currency",
        "policy_id", "requester", "approved_by", "issued_at", "use_by"}) {
    Json json = *parse_json(canonical);
    ASSERT_TRUE(json.erase(member)) << member;
    EXPECT_TRUE(refused(open(signed_text(json.dump())), "payment.token_invalid")) << member;
  }
}

class Authorization : public ApprovalTokenText {
 protected:
  Result<ApprovedRefund> authorize(const RefundAction& action, const std::string& digest) const {
    const auto approval = verifier_.open(issuer_.issue(payload_));
    return verifier_.authorize(*approval, action, digest, clock_.now());
  }
  std::string differing(const RefundAction& action) const {
    const auto approved = authorize(action, payload_.request_digest);
    EXPECT_TRUE(refused(approved, "payment.action_mismatch"));
    const auto* mismatch = approved ? nullptr : approved.error().as<ActionMismatch>();
    return mismatch == nullptr ? "" : std::string(mismatch->member);
  }
};

TEST_F(Authorization, AdmitsExactlyTheApprovedAction) {
  const auto approved = authorize(refund_action(), payload_.request_digest);
  ASSERT_TRUE(succeeded(approved));
  EXPECT_EQ(approved->action(), refund_action());
}

TEST_F(Authorization, RefusesEachMemberThatDiffersByName) {
  RefundAction action = refund_action();
  action.ticket_id = TicketId("T-3090");
  EXPECT_EQ(differing(action), "ticket");
  action = refund_action();
  action.order_id = OrderId("ORD-7310");
  EXPECT_EQ(differing(action), "order");
  EXPECT_EQ(differing(refund_action(4800, "LN-2")), "line");
  EXPECT_EQ(differing(refund_action(4801)), "amount");
  EXPECT_EQ(differing(refund_action(480000)), "amount");
  EXPECT_EQ(differing(refund_action(1)), "amount");
  EXPECT_EQ(differing(refund_action(4800, "LN-1", "KWD")), "currency");
  action = refund_action();
  action.policy_id = PolicyId("POL-DOA-30-KW");
  EXPECT_EQ(differing(action), "policy");
}

TEST_F(Authorization, RefusesADigestThatIsNotOfTheAction) {
  EXPECT_TRUE(refused(authorize(refund_action(), std::string(64, '0')), "payment.action_mismatch"));
  EXPECT_TRUE(refused(authorize(refund_action(), ""), "payment.action_mismatch"));
  // Approved with a digest of something else: the signature alone does not make it the action's.
  payload_.request_digest = request_digest(refund_action(1), payload_.requester);
  const auto approval = verifier_.open(ApprovalToken::take(signed_text(canonical_payload(payload_))));
  ASSERT_TRUE(succeeded(approval));
  const auto approved = verifier_.authorize(*approval, refund_action(), payload_.request_digest, clock_.now());
  EXPECT_TRUE(refused(approved, "payment.action_mismatch"));
}

TEST_F(Authorization, RefusesATokenFromTheSecondItExpires) {
  const auto approval = verifier_.open(issuer_.issue(payload_));
  const auto at = [&](Seconds after) {
    return verifier_.authorize(*approval, refund_action(), payload_.request_digest, payload_.issued_at + after);
  };
  EXPECT_TRUE(succeeded(at(Seconds(299))));
  EXPECT_TRUE(refused(at(Seconds(300)), "payment.token_expired"));
}

TEST_F(Authorization, SaysInEveryRefusalThatNothingWasRefunded) {
  for (const std::string& text :
       {TokenInvalid{"x"}.text(), TokenExpired{payload_.approval_id, payload_.use_by}.text(),
        ActionMismatch{payload_.approval_id, "amount"}.text(), MalformedAction{"currency"}.text()}) {
    EXPECT_NE(text.find("Nothing was refunded."), std::string::npos) << text;
  }
}

// The rows are the controls: without one, what it stops gets through (until the digest's row, which binds the same
// members).
TEST_F(Authorization, ChecksEachMemberInARowOfItsOwn) {
  std::vector<ApprovalCheck> checks;
  for (const ApprovalCheck& check : product_approval_checks()) {
    if (check.name != "amount" && check.name != "digest") checks.push_back(check);
  }
  ASSERT_EQ(checks.size(), product_approval_checks().size() - 2);
  const ApprovalTokenVerifier blind(issuer_.public_key(), checks);
  const auto approval = blind.open(issuer_.issue(payload_));
  EXPECT_TRUE(succeeded(blind.authorize(*approval, refund_action(480000), payload_.request_digest, clock_.now())));
  EXPECT_TRUE(refused(verifier_.authorize(*approval, refund_action(480000), payload_.request_digest, clock_.now()),
                      "payment.action_mismatch"));
}

}  // namespace
}  // namespace postern::services
