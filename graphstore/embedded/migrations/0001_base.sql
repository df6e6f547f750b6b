-- Names of aspects, relationships, paths, actors, runs and the like, written
-- once and referred to by number.
CREATE TABLE name (
  id   INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE
);

-- One row per URN ever seen. state: 0 gone, 1 placeholder (the end of an edge
-- that was never ingested), 2 exists. Rows are never deleted: the change log
-- refers to them.
CREATE TABLE entity (
  id         INTEGER PRIMARY KEY,
  urn        TEXT NOT NULL UNIQUE,
  type       INTEGER NOT NULL,
  state      INTEGER NOT NULL,
  removed    INTEGER NOT NULL DEFAULT 0,
  properties TEXT
);
CREATE INDEX entity_by_type ON entity (type, state, urn);

-- The latest version of each aspect. id is entity.id * 4096 + name.id of the
-- aspect, so that one integer finds it.
CREATE TABLE latest (
  id            INTEGER PRIMARY KEY,
  seq           INTEGER NOT NULL,
  created_on    INTEGER NOT NULL,
  created_by    INTEGER NOT NULL,
  last_observed INTEGER NOT NULL,
  run           INTEGER NOT NULL,
  registry      INTEGER NOT NULL,
  properties    TEXT,
  value         TEXT NOT NULL
);
CREATE INDEX latest_by_run ON latest (run);

-- Archived versions; aspect is the id of the aspect's row in latest.
CREATE TABLE version (
  aspect        INTEGER NOT NULL,
  seq           INTEGER NOT NULL,
  created_on    INTEGER NOT NULL,
  created_by    INTEGER NOT NULL,
  last_observed INTEGER NOT NULL,
  run           INTEGER NOT NULL,
  registry      INTEGER NOT NULL,
  properties    TEXT,
  value         TEXT NOT NULL
);
CREATE UNIQUE INDEX version_by_seq ON version (aspect, seq);

-- Current edge statements.
CREATE TABLE edge (
  src INTEGER NOT NULL, type INTEGER NOT NULL, dst INTEGER NOT NULL,
  owner INTEGER NOT NULL, aspect INTEGER NOT NULL, path INTEGER NOT NULL,
  since INTEGER NOT NULL, since_run INTEGER NOT NULL, since_actor INTEGER NOT NULL,
  created_on INTEGER NOT NULL, created_actor INTEGER NOT NULL,
  updated_on INTEGER NOT NULL, updated_actor INTEGER NOT NULL,
  properties TEXT,
  PRIMARY KEY (src, type, dst, owner, aspect, path)
) WITHOUT ROWID;
CREATE INDEX edge_in ON edge (dst, type);
CREATE INDEX edge_stated_elsewhere ON edge (owner) WHERE owner <> src;

-- Ended statements: nothing that asks about today reads them.
CREATE TABLE ended_edge (
  src INTEGER NOT NULL, type INTEGER NOT NULL, dst INTEGER NOT NULL,
  owner INTEGER NOT NULL, aspect INTEGER NOT NULL, path INTEGER NOT NULL,
  since INTEGER NOT NULL, since_run INTEGER NOT NULL, since_actor INTEGER NOT NULL,
  created_on INTEGER NOT NULL, created_actor INTEGER NOT NULL,
  updated_on INTEGER NOT NULL, updated_actor INTEGER NOT NULL,
  properties TEXT,
  until INTEGER NOT NULL, until_run INTEGER NOT NULL, until_actor INTEGER NOT NULL
);
CREATE INDEX ended_edge_out ON ended_edge (src, type, dst);
CREATE INDEX ended_edge_in ON ended_edge (dst, type, src);
CREATE INDEX ended_edge_owner ON ended_edge (owner);

CREATE TABLE timeseries (
  entity        INTEGER NOT NULL,
  aspect        INTEGER NOT NULL,
  timestamp     INTEGER NOT NULL,
  key           TEXT NOT NULL,
  created_on    INTEGER NOT NULL,
  created_by    INTEGER NOT NULL,
  last_observed INTEGER NOT NULL,
  run           INTEGER NOT NULL,
  registry      INTEGER NOT NULL,
  properties    TEXT,
  value         TEXT NOT NULL
);
CREATE UNIQUE INDEX timeseries_by_time ON timeseries (entity, aspect, timestamp, key);
CREATE INDEX timeseries_by_run ON timeseries (run);

-- The change log. value and previous are given only where the version that
-- they would be read from was removed by the change itself.
CREATE TABLE change (
  seq             INTEGER PRIMARY KEY,
  time            INTEGER NOT NULL,
  actor           INTEGER NOT NULL,
  kind            INTEGER NOT NULL,
  entity          INTEGER NOT NULL,
  aspect          INTEGER NOT NULL,
  value_seq       INTEGER NOT NULL,
  previous_seq    INTEGER NOT NULL,
  timestamp       INTEGER NOT NULL DEFAULT 0,
  timeseries_key  TEXT,
  value           TEXT,
  previous        TEXT,
  system          TEXT,
  previous_system TEXT
);

CREATE TABLE follower (
  name   TEXT PRIMARY KEY,
  cursor TEXT NOT NULL
) WITHOUT ROWID;
