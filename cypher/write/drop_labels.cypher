// Takes tags and terms off columns. Both ends are found before the relationship, so that the plan
// does not expand a hub at either end, whatever counts the database has when it plans. $rows:
// [{column, label, owner, aspect}]
UNWIND $rows AS row
MATCH (c:Entity {urn: row.column}) USING INDEX SEEK c:Entity(urn)
MATCH (l:Entity {urn: row.label}) USING INDEX SEEK l:Entity(urn)
WITH row, c, l
MATCH (c)-[r:HAS_TAG|HAS_TERM]->(l)
WHERE r.owner = row.owner AND r.aspect = row.aspect
DELETE r
