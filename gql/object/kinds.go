package object

import (
	"strings"

	"github.com/headwater-io/headwater/model"
)

// kind is an entity type with its names in the model and in the schema.
type kind struct {
	// name is the name of the type in the model.
	name       string
	entityType EntityType
	make       func(n *Node) Entity
	// fields are the fields of this type that not all types have.
	fields fieldTable
	// older are deprecated aspects, which are read in addition to the newer aspects.
	older fieldTable

	aspects, olderAspects map[string]string
}

// fieldTable has, by the name of an aspect, the fields of the schema that are read from the
// aspect, separated by blanks.
type fieldTable map[string]string

// byField returns, for each field, the aspects from which the field is read.
func (f fieldTable) byField() map[string]string {
	aspects := map[string]string{}
	for aspect, fields := range f {
		for _, field := range strings.Fields(fields) {
			aspects[field] = aspect
		}
	}
	return aspects
}

// sharedAspects are the aspects behind fields that many types have.
var sharedAspects = (fieldTable{
	model.AspectOwnership:              "ownership",
	model.AspectGlobalTags:             "tags globalTags",
	model.AspectGlossaryTerms:          "glossaryTerms",
	model.AspectInstitutionalMemory:    "institutionalMemory",
	model.AspectDeprecation:            "deprecation",
	model.AspectStatus:                 "status",
	model.AspectDomains:                "domain",
	model.AspectDataPlatformInstance:   "dataPlatformInstance",
	model.AspectSubTypes:               "subTypes",
	model.AspectContainer:              "container parentContainers",
	model.AspectEmbed:                  "embed",
	model.AspectSiblings:               "siblings",
	model.AspectBrowsePaths:            "browsePaths",
	model.AspectBrowsePathsV2:          "browsePathV2",
	model.AspectInputFields:            "inputFields",
	model.AspectSchemaMetadata:         "schemaMetadata schema",
	model.AspectEditableSchemaMetadata: "editableSchemaMetadata",
	model.AspectViewProperties:         "viewProperties",
	model.AspectOrigin:                 "origin",
	model.AspectStructuredProperties:   "structuredProperties",
	model.AspectDisplayProperties:      "displayProperties",
	model.AspectDocumentation:          "documentation",
	model.AspectApplications:           "applications application",
	model.AspectForms:                  "forms",
}).byField()

// aspectsOf returns the aspects from which a field of the kind is read.
func (k *kind) aspectsOf(field string) []string {
	if field == "lastIngested" {
		return k.allAspects()
	}
	var names []string
	if name, ok := k.aspects[field]; ok {
		names = append(names, name)
	} else if name, ok := sharedAspects[field]; ok {
		names = append(names, name)
	}
	if name, ok := k.olderAspects[field]; ok {
		names = append(names, name)
	}
	return names
}

// allAspects are the aspects behind any field of the kind, without the aspects in older.
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

