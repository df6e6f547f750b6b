-- A search index. Everything here can be made again from the graph store.

CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- counted says that tally is kept for the field.
CREATE TABLE field (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, counted INTEGER NOT NULL DEFAULT 0);

-- Every distinct value of every field, once.
CREATE TABLE value (
  id    INTEGER PRIMARY KEY,
  field INTEGER NOT NULL,
  text  TEXT NOT NULL,
  long  INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX value_text ON value (field, text);
CREATE INDEX value_long ON value (field) WHERE long = 1;

-- type is the id of the value of _entityType; content is a hash of what the
-- tables text, completion and number hold of the document, completions a list
-- of its rows in completion.
CREATE TABLE doc (
  id      INTEGER PRIMARY KEY,
  urn     TEXT NOT NULL UNIQUE,
  type    INTEGER NOT NULL,
  removed INTEGER NOT NULL,
  weight  REAL NOT NULL,
  content INTEGER NOT NULL,
  completions TEXT
);

-- What is given back of a document: its values as JSON.
CREATE TABLE body (doc INTEGER PRIMARY KEY, json TEXT NOT NULL);
CREATE INDEX doc_of_type ON doc (type, removed, urn);
CREATE INDEX doc_in_order ON doc (removed, urn);

-- Which document has which value, found from either side.
CREATE TABLE doc_value (
  doc INTEGER NOT NULL, field INTEGER NOT NULL, value INTEGER NOT NULL,
  PRIMARY KEY (doc, field, value)
) WITHOUT ROWID;
CREATE UNIQUE INDEX posting ON doc_value (value, doc);

CREATE TABLE number (
  doc INTEGER NOT NULL, field INTEGER NOT NULL, n INTEGER NOT NULL,
  PRIMARY KEY (doc, field, n)
) WITHOUT ROWID;
CREATE INDEX number_range ON number (field, n, doc);

-- How many documents have a value, kept in step for the fields that are
-- counted: the facets of everything and the groups of paths.
CREATE TABLE tally (
  value INTEGER NOT NULL, type INTEGER NOT NULL, removed INTEGER NOT NULL,
  field INTEGER NOT NULL, docs INTEGER NOT NULL,
  PRIMARY KEY (value, type, removed)
) WITHOUT ROWID;
CREATE INDEX tally_top ON tally (field, type, removed, docs);

-- Texts that suggestions are found by: a completion from its beginning
-- (place 0) and from each further word (place 1).
CREATE TABLE completion (
  field INTEGER NOT NULL, type INTEGER NOT NULL, place INTEGER NOT NULL, text TEXT NOT NULL, doc INTEGER NOT NULL,
  PRIMARY KEY (type, place, text, field, doc)
) WITHOUT ROWID;

CREATE VIRTUAL TABLE text USING fts5 (
  name, major, body, minor,
  content = '', contentless_delete = 1, prefix = '2 3', tokenize = 'ascii'
);

-- The words of the completions, for those typed in another order.
CREATE VIRTUAL TABLE completion_word USING fts5 (
  words, content = '', contentless_delete = 1, detail = none, prefix = '2 3', tokenize = 'ascii'
);

-- Candidates for CONTAIN and END_WITH: the values by three letters in a row.
CREATE VIRTUAL TABLE gram USING fts5 (
  text, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1'
);
