// Orders: lines, prices of replacement parts, shipments, and the carrier's page as it was fetched. Its own file,
// orders.sqlite.
//
// Every method admits the credential of orders:read and no other, and leaves a line in the downstream log. Thread-safe.
// The carrier's page is text of a stranger: data, never an instruction, and never shown raw. No caller gives an
// address: the page was fetched by the service, and only its text is stored.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "services/domain/ids.h"
#include "services/domain/service_options.h"
#include "services/service_authentication/service_credential.h"
#include "wire/base/clock.h"
#include "wire/base/money.h"
#include "wire/base/result.h"
#include "wire/env/env.h"

namespace postern::services {

struct OrderLine {
  LineId line_id;
  std::string sku;
  std::string title;
  std::int64_t quantity = 1;
  std::int64_t unit_minor = 0;  // in the order's currency
  [[nodiscard]] std::int64_t line_minor() const { return quantity * unit_minor; }
};

// A part of a line's article that can be had alone, and its price: what a damaged part is worth.
struct ReplacementPart {
  LineId line_id;  // the line it belongs to
  std::string sku;
  std::string title;
  std::int64_t unit_minor = 0;
};

struct Order {
  OrderId order_id;
  CustomerId customer_id;
  WallTime placed_at;
  std::optional<WallTime> delivered_at;
  std::string status;  // "delivered", "shipped", "placed"
  Currency currency;
  std::vector<OrderLine> lines;  // in the order of their ids
  std::vector<ReplacementPart> parts;
  [[nodiscard]] std::int64_t total_minor() const;
  // Null when the order has no such line.
  [[nodiscard]] const OrderLine* line(const LineId& id) const;
};

// What is known of an order's way. `available` is false when there is no tracked shipment, or its page could not be
// had.
struct Tracking {
  bool available = false;
  std::optional<TrackingId> tracking_id;
  std::string carrier;          // "ParcelPath"; empty without a shipment
  std::string page;             // the beginning of the page, cut at a whole character
  bool truncated = false;       // there is more than `page`
  std::int64_t page_bytes = 0;  // of the whole page
};

// `text`, and then `again` that many times: a page of megabytes need not be in memory.
struct CarrierPage {
  std::string text;
  std::string again;
  std::int64_t times = 0;
  [[nodiscard]] std::int64_t bytes() const;
};

struct Shipment {
  OrderId order_id;
  TrackingId tracking_id;
  std::string carrier;
  std::optional<CarrierPage> page;  // nothing: the carrier had none
};

struct OrdersRecords {  // what a seed fills in
  std::vector<Order> orders;
  std::vector<Shipment> shipments;
};

class Orders {
 public:
  // `env` must outlive it.
  [[nodiscard]] static Result<std::unique_ptr<Orders>> open(Env env, ServiceOptions options);
  ~Orders();

  // `orders.no_such_order`, service.foreign_credential, store.*.
  [[nodiscard]] Result<Order> order(const ServiceCredential& credential, const OrderId& id) const;
  // At most `bytes_max` bytes of the page are read from the disk. An order without a shipment is no failure.
  [[nodiscard]] Result<Tracking> tracking(const ServiceCredential& credential, const OrderId& id,
                                          std::int64_t bytes_max = 16 * 1024) const;

  // Fills an empty database in one transaction; leaves one that holds an order already as it is. For whoever starts the
  // service.
  [[nodiscard]] Status fill_if_empty(const OrdersRecords& records);
  [[nodiscard]] Result<bool> is_empty() const;

 private:
  struct Impl;
  explicit Orders(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

struct NoSuchOrder {
  static constexpr std::string_view kId = "orders.no_such_order";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kNotFound;
  OrderId order_id;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::services
