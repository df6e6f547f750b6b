package object

import "github.com/headwater-io/headwater/model"

// kind is an entity type in both vocabularies.
type kind struct {
	// name is the type's name in the model.
	name       string
	entityType EntityType
	make       func(n *Node) Entity
	// aspects are those behind the fields that not all types share.
	aspects map[string]string
}

// sharedAspects are the aspects behind fields that many types have.
var sharedAspects = map[string]string{
	"ownership": model.AspectOwnership, "tags": model.AspectGlobalTags, "globalTags": model.AspectGlobalTags, "glossaryTerms": model.AspectGlossaryTerms,
	"institutionalMemory": model.AspectInstitutionalMemory, "deprecation": model.AspectDeprecation, "status": model.AspectStatus, "domain": model.AspectDomains,
	"dataPlatformInstance": model.AspectDataPlatformInstance, "subTypes": model.AspectSubTypes, "container": model.AspectContainer,
	"parentContainers": model.AspectContainer, "embed": model.AspectEmbed, "siblings": model.AspectSiblings, "browsePaths": model.AspectBrowsePaths,
	"browsePathV2": model.AspectBrowsePathsV2, "inputFields": model.AspectInputFields, "schemaMetadata": model.AspectSchemaMetadata, "schema": model.AspectSchemaMetadata,
	"editableSchemaMetadata": model.AspectEditableSchemaMetadata, "viewProperties": model.AspectViewProperties, "origin": model.AspectOrigin,
}

// aspectsOf are the aspects that a field of the kind is read from.
func (k *kind) aspectsOf(field string) []string {
	if field == "lastIngested" {
		return k.allAspects()
	}
	if field == "deprecation" && k.name == model.EntityDataset {
		return []string{model.AspectDeprecation, model.AspectDatasetDeprecation}
	}
	if name, ok := k.aspects[field]; ok {
		return []string{name}
	}
	if name, ok := sharedAspects[field]; ok {
		return []string{name}
	}
	return nil
}

// allAspects are the aspects behind any field of the kind.
func (k *kind) allAspects() []string {
	var names []string
	for _, name := range sharedAspects {
		names = append(names, name)
	}
	for _, name := range k.aspects {
		names = append(names, name)
	}
	return names
}

