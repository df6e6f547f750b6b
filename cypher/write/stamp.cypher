// Marks entities with the transaction that writes them, and its time.
// $rows: [{urn, now}], $token
UNWIND $rows AS row
MATCH (e:Entity {urn: row.urn}) USING INDEX e:Entity(urn)
SET e.writeToken = $token, e.changedOn = row.now
