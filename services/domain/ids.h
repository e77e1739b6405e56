// The names of things in the world of the desk: tickets, orders, refunds and the rest.
//
// Each kind has one written form, checked where text comes in: read_id<TicketId>("T-1042"). The form is narrow (capital
// letters, digits and "-", at most 32 characters), so that an id can stand in a path, a page or a log as it is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "wire/base/strong_id.h"

namespace postern::services {

// True for `prefix` followed by `digits_min` or more decimal digits, 32 characters at most.
[[nodiscard]] bool is_numbered(std::string_view text, std::string_view prefix, std::size_t digits_min);
// True for `prefix` followed by capital letters, digits and "-", 32 characters at most.
[[nodiscard]] bool is_named(std::string_view text, std::string_view prefix);

struct TicketIdTag {
  static bool has_form(std::string_view text) { return is_numbered(text, "T-", 4); }
};
struct CustomerIdTag {
  static bool has_form(std::string_view text) { return is_numbered(text, "CUS-", 4); }
};
struct OrderIdTag {
  static bool has_form(std::string_view text) { return is_numbered(text, "ORD-", 4); }
};
struct LineIdTag {
  static bool has_form(std::string_view text) { return is_numbered(text, "LN-", 1); }
};
struct PolicyIdTag {
  static bool has_form(std::string_view text) { return is_named(text, "POL-"); }
};
struct TrackingIdTag {
  static bool has_form(std::string_view text) { return is_numbered(text, "PP-", 4); }
};
struct ApprovalIdTag {
  static bool has_form(std::string_view text) { return is_numbered(text, "APR-", 4); }
};
// The id of an approval token, which is no secret; the token is.
struct TokenIdTag {
  static bool has_form(std::string_view text) { return is_numbered(text, "APV-", 4); }
};
struct RefundIdTag {
  static bool has_form(std::string_view text) { return is_numbered(text, "RF-", 4); }
};

using TicketId = StrongId<TicketIdTag>;      // T-1042
using CustomerId = StrongId<CustomerIdTag>;  // CUS-2001
using OrderId = StrongId<OrderIdTag>;        // ORD-5521
using LineId = StrongId<LineIdTag>;          // LN-1
using PolicyId = StrongId<PolicyIdTag>;      // POL-DOA-30
using TrackingId = StrongId<TrackingIdTag>;  // PP-77001
using ApprovalId = StrongId<ApprovalIdTag>;  // APR-0001
using TokenId = StrongId<TokenIdTag>;        // APV-0001
using RefundId = StrongId<RefundIdTag>;      // RF-0001

template <class Id>
struct IdForm;
template <class Tag>
struct IdForm<StrongId<Tag>> {
  static bool holds(std::string_view text) { return Tag::has_form(text); }
};

// The id, or nothing when the text has not its form.
template <class Id>
[[nodiscard]] std::optional<Id> read_id(std::string_view text) {
  if (!IdForm<Id>::holds(text)) return std::nullopt;
  return Id(std::string(text));
}

// "APR-0001" of ("APR-", 1): at least four digits. REQUIRES number >= 0.
[[nodiscard]] std::string numbered(std::string_view prefix, std::int64_t number);

}  // namespace postern::services
