// Which tables does nothing read, and which jobs write nothing?
// Lists tables that are computed but that nothing known reads, and jobs without an output.
// Either the work can be saved, or lineage is missing.
MATCH (e:Dataset)
WHERE e.exists AND NOT e.removed
  AND EXISTS { (e)-[:DownstreamOf|FED_BY]->(:Entity) }
  AND NOT EXISTS { (e)<-[:DownstreamOf|Consumes|Contains|DerivedFrom|FED_BY]-(:Entity) }
RETURN 'nothing reads it' AS what, e.entityType AS type, e.name AS name, e.urn AS urn
ORDER BY name, urn
UNION ALL
MATCH (e:DataJob)
WHERE e.exists AND NOT e.removed AND NOT EXISTS { (e)-[:Produces]->(:Entity) }
RETURN 'it writes nothing' AS what, e.entityType AS type, e.name AS name, e.urn AS urn
ORDER BY name, urn
