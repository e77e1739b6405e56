-- Open cases. A handle is stored as a digest over the handle and its principal, so that neither can be read from here and a handle
-- finds its case for its principal only.
CREATE TABLE case_handles (
  digest TEXT PRIMARY KEY,
  ticket_id TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX case_handles_by_expiry ON case_handles (expires_at);
