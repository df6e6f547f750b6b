// Statements that leave an entity. $$TYPES$$ are relationship names of the model.
// $urn, $limit
MATCH (e:Entity {urn: $urn})-[r:$$TYPES$$]->(o:Entity)
USING INDEX e:Entity(urn)
RETURN type(r) AS type, o.urn AS other, properties(r) AS statement LIMIT $limit
