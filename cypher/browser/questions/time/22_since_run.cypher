// What has changed since a run?
// Lists the aspects that were written after the last write of a run, the latest first, with the run and who wrote it.
// It reads every current aspect: in a large catalog, ask "headwater timeline" for a single entity instead.
WITH 'larkspur-nightly-2026-11-08' AS run
MATCH (a:Aspect {version: 0, runId: run})
WHERE a.urn IS NOT NULL // so that the index of runs is used
WITH max(a.createdOn) AS since
MATCH (a:Aspect {version: 0})<-[:HAS_ASPECT]-(e:Entity)
WHERE a.createdOn > since AND NOT coalesce(a.runId, '') STARTS WITH 'headwater-'
RETURN e.entityType AS type, e.name AS name, a.name AS aspect, a.runId AS run, split(a.createdBy, ':')[3] AS actor
ORDER BY a.createdOn DESC, type, name, aspect
LIMIT 100
