// The highest archived version of aspects that is not of a run or, where $run is
// null, not of a version of a registry.
// $keys: [{i, urn, name}], $run, $registry, $registryVersion
UNWIND $keys AS key
CALL (key) {
  MATCH (a:Aspect {urn: key.urn, name: key.name})
  WHERE a.version > 0 AND CASE WHEN $run IS NULL
    THEN a.registryName <> $registry OR a.registryVersion <> $registryVersion ELSE a.runId <> $run END
  RETURN a ORDER BY a.version DESC LIMIT 1
}
RETURN key.i AS i, properties(a) AS aspect
