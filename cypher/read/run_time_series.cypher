// Which time-series aspects have values of a run, by entity and aspect behind a
// position.
// $run, $afterUrn, $afterName, $limit
MATCH (t:TimeSeries {runId: $run})
USING INDEX SEEK t:TimeSeries(runId, urn, aspect)
WHERE t.urn >= $afterUrn AND t.aspect IS NOT NULL AND (t.urn > $afterUrn OR t.aspect > $afterName)
RETURN t.urn AS urn, t.aspect AS aspect, count(*) AS total, max(t.createdOn) AS latest ORDER BY urn, aspect LIMIT $limit
