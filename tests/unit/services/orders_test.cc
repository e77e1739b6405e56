#include "services/orders/orders.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "tests/support/service_credentials.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_env.h"

namespace postern::services {
namespace {

Order order_named(const char* id, const char* currency = "USD") {
  return {OrderId(id),
          CustomerId("CUS-2001"),
          WallTime(Milliseconds(1000)),
          std::nullopt,
          "placed",
          *Currency::of_code(currency),
          {},
          {}};
}

class OrdersService : public testing::Test {
 protected:
  OrdersService() {
    orders_ = *Orders::open(env_.env(), {folder_.path(), test::admitted({"orders:read", "customers:read"}), "test"});
    OrdersRecords records;
    Order tent = order_named("ORD-5521");
    tent.delivered_at = WallTime(Milliseconds(2000));
    tent.lines = {{LineId("LN-1"), "TENT", "Tent", 1, 28900}, {LineId("LN-2"), "PEG", "Peg", 3, 200}};
    tent.parts = {{LineId("LN-1"), "POLE", "tent pole section", 4800}};
    records.orders = {tent, order_named("ORD-5606"), order_named("ORD-5607"), order_named("ORD-5608", "KWD")};
    records.shipments = {
        {OrderId("ORD-5521"), TrackingId("PP-55210"), "ParcelPath", CarrierPage{"delivered \xE2\x82\xAC", "", 0}},
        {OrderId("ORD-5607"), TrackingId("PP-56070"), "ParcelPath", std::nullopt},
        {OrderId("ORD-5608"), TrackingId("PP-56080"), "ParcelPath", CarrierPage{"", std::string(16 * 1024, 'x'), 320}}};
    EXPECT_TRUE(test::succeeded(orders_->fill_if_empty(records)));
  }

  test::TemporaryFolder folder_;
  test::TestEnv env_;
  std::unique_ptr<Orders> orders_;
  ServiceCredential credential_ = test::credential_of("orders:read");
};

TEST_F(OrdersService, GivesAnOrderWithItsLinesAndParts) {
  const auto order = orders_->order(credential_, OrderId("ORD-5521"));
  ASSERT_TRUE(test::succeeded(order));
  EXPECT_EQ(order->total_minor(), 29500);
  ASSERT_EQ(order->lines.size(), 2U);
  EXPECT_EQ(order->line(LineId("LN-2"))->line_minor(), 600);
  EXPECT_EQ(order->line(LineId("LN-3")), nullptr);
  ASSERT_EQ(order->parts.size(), 1U);
  EXPECT_EQ(order->parts[0].unit_minor, 4800);
  EXPECT_EQ(order->delivered_at, WallTime(Milliseconds(2000)));
  EXPECT_FALSE(orders_->order(credential_, OrderId("ORD-5606"))->delivered_at.has_value());
  EXPECT_EQ(orders_->order(credential_, OrderId("ORD-5608"))->currency.code(), "KWD");
}

TEST_F(OrdersService, TellsNoShipmentFromNoPage) {
  const auto none = orders_->tracking(credential_, OrderId("ORD-5606"));
  ASSERT_TRUE(test::succeeded(none));
  EXPECT_FALSE(none->available);
  EXPECT_FALSE(none->tracking_id.has_value());
  const auto missing = orders_->tracking(credential_, OrderId("ORD-5607"));
  EXPECT_FALSE(missing->available);
  EXPECT_EQ(missing->tracking_id, TrackingId("PP-56070"));
  EXPECT_EQ(missing->carrier, "ParcelPath");
}

TEST_F(OrdersService, GivesThePageWholeWhenItIsShort) {
  const auto tracking = orders_->tracking(credential_, OrderId("ORD-5521"));
  EXPECT_TRUE(tracking->available);
  EXPECT_EQ(tracking->page, "delivered \xE2\x82\xAC");
  EXPECT_FALSE(tracking->truncated);
}

TEST_F(OrdersService, CutsAPageAtAWholeCharacter) {
  for (const std::int64_t bytes_max : {10, 11, 12}) {
    const auto tracking = orders_->tracking(credential_, OrderId("ORD-5521"), bytes_max);
    EXPECT_EQ(tracking->page, "delivered ") << bytes_max;
    EXPECT_TRUE(tracking->truncated);
  }
  EXPECT_FALSE(orders_->tracking(credential_, OrderId("ORD-5521"), 13)->truncated);
  EXPECT_EQ(orders_->tracking(credential_, OrderId("ORD-5521"), 0)->page, "");
}

TEST_F(OrdersService, CutsAPageOfFiveMegabytes) {
  for (const std::int64_t bytes_max : {1, 16 * 1024 - 1, 16 * 1024, 16 * 1024 + 1, 100'000}) {
    const auto tracking = orders_->tracking(credential_, OrderId("ORD-5608"), bytes_max);
    EXPECT_EQ(static_cast<std::int64_t>(tracking->page.size()), bytes_max);
    EXPECT_TRUE(tracking->truncated);
    EXPECT_EQ(tracking->page_bytes, 5 * 1024 * 1024);
  }
  const auto whole = orders_->tracking(credential_, OrderId("ORD-5608"), 8 * 1024 * 1024);
  EXPECT_EQ(whole->page, std::string(5 * 1024 * 1024, 'x'));
  EXPECT_FALSE(whole->truncated);
}

TEST_F(OrdersService, GivesAPageOfSeveralPiecesBackWhole) {
  const std::string text = std::string(16 * 1024, 'a') + std::string(16 * 1024, 'b') + std::string(100, 'c');
  const std::string whole = text + "again again again ";
  test::TemporaryFolder folder;
  const auto orders = *Orders::open(env_.env(), {folder.path(), test::admitted({"orders:read"}), "test", true});
  OrdersRecords records;
  records.orders = {order_named("ORD-5608")};
  records.shipments = {{OrderId("ORD-5608"), TrackingId("PP-56080"), "ParcelPath", CarrierPage{text, "again ", 3}}};
  ASSERT_TRUE(test::succeeded(orders->fill_if_empty(records)));
  for (const std::size_t bytes_max :
       {std::size_t{16 * 1024}, std::size_t{32 * 1024 + 7}, whole.size(), whole.size() + 1}) {
    const auto tracking = orders->tracking(credential_, OrderId("ORD-5608"), static_cast<std::int64_t>(bytes_max));
    EXPECT_EQ(tracking->page, whole.substr(0, bytes_max)) << bytes_max;
    EXPECT_EQ(tracking->truncated, bytes_max < whole.size());
    EXPECT_EQ(tracking->page_bytes, static_cast<std::int64_t>(whole.size()));
  }
}

TEST_F(OrdersService, RefusesWhatIsNotThereAndEveryOtherCredential) {
  EXPECT_TRUE(test::refused(orders_->order(credential_, OrderId("ORD-9999")), "orders.no_such_order"));
  const ServiceCredential foreign = test::credential_of("customers:read");
  EXPECT_TRUE(test::refused(orders_->order(foreign, OrderId("ORD-5521")), "service.foreign_credential"));
  EXPECT_TRUE(test::refused(orders_->tracking(foreign, OrderId("ORD-5521")), "service.foreign_credential"));
}

}  // namespace
}  // namespace postern::services
