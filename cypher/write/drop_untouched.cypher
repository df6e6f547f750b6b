// Removes placeholders that no edge touches.
// $urns
UNWIND $urns AS urn
MATCH (e:Entity {urn: urn}) USING INDEX e:Entity(urn)
WHERE NOT e.exists AND NOT (e)--()
DELETE e
