// Constraints and indexes. Statements are parted by semicolons; each is run by
// itself and does nothing when it has been run before.
CREATE CONSTRAINT headwater_schema IF NOT EXISTS FOR (s:HeadwaterSchema) REQUIRE s.id IS UNIQUE;
CREATE CONSTRAINT entity_urn IF NOT EXISTS FOR (e:Entity) REQUIRE e.urn IS UNIQUE;
CREATE INDEX entity_type IF NOT EXISTS FOR (e:Entity) ON (e.entityType, e.urn);
CREATE CONSTRAINT aspect_version IF NOT EXISTS FOR (a:Aspect) REQUIRE (a.urn, a.name, a.version) IS UNIQUE;
CREATE INDEX aspect_name IF NOT EXISTS FOR (a:Aspect) ON (a.name, a.version);
CREATE CONSTRAINT time_series_key IF NOT EXISTS FOR (t:TimeSeries) REQUIRE (t.urn, t.aspect, t.key) IS UNIQUE;
CREATE INDEX time_series_time IF NOT EXISTS FOR (t:TimeSeries) ON (t.urn, t.aspect, t.timestamp);
CREATE CONSTRAINT change_shard IF NOT EXISTS FOR (s:ChangeShard) REQUIRE s.id IS UNIQUE;
CREATE CONSTRAINT change_position IF NOT EXISTS FOR (c:Change) REQUIRE (c.shard, c.seq) IS UNIQUE;
CREATE CONSTRAINT follower_name IF NOT EXISTS FOR (f:Follower) REQUIRE f.name IS UNIQUE;
UNWIND range(0, 63) AS id MERGE (s:ChangeShard {id: id}) ON CREATE SET s.seq = 0, s.time = 0
