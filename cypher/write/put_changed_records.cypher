// Writes records of the server if all of them still have their revisions; the revision '' requires that
// there was no record. Each is locked before it is compared. A repetition finds the revisions that it wrote itself.
// Without a row in the answer, the transaction must be undone.
// $rows: [{name, value, revision, next}], $count: the number of rows
UNWIND $rows AS row
MERGE (r:ServerRecord {name: row.name})
ON CREATE SET r.revision = ''
SET r._locked = row.next
WITH r, row, properties(r) AS before
WHERE before.revision IN [row.revision, row.next]
SET r.value = row.value, r.revision = row.next
REMOVE r._locked
WITH count(r) AS written
WHERE written = $count
RETURN written
