// How does data flow between platforms?
// Counts the flows from one platform to another, those through jobs included.
// An unexpected pair is often an export that nobody remembers.
MATCH (to:Entity)-[:DownstreamOf|Consumes|FED_BY]->(next:Entity)
WHERE NOT to:DataJob
OPTIONAL MATCH (next)-[:Consumes]->(input:Dataset)
WHERE next:DataJob
WITH to, CASE WHEN next:DataJob THEN input ELSE next END AS from
WHERE from.platform <> to.platform
RETURN split(from.platform, ':')[3] AS source, split(to.platform, ':')[3] AS target, count(DISTINCT [from.urn, to.urn]) AS flows
ORDER BY flows DESC, source, target
