-- Orders and their way to the customer. Amounts are minor units of the order's currency; times are milliseconds since 1970.
CREATE TABLE orders (
  order_id TEXT PRIMARY KEY,
  customer_id TEXT NOT NULL,
  placed_at INTEGER NOT NULL,
  delivered_at INTEGER,
  status TEXT NOT NULL,
  currency TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE lines (
  order_id TEXT NOT NULL REFERENCES orders (order_id),
  line_id TEXT NOT NULL,
  sku TEXT NOT NULL,
  title TEXT NOT NULL,
  quantity INTEGER NOT NULL CHECK (quantity > 0),
  unit_minor INTEGER NOT NULL CHECK (unit_minor >= 0),
  PRIMARY KEY (order_id, line_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE parts (
  order_id TEXT NOT NULL,
  line_id TEXT NOT NULL,
  sku TEXT NOT NULL,
  title TEXT NOT NULL,
  unit_minor INTEGER NOT NULL CHECK (unit_minor >= 0),
  PRIMARY KEY (order_id, line_id, sku),
  FOREIGN KEY (order_id, line_id) REFERENCES lines (order_id, line_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE shipments (
  order_id TEXT PRIMARY KEY REFERENCES orders (order_id),
  tracking_id TEXT NOT NULL,
  carrier TEXT NOT NULL,
  page_bytes INTEGER  -- null: the carrier had no page
) STRICT, WITHOUT ROWID;

-- The carrier's page as it was fetched, text of a stranger, in pieces: who wants its beginning need not read megabytes. A piece that
-- comes many times is one row.
CREATE TABLE page_pieces (
  order_id TEXT NOT NULL REFERENCES shipments (order_id),
  piece INTEGER NOT NULL,
  repeats INTEGER NOT NULL CHECK (repeats > 0),
  bytes BLOB NOT NULL,
  PRIMARY KEY (order_id, piece)
) STRICT;
