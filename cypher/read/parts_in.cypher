// Who states relationships that lead to the entities whose URNs begin with one of some texts.
// $$TYPES$$ are relationship names.
// $prefixes, $sourcesOf [type], $limit
UNWIND range(0, size($prefixes) - 1) AS place
MATCH (e:Entity)
USING INDEX SEEK e:Entity(urn)
WHERE e.urn STARTS WITH $prefixes[place]
MATCH (e)<-[r:$$TYPES$$]-(o:Entity)
RETURN DISTINCT place, r.owner AS owner, CASE WHEN split(r.owner, ':')[2] IN $sourcesOf THEN o.urn ELSE '' END AS source LIMIT $limit
