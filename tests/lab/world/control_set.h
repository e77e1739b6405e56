// Every control of the servers that can be taken away one by one, by name, and what is left of them.
//
// Product classes take their checks as tables (services/desk/compose.h and the like); this makes the tables minus some
// rows. It is read by postern-lab alone: no product program can be told to leave a check out. Immutable, thread-safe.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wire/base/result.h"

// Whoever looks at a table includes its header; whoever names a control needs none of them.
namespace postern::approvals {
struct ApprovalsControls;
}
namespace postern::desk {
struct DeskControls;
}
namespace postern::issuer {
struct ScopeRule;
}
namespace postern::payments {
struct PaymentsControls;
}

namespace postern::lab {

struct Control {
  std::string_view name;   // "desk.token.audience", "payments.approval.amount", "approvals.decision.requester"
  std::string_view file;   // that enforces it: "services/gate/token_verifier.cc"
  std::string_view about;  // one line: what it refuses
};

class ControlSet {
 public:
  // In the order in which a refund meets them.
  [[nodiscard]] static std::span<const Control> all();
  // All of them, as the product has them.
  ControlSet();
  // All but those. lab.no_such_control.
  [[nodiscard]] static Result<ControlSet> without(const std::vector<std::string>& names);
  [[nodiscard]] const std::vector<std::string>& removed() const;
  [[nodiscard]] bool removes(std::string_view name) const;

  // They live as long as this or a copy of it.
  [[nodiscard]] const desk::DeskControls& desk() const;
  [[nodiscard]] const payments::PaymentsControls& payments() const;
  [[nodiscard]] const approvals::ApprovalsControls& approvals() const;
  [[nodiscard]] std::span<const issuer::ScopeRule> issuer() const;

  // The names of all rows of the product's tables, as they are named here: for the test that none is forgotten.
  [[nodiscard]] static std::vector<std::string> names_of_rows();

 private:
  struct Tables;
  std::shared_ptr<const Tables> tables_;
};

struct NoSuchControl {
  static constexpr std::string_view kId = "lab.no_such_control";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string name;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::lab
