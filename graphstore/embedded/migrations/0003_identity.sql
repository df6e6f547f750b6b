-- What tells a change from the one that a restored copy of this file gives the
-- same number: a random number of its transaction. Changes from before have
-- none, and are told by the log's origin, as the beginning of the log is.
ALTER TABLE change ADD COLUMN token INTEGER;
CREATE TABLE log_origin (token INTEGER NOT NULL);
INSERT INTO log_origin VALUES (random());
