// Locks entities in the order given, makes the ones that are missing, says
// which of them are new, and moves their clocks on, or back to $now from beyond
// $horizon. Taking a property off a
// node locks it until the transaction ends, whether it was there or not; the
// clock is read after that.
// $urns: sorted, $now, $horizon, $token
UNWIND $urns AS urn
MERGE (e:Entity {urn: urn})
REMOVE e._locked
SET e._changedOn = CASE WHEN $now < coalesce(e._changedOn, 0) <= $horizon THEN e._changedOn ELSE $now END, e._writeToken = $token
RETURN urn, e.entityType IS NULL AS fresh, e._changedOn AS changedOn
