// Adds FED_BY beside the relationships that lead downstream, in a database that was written before
// FED_BY existed.
MATCH (s:DataJob)-[r:Produces]->(d:Dataset)
WHERE NOT EXISTS { (d)-[m:FED_BY]->(s) WHERE m.owner = r.owner AND m.aspect = r.aspect AND m.path = r.path AND m.mirrors = type(r) }
CREATE (d)-[:FED_BY {owner: r.owner, aspect: r.aspect, path: r.path, mirrors: type(r)}]->(s);
MATCH (s:MlModel)-[r:UsedBy]->(d:DataJob)
WHERE NOT EXISTS { (d)-[m:FED_BY]->(s) WHERE m.owner = r.owner AND m.aspect = r.aspect AND m.path = r.path AND m.mirrors = type(r) }
CREATE (d)-[:FED_BY {owner: r.owner, aspect: r.aspect, path: r.path, mirrors: type(r)}]->(s);
MATCH (s:MlModel)-[r:MemberOf]->(d:MlModelGroup)
WHERE NOT EXISTS { (d)-[m:FED_BY]->(s) WHERE m.owner = r.owner AND m.aspect = r.aspect AND m.path = r.path AND m.mirrors = type(r) }
CREATE (d)-[:FED_BY {owner: r.owner, aspect: r.aspect, path: r.path, mirrors: type(r)}]->(s)
