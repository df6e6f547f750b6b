package gql_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/model"
)

// defaultProbe writes an aspect without its members that have defaults, and reads those
// members.
type defaultProbe struct {
	urn, aspect, value string
	// query selects fields of the entity. want is the answer.
	query, want string
	// members are the paths in the model of the members that the answer shows.
	members []string
}

const (
	unknownStamp = `{"time":0,"actor":"urn:li:corpuser:unknown"}`
	actorStamp   = `{"time":1,"actor":"urn:li:corpuser:a"}`
	wholeTable   = `{"type":"FULL_TABLE","partition":"FULL_TABLE_SNAPSHOT"}`
	avatar       = `"assets/platforms/default_avatar.png"`
)

var defaultProbes = []defaultProbe{
	{orders, "ownership", `{"owners":[]}`, `... on Dataset { ownership { lastModified { time actor } } }`, `{"ownership":{"lastModified":` + unknownStamp + `}}`, []string{"lastModified"}},
	{orders, "status", `{}`, `... on Dataset { status { removed } }`, `{"status":{"removed":false}}`, []string{"removed"}},
	{orders, "datasetProperties", `{}`, `... on Dataset { properties { customProperties { key } } }`, `{"properties":{"customProperties":[]}}`, []string{"customProperties"}},
	{
		orders, "schemaMetadata", `{"schemaName":"s","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[{"fieldPath":"id","nativeDataType":"int","type":{"type":{"com.linkedin.schema.NumberType":{}}}}]}`,
		`... on Dataset { schemaMetadata { fields { nullable recursive isPartOfKey } } schema { fields { isPartOfKey } } }`, `{"schemaMetadata":{"fields":[{"nullable":false,"recursive":false,"isPartOfKey":false}]},"schema":{"fields":[{"isPartOfKey":false}]}}`,
		[]string{"fields.nullable", "fields.recursive", "fields.isPartOfKey"},
	},
	{
		orders, "datasetProfile", `{"timestampMillis":1}`,
		`... on Dataset { datasetProfiles(limit: 1) { partitionSpec { type partition } } all: datasetProfiles { partitionSpec { type partition } } }`,
		`{"datasetProfiles":[{"partitionSpec":` + wholeTable + `}],"all":[{"partitionSpec":` + wholeTable + `}]}`,
		[]string{"partitionSpec"},
	},
	{
		orders, "datasetProfile", `{"timestampMillis":2,"partitionSpec":{"partition":"p","timePartition":{"startTimeMillis":1,"length":{"unit":"HOUR"}}}}`,
		`... on Dataset { datasetProfiles(limit: 1) { partitionSpec { type timePartition { durationMillis } } } }`, `{"datasetProfiles":[{"partitionSpec":{"type":"PARTITION","timePartition":{"durationMillis":3600000}}}]}`,
		[]string{"partitionSpec.type", "partitionSpec.timePartition.length.multiple"},
	},
	{
		orders, "operation", `{"timestampMillis":1,"operationType":"INSERT","lastUpdatedTimestamp":1}`, `... on Dataset { operations { partition } }`,
		`{"operations":[{"partition":"FULL_TABLE_SNAPSHOT"}]}`,
		[]string{"partitionSpec"},
	},
	{
		"urn:li:assertion:a", "assertionRunEvent", `{"timestampMillis":1,"runId":"r","assertionUrn":"urn:li:assertion:a","asserteeUrn":"` + orders + `","status":"COMPLETE","batchSpec":{}}`,
		`... on Assertion { runEvents { runEvents { partitionSpec { type partition } batchSpec { customProperties { key } } } } }`,
		`{"runEvents":{"runEvents":[{"partitionSpec":` + wholeTable + `,"batchSpec":{"customProperties":[]}}]}}`,
		[]string{"partitionSpec", "batchSpec.customProperties"},
	},
	{
		"urn:li:assertion:a", "assertionRunEvent", `{"timestampMillis":2,"runId":"r","assertionUrn":"urn:li:assertion:a","asserteeUrn":"` + orders + `","status":"COMPLETE","partitionSpec":{"partition":"p","timePartition":{"startTimeMillis":1,"length":{"unit":"HOUR"}}}}`,
		`... on Assertion { runEvents(limit: 1) { runEvents { partitionSpec { type timePartition { durationMillis } } } } }`, `{"runEvents":{"runEvents":[{"partitionSpec":{"type":"PARTITION","timePartition":{"durationMillis":3600000}}}]}}`,
		[]string{"partitionSpec.type", "partitionSpec.timePartition.length.multiple"},
	},
	{
		"urn:li:chart:(looker,1)", "chartInfo", `{"title":"c","description":"d","lastModified":{}}`,
		`... on Chart { properties { created { time actor } lastModified { time actor } customProperties { key } } }`, `{"properties":{"created":` + unknownStamp + `,"lastModified":` + unknownStamp + `,"customProperties":[]}}`,
		[]string{"lastModified.created", "lastModified.lastModified", "customProperties"},
	},
	{
		orders, "institutionalMemory", `{"elements":[{"url":"https://example.com","description":"d","createStamp":` + actorStamp + `,"settings":{}}]}`,
		`... on Dataset { institutionalMemory { elements { settings { showInAssetPreview } } } }`, `{"institutionalMemory":{"elements":[{"settings":{"showInAssetPreview":false}}]}}`,
		[]string{"elements.settings.showInAssetPreview"},
	},
	{
		"urn:li:chart:(looker,1)", "inputFields", `{"fields":[{"schemaFieldUrn":"urn:li:schemaField:(` + orders + `,id)","schemaField":{"fieldPath":"id","nativeDataType":"int","type":{"type":{"com.linkedin.schema.NumberType":{}}}}}]}`,
		`... on Chart { inputFields { fields { schemaField { nullable recursive isPartOfKey schemaFieldEntity { fieldPath } } } } }`, `{"inputFields":{"fields":[{"schemaField":{"nullable":false,"recursive":false,"isPartOfKey":false,"schemaFieldEntity":{"fieldPath":"id"}}}]}}`,
		[]string{"fields.schemaField.nullable", "fields.schemaField.recursive", "fields.schemaField.isPartOfKey"},
	},
	{
		"urn:li:dashboard:(looker,1)", "dashboardInfo", `{"title":"c","description":"d","lastModified":{}}`,
		`... on Dashboard { info { charts { urn } created { time actor } lastModified { time actor } customProperties { key } } }`, `{"info":{"charts":[],"created":` + unknownStamp + `,"lastModified":` + unknownStamp + `,"customProperties":[]}}`,
		[]string{"charts", "lastModified.created", "lastModified.lastModified", "customProperties"},
	},
	{
		"urn:li:corpuser:a", "corpUserEditableInfo", `{}`,
		`... on CorpUser { editableProperties { teams skills pictureLink } editableInfo { teams skills pictureLink } }`,
		`{"editableProperties":{"teams":[],"skills":[],"pictureLink":` + avatar + `},"editableInfo":{"teams":[],"skills":[],"pictureLink":` + avatar + `}}`,
		[]string{"teams", "skills", "pictureLink"},
	},
	{"urn:li:corpuser:a", "corpUserInfo", `{"active":true}`, `... on CorpUser { properties { customProperties { key } } }`, `{"properties":{"customProperties":[]}}`, []string{"customProperties"}},
	{
		"urn:li:mlModel:(urn:li:dataPlatform:mlflow,m,PROD)", "mlModelProperties", `{}`, `... on MLModel { properties { tags customProperties { key } } }`, `{"properties":{"tags":[],"customProperties":[]}}`,
		[]string{"tags", "customProperties"},
	},
	{"urn:li:mlModelGroup:(urn:li:dataPlatform:mlflow,m,PROD)", "mlModelGroupProperties", `{}`, `... on MLModelGroup { properties { customProperties { key } } }`, `{"properties":{"customProperties":[]}}`, []string{"customProperties"}},
	{"urn:li:mlFeatureTable:(urn:li:dataPlatform:feast,m)", "mlFeatureTableProperties", `{}`, `... on MLFeatureTable { properties { customProperties { key } } featureTableProperties { customProperties { key } } }`, `{"properties":{"customProperties":[]},"featureTableProperties":{"customProperties":[]}}`, []string{"customProperties"}},
	{"urn:li:container:a", "containerProperties", `{"name":"c"}`, `... on Container { properties { customProperties { key } } }`, `{"properties":{"customProperties":[]}}`, []string{"customProperties"}},
	{"urn:li:dataFlow:(airflow,a,PROD)", "dataFlowInfo", `{"name":"c"}`, `... on DataFlow { properties { customProperties { key } } }`, `{"properties":{"customProperties":[]}}`, []string{"customProperties"}},
	{"urn:li:dataJob:(urn:li:dataFlow:(airflow,a,PROD),b)", "dataJobInfo", `{"name":"c","type":{"string":"SQL"}}`, `... on DataJob { properties { customProperties { key } } }`, `{"properties":{"customProperties":[]}}`, []string{"customProperties"}},
	{"urn:li:dataPlatformInstance:(urn:li:dataPlatform:hive,a)", "dataPlatformInstanceProperties", `{}`, `... on DataPlatformInstance { properties { customProperties { key } } }`, `{"properties":{"customProperties":[]}}`, []string{"customProperties"}},
	{"urn:li:dataProduct:a", "dataProductProperties", `{}`, `... on DataProduct { properties { customProperties { key } } }`, `{"properties":{"customProperties":[]}}`, []string{"customProperties"}},
	{"urn:li:glossaryTerm:a", "glossaryTermInfo", `{"definition":"","termSource":"INTERNAL"}`, `... on GlossaryTerm { properties { customProperties { key } } }`, `{"properties":{"customProperties":[]}}`, []string{"customProperties"}},
	{"urn:li:notebook:(querybook,a)", "notebookInfo", `{"title":"n","changeAuditStamps":{}}`, `... on Notebook { info { customProperties { key } } }`, `{"info":{"customProperties":[]}}`, []string{"customProperties"}},
	{"urn:li:query:a", "queryProperties", `{"statement":{"value":"x"},"source":"MANUAL","created":` + actorStamp + `,"lastModified":` + actorStamp + `}`, `... on QueryEntity { properties { statement { language } } }`, `{"properties":{"statement":{"language":"SQL"}}}`, []string{"statement.language"}},
	{"urn:li:query:a", "queryProperties", `{"statement":{"value":"x"},"source":"MANUAL","created":` + actorStamp + `,"lastModified":` + actorStamp + `}`, `... on QueryEntity { properties { customProperties { key } } }`, `{"properties":{"customProperties":[]}}`, []string{"customProperties"}},
	{"urn:li:glossaryNode:a", "glossaryNodeInfo", `{"definition":""}`, `... on GlossaryNode { properties { customProperties { key } } }`, `{"properties":{"customProperties":[]}}`, []string{"customProperties"}},
	{
		"urn:li:structuredProperty:a", "propertyDefinition", `{"qualifiedName":"a","valueType":"urn:li:dataType:datahub.string","entityTypes":[]}`,
		`... on StructuredPropertyEntity { definition { cardinality immutable } }`, `{"definition":{"cardinality":"SINGLE","immutable":false}}`,
		[]string{"cardinality", "immutable"},
	},
	{
		"urn:li:structuredProperty:a", "structuredPropertySettings", `{}`,
		`... on StructuredPropertyEntity { settings { isHidden showInSearchFilters showInAssetSummary showAsAssetBadge showInColumnsTable } }`,
		`{"settings":{"isHidden":false,"showInSearchFilters":false,"showInAssetSummary":false,"showAsAssetBadge":false,"showInColumnsTable":false}}`,
		[]string{"isHidden", "showInSearchFilters", "showInAssetSummary", "showAsAssetBadge", "showInColumnsTable"},
	},
	{
		"urn:li:businessAttribute:a", "businessAttributeInfo", `{"fieldPath":"a","name":"a"}`, `... on BusinessAttribute { properties { customProperties { key } created { time actor } lastModified { time actor } } }`,
		`{"properties":{"customProperties":[],"created":` + unknownStamp + `,"lastModified":` + unknownStamp + `}}`,
		[]string{"customProperties", "created", "lastModified"},
	},
	{
		"urn:li:document:a", "documentInfo", `{"status":{"state":"PUBLISHED"},"contents":{"text":""},"created":` + actorStamp + `,"lastModified":` + actorStamp + `}`,
		`... on Document { info { customProperties { key } } }`, `{"info":{"customProperties":[]}}`,
		[]string{"customProperties"},
	},
	{"urn:li:document:a", "documentSettings", `{}`, `... on Document { settings { showInGlobalContext } }`, `{"settings":{"showInGlobalContext":true}}`, []string{"showInGlobalContext"}},
	{"urn:li:document:a", "documentSettings", `{"showInGlobalContext":false}`, `... on Document { settings { showInGlobalContext } }`, `{"settings":{"showInGlobalContext":false}}`, []string{"showInGlobalContext"}},
	{
		"urn:li:schemaField:(" + orders + ",id)", "documentation", `{"documentations":[{"documentation":"d","attribution":` + actorStamp + `}]}`,
		`... on SchemaFieldEntity { documentation { documentations { attribution { sourceDetail { key } } } } }`, `{"documentation":{"documentations":[{"attribution":{"sourceDetail":[]}}]}}`,
		[]string{"documentations.attribution.sourceDetail"},
	},
	{
		"urn:li:assertion:a", "assertionInfo", `{"type":"FIELD","fieldAssertion":{"type":"FIELD_VALUES","entity":"` + orders + `","fieldValuesAssertion":{"field":{"path":"id","type":"NUMBER","nativeType":"int"},"operator":"NOT_NULL","failThreshold":{}}}}`,
		`... on Assertion { info { fieldAssertion { fieldValuesAssertion { excludeNulls failThreshold { type value } } } } }`,
		`{"info":{"fieldAssertion":{"fieldValuesAssertion":{"excludeNulls":true,"failThreshold":{"type":"COUNT","value":0}}}}}`,
		[]string{"fieldAssertion.fieldValuesAssertion.excludeNulls", "fieldAssertion.fieldValuesAssertion.failThreshold.type", "fieldAssertion.fieldValuesAssertion.failThreshold.value"},
	},
	{
		"urn:li:dataHubView:a", "dataHubViewInfo", `{"name":"v","type":"GLOBAL","definition":{"entityTypes":[],"filter":{"or":[{"and":[{"field":"name","value":""}]}]}},"created":` + actorStamp + `,"lastModified":` + actorStamp + `}`,
		`... on DataHubView { definition { filter { filters { condition negated values } } } }`, `{"definition":{"filter":{"filters":[{"condition":"EQUAL","negated":false,"values":[]}]}}}`,
		[]string{"definition.filter.or.and.condition", "definition.filter.or.and.negated", "definition.filter.or.and.values"},
	},
	{
		"urn:li:dataHubView:b", "dataHubViewInfo", `{"name":"v","type":"GLOBAL","definition":{"entityTypes":[],"filter":{"criteria":[{"field":"name","value":""}]}},"created":` + actorStamp + `,"lastModified":` + actorStamp + `}`,
		`... on DataHubView { definition { filter { filters { condition negated values } } } }`, `{"definition":{"filter":{"filters":[{"condition":"EQUAL","negated":false,"values":[]}]}}}`,
		[]string{"definition.filter.criteria.condition", "definition.filter.criteria.negated", "definition.filter.criteria.values"},
	},
	{
		"urn:li:dataHubPolicy:a", "dataHubPolicyInfo", `{"displayName":"p","description":"d","type":"METADATA","state":"ACTIVE","privileges":[],"actors":{},"resources":{"filter":{"criteria":[{"field":"f","values":[]}]}}}`,
		`... on DataHubPolicy { editable actors { allUsers allGroups resourceOwners } resources { allResources filter { criteria { condition } } } }`,
		`{"editable":true,"actors":{"allUsers":false,"allGroups":false,"resourceOwners":false},"resources":{"allResources":false,"filter":{"criteria":[{"condition":"EQUALS"}]}}}`,
		[]string{"editable", "actors.allUsers", "actors.allGroups", "actors.resourceOwners", "resources.allResources", "resources.filter.criteria.condition"},
	},
}

