#include "services/orders/orders.h"

#include <algorithm>

#include "services/downstream/downstream_log.h"
#include "services/store/database.h"

POSTERN_EMBEDDED(services_orders_migrations)

namespace postern::services {
namespace {

constexpr std::string_view kRead = "orders:read";
constexpr std::size_t kPieceBytes = 16 * 1024;

struct UnreadableOrder {
  static constexpr std::string_view kId = "orders.unreadable";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kInternal;
  OrderId order_id;
  [[nodiscard]] std::string text() const {
    return "Order " + order_id.value() + " has a currency that is not known here.";
  }
};

// The longest beginning of at most `size` bytes that does not end within a UTF-8 sequence.
std::size_t whole_characters(std::string_view text, std::size_t size) {
  if (size >= text.size()) return text.size();
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  return size;
}

Status read_lines(Connection& connection, Order& order) {
  Statement lines = connection.statement(
      "SELECT line_id, sku, title, quantity, unit_minor FROM lines WHERE order_id = ?1 ORDER BY line_id");
  lines.bind(order.order_id);
  for (;;) {
    POSTERN_TRY(const bool more, lines.step());
    if (!more) break;
    order.lines.push_back({lines.id<LineId>(0), lines.text(1), lines.text(2), lines.integer(3), lines.integer(4)});
  }
  Statement parts = connection.statement(
      "SELECT line_id, sku, title, unit_minor FROM parts WHERE order_id = ?1 ORDER BY line_id, sku");
  parts.bind(order.order_id);
  for (;;) {
    POSTERN_TRY(const bool more, parts.step());
    if (!more) return {};
    order.parts.push_back({parts.id<LineId>(0), parts.text(1), parts.text(2), parts.integer(3)});
  }
}

Status insert_order(Connection& connection, const Order& order) {
  POSTERN_TRY_VOID(
      connection
          .statement("INSERT INTO orders (order_id, customer_id, placed_at, delivered_at, status, currency) "
                     "VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
          .bind(order.order_id, order.customer_id, order.placed_at, order.delivered_at, order.status,
                order.currency.code())
          .run());
  for (const OrderLine& line : order.lines) {
    POSTERN_TRY_VOID(connection
                         .statement("INSERT INTO lines (order_id, line_id, sku, title, quantity, unit_minor) "
                                    "VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
                         .bind(order.order_id, line.line_id, line.sku, line.title, line.quantity, line.unit_minor)
                         .run());
  }
  for (const ReplacementPart& part : order.parts) {
    POSTERN_TRY_VOID(
        connection
            .statement("INSERT INTO parts (order_id, line_id, sku, title, unit_minor) VALUES (?1, ?2, ?3, ?4, ?5)")
            .bind(order.order_id, part.line_id, part.sku, part.title, part.unit_minor)
            .run());
  }
  return {};
}

Status insert_piece(Connection& connection, const OrderId& order_id, std::int64_t piece, std::int64_t repeats,
                    std::string_view bytes) {
  return connection
      .statement("INSERT INTO page_pieces (order_id, piece, repeats, bytes) VALUES (?1, ?2, ?3, CAST(?4 AS BLOB))")
      .bind(order_id, piece, repeats, bytes)
      .run();
}

Status insert_page(Connection& connection, const OrderId& order_id, const CarrierPage& page) {
  std::int64_t piece = 0;
  for (std::string_view rest = page.text; !rest.empty(); rest.remove_prefix(std::min(rest.size(), kPieceBytes))) {
    POSTERN_TRY_VOID(insert_piece(connection, order_id, piece++, 1, rest.substr(0, kPieceBytes)));
  }
  if (page.times > 0) return insert_piece(connection, order_id, piece, page.times, page.again);
  return {};
}

Status insert_shipment(Connection& connection, const Shipment& shipment) {
  std::optional<std::int64_t> bytes;
  if (shipment.page) bytes = shipment.page->bytes();
  POSTERN_TRY_VOID(
      connection.statement("INSERT INTO shipments (order_id, tracking_id, carrier, page_bytes) VALUES (?1, ?2, ?3, ?4)")
          .bind(shipment.order_id, shipment.tracking_id, shipment.carrier, bytes)
          .run());
  if (shipment.page) return insert_page(connection, shipment.order_id, *shipment.page);
  return {};
}

// A little more than `bytes_max` bytes of the page, where there is more.
Result<std::string> read_page(Connection& connection, const OrderId& order_id, std::size_t bytes_max) {
  std::string page;
  Statement pieces = connection.statement("SELECT repeats, bytes FROM page_pieces WHERE order_id = ?1 ORDER BY piece");
  pieces.bind(order_id);
  while (page.size() <= bytes_max) {
    POSTERN_TRY(const bool more, pieces.step());
    if (!more) break;
    const std::string bytes = pieces.text(1);
    for (std::int64_t n = pieces.integer(0); n > 0 && page.size() <= bytes_max; --n) page += bytes;
  }
  return page;
}

Result<bool> holds_any(Connection& connection) {
  return connection.statement("SELECT 1 FROM orders LIMIT 1").step();
}

}  // namespace

std::int64_t Order::total_minor() const {
  std::int64_t total = 0;
  for (const OrderLine& line : lines) total += line.line_minor();
  return total;
}

const OrderLine* Order::line(const LineId& id) const {
  const auto found =
      std::find_if(lines.begin(), lines.end(), [&](const OrderLine& line) { return line.line_id == id; });
  return found == lines.end() ? nullptr : &*found;
}

std::int64_t CarrierPage::bytes() const {
  return static_cast<std::int64_t>(text.size()) + static_cast<std::int64_t>(again.size()) * times;
}

struct Orders::Impl {
  std::unique_ptr<Database> database;
  ServiceAdmission admission;
  std::string caller;

  [[nodiscard]] Status admit(const ServiceCredential& credential) const {
    return admission.admit(kRead, PresentedCredential::of(credential), caller);
  }
};

Orders::Orders(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Orders::~Orders() = default;

Result<std::unique_ptr<Orders>> Orders::open(Env env, ServiceOptions options) {
  POSTERN_TRY(ServiceAuthentication authentication, ServiceAuthentication::of_json(options.admitted));
  POSTERN_TRY(DownstreamLog log, DownstreamLog::open(env.clock, options.database_dir, "orders"));
  DatabaseOptions database_options;
  database_options.path = options.database_dir + "/orders.sqlite";
  database_options.durability = options.throwaway ? Durability::kThrowaway : Durability::kNormal;
  database_options.migrations = embedded::services_orders_migrations();
  POSTERN_TRY(std::unique_ptr<Database> database, Database::open(std::move(database_options)));
  std::unique_ptr<Impl> impl(new Impl{std::move(database), ServiceAdmission(std::move(authentication), std::move(log)),
                                      std::move(options.caller)});
  return std::unique_ptr<Orders>(new Orders(std::move(impl)));
}

Result<Order> Orders::order(const ServiceCredential& credential, const OrderId& id) const {
  POSTERN_TRY_VOID(impl_->admit(credential));
  return impl_->database->read<Order>([&](Connection& connection) -> Result<Order> {
    Statement row = connection.statement(
        "SELECT customer_id, placed_at, delivered_at, status, currency FROM orders WHERE order_id = ?1");
    POSTERN_TRY(const bool found, row.bind(id).step());
    if (!found) return NoSuchOrder{id};
    const auto currency = Currency::of_code(row.text(4));
    if (!currency) return UnreadableOrder{id};
    Order order{id, row.id<CustomerId>(0), row.time(1), row.optional_time(2), row.text(3), *currency, {}, {}};
    POSTERN_TRY_VOID(read_lines(connection, order));
    return order;
  });
}

Result<Tracking> Orders::tracking(const ServiceCredential& credential, const OrderId& id,
                                  std::int64_t bytes_max) const {
  POSTERN_TRY_VOID(impl_->admit(credential));
  return impl_->database->read<Tracking>([&](Connection& connection) -> Result<Tracking> {
    Tracking tracking;
    Statement row = connection.statement("SELECT tracking_id, carrier, page_bytes FROM shipments WHERE order_id = ?1");
    POSTERN_TRY(const bool found, row.bind(id).step());
    if (!found) return tracking;
    tracking.tracking_id = row.id<TrackingId>(0);
    tracking.carrier = row.text(1);
    if (row.is_null(2)) return tracking;
    tracking.available = true;
    tracking.page_bytes = row.integer(2);
    const auto size = static_cast<std::size_t>(bytes_max);
    POSTERN_TRY(tracking.page, read_page(connection, id, size));
    tracking.page.resize(whole_characters(tracking.page, size));
    tracking.truncated = static_cast<std::int64_t>(tracking.page.size()) < tracking.page_bytes;
    return tracking;
  });
}

Result<bool> Orders::is_empty() const {
  POSTERN_TRY(const bool filled, impl_->database->read<bool>(holds_any));
  return !filled;
}

Status Orders::fill_if_empty(const OrdersRecords& records) {
  return impl_->database->write<void>([&](Connection& connection) -> Status {
    POSTERN_TRY(const bool filled, holds_any(connection));
    if (filled) return {};
    for (const Order& order : records.orders) POSTERN_TRY_VOID(insert_order(connection, order));
    for (const Shipment& shipment : records.shipments) POSTERN_TRY_VOID(insert_shipment(connection, shipment));
    return {};
  });
}

std::string NoSuchOrder::text() const {
  return "There is no order " + order_id.value() + ".";
}

}  // namespace postern::services
