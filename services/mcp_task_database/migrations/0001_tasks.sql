-- Tasks that several processes answer for. The id is stored as a digest, so that a reader of this file finds nobody's task; what the
-- tool gave is in the record, and goes with it when its time is over.
CREATE TABLE tasks (
  digest TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  record TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX tasks_by_expiry ON tasks (expires_at);
CREATE INDEX tasks_by_owner ON tasks (owner);
