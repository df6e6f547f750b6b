// Versions of aspects by their inside numbers, whichever of them is the latest.
// $keys: [{urn, name, seqs}]
UNWIND $keys AS key
MATCH (a:Aspect {urn: key.urn, name: key.name})
USING INDEX SEEK a:Aspect(urn, name, version)
WHERE a.version >= 0 AND a.seq IN key.seqs
RETURN properties(a) AS aspect
