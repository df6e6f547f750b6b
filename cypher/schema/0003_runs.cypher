// Runs are counted, and gone through entity by entity, in the order of an
// index. The two that go were made by earlier releases.
DROP INDEX aspect_run IF EXISTS;
DROP INDEX time_series_run IF EXISTS;
CREATE INDEX aspect_by_run IF NOT EXISTS FOR (a:Aspect) ON (a.version, a.runId, a.urn);
CREATE INDEX time_series_by_run IF NOT EXISTS FOR (t:TimeSeries) ON (t.runId, t.urn, t.aspect)
