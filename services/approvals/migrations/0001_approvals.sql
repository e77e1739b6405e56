-- Requests, the tokens issued for them (never their text), and the audit trail.
CREATE TABLE approval_requests (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  version INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'approved', 'denied', 'expired', 'withdrawn')),
  ticket_id TEXT NOT NULL,
  order_id TEXT NOT NULL,
  line_id TEXT NOT NULL,
  line_title TEXT NOT NULL,
  customer_id TEXT NOT NULL,
  customer_name TEXT NOT NULL,
  amount_cents INTEGER NOT NULL CHECK (amount_cents > 0),
  currency TEXT NOT NULL,
  policy_id TEXT NOT NULL,
  limit_cents INTEGER NOT NULL,
  ticket_subject TEXT NOT NULL,
  requester_issuer TEXT NOT NULL,
  requester_sub TEXT NOT NULL,
  requester_name TEXT NOT NULL,
  desk TEXT NOT NULL,
  run_id TEXT NOT NULL,
  model_id TEXT NOT NULL,
  tool TEXT NOT NULL,
  pin_digest TEXT NOT NULL,
  args_canonical TEXT NOT NULL,
  request_digest TEXT NOT NULL,
  model_reason TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  decided_by_issuer TEXT NOT NULL DEFAULT '',
  decided_by_sub TEXT NOT NULL DEFAULT '',
  decided_by_name TEXT NOT NULL DEFAULT '',
  decided_at_ms INTEGER,
  note TEXT NOT NULL DEFAULT '',
  auth_time_ms INTEGER,
  session_ref TEXT NOT NULL DEFAULT ''
) STRICT;

-- One open request for one action: a repeated call finds it instead of making a second.
CREATE UNIQUE INDEX one_pending_request_a_digest ON approval_requests (request_digest) WHERE status = 'pending';
CREATE INDEX requests_of_desk ON approval_requests (desk, number);
CREATE INDEX requests_of_requester ON approval_requests (requester_sub, number);

CREATE TABLE approval_tokens (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  request_id TEXT NOT NULL UNIQUE REFERENCES approval_requests (id),
  digest TEXT NOT NULL,
  issued_at_ms INTEGER NOT NULL,
  use_by_ms INTEGER NOT NULL,
  spent_at TEXT,
  refund_id TEXT,
  failure TEXT,
  lapsed_at_ms INTEGER
) STRICT;

CREATE TABLE audit_events (
  seq INTEGER PRIMARY KEY,
  at TEXT NOT NULL,
  actor_sub TEXT NOT NULL,
  actor_name TEXT NOT NULL,
  channel TEXT NOT NULL,
  action TEXT NOT NULL,
  object TEXT NOT NULL,
  version_before INTEGER,
  version_after INTEGER,
  detail_json TEXT NOT NULL,
  prev_hash TEXT NOT NULL,
  hash TEXT NOT NULL
) STRICT;
CREATE INDEX audit_of_object ON audit_events (object, seq);

CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit_events
BEGIN SELECT RAISE(ABORT, 'audit rows are never changed'); END;
CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit_events
BEGIN SELECT RAISE(ABORT, 'audit rows are never deleted'); END;
