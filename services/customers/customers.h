// Customers, their tickets, and the people of the desks who may open them. Its own database file, customers.sqlite.
//
// Every method admits the credential of customers:read and no other, and leaves a line in the downstream log.
// Thread-safe. Text (subject, text, names) is as its author wrote it: make it visible before it is shown.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "services/domain/ids.h"
#include "services/domain/service_options.h"
#include "services/service_authentication/service_credential.h"
#include "wire/base/clock.h"
#include "wire/base/result.h"
#include "wire/env/env.h"

namespace postern::services {

enum class TicketStatus { kOpen, kClosed };
[[nodiscard]] std::string_view name_of(TicketStatus status);  // "open", "closed"

struct Ticket {
  TicketId ticket_id;
  std::string desk;  // "west", "east"
  CustomerId customer_id;
  std::optional<OrderId> order_id;  // a question may be about no order
  std::string subject;
  std::string text;
  TicketStatus status = TicketStatus::kOpen;
  WallTime opened_at;
};

struct Customer {
  CustomerId customer_id;
  std::string name;
  std::string email;
  std::string customer_since;  // a day: "2021-04-18"
};

enum class PersonRole { kOperator, kSupervisor };

// Somebody who works at a desk. The issuer says who signed in; this says which desks that person serves.
struct Person {
  std::string subject;  // "rowan", as in the token's sub
  std::string name;
  PersonRole role = PersonRole::kOperator;
  std::vector<std::string> desks;  // sorted
  [[nodiscard]] bool serves(std::string_view desk) const;
};

struct CustomersRecords {  // what a seed fills in
  std::vector<Customer> customers;
  std::vector<Ticket> tickets;
  std::vector<Person> people;
};

class Customers {
 public:
  // `env` must outlive it.
  [[nodiscard]] static Result<std::unique_ptr<Customers>> open(Env env, ServiceOptions options);
  ~Customers();

  // `customers.no_such_ticket`, service.foreign_credential, store.*.
  [[nodiscard]] Result<Ticket> ticket(const ServiceCredential& credential, const TicketId& id) const;
  // `customers.no_such_customer`
  [[nodiscard]] Result<Customer> customer(const ServiceCredential& credential, const CustomerId& id) const;
  // `customers.no_such_person`: signed in, but of no desk.
  [[nodiscard]] Result<Person> person(const ServiceCredential& credential, const std::string& subject) const;

  // Fills an empty database in one transaction; leaves one that holds a ticket already as it is. For whoever starts the
  // service.
  [[nodiscard]] Status fill_if_empty(const CustomersRecords& records);
  [[nodiscard]] Result<bool> is_empty() const;

 private:
  struct Impl;
  explicit Customers(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

struct NoSuchTicket {
  static constexpr std::string_view kId = "customers.no_such_ticket";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kNotFound;
  TicketId ticket_id;
  [[nodiscard]] std::string text() const;
};
struct NoSuchCustomer {
  static constexpr std::string_view kId = "customers.no_such_customer";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kNotFound;
  CustomerId customer_id;
  [[nodiscard]] std::string text() const;
};
struct NoSuchPerson {
  static constexpr std::string_view kId = "customers.no_such_person";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kForbidden;
  std::string subject;  // made visible
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::services
