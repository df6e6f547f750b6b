// What has a custom property?
// Lists what has a custom property with a value, with the subtypes, and how many of each there are.
// Structured properties are in structuredProperties in the same form, name=value.
WITH 'retention=3 years' AS property
MATCH (e:Entity)
WHERE property IN e.customProperties AND e.exists AND NOT e.removed
WITH e ORDER BY e.qualifiedName, e.name
RETURN e.entityType AS type, e.subtypes AS subtypes, e.platformId AS platform, count(e) AS number, collect(coalesce(e.qualifiedName, e.name))[..5] AS examples
ORDER BY type, subtypes, platform