// kinds are the entity types that the schema has.
var kinds = []*kind{
	{model.EntityDataset, EntityTypeDataset, func(n *Node) Entity { return &Dataset{Node: n} }, map[string]string{
		"properties": model.AspectDatasetProperties, "description": model.AspectDatasetProperties, "externalUrl": model.AspectDatasetProperties, "uri": model.AspectDatasetProperties,
		"editableProperties": model.AspectEditableDatasetProperties, "fineGrainedLineages": model.AspectUpstreamLineage, "testResults": model.AspectTestResults,
	}},
	{model.EntityChart, EntityTypeChart, func(n *Node) Entity { return &Chart{Node: n} }, map[string]string{
		"properties": model.AspectChartInfo, "info": model.AspectChartInfo, "editableProperties": model.AspectEditableChartProperties,
		"editableInfo": model.AspectEditableChartProperties, "query": model.AspectChartQuery, "platform": model.AspectDataPlatformInstance,
	}},
	{model.EntityDashboard, EntityTypeDashboard, func(n *Node) Entity { return &Dashboard{Node: n} }, map[string]string{
		"properties": model.AspectDashboardInfo, "info": model.AspectDashboardInfo, "editableProperties": model.AspectEditableDashboardProperties,
		"editableInfo": model.AspectEditableDashboardProperties, "platform": model.AspectDataPlatformInstance,
	}},
	{model.EntityDataFlow, EntityTypeDataFlow, func(n *Node) Entity { return &DataFlow{Node: n} }, map[string]string{
		"properties": model.AspectDataFlowInfo, "info": model.AspectDataFlowInfo, "editableProperties": model.AspectEditableDataFlowProperties, "platform": model.AspectDataPlatformInstance,
	}},
	{model.EntityDataJob, EntityTypeDataJob, func(n *Node) Entity { return &DataJob{Node: n} }, map[string]string{
		"properties": model.AspectDataJobInfo, "info": model.AspectDataJobInfo, "editableProperties": model.AspectEditableDataJobProperties, "inputOutput": model.AspectDataJobInputOutput,
	}},
	{model.EntityContainer, EntityTypeContainer, func(n *Node) Entity { return &Container{Node: n} }, map[string]string{
		"properties": model.AspectContainerProperties, "editableProperties": model.AspectEditableContainerProperties, "platform": model.AspectDataPlatformInstance,
	}},
	{model.EntityCorpuser, EntityTypeCorpUser, func(n *Node) Entity { return &CorpUser{Node: n} }, map[string]string{
		"properties": model.AspectCorpUserInfo, "info": model.AspectCorpUserInfo, "editableProperties": model.AspectCorpUserEditableInfo,
		"editableInfo": model.AspectCorpUserEditableInfo, "status": model.AspectCorpUserStatus, "settings": model.AspectCorpUserSettings, "isNativeUser": model.AspectCorpUserCredentials,
	}},
	{model.EntityCorpGroup, EntityTypeCorpGroup, func(n *Node) Entity { return &CorpGroup{Node: n} }, map[string]string{
		"properties": model.AspectCorpGroupInfo, "info": model.AspectCorpGroupInfo, "editableProperties": model.AspectCorpGroupEditableInfo,
	}},
	{model.EntityTag, EntityTypeTag, func(n *Node) Entity { return &Tag{Node: n} }, map[string]string{
		"properties": model.AspectTagProperties, "name": model.AspectTagProperties, "description": model.AspectTagProperties, "editableProperties": model.AspectTagProperties,
	}},
	{model.EntityGlossaryTerm, EntityTypeGlossaryTerm, func(n *Node) Entity { return &GlossaryTerm{Node: n} }, map[string]string{
		"properties": model.AspectGlossaryTermInfo, "glossaryTermInfo": model.AspectGlossaryTermInfo, "name": model.AspectGlossaryTermInfo, "parentNodes": model.AspectGlossaryTermInfo,
	}},
	{model.EntityGlossaryNode, EntityTypeGlossaryNode, func(n *Node) Entity { return &GlossaryNode{Node: n} }, map[string]string{
		"properties": model.AspectGlossaryNodeInfo, "parentNodes": model.AspectGlossaryNodeInfo,
	}},
	{model.EntityDomain, EntityTypeDomain, func(n *Node) Entity { return &Domain{Node: n} }, map[string]string{"properties": model.AspectDomainProperties}},
	{model.EntityDataProduct, EntityTypeDataProduct, func(n *Node) Entity { return &DataProduct{Node: n} }, map[string]string{
		"properties": model.AspectDataProductProperties,
	}},
	{model.EntityDataPlatform, EntityTypeDataPlatform, func(n *Node) Entity { return &DataPlatform{Node: n} }, map[string]string{
		"properties": model.AspectDataPlatformInfo, "info": model.AspectDataPlatformInfo, "displayName": model.AspectDataPlatformInfo, "name": model.AspectDataPlatformInfo,
	}},
	{model.EntityDataPlatformInstance, EntityTypeDataPlatformInstance, func(n *Node) Entity { return &DataPlatformInstance{Node: n} }, map[string]string{
		"properties": model.AspectDataPlatformInstanceProperties,
	}},
	{model.EntityAssertion, EntityTypeAssertion, func(n *Node) Entity { return &Assertion{Node: n} }, map[string]string{
		"info": model.AspectAssertionInfo, "platform": model.AspectDataPlatformInstance,
	}},
	{model.EntityTest, EntityTypeTest, func(n *Node) Entity { return &Test{Node: n} }, map[string]string{
		"name": model.AspectTestInfo, "category": model.AspectTestInfo, "description": model.AspectTestInfo, "definition": model.AspectTestInfo,
	}},
	{model.EntityDataProcessInstance, EntityTypeDataProcessInstance, func(n *Node) Entity { return &DataProcessInstance{Node: n} }, map[string]string{
		"name": model.AspectDataProcessInstanceProperties, "created": model.AspectDataProcessInstanceProperties, "externalUrl": model.AspectDataProcessInstanceProperties,
	}},
	{model.EntityMlModel, EntityTypeMlmodel, func(n *Node) Entity { return &MLModel{mlAsset{mlNode{n}}} }, map[string]string{
		"properties": model.AspectMlModelProperties, "description": model.AspectMlModelProperties, "editableProperties": model.AspectEditableMlModelProperties,
	}},
	{model.EntityMlModelGroup, EntityTypeMlmodelGroup, func(n *Node) Entity { return &MLModelGroup{mlAsset{mlNode{n}}} }, map[string]string{
		"properties": model.AspectMlModelGroupProperties, "description": model.AspectMlModelGroupProperties, "editableProperties": model.AspectEditableMlModelGroupProperties,
	}},
	{model.EntityMlFeature, EntityTypeMlfeature, func(n *Node) Entity { return &MLFeature{mlColumn{mlNode{n}}} }, map[string]string{
		"properties": model.AspectMlFeatureProperties, "featureProperties": model.AspectMlFeatureProperties, "description": model.AspectMlFeatureProperties, "dataType": model.AspectMlFeatureProperties,
		"editableProperties": model.AspectEditableMlFeatureProperties,
	}},
	{model.EntityMlFeatureTable, EntityTypeMlfeatureTable, func(n *Node) Entity { return &MLFeatureTable{mlAsset{mlNode{n}}} }, map[string]string{
		"properties": model.AspectMlFeatureTableProperties, "featureTableProperties": model.AspectMlFeatureTableProperties, "description": model.AspectMlFeatureTableProperties, "editableProperties": model.AspectEditableMlFeatureTableProperties,
	}},
	{model.EntityMlPrimaryKey, EntityTypeMlprimaryKey, func(n *Node) Entity { return &MLPrimaryKey{mlColumn{mlNode{n}}} }, map[string]string{
		"properties": model.AspectMlPrimaryKeyProperties, "primaryKeyProperties": model.AspectMlPrimaryKeyProperties, "description": model.AspectMlPrimaryKeyProperties, "dataType": model.AspectMlPrimaryKeyProperties,
		"editableProperties": model.AspectEditableMlPrimaryKeyProperties,
	}},
	{model.EntityNotebook, EntityTypeNotebook, func(n *Node) Entity { return &Notebook{Node: n} }, map[string]string{
		"info": model.AspectNotebookInfo, "editableProperties": model.AspectEditableNotebookProperties, "platform": model.AspectDataPlatformInstance,
	}},
	{model.EntitySchemaField, EntityTypeSchemaField, func(n *Node) Entity { return &SchemaFieldEntity{Node: n} }, nil},
	{model.EntityOwnershipType, EntityTypeCustomOwnershipType, func(n *Node) Entity { return &OwnershipTypeEntity{Node: n} }, map[string]string{
		"info": model.AspectOwnershipTypeInfo,
	}},
	{model.EntityDataHubView, EntityTypeDatahubView, func(n *Node) Entity { return &DataHubView{Node: n} }, map[string]string{
		"name": model.AspectDataHubViewInfo, "description": model.AspectDataHubViewInfo, "viewType": model.AspectDataHubViewInfo, "definition": model.AspectDataHubViewInfo,
	}},
	{model.EntityQuery, EntityTypeQuery, func(n *Node) Entity { return &QueryEntity{Node: n} }, map[string]string{
		"properties": model.AspectQueryProperties, "subjects": model.AspectQuerySubjects,
	}},
	{model.EntityPost, EntityTypePost, func(n *Node) Entity { return &Post{Node: n} }, map[string]string{
		"postType": model.AspectPostInfo, "content": model.AspectPostInfo, "lastModified": model.AspectPostInfo,
	}},
	{model.EntityDataHubRole, EntityTypeDatahubRole, func(n *Node) Entity { return &DataHubRole{Node: n} }, map[string]string{
		"name": model.AspectDataHubRoleInfo, "description": model.AspectDataHubRoleInfo,
	}},
	{model.EntityDataHubPolicy, EntityTypeDatahubPolicy, func(n *Node) Entity { return &DataHubPolicy{Node: n} }, map[string]string{
		"name": model.AspectDataHubPolicyInfo, "description": model.AspectDataHubPolicyInfo, "policyType": model.AspectDataHubPolicyInfo, "state": model.AspectDataHubPolicyInfo,
		"resources": model.AspectDataHubPolicyInfo, "privileges": model.AspectDataHubPolicyInfo, "actors": model.AspectDataHubPolicyInfo, "editable": model.AspectDataHubPolicyInfo,
	}},
	{model.EntityDataHubAccessToken, EntityTypeAccessToken, func(n *Node) Entity { return &AccessTokenMetadata{Node: n} }, map[string]string{
		"name": model.AspectDataHubAccessTokenInfo, "description": model.AspectDataHubAccessTokenInfo, "actorUrn": model.AspectDataHubAccessTokenInfo,
		"ownerUrn": model.AspectDataHubAccessTokenInfo, "createdAt": model.AspectDataHubAccessTokenInfo, "expiresAt": model.AspectDataHubAccessTokenInfo,
	}},
}

