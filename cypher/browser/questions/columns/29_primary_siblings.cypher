// Which of two siblings is the primary one?
// Lists pairs of entities that are the same table, such as a dbt model and the table that it makes, the primary one first.
// Where an aspect says so, the relationship from the primary sibling has primary: true.
MATCH (a:Dataset)-[r:SiblingOf {primary: true}]->(b:Dataset)
RETURN DISTINCT a.platformId AS `primary`, b.platformId AS other, a.qualifiedName AS table
ORDER BY table, `primary`, other
LIMIT 100
