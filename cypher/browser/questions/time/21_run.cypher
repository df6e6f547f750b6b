// What did a run write?
// Counts the aspects whose latest value is from a run, by type of entity, with some of the entities.
// "headwater runs rollback" takes a run back.
WITH 'larkspur-curation' AS run
MATCH (a:Aspect {version: 0, runId: run})<-[:HAS_ASPECT]-(e:Entity)
WHERE a.urn IS NOT NULL // so that the index of runs is used
WITH e.entityType AS type, a.name AS aspect, e ORDER BY e.name
RETURN type, aspect, count(*) AS number, collect(e.name)[..5] AS examples
ORDER BY type, aspect