// kinds are the entity types of the schema.
var kinds = []*kind{
	{name: model.EntityDataset, entityType: EntityTypeDataset, make: func(n *Node) Entity { return &Dataset{Node: n} }, fields: fieldTable{
		model.AspectDatasetProperties:         "properties description externalUrl uri",
		model.AspectEditableDatasetProperties: "editableProperties",
		model.AspectUpstreamLineage:           "fineGrainedLineages",
		model.AspectTestResults:               "testResults",
	}, older: fieldTable{model.AspectDatasetDeprecation: "deprecation"}},
	{name: model.EntityChart, entityType: EntityTypeChart, make: func(n *Node) Entity { return &Chart{Node: n} }, fields: fieldTable{
		model.AspectChartInfo:               "properties info",
		model.AspectEditableChartProperties: "editableProperties editableInfo",
		model.AspectChartQuery:              "query",
		model.AspectDataPlatformInstance:    "platform",
	}},
	{name: model.EntityDashboard, entityType: EntityTypeDashboard, make: func(n *Node) Entity { return &Dashboard{Node: n} }, fields: fieldTable{
		model.AspectDashboardInfo:               "properties info",
		model.AspectEditableDashboardProperties: "editableProperties editableInfo",
		model.AspectDataPlatformInstance:        "platform",
	}},
	{name: model.EntityDataFlow, entityType: EntityTypeDataFlow, make: func(n *Node) Entity { return &DataFlow{Node: n} }, fields: fieldTable{
		model.AspectDataFlowInfo:               "properties info",
		model.AspectEditableDataFlowProperties: "editableProperties",
		model.AspectDataPlatformInstance:       "platform",
	}},
	{name: model.EntityDataJob, entityType: EntityTypeDataJob, make: func(n *Node) Entity { return &DataJob{Node: n} }, fields: fieldTable{
		model.AspectDataJobInfo:               "properties info",
		model.AspectEditableDataJobProperties: "editableProperties",
		model.AspectDataJobInputOutput:        "inputOutput",
	}},
	{name: model.EntityContainer, entityType: EntityTypeContainer, make: func(n *Node) Entity { return &Container{Node: n} }, fields: fieldTable{
		model.AspectContainerProperties:         "properties",
		model.AspectEditableContainerProperties: "editableProperties",
		model.AspectDataPlatformInstance:        "platform",
	}},
	{name: model.EntityCorpuser, entityType: EntityTypeCorpUser, make: func(n *Node) Entity { return &CorpUser{Node: n} }, fields: fieldTable{
		model.AspectCorpUserInfo:         "properties info",
		model.AspectCorpUserEditableInfo: "editableProperties editableInfo",
		model.AspectCorpUserStatus:       "status",
		model.AspectCorpUserSettings:     "settings",
		model.AspectCorpUserCredentials:  "isNativeUser",
	}},
	{name: model.EntityCorpGroup, entityType: EntityTypeCorpGroup, make: func(n *Node) Entity { return &CorpGroup{Node: n} }, fields: fieldTable{
		model.AspectCorpGroupInfo:         "properties info",
		model.AspectCorpGroupEditableInfo: "editableProperties",
	}},
	{name: model.EntityTag, entityType: EntityTypeTag, make: func(n *Node) Entity { return &Tag{Node: n} }, fields: fieldTable{
		model.AspectTagProperties: "properties name description editableProperties",
	}},
	{name: model.EntityGlossaryTerm, entityType: EntityTypeGlossaryTerm, make: func(n *Node) Entity { return &GlossaryTerm{Node: n} }, fields: fieldTable{
		model.AspectGlossaryTermInfo: "properties glossaryTermInfo name parentNodes",
	}},
	{name: model.EntityGlossaryNode, entityType: EntityTypeGlossaryNode, make: func(n *Node) Entity { return &GlossaryNode{Node: n} }, fields: fieldTable{
		model.AspectGlossaryNodeInfo: "properties parentNodes",
	}},
	{name: model.EntityDomain, entityType: EntityTypeDomain, make: func(n *Node) Entity { return &Domain{Node: n} }, fields: fieldTable{
		model.AspectDomainProperties: "properties parentDomains",
	}},
	{name: model.EntityDataProduct, entityType: EntityTypeDataProduct, make: func(n *Node) Entity { return &DataProduct{Node: n} }, fields: fieldTable{
		model.AspectDataProductProperties: "properties",
	}},
	{name: model.EntityApplication, entityType: EntityTypeApplication, make: func(n *Node) Entity { return &Application{Node: n} }, fields: fieldTable{
		model.AspectApplicationProperties: "properties",
	}},
	{name: model.EntityDataPlatform, entityType: EntityTypeDataPlatform, make: func(n *Node) Entity { return &DataPlatform{Node: n} }, fields: fieldTable{
		model.AspectDataPlatformInfo: "properties info displayName name",
	}},
	{name: model.EntityDataPlatformInstance, entityType: EntityTypeDataPlatformInstance, make: func(n *Node) Entity { return &DataPlatformInstance{Node: n} }, fields: fieldTable{
		model.AspectDataPlatformInstanceProperties: "properties",
	}},
	{name: model.EntityAssertion, entityType: EntityTypeAssertion, make: func(n *Node) Entity { return &Assertion{Node: n} }, fields: fieldTable{
		model.AspectAssertionInfo:        "info",
		model.AspectDataPlatformInstance: "platform",
	}},
	{name: model.EntityTest, entityType: EntityTypeTest, make: func(n *Node) Entity { return &Test{Node: n} }, fields: fieldTable{
		model.AspectTestInfo: "name category description definition",
	}},
	{name: model.EntityDataProcessInstance, entityType: EntityTypeDataProcessInstance, make: func(n *Node) Entity { return &DataProcessInstance{Node: n} }, fields: fieldTable{
		model.AspectDataProcessInstanceProperties:    "properties name created externalUrl",
		model.AspectDataProcessInstanceRelationships: "parentTemplate",
		model.AspectMlTrainingRunProperties:          "mlTrainingRunProperties",
		model.AspectDataPlatformInstance:             "platform",
	}},
	{name: model.EntityMlModel, entityType: EntityTypeMlmodel, make: func(n *Node) Entity { return &MLModel{mlAsset{mlNode{n}}} }, fields: fieldTable{
		model.AspectMlModelProperties:         "properties description",
		model.AspectEditableMlModelProperties: "editableProperties",
	}},
	{name: model.EntityMlModelGroup, entityType: EntityTypeMlmodelGroup, make: func(n *Node) Entity { return &MLModelGroup{mlAsset{mlNode{n}}} }, fields: fieldTable{
		model.AspectMlModelGroupProperties:         "properties description",
		model.AspectEditableMlModelGroupProperties: "editableProperties",
	}},
	{name: model.EntityMlFeature, entityType: EntityTypeMlfeature, make: func(n *Node) Entity { return &MLFeature{mlColumn{mlNode{n}}} }, fields: fieldTable{
		model.AspectMlFeatureProperties:         "properties featureProperties description dataType",
		model.AspectEditableMlFeatureProperties: "editableProperties",
	}},
	{name: model.EntityMlFeatureTable, entityType: EntityTypeMlfeatureTable, make: func(n *Node) Entity { return &MLFeatureTable{mlAsset{mlNode{n}}} }, fields: fieldTable{
		model.AspectMlFeatureTableProperties:         "properties featureTableProperties description",
		model.AspectEditableMlFeatureTableProperties: "editableProperties",
	}},
	{name: model.EntityMlPrimaryKey, entityType: EntityTypeMlprimaryKey, make: func(n *Node) Entity { return &MLPrimaryKey{mlColumn{mlNode{n}}} }, fields: fieldTable{
		model.AspectMlPrimaryKeyProperties:         "properties primaryKeyProperties description dataType",
		model.AspectEditableMlPrimaryKeyProperties: "editableProperties",
	}},
	{name: model.EntityNotebook, entityType: EntityTypeNotebook, make: func(n *Node) Entity { return &Notebook{Node: n} }, fields: fieldTable{
		model.AspectNotebookInfo:               "info",
		model.AspectEditableNotebookProperties: "editableProperties",
		model.AspectDataPlatformInstance:       "platform",
	}},
	{name: model.EntitySchemaField, entityType: EntityTypeSchemaField, make: func(n *Node) Entity { return &SchemaFieldEntity{Node: n} }, fields: fieldTable{
		model.AspectBusinessAttributes: "businessAttributes",
	}},
	{name: model.EntityOwnershipType, entityType: EntityTypeCustomOwnershipType, make: func(n *Node) Entity { return &OwnershipTypeEntity{Node: n} }, fields: fieldTable{
		model.AspectOwnershipTypeInfo: "info",
	}},
	{name: model.EntityDataHubView, entityType: EntityTypeDatahubView, make: func(n *Node) Entity { return &DataHubView{Node: n} }, fields: fieldTable{
		model.AspectDataHubViewInfo: "name description viewType definition",
	}},
	{name: model.EntityQuery, entityType: EntityTypeQuery, make: func(n *Node) Entity { return &QueryEntity{Node: n} }, fields: fieldTable{
		model.AspectQueryProperties:      "properties",
		model.AspectQuerySubjects:        "subjects",
		model.AspectDataPlatformInstance: "platform",
	}},
	{name: model.EntityStructuredProperty, entityType: EntityTypeStructuredProperty, make: func(n *Node) Entity { return &StructuredPropertyEntity{Node: n} }, fields: fieldTable{
		model.AspectPropertyDefinition:         "definition",
		model.AspectStructuredPropertySettings: "settings",
	}},
	{name: model.EntityDataType, entityType: EntityTypeDataType, make: func(n *Node) Entity { return &DataTypeEntity{Node: n} }, fields: fieldTable{
		model.AspectDataTypeInfo: "info",
	}},
	{name: model.EntityEntityType, entityType: EntityTypeEntityType, make: func(n *Node) Entity { return &EntityTypeEntity{Node: n} }, fields: fieldTable{
		model.AspectEntityTypeInfo: "info",
	}},
	{name: model.EntityBusinessAttribute, entityType: EntityTypeBusinessAttribute, make: func(n *Node) Entity { return &BusinessAttribute{Node: n} }, fields: fieldTable{
		model.AspectBusinessAttributeInfo: "properties",
	}},
	{name: model.EntityDataContract, entityType: EntityTypeDataContract, make: func(n *Node) Entity { return &DataContract{Node: n} }, fields: fieldTable{
		model.AspectDataContractProperties: "properties",
		model.AspectDataContractStatus:     "status",
	}},
	{name: model.EntityForm, entityType: EntityTypeForm, make: func(n *Node) Entity { return &Form{Node: n} }, fields: fieldTable{
		model.AspectFormInfo: "info",
	}},
	{name: model.EntityIncident, entityType: EntityTypeIncident, make: func(n *Node) Entity { return &Incident{Node: n} }, fields: fieldTable{
		model.AspectIncidentInfo: "incidentType customType title description status incidentStatus priority source entity assignees startedAt created",
	}},
	{name: model.EntityDocument, entityType: EntityTypeDocument, make: func(n *Node) Entity { return &Document{Node: n} }, fields: fieldTable{
		model.AspectDocumentInfo:         "info",
		model.AspectDocumentSettings:     "settings",
		model.AspectSubTypes:             "subType",
		model.AspectDataPlatformInstance: "platform",
	}},
	{name: model.EntityDataHubPageTemplate, entityType: EntityTypeDatahubPageTemplate, make: func(n *Node) Entity { return &DataHubPageTemplate{Node: n} }},
	{name: model.EntityPost, entityType: EntityTypePost, make: func(n *Node) Entity { return &Post{Node: n} }, fields: fieldTable{
		model.AspectPostInfo: "postType content lastModified",
	}},
	{name: model.EntityDataHubRole, entityType: EntityTypeDatahubRole, make: func(n *Node) Entity { return &DataHubRole{Node: n} }, fields: fieldTable{
		model.AspectDataHubRoleInfo: "name description",
	}},
	{name: model.EntityDataHubPolicy, entityType: EntityTypeDatahubPolicy, make: func(n *Node) Entity { return &DataHubPolicy{Node: n} }, fields: fieldTable{
		model.AspectDataHubPolicyInfo:   "name description policyType state resources privileges actors editable",
		model.AspectHeadwaterPolicyRule: "state effect endsAt",
	}},
	{name: model.EntityDataHubConnection, entityType: EntityTypeDatahubConnection, make: func(n *Node) Entity { return &DataHubConnection{Node: n} }, fields: fieldTable{
		model.AspectDataHubConnectionDetails: "details",
		model.AspectDataPlatformInstance:     "platform",
	}},
	{name: model.EntityDataHubExecutionRequest, entityType: EntityTypeExecutionRequest, make: func(n *Node) Entity { return &ExecutionRequest{Node: n} }, fields: fieldTable{
		model.AspectDataHubExecutionRequestInput:  "input",
		model.AspectDataHubExecutionRequestResult: "result",
	}},
	{name: model.EntityPlatformResource, entityType: EntityTypePlatformResource, make: func(n *Node) Entity { return &DataHubPlatformResource{Node: n} }, fields: fieldTable{
		model.AspectPlatformResourceInfo: "info",
		model.AspectDataPlatformInstance: "platform",
	}},
	{name: model.EntityVersionSet, entityType: EntityTypeVersionSet, make: func(n *Node) Entity { return &VersionSet{Node: n} }, fields: fieldTable{
		model.AspectVersionSetProperties: "latestVersion",
	}},
	{name: model.EntityDataHubAccessToken, entityType: EntityTypeAccessToken, make: func(n *Node) Entity { return &AccessTokenMetadata{Node: n} }, fields: fieldTable{
		model.AspectDataHubAccessTokenInfo: "name description actorUrn ownerUrn createdAt expiresAt",
	}},
}

