// Who works at which desk, and as what. The issuer says who signed in; this says what that person is to a desk. Asked
// at each request, so that a right that is taken away is gone at once.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "wire/base/result.h"

namespace postern::approvals {

struct StaffMember {
  std::string subject;
  std::string name;
  bool supervisor = false;
  std::vector<std::string> desks;

  [[nodiscard]] bool serves(const std::string& desk) const {
    return std::find(desks.begin(), desks.end(), desk) != desks.end();
  }
  [[nodiscard]] bool supervises(const std::string& desk) const { return supervisor && serves(desk); }
};

// Thread-safe.
class DeskStaff {
 public:
  virtual ~DeskStaff() = default;
  // Nothing for somebody who works at no desk.
  [[nodiscard]] virtual Result<std::optional<StaffMember>> find(const std::string& subject) const = 0;
};

}  // namespace postern::approvals
