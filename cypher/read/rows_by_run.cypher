// Latest versions that a run wrote, without their values, by entity and aspect
// behind a position.
// $run, $afterUrn, $afterName, $limit
MATCH (a:Aspect {version: 0, runId: $run})
USING INDEX SEEK a:Aspect(version, runId, urn)
WHERE a.urn >= $afterUrn AND (a.urn > $afterUrn OR a.name > $afterName)
WITH a ORDER BY a.urn, a.name LIMIT $limit
MATCH (e:Entity {urn: a.urn})
RETURN a.urn AS urn, a.name AS aspect, a.runId AS run, a.registryName AS registry, a.registryVersion AS registryVersion,
  a.createdOn AS createdOn, e.removed AS removed
ORDER BY urn, aspect
