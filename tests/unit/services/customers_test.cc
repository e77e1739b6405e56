#include "services/customers/customers.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "tests/support/service_credentials.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_env.h"

namespace postern::services {
namespace {

class CustomersService : public testing::Test {
 protected:
  CustomersService() {
    customers_ =
        *Customers::open(env_.env(), {folder_.path(), test::admitted({"customers:read", "orders:read"}), "test"});
    CustomersRecords records;
    records.customers.push_back({CustomerId("CUS-2001"), "Avery Lin", "avery.lin@example.com", "2021-04-18"});
    Ticket ticket;
    ticket.ticket_id = TicketId("T-1042");
    ticket.desk = "west";
    ticket.customer_id = CustomerId("CUS-2001");
    ticket.order_id = OrderId("ORD-5521");
    ticket.subject = "Tent pole section snapped";
    ticket.text = "It's \"snapped\";\nDROP TABLE tickets; --";
    ticket.opened_at = env_.clock.now();
    records.tickets.push_back(ticket);
    ticket.ticket_id = TicketId("T-1060");
    ticket.status = TicketStatus::kClosed;
    ticket.order_id.reset();
    records.tickets.push_back(ticket);
    records.people.push_back({"morgan", "Morgan Ellis", PersonRole::kSupervisor, {"east", "west"}});
    records.people.push_back({"rowan", "Rowan Diaz", PersonRole::kOperator, {"west"}});
    EXPECT_TRUE(test::succeeded(customers_->fill_if_empty(records)));
  }

  test::TemporaryFolder folder_;
  test::TestEnv env_;
  std::unique_ptr<Customers> customers_;
  ServiceCredential credential_ = test::credential_of("customers:read");
};

TEST_F(CustomersService, GivesATicketAsItWasWritten) {
  const auto ticket = customers_->ticket(credential_, TicketId("T-1042"));
  ASSERT_TRUE(test::succeeded(ticket));
  EXPECT_EQ(ticket->text, "It's \"snapped\";\nDROP TABLE tickets; --");
  EXPECT_EQ(ticket->desk, "west");
  EXPECT_EQ(ticket->order_id, OrderId("ORD-5521"));
  EXPECT_EQ(ticket->status, TicketStatus::kOpen);
  EXPECT_EQ(ticket->opened_at, env_.clock.now());
}

TEST_F(CustomersService, KnowsClosedTicketsAndTicketsWithoutAnOrder) {
  const auto ticket = customers_->ticket(credential_, TicketId("T-1060"));
  ASSERT_TRUE(test::succeeded(ticket));
  EXPECT_EQ(name_of(ticket->status), "closed");
  EXPECT_FALSE(ticket->order_id.has_value());
}

TEST_F(CustomersService, GivesTheCustomerAndThePeopleOfTheDesks) {
  EXPECT_EQ(customers_->customer(credential_, CustomerId("CUS-2001"))->email, "avery.lin@example.com");
  const auto morgan = customers_->person(credential_, "morgan");
  ASSERT_TRUE(test::succeeded(morgan));
  EXPECT_EQ(morgan->role, PersonRole::kSupervisor);
  EXPECT_TRUE(morgan->serves("west"));
  EXPECT_TRUE(morgan->serves("east"));
  const auto rowan = customers_->person(credential_, "rowan");
  EXPECT_EQ(rowan->role, PersonRole::kOperator);
  EXPECT_TRUE(rowan->serves("west"));
  EXPECT_FALSE(rowan->serves("east"));
  EXPECT_FALSE(rowan->serves(""));
}

TEST_F(CustomersService, RefusesWhatIsNotThere) {
  EXPECT_TRUE(test::refused(customers_->ticket(credential_, TicketId("T-9999")), "customers.no_such_ticket"));
  EXPECT_TRUE(
      test::refused(customers_->ticket(credential_, TicketId("T-1042' OR '1'='1")), "customers.no_such_ticket"));
  EXPECT_TRUE(test::refused(customers_->customer(credential_, CustomerId("CUS-9")), "customers.no_such_customer"));
  EXPECT_TRUE(test::refused(customers_->person(credential_, "stranger"), "customers.no_such_person"));
}

TEST_F(CustomersService, RefusesEveryCredentialButItsOwn) {
  for (const char* other : {"orders:read", "payments:refund", "returns:read"}) {
    const ServiceCredential foreign = test::credential_of(other);
    EXPECT_TRUE(test::refused(customers_->ticket(foreign, TicketId("T-1042")), "service.foreign_credential"));
    EXPECT_TRUE(test::refused(customers_->customer(foreign, CustomerId("CUS-2001")), "service.foreign_credential"));
    EXPECT_TRUE(test::refused(customers_->person(foreign, "rowan"), "service.foreign_credential"));
  }
  EXPECT_TRUE(test::refused(customers_->ticket(ServiceCredential::take(test::kBearerText), TicketId("T-1042")),
                            "service.foreign_credential"));
}

TEST_F(CustomersService, KeepsWhatItHasWhenItIsFilledAgain) {
  CustomersRecords other;
  other.customers.push_back({CustomerId("CUS-3001"), "Somebody Else", "else@example.com", "2026-01-01"});
  EXPECT_TRUE(test::succeeded(customers_->fill_if_empty(other)));
  EXPECT_TRUE(test::refused(customers_->customer(credential_, CustomerId("CUS-3001")), "customers.no_such_customer"));
  EXPECT_TRUE(test::succeeded(customers_->ticket(credential_, TicketId("T-1042"))));
}

TEST_F(CustomersService, IsReadByASecondProcessOnTheSameFile) {
  const auto second = Customers::open(env_.env(), {folder_.path(), test::admitted({"customers:read"}), "other"});
  ASSERT_TRUE(test::succeeded(second));
  EXPECT_TRUE(test::succeeded((*second)->ticket(credential_, TicketId("T-1042"))));
}

}  // namespace
}  // namespace postern::services
