// The types of the model whose entities can have an edited aspect. A test compares them with the model.

const types: Record<string, string> = {
  ownership:
    'agentSkill aiAgent api application assertion businessAttribute chart container corpGroup dashboard dataFlow dataHubIngestionSource dataJob dataPlatformInstance dataProcess dataProduct dataset document domain erModelRelationship form glossaryNode glossaryTerm metric mlFeature mlFeatureTable mlModel mlModelDeployment mlModelGroup mlPrimaryKey notebook repository schemaField semanticModel service tag',
  globalTags:
    'agentSkill aiAgent api application assertion chart container corpGroup corpuser dashboard dataFlow dataJob dataPlatformInstance dataProduct dataset document erModelRelationship glossaryNode glossaryTerm incident metric mlFeature mlFeatureTable mlModel mlModelDeployment mlModelGroup mlPrimaryKey notebook repository schemaField semanticModel service',
  glossaryTerms:
    'agentSkill aiAgent api application chart container dashboard dataFlow dataJob dataProduct dataset document erModelRelationship metric mlFeature mlFeatureTable mlModel mlModelGroup mlPrimaryKey notebook repository schemaField semanticModel',
  domains:
    'agentSkill aiAgent api application chart container dashboard dataFlow dataJob dataProduct dataset document glossaryNode glossaryTerm metric mlFeature mlFeatureTable mlModel mlModelGroup mlPrimaryKey notebook repository schemaField semanticModel',
  deprecation:
    'chart container dashboard dataFlow dataJob dataPlatformInstance dataProduct dataset domain glossaryTerm metric mlFeature mlFeatureTable mlModel mlModelDeployment mlModelGroup mlPrimaryKey schemaField semanticModel tag',
  institutionalMemory:
    'agentSkill aiAgent api application businessAttribute chart container dashboard dataFlow dataJob dataPlatformInstance dataProduct dataType dataset document domain entityType erModelRelationship glossaryNode glossaryTerm metric mlFeature mlFeatureTable mlModel mlModelGroup mlPrimaryKey notebook repository semanticModel structuredProperty',
  status:
    'agentSkill aiAgent api application assertion businessAttribute chart container corpGroup corpuser dashboard dataContract dataFlow dataHubFile dataJob dataPlatformInstance dataProcess dataProcessInstance dataProduct dataType dataset document entityType erModelRelationship glossaryNode glossaryTerm lifecycleStageType metric mlFeature mlFeatureTable mlModel mlModelDeployment mlModelGroup mlPrimaryKey notebook ownershipType platformResource query repository schemaField semanticModel service structuredProperty tag',
  dataProducts:
    'chart container dashboard dataFlow dataJob dataset document mlFeature mlFeatureTable mlModel mlModelGroup mlPrimaryKey notebook',
}

const sets = new Map(Object.entries(types).map(([aspect, names]) => [aspect, new Set(names.split(' '))]))

export const editedAspects: readonly string[] = [...sets.keys()]

/** Whether entities of a type can have an aspect. For types of custom models, the stored aspects decide. */
export function hasAspect(type: string, aspect: string): boolean {
  return sets.get(aspect)?.has(type) ?? false
}
