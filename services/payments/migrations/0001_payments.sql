-- What was spent and paid. Only payments knows. Amounts are minor units of the currency; times are milliseconds since 1970.
CREATE TABLE policy_limits (
  policy_id TEXT PRIMARY KEY,
  currency TEXT NOT NULL,
  limit_minor INTEGER NOT NULL CHECK (limit_minor >= 0)
) STRICT, WITHOUT ROWID;

-- A row is the refund and the spent token in one: a second row with the token, or for the line, cannot be.
CREATE TABLE refunds (
  number INTEGER PRIMARY KEY,
  refund_id TEXT NOT NULL UNIQUE,
  token_id TEXT NOT NULL UNIQUE,
  approval_id TEXT NOT NULL,
  ticket_id TEXT NOT NULL,
  order_id TEXT NOT NULL,
  line_id TEXT NOT NULL,
  amount_minor INTEGER NOT NULL CHECK (amount_minor > 0),
  currency TEXT NOT NULL,
  policy_id TEXT NOT NULL,
  request_digest TEXT NOT NULL,
  refunded_at INTEGER NOT NULL,
  UNIQUE (order_id, line_id)
) STRICT;
CREATE INDEX refunds_of_ticket ON refunds (ticket_id);
CREATE INDEX refunds_of_approval ON refunds (approval_id);

-- The number of the next refund.
CREATE TABLE next_refund (
  sole INTEGER PRIMARY KEY CHECK (sole = 1),
  number INTEGER NOT NULL
) STRICT;
INSERT INTO next_refund (sole, number) VALUES (1, 1);

-- The last refused attempt with an authentic token, by approval: what is answered when somebody asks how it ended.
CREATE TABLE refusals (
  approval_id TEXT PRIMARY KEY,
  token_id TEXT NOT NULL,
  failure_id TEXT NOT NULL,
  body TEXT NOT NULL,
  refused_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
