-- Refund policies, and which one applies to a ticket. The limit is in minor units of its currency.
CREATE TABLE policies (
  policy_id TEXT PRIMARY KEY,
  currency TEXT NOT NULL,
  limit_minor INTEGER NOT NULL CHECK (limit_minor >= 0),
  window_days INTEGER NOT NULL CHECK (window_days >= 0),
  body TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE ticket_policies (
  ticket_id TEXT PRIMARY KEY,
  policy_id TEXT NOT NULL REFERENCES policies (policy_id)
) STRICT, WITHOUT ROWID;
