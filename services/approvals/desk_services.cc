#include "services/approvals/desk_services.h"

namespace postern::approvals {

Result<std::optional<StaffMember>> ServiceDeskStaff::find(const std::string& subject) const {
  auto person = desk_.customers->person(desk_.customers_read, subject);
  if (!person) {
    if (person.error().as<services::NoSuchPerson>() != nullptr) return std::optional<StaffMember>();
    return person.error();
  }
  return std::optional<StaffMember>(StaffMember{.subject = person->subject,
                                                .name = person->name,
                                                .supervisor = person->role == services::PersonRole::kSupervisor,
                                                .desks = person->desks});
}

Result<CaseView> ServiceCaseFacts::read(const services::RefundAction& action) const {
  POSTERN_TRY(const services::Ticket ticket, desk_.customers->ticket(desk_.customers_read, action.ticket_id));
  POSTERN_TRY(const services::Customer customer, desk_.customers->customer(desk_.customers_read, ticket.customer_id));
  CaseView view;
  view.desk = ticket.desk;
  view.customer_id = ticket.customer_id;
  view.customer_name = customer.name;
  view.order_id = ticket.order_id;
  view.ticket_subject = ticket.subject;
  view.ticket_open = ticket.status == services::TicketStatus::kOpen;
  POSTERN_TRY(const services::Order order, desk_.orders->order(desk_.orders_read, action.order_id));
  if (const services::OrderLine* line = order.line(action.line_id)) {
    view.line_title = line->title;
    view.line_price = Money{line->line_minor(), order.currency};
  }
  for (const services::ReplacementPart& part : order.parts) {
    if (part.line_id == action.line_id)
      view.parts.push_back(PartPrice{part.title, Money{part.unit_minor, order.currency}});
  }
  view.delivered_at = order.delivered_at;
  POSTERN_TRY(const services::RefundPolicy policy,
              desk_.returns->policy_of_ticket(desk_.returns_read, action.ticket_id));
  view.policy_id = policy.policy_id;
  view.limit = policy.limit;
  view.window_days = policy.window_days;
  return view;
}

}  // namespace postern::approvals
