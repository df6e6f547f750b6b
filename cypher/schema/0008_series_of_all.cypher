// The values of one time series of all entities, by time.
CREATE INDEX time_series_of_all IF NOT EXISTS FOR (t:TimeSeries) ON (t.aspect, t.timestamp, t.urn, t.key);
