// Latest versions that were written under a version of a registry, without
// their values, by entity and aspect behind a position.
// $registry, $registryVersion, $afterUrn, $afterName, $limit
MATCH (a:Aspect)
USING INDEX SEEK a:Aspect(urn, name, version)
WHERE a.urn >= $afterUrn AND a.name IS NOT NULL AND a.version = 0
  AND (a.urn > $afterUrn OR a.name > $afterName)
  AND a.registryName = $registry AND a.registryVersion = $registryVersion
WITH a ORDER BY a.urn, a.name LIMIT $limit
MATCH (e:Entity {urn: a.urn})
RETURN a.urn AS urn, a.name AS aspect, a.runId AS run, a.registryName AS registry, a.registryVersion AS registryVersion,
  a.createdOn AS createdOn, e.removed AS removed
ORDER BY urn, aspect
