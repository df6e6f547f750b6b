// What does most depend on?
// Lists the tables with the most direct readers, and how much is downstream of each altogether.
// These are the tables to test best.
MATCH (t:Dataset)<-[:DownstreamOf|Consumes|Contains|DerivedFrom|FED_BY]-(e:Entity)
WITH t, count(DISTINCT e) AS direct
ORDER BY direct DESC, t.urn
LIMIT 10
MATCH (t)<-[:DownstreamOf|Consumes|Contains|DerivedFrom|FED_BY*1..]-(e:Entity)
RETURN t.name AS table, split(t.platform, ':')[3] AS platform, direct, count(DISTINCT e) AS altogether
ORDER BY direct DESC, altogether DESC, table, platform
