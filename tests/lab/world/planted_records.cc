#include "tests/lab/world/planted_records.h"

#include <algorithm>
#include <utility>

#include "wire/base/visible_text.h"

namespace postern::lab {
namespace {

// The element that `is_it` holds for, or null.
template <class Range, class IsIt>
auto* find_in(Range& range, IsIt is_it) {
  const auto at = std::find_if(range.begin(), range.end(), is_it);
  return at == range.end() ? nullptr : &*at;
}

Status plant_page(const services::Ticket& ticket, const std::string& text, DeskRecords& records) {
  services::Shipment* shipment = find_in(
      records.orders.shipments, [&](const services::Shipment& one) { return one.order_id == *ticket.order_id; });
  if (shipment == nullptr) return BadPlanting{ticket.ticket_id.value() + " has no shipment, so no page"};
  shipment->page = services::CarrierPage{text, {}, 0};
  return {};
}

Status plant_policy(const services::Ticket& ticket, const std::string& text, DeskRecords& records) {
  const auto* applies =
      find_in(records.returns.applies, [&](const auto& pair) { return pair.first == ticket.ticket_id; });
  if (applies == nullptr) return BadPlanting{ticket.ticket_id.value() + " has no policy"};
  find_in(records.returns.policies, [&](const services::RefundPolicy& one) {
    return one.policy_id == applies->second;
  })->text = text;
  return {};
}

Status plant_field(services::Ticket& ticket, std::string_view field, const std::string& text, DeskRecords& records) {
  if (field == "ticket_text" || field == "ticket_subject") {
    (field == "ticket_text" ? ticket.text : ticket.subject) = text;
    return {};
  }
  if (field == "customer_name") {
    find_in(records.customers.customers, [&](const services::Customer& one) {
      return one.customer_id == ticket.customer_id;
    })->name = text;
    return {};
  }
  if (field == "policy_text") return plant_policy(ticket, text, records);
  if (field != "page" && field != "line_title")
    return BadPlanting{"\"" + visible_line(field, 40) + "\" is no field of a case"};
  if (!ticket.order_id) return BadPlanting{ticket.ticket_id.value() + " has no order"};
  if (field == "page") return plant_page(ticket, text, records);
  services::Order* order =
      find_in(records.orders.orders, [&](const services::Order& one) { return one.order_id == *ticket.order_id; });
  if (order == nullptr || order->lines.empty()) return BadPlanting{ticket.ticket_id.value() + " has no line"};
  order->lines.front().title = text;
  return {};
}

}  // namespace

Status plant(const Json& planted, DeskRecords& records) {
  for (const auto& [name, fields] : planted.members()) {
    const std::string id = name;
    services::Ticket* ticket =
        find_in(records.customers.tickets, [&](const services::Ticket& one) { return one.ticket_id.value() == id; });
    if (ticket == nullptr) return BadPlanting{"there is no ticket " + visible_line(id, 40)};
    for (const auto& [field, text] : fields.members()) {
      if (!text.is_string()) return BadPlanting{"\"" + visible_line(field, 40) + "\" is no text"};
      POSTERN_TRY_VOID(plant_field(*ticket, field, *text.string(), records));
    }
  }
  return {};
}

}  // namespace postern::lab