// withoutMember are the defaults of members that the schema does not show, or shows as part of
// an operation. Each text is the name of an aspect or a whole path.
var withoutMember = []string{
	"assertionInfo.customProperties", "assertionRunEvent.eventGranularity.multiple", "chartUsageStatistics", "corpGroupEditableInfo.pictureLink",
	"dashboardInfo.datasets", "dashboardUsageStatistics", "dataHubRoleInfo.editable", "dataHubStepStateProperties", "dataJobInputOutput",
	"dataProcessInstanceProperties", "dataProcessInstanceRunEvent", "datahubIngestionCheckpoint", "datahubIngestionRunSummary",
	"datasetProfile.eventGranularity.multiple", "datasetProperties.tags", "datasetUsageStatistics", "editableChartProperties",
	"editableDashboardProperties", "editableDataFlowProperties", "editableDataJobProperties", "editableDatasetProperties",
	"editableNotebookProperties", "editableSchemaMetadata", "mlModelDeploymentProperties", "notebookContent", "notebookInfo.changeAuditStamps",
	"operation.eventGranularity.multiple", "operation.partitionSpec.type", "operation.partitionSpec.timePartition", "schemaMetadata.created", "schemaMetadata.lastModified",
	"derivedLineage", "upstreamLineage", "versionInfo",
	// The model of release 1.7 has the members of this group.
	"apiSignature", "applicationProperties", "assertionActions", "assertionInfo.fieldAssertion.fieldMetricAssertion.failureSeverityConfig.rules",
	"assertionInfo.fieldAssertion.fieldValuesAssertion.failureSeverityConfig.rules", "assertionInfo.freshnessAssertion.failureSeverityConfig.rules",
	"assertionInfo.freshnessAssertion.schedule.fixedInterval.multiple", "assertionInfo.schemaAssertion.compatibility",
	"assertionInfo.schemaAssertion.schema.created", "assertionInfo.schemaAssertion.schema.fields.globalTags.tags.attribution.sourceDetail",
	"assertionInfo.schemaAssertion.schema.fields.glossaryTerms.terms.attribution.sourceDetail",
	"assertionInfo.schemaAssertion.schema.fields.isPartOfKey", "assertionInfo.schemaAssertion.schema.fields.nullable",
	"assertionInfo.schemaAssertion.schema.fields.recursive", "assertionInfo.schemaAssertion.schema.lastModified",
	"assertionInfo.sqlAssertion.failureSeverityConfig.rules", "assertionInfo.volumeAssertion.rowCountChange.failureSeverityConfig.rules",
	"assertionInfo.volumeAssertion.rowCountTotal.failureSeverityConfig.rules", "assetSettings", "businessAttributeInfo.globalTags", "businessAttributeInfo.glossaryTerms", "corpUserInfo.system",
	"dashboardInfo.dashboards", "dataContractStatus", "dataHubPolicyInfo.resources.privilegeConstraints.criteria.condition",
	"dataHubUpgradeResult.state", "dataProductProperties.assets.outputPort", "dataProducts", "dataTransformLogic",
	"documentUsageStatistics", "domainProperties.customProperties", "domains.domainAssociations.attribution.sourceDetail",
	"dynamicFormAssignment", "editableERModelRelationshipProperties", "erModelRelationshipProperties", "formInfo", "forms",
	"globalSettingsInfo.docPropagation", "globalSettingsInfo.oauth.providers.algorithm", "globalSettingsInfo.oauth.providers.userIdClaim",
	"globalTags.tags.attribution.sourceDetail", "glossaryTerms.terms.attribution.sourceDetail",
	"incidentExternalLinks", "incidentNotes", "incidentsSummary", "inputFields.fields.schemaField.globalTags.tags.attribution.sourceDetail",
	"inputFields.fields.schemaField.glossaryTerms.terms.attribution.sourceDetail",
	"lifecycleStageTypeInfo", "mcpServerProperties", "metricRelationships", "mlFeatureProperties.customProperties",
	"mlFeatureProperties.version.metadataAttribution.sourceDetail", "mlModelGroupProperties.version.metadataAttribution.sourceDetail",
	"mlModelProperties.version.metadataAttribution.sourceDetail", "mlPrimaryKeyProperties.customProperties",
	"mlPrimaryKeyProperties.version.metadataAttribution.sourceDetail", "mlTrainingRunProperties", "ownership.ownerTypes",
	"ownership.owners.attribution.sourceDetail", "platformResourceInfo", "propertyDefinition.searchConfiguration",
	"queryUsageStatistics", "schemaMetadata.fields.globalTags.tags.attribution.sourceDetail",
	"schemaMetadata.fields.glossaryTerms.terms.attribution.sourceDetail", "searchTemplateProperties", "semanticFieldAnnotation", "semanticModelInfo",
	"serviceDefinition", "serviceProperties", "structuredProperties", "structuredPropertySettings.hideInAssetSummaryWhenEmpty", "systemMetadata", "versionProperties",
	"versionSetProperties",
}

