package object

import "github.com/headwater-io/headwater/catalog"

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
	"ownership": "ownership", "tags": "globalTags", "globalTags": "globalTags", "glossaryTerms": "glossaryTerms",
	"institutionalMemory": "institutionalMemory", "deprecation": "deprecation", "status": "status", "domain": "domains",
	"dataPlatformInstance": "dataPlatformInstance", "subTypes": "subTypes", "container": "container",
	"parentContainers": "container", "embed": "embed", "siblings": "siblings", "browsePaths": "browsePaths",
	"browsePathV2": "browsePathsV2", "inputFields": "inputFields", "schemaMetadata": "schemaMetadata", "schema": "schemaMetadata",
	"editableSchemaMetadata": "editableSchemaMetadata", "viewProperties": "viewProperties", "origin": "origin",
}

// aspectsOf are the aspects that a field of the kind is read from.
func (k *kind) aspectsOf(field string) []string {
	if field == "lastIngested" {
		return k.allAspects()
	}
	if field == "deprecation" && k.name == "dataset" {
		return []string{deprecationAspect, legacyDeprecationAspect}
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
	{"dataset", EntityTypeDataset, func(n *Node) Entity { return &Dataset{Node: n} }, map[string]string{
		"properties": "datasetProperties", "description": "datasetProperties", "externalUrl": "datasetProperties", "uri": "datasetProperties",
		"editableProperties": "editableDatasetProperties", "fineGrainedLineages": "upstreamLineage", "testResults": "testResults",
	}},
	{"chart", EntityTypeChart, func(n *Node) Entity { return &Chart{Node: n} }, map[string]string{
		"properties": "chartInfo", "info": "chartInfo", "editableProperties": "editableChartProperties",
		"editableInfo": "editableChartProperties", "query": "chartQuery", "platform": "dataPlatformInstance",
	}},
	{"dashboard", EntityTypeDashboard, func(n *Node) Entity { return &Dashboard{Node: n} }, map[string]string{
		"properties": "dashboardInfo", "info": "dashboardInfo", "editableProperties": "editableDashboardProperties",
		"editableInfo": "editableDashboardProperties", "platform": "dataPlatformInstance",
	}},
	{"dataFlow", EntityTypeDataFlow, func(n *Node) Entity { return &DataFlow{Node: n} }, map[string]string{
		"properties": "dataFlowInfo", "info": "dataFlowInfo", "editableProperties": "editableDataFlowProperties", "platform": "dataPlatformInstance",
	}},
	{"dataJob", EntityTypeDataJob, func(n *Node) Entity { return &DataJob{Node: n} }, map[string]string{
		"properties": "dataJobInfo", "info": "dataJobInfo", "editableProperties": "editableDataJobProperties", "inputOutput": "dataJobInputOutput",
	}},
	{"container", EntityTypeContainer, func(n *Node) Entity { return &Container{Node: n} }, map[string]string{
		"properties": "containerProperties", "editableProperties": "editableContainerProperties", "platform": "dataPlatformInstance",
	}},
	{"corpuser", EntityTypeCorpUser, func(n *Node) Entity { return &CorpUser{Node: n} }, map[string]string{
		"properties": "corpUserInfo", "info": "corpUserInfo", "editableProperties": "corpUserEditableInfo",
		"editableInfo": "corpUserEditableInfo", "status": "corpUserStatus", "settings": "corpUserSettings", "isNativeUser": "corpUserCredentials",
	}},
	{"corpGroup", EntityTypeCorpGroup, func(n *Node) Entity { return &CorpGroup{Node: n} }, map[string]string{
		"properties": "corpGroupInfo", "info": "corpGroupInfo", "editableProperties": "corpGroupEditableInfo",
	}},
	{"tag", EntityTypeTag, func(n *Node) Entity { return &Tag{Node: n} }, map[string]string{
		"properties": "tagProperties", "name": "tagProperties", "description": "tagProperties", "editableProperties": "tagProperties",
	}},
	{"glossaryTerm", EntityTypeGlossaryTerm, func(n *Node) Entity { return &GlossaryTerm{Node: n} }, map[string]string{
		"properties": "glossaryTermInfo", "glossaryTermInfo": "glossaryTermInfo", "name": "glossaryTermInfo", "parentNodes": "glossaryTermInfo",
	}},
	{"glossaryNode", EntityTypeGlossaryNode, func(n *Node) Entity { return &GlossaryNode{Node: n} }, map[string]string{
		"properties": "glossaryNodeInfo", "parentNodes": "glossaryNodeInfo",
	}},
	{"domain", EntityTypeDomain, func(n *Node) Entity { return &Domain{Node: n} }, map[string]string{"properties": "domainProperties"}},
	{"dataProduct", EntityTypeDataProduct, func(n *Node) Entity { return &DataProduct{Node: n} }, map[string]string{
		"properties": "dataProductProperties",
	}},
	{"dataPlatform", EntityTypeDataPlatform, func(n *Node) Entity { return &DataPlatform{Node: n} }, map[string]string{
		"properties": "dataPlatformInfo", "info": "dataPlatformInfo", "displayName": "dataPlatformInfo", "name": "dataPlatformInfo",
	}},
	{"dataPlatformInstance", EntityTypeDataPlatformInstance, func(n *Node) Entity { return &DataPlatformInstance{Node: n} }, map[string]string{
		"properties": "dataPlatformInstanceProperties",
	}},
	{"assertion", EntityTypeAssertion, func(n *Node) Entity { return &Assertion{Node: n} }, map[string]string{
		"info": "assertionInfo", "platform": "dataPlatformInstance",
	}},
	{"test", EntityTypeTest, func(n *Node) Entity { return &Test{Node: n} }, map[string]string{
		"name": "testInfo", "category": "testInfo", "description": "testInfo", "definition": "testInfo",
	}},
	{"dataProcessInstance", EntityTypeDataProcessInstance, func(n *Node) Entity { return &DataProcessInstance{Node: n} }, map[string]string{
		"name": "dataProcessInstanceProperties", "created": "dataProcessInstanceProperties", "externalUrl": "dataProcessInstanceProperties",
	}},
	{"mlModel", EntityTypeMlmodel, func(n *Node) Entity { return &MLModel{mlAsset{mlNode{n}}} }, map[string]string{
		"properties": "mlModelProperties", "description": "mlModelProperties", "editableProperties": "editableMlModelProperties",
	}},
	{"mlModelGroup", EntityTypeMlmodelGroup, func(n *Node) Entity { return &MLModelGroup{mlAsset{mlNode{n}}} }, map[string]string{
		"properties": "mlModelGroupProperties", "description": "mlModelGroupProperties", "editableProperties": "editableMlModelGroupProperties",
	}},
	{"mlFeature", EntityTypeMlfeature, func(n *Node) Entity { return &MLFeature{mlColumn{mlNode{n}}} }, map[string]string{
		"properties": "mlFeatureProperties", "featureProperties": "mlFeatureProperties", "description": "mlFeatureProperties", "dataType": "mlFeatureProperties",
		"editableProperties": "editableMlFeatureProperties",
	}},
	{"mlFeatureTable", EntityTypeMlfeatureTable, func(n *Node) Entity { return &MLFeatureTable{mlAsset{mlNode{n}}} }, map[string]string{
		"properties": "mlFeatureTableProperties", "featureTableProperties": "mlFeatureTableProperties", "description": "mlFeatureTableProperties", "editableProperties": "editableMlFeatureTableProperties",
	}},
	{"mlPrimaryKey", EntityTypeMlprimaryKey, func(n *Node) Entity { return &MLPrimaryKey{mlColumn{mlNode{n}}} }, map[string]string{
		"properties": "mlPrimaryKeyProperties", "primaryKeyProperties": "mlPrimaryKeyProperties", "description": "mlPrimaryKeyProperties", "dataType": "mlPrimaryKeyProperties",
		"editableProperties": "editableMlPrimaryKeyProperties",
	}},
	{"notebook", EntityTypeNotebook, func(n *Node) Entity { return &Notebook{Node: n} }, map[string]string{
		"info": "notebookInfo", "editableProperties": "editableNotebookProperties", "platform": "dataPlatformInstance",
	}},
	{"schemaField", EntityTypeSchemaField, func(n *Node) Entity { return &SchemaFieldEntity{Node: n} }, nil},
	{"ownershipType", EntityTypeCustomOwnershipType, func(n *Node) Entity { return &OwnershipTypeEntity{Node: n} }, map[string]string{
		"info": "ownershipTypeInfo",
	}},
	{"dataHubView", EntityTypeDatahubView, func(n *Node) Entity { return &DataHubView{Node: n} }, map[string]string{
		"name": catalog.ViewAspect, "description": catalog.ViewAspect, "viewType": catalog.ViewAspect, "definition": catalog.ViewAspect,
	}},
	{"query", EntityTypeQuery, func(n *Node) Entity { return &QueryEntity{Node: n} }, map[string]string{
		"properties": "queryProperties", "subjects": "querySubjects",
	}},
	{"post", EntityTypePost, func(n *Node) Entity { return &Post{Node: n} }, map[string]string{
		"postType": "postInfo", "content": "postInfo", "lastModified": "postInfo",
	}},
	{"dataHubRole", EntityTypeDatahubRole, func(n *Node) Entity { return &DataHubRole{Node: n} }, map[string]string{
		"name": "dataHubRoleInfo", "description": "dataHubRoleInfo",
	}},
	{"dataHubPolicy", EntityTypeDatahubPolicy, func(n *Node) Entity { return &DataHubPolicy{Node: n} }, map[string]string{
		"name": "dataHubPolicyInfo", "description": "dataHubPolicyInfo", "policyType": "dataHubPolicyInfo", "state": "dataHubPolicyInfo",
		"resources": "dataHubPolicyInfo", "privileges": "dataHubPolicyInfo", "actors": "dataHubPolicyInfo", "editable": "dataHubPolicyInfo",
	}},
	{"dataHubAccessToken", EntityTypeAccessToken, func(n *Node) Entity { return &AccessTokenMetadata{Node: n} }, map[string]string{
		"name": "dataHubAccessTokenInfo", "description": "dataHubAccessTokenInfo", "actorUrn": "dataHubAccessTokenInfo",
		"ownerUrn": "dataHubAccessTokenInfo", "createdAt": "dataHubAccessTokenInfo", "expiresAt": "dataHubAccessTokenInfo",
	}},
}

// otherNames are types that can be named in a request, but have no object in
// the schema, and second spellings.
var otherNames = map[EntityType]string{
	EntityTypeIngestionSource: "dataHubIngestionSource", EntityTypeExecutionRequest: "dataHubExecutionRequest",
	EntityTypeMlModel: "mlModel", EntityTypeMlModelGroup: "mlModelGroup", EntityTypeMlFeatureTable: "mlFeatureTable",
	EntityTypeMlFeature: "mlFeature", EntityTypeMlPrimaryKey: "mlPrimaryKey",
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
