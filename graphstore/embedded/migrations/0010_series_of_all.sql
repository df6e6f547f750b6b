-- The values of one time series of all entities, by time.
CREATE INDEX timeseries_of_all ON timeseries (aspect, timestamp, entity, key);
