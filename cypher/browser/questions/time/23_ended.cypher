// Which lineage has ended, when, and through which run?
// Lists what was stated once and is not stated any more.
// Such relationships are of the type ENDED, so that questions about the present do not meet them.
MATCH (e:Entity)-[r:ENDED]->(source:Entity)
WHERE r.type IN ['DownstreamOf', 'Consumes', 'Produces'] AND NOT source:SchemaField
RETURN DISTINCT e.name AS entity, r.type AS relationship, source.urn AS source, r.sinceRun AS `since run`, r.untilRun AS `until run`, toString(datetime({epochMillis: r.until})) AS ended
ORDER BY ended DESC, entity, relationship, source
LIMIT 100
