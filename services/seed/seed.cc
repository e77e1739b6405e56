#include "services/seed/seed.h"

#include <algorithm>

#include "wire/base/check.h"

namespace postern::services {
namespace {

template <class Id>
Id id_at(const Json& json, std::string_view name) {
  const auto id = read_id<Id>(text_at(json, name));
  POSTERN_CHECK(id.has_value());
  return *id;
}

Currency currency_of(const Json& json) {
  const auto currency = Currency::of_code(text_at(json, "currency"));
  POSTERN_CHECK(currency.has_value());
  return *currency;
}

Ticket ticket_of(const World& world, const Json& json) {
  Ticket ticket;
  ticket.ticket_id = id_at<TicketId>(json, "ticket_id");
  ticket.desk = text_at(json, "desk");
  ticket.customer_id = id_at<CustomerId>(json, "customer_id");
  if (!json.find("order_id")->is_null()) ticket.order_id = id_at<OrderId>(json, "order_id");
  ticket.subject = text_at(json, "subject");
  ticket.text = text_at(json, "text");
  ticket.status = text_at(json, "status") == "open" ? TicketStatus::kOpen : TicketStatus::kClosed;
  ticket.opened_at = world.days_ago(number_at(json, "opened_days_ago"));
  return ticket;
}

Person person_of(const Json& json) {
  Person person{text_at(json, "subject"),
                text_at(json, "name"),
                text_at(json, "role") == "supervisor" ? PersonRole::kSupervisor : PersonRole::kOperator,
                {}};
  for (const Json& desk : json.find("desks")->elements()) person.desks.push_back(*desk.string());
  std::sort(person.desks.begin(), person.desks.end());
  return person;
}

Order order_of(const World& world, const Json& json) {
  Order order{id_at<OrderId>(json, "order_id"),
              id_at<CustomerId>(json, "customer_id"),
              world.days_ago(number_at(json, "placed_days_ago")),
              std::nullopt,
              text_at(json, "status"),
              currency_of(json),
              {},
              {}};
  if (const auto days = json.integer_at("delivered_days_ago")) order.delivered_at = world.days_ago(*days);
  for (const Json& line : json.find("lines")->elements()) {
    order.lines.push_back({id_at<LineId>(line, "line_id"), text_at(line, "sku"), text_at(line, "title"),
                           number_at(line, "quantity"), number_at(line, "unit_cents")});
  }
  for (const Json& part : json.find("parts")->elements()) {
    order.parts.push_back(
        {id_at<LineId>(part, "line_id"), text_at(part, "sku"), text_at(part, "title"), number_at(part, "unit_cents")});
  }
  return order;
}

// Sixteen KiB of the page's last line, which has a length that divides it: megabytes that no fixture has to hold.
std::string last_line_again(const std::string& page) {
  constexpr std::size_t kBytes = 16 * 1024;
  std::string lines = page.substr(page.rfind('\n', page.size() - 2) + 1);
  while (lines.size() < kBytes) lines += lines;
  POSTERN_CHECK(lines.size() == kBytes);
  return lines;
}

Shipment shipment_of(const World& world, const Json& json, OrderId order_id) {
  Shipment shipment{std::move(order_id), id_at<TrackingId>(json, "tracking_id"), text_at(json, "carrier"),
                    std::nullopt};
  if (json.find("page")->is_null()) return shipment;
  shipment.page = CarrierPage{world.page(text_at(json, "page")), {}, 0};
  if (const auto times = json.integer_at("last_line_16k_times")) {
    shipment.page->again = last_line_again(shipment.page->text);
    shipment.page->times = *times;
  }
  return shipment;
}

}  // namespace

CustomersRecords customers_of(const World& world) {
  CustomersRecords records;
  const Json customers = world.document("customers.json");
  for (const Json& customer : customers.elements()) {
    records.customers.push_back({id_at<CustomerId>(customer, "customer_id"), text_at(customer, "name"),
                                 text_at(customer, "email"), text_at(customer, "customer_since")});
  }
  const Json tickets = world.document("tickets.json");
  for (const Json& ticket : tickets.elements()) records.tickets.push_back(ticket_of(world, ticket));
  const Json people = world.document("people.json");
  for (const Json& person : people.elements()) records.people.push_back(person_of(person));
  return records;
}

OrdersRecords orders_of(const World& world) {
  OrdersRecords records;
  const Json orders = world.document("orders.json");
  for (const Json& json : orders.elements()) {
    records.orders.push_back(order_of(world, json));
    const Json* shipment = json.find("shipment");
    if (shipment->is_object()) {
      records.shipments.push_back(shipment_of(world, *shipment, records.orders.back().order_id));
    }
  }
  return records;
}

ReturnsRecords returns_of(const World& world) {
  ReturnsRecords records;
  const Json policies = world.document("policies.json");
  for (const Json& json : policies.elements()) {
    records.policies.push_back({id_at<PolicyId>(json, "policy_id"),
                                Money{number_at(json, "limit_cents"), currency_of(json)},
                                number_at(json, "window_days"), text_at(json, "text")});
  }
  const Json tickets = world.document("tickets.json");
  for (const Json& ticket : tickets.elements()) {
    records.applies.emplace_back(id_at<TicketId>(ticket, "ticket_id"), id_at<PolicyId>(ticket, "policy_id"));
  }
  return records;
}

Status seed_desk(const World& world, Customers& customers, Orders& orders, Returns& returns) {
  // Looked at first: reading the world takes longer than the rest of a start.
  POSTERN_TRY(const bool no_customers, customers.is_empty());
  if (no_customers) POSTERN_TRY_VOID(customers.fill_if_empty(customers_of(world)));
  POSTERN_TRY(const bool no_orders, orders.is_empty());
  if (no_orders) POSTERN_TRY_VOID(orders.fill_if_empty(orders_of(world)));
  POSTERN_TRY(const bool no_returns, returns.is_empty());
  if (no_returns) POSTERN_TRY_VOID(returns.fill_if_empty(returns_of(world)));
  return {};
}

}  // namespace postern::services
