#include "tests/lab/world/control_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "issuer/scope_rules.h"
#include "services/approvals/controls.h"
#include "services/desk/compose.h"
#include "services/payments/payments.h"
#include "tests/support/refused.h"
#include "wire/base/file.h"

namespace postern::lab {
namespace {

using postern::test::refused;

template <class Rows>
std::vector<std::string> names_of(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}

// A row that nobody can take away is one that nobody knows to do work.
TEST(ControlSet, HasEveryRowOfTheProductsTables) {
  std::set<std::string> names;
  for (const Control& control : ControlSet::all()) EXPECT_TRUE(names.insert(std::string(control.name)).second);
  for (const std::string& row : ControlSet::names_of_rows()) EXPECT_TRUE(names.contains(row)) << row;
  // And three that are no rows: what a spent token is known by, and what the desk has no code for.
  EXPECT_EQ(names.size(), ControlSet::names_of_rows().size() + 3);
  for (const char* name : {"payments.spent", "desk.decision", "desk.own_credential"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

TEST(ControlSet, NamesTheFileThatEnforcesEach) {
  for (const Control& control : ControlSet::all()) {
    EXPECT_TRUE(file_exists(std::string(POSTERN_SOURCE_DIR) + "/" + std::string(control.file))) << control.name;
    EXPECT_FALSE(control.about.empty()) << control.name;
  }
}

TEST(ControlSet, HasTheProductsTablesWholeUnlessToldOtherwise) {
  const ControlSet whole;
  EXPECT_TRUE(whole.removed().empty());
  EXPECT_EQ(names_of(whole.desk().token), names_of(services::product_token_checks()));
  EXPECT_EQ(names_of(whole.desk().server.scope), names_of(mcp::product_scope_checks()));
  EXPECT_EQ(names_of(whole.payments().payment_checks), names_of(payments::product_payment_checks()));
  EXPECT_EQ(whole.payments().spent_key.data(), payments::product_spent_key().data());
  EXPECT_EQ(names_of(whole.approvals().decision), names_of(approvals::product_decision_checks()));
  EXPECT_EQ(names_of(whole.issuer()), names_of(issuer::product_scope_rules()));
}

TEST(ControlSet, TakesAwayWhatIsNamedAndNothingElse) {
  const auto set = ControlSet::without({"desk.token.audience", "desk.refund.ticket_open", "payments.spent"});
  ASSERT_TRUE(set.has_value());
  EXPECT_EQ(names_of(set->desk().token),
            (std::vector<std::string>{"signature", "issuer", "type", "lifetime", "claims"}));
  EXPECT_EQ(names_of(set->desk().refund), (std::vector<std::string>{"line", "currency", "window", "limit", "once"}));
  EXPECT_EQ(names_of(set->desk().gate), names_of(services::product_gate_checks()));
  EXPECT_NE(set->payments().spent_key.data(), payments::product_spent_key().data());
  EXPECT_TRUE(set->removes("payments.spent"));
  EXPECT_FALSE(set->removes("payments.line"));
}

// Each removal changes some table, but for the two that are no rows.
TEST(ControlSet, TakesAwayOneRowWithEachName) {
  const auto rows_of = [](const ControlSet& set) {
    const auto& desk = set.desk();
    return desk.host_origin.size() + desk.token.size() + desk.gate.size() + desk.server.headers.size() +
           desk.server.scope.size() + desk.handle_key.size() + desk.state.size() + desk.refund.size() +
           set.payments().approval_checks.size() + set.payments().payment_checks.size() +
           set.approvals().decision.size() + set.approvals().redemption.size() + set.approvals().form.size() +
           set.issuer().size();
  };
  const std::size_t whole = rows_of(ControlSet());
  for (const std::string& name : ControlSet::names_of_rows()) {
    EXPECT_EQ(rows_of(ControlSet::without({name}).value()), whole - 1) << name;
  }
}

TEST(ControlSet, KnowsNoOtherName) {
  EXPECT_TRUE(refused(ControlSet::without({"desk.token.audience", "desk.token.color"}), "lab.no_such_control"));
  // The handle is what is looked up; without it there would be no case at all.
  EXPECT_TRUE(refused(ControlSet::without({"desk.handle.handle"}), "lab.no_such_control"));
}

}  // namespace
}  // namespace postern::lab