// secondNames are types that have a second spelling in requests, by that spelling.
var secondNames = map[EntityType]string{
	EntityTypeMlModel: model.EntityMlModel, EntityTypeMlModelGroup: model.EntityMlModelGroup, EntityTypeMlFeatureTable: model.EntityMlFeatureTable,
	EntityTypeMlFeature: model.EntityMlFeature, EntityTypeMlPrimaryKey: model.EntityMlPrimaryKey,
}

var (
	kindByName = map[string]*kind{}
	kindByType = map[EntityType]*kind{}
)

func init() {
	for _, k := range kinds {
		k.aspects, k.olderAspects = k.fields.byField(), k.older.byField()
		kindByName[k.name], kindByType[k.entityType] = k, k
	}
	addOthers()
}

// NameOf returns the name of an entity type in the model. OTHER stands for several types and is
// returned unchanged.
func NameOf(t EntityType) string {
	if k, ok := kindByType[t]; ok {
		return k.name
	}
	if name, ok := secondNames[t]; ok {
		return name
	}
	return string(t)
}

// TypeOf returns the entity type for a name of the model. It returns false for a type that the
// schema does not have.
func TypeOf(name string) (EntityType, bool) {
	k, ok := kindByName[name]
	if !ok {
		return "", false
	}
	return k.entityType, true
}
