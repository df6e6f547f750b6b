// Does anything derive from itself?
// Looks for ways of at most 13 hops, single hops included, that lead from an entity through its lineage back to it.
// A cycle is either a feedback loop that somebody wants, or wrong lineage.
MATCH (a:Entity)-[:DownstreamOf|Consumes|FED_BY]->(b:Entity)
OPTIONAL MATCH p = shortestPath((b)-[:DownstreamOf|Consumes|FED_BY*0..12]->(a))
WHERE all(n IN nodes(p) WHERE a.urn <= n.urn)
WITH DISTINCT nodes(p) AS cycle
WITH collect([n IN cycle | n.name]) AS cycles
RETURN size(cycles) AS cycles, cycles[..10] AS examples
