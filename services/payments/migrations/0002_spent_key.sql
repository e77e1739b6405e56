-- A token is spent by its key, and what must be there once is said by the checks that guard it (payments.cc): each makes its index.
CREATE TABLE refunds_by_key (
  number INTEGER PRIMARY KEY,
  refund_id TEXT NOT NULL UNIQUE,
  spent_key TEXT NOT NULL UNIQUE,
  token_id TEXT NOT NULL,
  approval_id TEXT NOT NULL,
  ticket_id TEXT NOT NULL,
  order_id TEXT NOT NULL,
  line_id TEXT NOT NULL,
  amount_minor INTEGER NOT NULL CHECK (amount_minor > 0),
  currency TEXT NOT NULL,
  policy_id TEXT NOT NULL,
  request_digest TEXT NOT NULL,
  refunded_at INTEGER NOT NULL
) STRICT;
INSERT INTO refunds_by_key
  SELECT number, refund_id, token_id, token_id, approval_id, ticket_id, order_id, line_id, amount_minor, currency, policy_id,
         request_digest, refunded_at
  FROM refunds;
DROP TABLE refunds;
ALTER TABLE refunds_by_key RENAME TO refunds;
CREATE INDEX refunds_of_ticket ON refunds (ticket_id);
CREATE INDEX refunds_of_approval ON refunds (approval_id);
