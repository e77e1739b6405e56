#include "services/customers/customers.h"

#include <algorithm>

#include "services/downstream/downstream_log.h"
#include "services/store/database.h"
#include "wire/base/visible_text.h"

POSTERN_EMBEDDED(services_customers_migrations)

namespace postern::services {
namespace {

constexpr std::string_view kRead = "customers:read";

Status insert_customer(Connection& connection, const Customer& customer) {
  return connection
      .statement("INSERT INTO customers (customer_id, name, email, customer_since) VALUES (?1, ?2, ?3, ?4)")
      .bind(customer.customer_id, customer.name, customer.email, customer.customer_since)
      .run();
}

Status insert_ticket(Connection& connection, const Ticket& ticket) {
  return connection
      .statement(
          "INSERT INTO tickets (ticket_id, desk, customer_id, order_id, subject, body, status, opened_at) "
          "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")
      .bind(ticket.ticket_id, ticket.desk, ticket.customer_id, ticket.order_id, ticket.subject, ticket.text,
            name_of(ticket.status), ticket.opened_at)
      .run();
}

Status insert_person(Connection& connection, const Person& person) {
  POSTERN_TRY_VOID(
      connection.statement("INSERT INTO people (subject, name, role) VALUES (?1, ?2, ?3)")
          .bind(person.subject, person.name, person.role == PersonRole::kSupervisor ? "supervisor" : "operator")
          .run());
  for (const std::string& desk : person.desks) {
    POSTERN_TRY_VOID(connection.statement("INSERT INTO people_desks (subject, desk) VALUES (?1, ?2)")
                         .bind(person.subject, desk)
                         .run());
  }
  return {};
}

Result<bool> holds_any(Connection& connection) {
  return connection.statement("SELECT 1 FROM tickets LIMIT 1").step();
}

}  // namespace

std::string_view name_of(TicketStatus status) {
  return status == TicketStatus::kOpen ? "open" : "closed";
}

bool Person::serves(std::string_view desk) const {
  return std::find(desks.begin(), desks.end(), desk) != desks.end();
}

struct Customers::Impl {
  std::unique_ptr<Database> database;
  ServiceAdmission admission;
  std::string caller;

  [[nodiscard]] Status admit(const ServiceCredential& credential) const {
    return admission.admit(kRead, PresentedCredential::of(credential), caller);
  }
};

Customers::Customers(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Customers::~Customers() = default;

Result<std::unique_ptr<Customers>> Customers::open(Env env, ServiceOptions options) {
  POSTERN_TRY(ServiceAuthentication authentication, ServiceAuthentication::of_json(options.admitted));
  POSTERN_TRY(DownstreamLog log, DownstreamLog::open(env.clock, options.database_dir, "customers"));
  DatabaseOptions database_options;
  database_options.path = options.database_dir + "/customers.sqlite";
  database_options.durability = options.throwaway ? Durability::kThrowaway : Durability::kNormal;
  database_options.migrations = embedded::services_customers_migrations();
  POSTERN_TRY(std::unique_ptr<Database> database, Database::open(std::move(database_options)));
  std::unique_ptr<Impl> impl(new Impl{std::move(database), ServiceAdmission(std::move(authentication), std::move(log)),
                                      std::move(options.caller)});
  return std::unique_ptr<Customers>(new Customers(std::move(impl)));
}

Result<Ticket> Customers::ticket(const ServiceCredential& credential, const TicketId& id) const {
  POSTERN_TRY_VOID(impl_->admit(credential));
  return impl_->database->read<Ticket>([&](Connection& connection) -> Result<Ticket> {
    Statement row = connection.statement(
        "SELECT desk, customer_id, order_id, subject, body, status, opened_at FROM tickets WHERE ticket_id = ?1");
    POSTERN_TRY(const bool found, row.bind(id).step());
    if (!found) return NoSuchTicket{id};
    Ticket ticket;
    ticket.ticket_id = id;
    ticket.desk = row.text(0);
    ticket.customer_id = row.id<CustomerId>(1);
    if (!row.is_null(2)) ticket.order_id = row.id<OrderId>(2);
    ticket.subject = row.text(3);
    ticket.text = row.text(4);
    ticket.status = row.text(5) == "open" ? TicketStatus::kOpen : TicketStatus::kClosed;
    ticket.opened_at = row.time(6);
    return ticket;
  });
}

Result<Customer> Customers::customer(const ServiceCredential& credential, const CustomerId& id) const {
  POSTERN_TRY_VOID(impl_->admit(credential));
  return impl_->database->read<Customer>([&](Connection& connection) -> Result<Customer> {
    Statement row = connection.statement("SELECT name, email, customer_since FROM customers WHERE customer_id = ?1");
    POSTERN_TRY(const bool found, row.bind(id).step());
    if (!found) return NoSuchCustomer{id};
    return Customer{id, row.text(0), row.text(1), row.text(2)};
  });
}

Result<Person> Customers::person(const ServiceCredential& credential, const std::string& subject) const {
  POSTERN_TRY_VOID(impl_->admit(credential));
  return impl_->database->read<Person>([&](Connection& connection) -> Result<Person> {
    Statement row = connection.statement("SELECT name, role FROM people WHERE subject = ?1");
    POSTERN_TRY(const bool found, row.bind(subject).step());
    if (!found) return NoSuchPerson{visible_line(subject, 80)};
    Person person{
        subject, row.text(0), row.text(1) == "supervisor" ? PersonRole::kSupervisor : PersonRole::kOperator, {}};
    Statement desks = connection.statement("SELECT desk FROM people_desks WHERE subject = ?1 ORDER BY desk");
    desks.bind(subject);
    for (;;) {
      POSTERN_TRY(const bool more, desks.step());
      if (!more) return person;
      person.desks.push_back(desks.text(0));
    }
  });
}

Result<bool> Customers::is_empty() const {
  POSTERN_TRY(const bool filled, impl_->database->read<bool>(holds_any));
  return !filled;
}

Status Customers::fill_if_empty(const CustomersRecords& records) {
  return impl_->database->write<void>([&](Connection& connection) -> Status {
    POSTERN_TRY(const bool filled, holds_any(connection));
    if (filled) return {};
    for (const Customer& customer : records.customers) POSTERN_TRY_VOID(insert_customer(connection, customer));
    for (const Ticket& ticket : records.tickets) POSTERN_TRY_VOID(insert_ticket(connection, ticket));
    for (const Person& person : records.people) POSTERN_TRY_VOID(insert_person(connection, person));
    return {};
  });
}

std::string NoSuchTicket::text() const {
  return "There is no ticket " + ticket_id.value() + ".";
}
std::string NoSuchCustomer::text() const {
  return "There is no customer " + customer_id.value() + ".";
}
std::string NoSuchPerson::text() const {
  return "\"" + subject + "\" serves no desk here. Ask a supervisor to be added.";
}

}  // namespace postern::services