// otherNames are types that can be named in a request, but have no object in
// the schema, and second spellings.
var otherNames = map[EntityType]string{
	EntityTypeIngestionSource: model.EntityDataHubIngestionSource, EntityTypeExecutionRequest: model.EntityDataHubExecutionRequest,
	EntityTypeMlModel: model.EntityMlModel, EntityTypeMlModelGroup: model.EntityMlModelGroup, EntityTypeMlFeatureTable: model.EntityMlFeatureTable,
	EntityTypeMlFeature: model.EntityMlFeature, EntityTypeMlPrimaryKey: model.EntityMlPrimaryKey,
}

var (
	kindByName = map[string]*kind{}
	kindByType = map[EntityType]*kind{}
)

func init() {
	for _, k := range kinds {
		kindByName[k.name], kindByType[k.entityType] = k, k
	}
}

// NameOf is the model's name of an entity type; "role" for what the model does
// not have.
func NameOf(t EntityType) string {
	if k, ok := kindByType[t]; ok {
		return k.name
	}
	if name, ok := otherNames[t]; ok {
		return name
	}
	return "role"
}

// TypeOf is the entity type of a name of the model; false for those that the
// schema does not have.
func TypeOf(name string) (EntityType, bool) {
	k, ok := kindByName[name]
	if !ok {
		return "", false
	}
	return k.entityType, true
}
