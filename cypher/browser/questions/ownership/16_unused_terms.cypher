// Which glossary terms does nobody use?
// Lists terms that are on no entity and no column.
// They are either new, or to be deleted.
MATCH (g:GlossaryTerm)
WHERE g.exists AND NOT g.removed
  AND NOT EXISTS { (g)<-[:TermedWith|SchemaFieldWithGlossaryTerm|EditableSchemaFieldWithGlossaryTerm]-(:Entity) }
OPTIONAL MATCH (g)-[:IsPartOf]->(n:GlossaryNode)
WITH DISTINCT g, n
RETURN g.name AS term, n.name AS folder, g.definition AS definition
ORDER BY folder, term
