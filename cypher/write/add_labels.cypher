// Puts tags and terms on columns, for people: the statements are edges of the entity that
// the columns belong to, and do not say which column they are about.
// $rows: [{column, label, term, owner, aspect}] sorted by label
UNWIND $rows AS row
MATCH (c:Entity {urn: row.column}) USING INDEX SEEK c:Entity(urn)
MATCH (l:Entity {urn: row.label}) USING INDEX SEEK l:Entity(urn)
FOREACH (tag IN CASE WHEN row.term THEN [] ELSE [l] END | MERGE (c)-[:HAS_TAG {owner: row.owner, aspect: row.aspect}]->(tag))
FOREACH (term IN CASE WHEN row.term THEN [l] ELSE [] END | MERGE (c)-[:HAS_TERM {owner: row.owner, aspect: row.aspect}]->(term))
