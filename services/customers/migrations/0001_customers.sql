-- Customers, their tickets, and the people of the desks. Times are milliseconds since 1970.
CREATE TABLE customers (
  customer_id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  email TEXT NOT NULL,
  customer_since TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE tickets (
  ticket_id TEXT PRIMARY KEY,
  desk TEXT NOT NULL,
  customer_id TEXT NOT NULL REFERENCES customers (customer_id),
  order_id TEXT,  -- of the orders service, which has a database of its own; null: a question about no order
  subject TEXT NOT NULL,
  body TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('open', 'closed')),
  opened_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE people (
  subject TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('operator', 'supervisor'))
) STRICT, WITHOUT ROWID;

CREATE TABLE people_desks (
  subject TEXT NOT NULL REFERENCES people (subject),
  desk TEXT NOT NULL,
  PRIMARY KEY (subject, desk)
) STRICT, WITHOUT ROWID;
