-- Runs are counted, and gone through entity by entity, without the tables.
-- latest.id leads to the entity.
DROP INDEX latest_by_run;
CREATE INDEX latest_by_run ON latest (run, id, created_on);
DROP INDEX timeseries_by_run;
CREATE INDEX timeseries_by_run ON timeseries (run, entity, aspect, created_on);
CREATE INDEX entity_removed ON entity (id) WHERE removed;
