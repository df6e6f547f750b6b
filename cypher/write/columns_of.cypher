// The columns that belong to entities.
// $urns
UNWIND $urns AS urn
MATCH (e:Entity {urn: urn})<-[:COLUMN_OF]-(c:Entity)
USING INDEX SEEK e:Entity(urn)
RETURN c.urn AS urn
