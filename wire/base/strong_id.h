// StrongId<Tag>: a string that names one kind of thing, so that a ticket's id cannot stand where an order's is meant.
//
// The domain's ids (TicketId, OrderId, ...) are not defined here: the two sides of the boundary share the protocol, not
// the domain.
#pragma once

#include <compare>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace postern {

template <class Tag>
class StrongId {
 public:
  StrongId() = default;
  explicit StrongId(std::string value) : value_(std::move(value)) {}
  [[nodiscard]] const std::string& value() const { return value_; }
  [[nodiscard]] bool empty() const { return value_.empty(); }
  friend bool operator==(const StrongId& a, const StrongId& b) = default;
  friend auto operator<=>(const StrongId& a, const StrongId& b) = default;

 private:
  std::string value_;
};

}  // namespace postern
