-- Small named values of the server itself. The revision is drawn at random whenever a
-- record is written.
CREATE TABLE record (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  revision TEXT NOT NULL
) WITHOUT ROWID;
