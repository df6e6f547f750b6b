// Locks entities in the order given, makes the ones that are missing, says
// which of them are new, and moves their clocks on, or back to $now from beyond
// $horizon. Taking a property off a
// node locks it until the transaction ends, whether it was there or not; the
// clock is read after that.
// $urns: sorted, $now, $horizon, $token
UNWIND $urns AS urn
MERGE (e:Entity {urn: urn})
REMOVE e.locked
SET e.changedOn = CASE WHEN $now < coalesce(e.changedOn, 0) <= $horizon THEN e.changedOn ELSE $now END, e.writeToken = $token
RETURN urn, e.entityType IS NULL AS fresh, e.changedOn AS changedOn
