// Latest versions of entities, without their values.
// $urns
UNWIND range(0, size($urns) - 1) AS i
MATCH (e:Entity {urn: $urns[i]})-[:HAS_ASPECT]->(a:Aspect {version: 0})
USING INDEX SEEK e:Entity(urn)
RETURN a.urn AS urn, a.name AS aspect, a.runId AS run, a.registryName AS registry, a.registryVersion AS registryVersion,
  a.createdOn AS createdOn, e.removed AS removed
ORDER BY i, aspect