// modelDefaults appends the paths of the members that have a default.
func modelDefaults(d *model.Defaults, at string, into *[]string) {
	if d == nil {
		return
	}
	for name := range d.Members {
		*into = append(*into, at+"."+name)
	}
	for name, below := range d.Below {
		modelDefaults(below, at+"."+name, into)
	}
}

// TestModelDefaults: a member that a stored value leaves out has the default of the model, for
// each member of the model that has a default and is shown.
func TestModelDefaults(t *testing.T) {
	c := testcatalog.New(t)
	h := gql.New(gql.Options{Catalog: c})
	shown := map[string]bool{}
	for _, p := range defaultProbes {
		for _, member := range p.members {
			shown[p.aspect+"."+member] = true
		}
		writeAspect(t, c, p.urn, p.aspect, p.value)
		answer := ask(t, h, `query q($urn: String!) { entity(urn: $urn) { `+p.query+` } }`, map[string]any{"urn": p.urn})
		var got struct {
			Errors []any
			Data   struct{ Entity any }
		}
		var want any
		if err := json.Unmarshal([]byte(answer), &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(p.want), &want); err != nil {
			t.Fatal(err)
		}
		if len(got.Errors) > 0 || !reflect.DeepEqual(got.Data.Entity, want) {
			t.Errorf("%s without %v:\n got %s\nwant %s", p.aspect, p.members, answer, p.want)
		}
	}
	r := model.Default()
	for _, e := range r.Entities() {
		for _, aspect := range e.Aspects {
			var members []string
			modelDefaults(r.Defaults(aspect), aspect, &members)
			for _, member := range members {
				hidden := slices.ContainsFunc(withoutMember, func(name string) bool { return member == name || strings.HasPrefix(member, name+".") })
				if shown[member] == hidden {
					t.Errorf("%s has a default; shown %v, hidden %v", member, shown[member], hidden)
				}
			}
		}
	}
}
