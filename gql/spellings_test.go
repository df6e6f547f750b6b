package gql_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/gql/generated"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/model"
)

// spelled are the entities of TestSpellings, each with an aspect by which it exists. An entity
// without an aspect does not exist.
var spelled = map[string]struct{ urn, aspect, value string }{
	"orders":    {catalogtest.Table, model.AspectSchemaMetadata, `{"schemaName":"x","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[{"fieldPath":"id","type":{"type":{"com.linkedin.schema.StringType":{}}},"nativeDataType":"s"}]}`},
	"raw":       {catalogtest.Upstream, model.AspectStatus, `{"removed":false}`},
	"nodata":    {"urn:li:dataset:(urn:li:dataPlatform:hive,db.none,PROD)", "", ""},
	"chart":     {"urn:li:chart:(looker,c)", model.AspectChartInfo, `{"title":"c","description":"","lastModified":{}}`},
	"dashboard": {"urn:li:dashboard:(looker,d)", model.AspectDashboardInfo, `{"title":"d","description":"","lastModified":{}}`},
	"flow":      {"urn:li:dataFlow:(airflow,f,PROD)", model.AspectStatus, `{"removed":false}`},
	"job":       {"urn:li:dataJob:(urn:li:dataFlow:(airflow,f,PROD),j)", model.AspectStatus, `{"removed":false}`},
	"notebook":  {"urn:li:notebook:(querybook,n)", model.AspectStatus, `{"removed":false}`},
	"ada":       {catalogtest.Ada, model.AspectCorpUserInfo, `{"active":true}`},
	"bob":       {"urn:li:corpuser:Bob", model.AspectCorpUserInfo, `{"active":true}`},
	"group":     {"urn:li:corpGroup:g", model.AspectCorpGroupInfo, `{"admins":[],"members":[],"groups":[]}`},
	"pii":       {"urn:li:tag:Pii", model.AspectTagProperties, `{"name":"Pii"}`},
	"sensitive": {"urn:li:tag:Sensitive", model.AspectTagProperties, `{"name":"Sensitive"}`},
	"old":       {"urn:li:tag:old", model.AspectTagProperties, `{"name":"old"}`},
	"notag":     {"urn:li:tag:none", "", ""},
	"revenue":   {"urn:li:glossaryTerm:revenue", model.AspectGlossaryTermInfo, `{"definition":"","name":"revenue","termSource":"INTERNAL"}`},
	"money":     {"urn:li:glossaryTerm:money", model.AspectGlossaryTermInfo, `{"definition":"","name":"money","termSource":"INTERNAL"}`},
	"node":      {"urn:li:glossaryNode:node", model.AspectGlossaryNodeInfo, `{"definition":"","name":"node"}`},
	"inner":     {"urn:li:glossaryNode:inner", model.AspectGlossaryNodeInfo, `{"definition":"","name":"inner"}`},
	"sales":     {"urn:li:domain:sales", model.AspectDomainProperties, `{"name":"sales"}`},
	"nodomain":  {"urn:li:domain:none", "", ""},
	"product":   {"urn:li:dataProduct:p", model.AspectDataProductProperties, `{"name":"p"}`},
	"other":     {"urn:li:dataProduct:o", model.AspectDataProductProperties, `{"name":"o","assets":[{"destinationUrn":"urn:li:chart:(looker,c)"}]}`},
	"assertion": {"urn:li:assertion:a", model.AspectStatus, `{"removed":false}`},
	"test":      {"urn:li:test:t", model.AspectTestInfo, `{"name":"t","category":"c","definition":{"type":"JSON"}}`},
	"view":      {"urn:li:dataHubView:v", model.AspectDataHubViewInfo, `{"name":"v","type":"GLOBAL","definition":{"entityTypes":[],"filter":{"or":[]}},"created":` + catalogtest.Stamp + `,"lastModified":` + catalogtest.Stamp + `}`},
	"owning":    {"urn:li:ownershipType:mine", model.AspectOwnershipTypeInfo, `{"name":"mine","created":` + catalogtest.Stamp + `,"lastModified":` + catalogtest.Stamp + `}`},
	"keeping":   {"urn:li:ownershipType:keeps", model.AspectOwnershipTypeInfo, `{"name":"keeps","created":` + catalogtest.Stamp + `,"lastModified":` + catalogtest.Stamp + `}`},
	"steward":   {"urn:li:ownershipType:__system__data_steward", "", ""},
	"query":     {"urn:li:query:q", model.AspectQueryProperties, `{"statement":{"value":"SELECT 1","language":"SQL"},"source":"MANUAL","created":` + catalogtest.Stamp + `,"lastModified":` + catalogtest.Stamp + `}`},
	"property":  {"urn:li:structuredProperty:p", model.AspectPropertyDefinition, `{"qualifiedName":"p","valueType":"urn:li:dataType:datahub.string","entityTypes":[]}`},
	"form":      {"urn:li:form:f", model.AspectFormInfo, `{"name":"f","prompts":[{"id":"p","title":"t","type":"STRUCTURED_PROPERTY"}]}`},
	"role":      {"urn:li:dataHubRole:r", model.AspectDataHubRoleInfo, `{"name":"r","description":"d"}`},
	"token":     {"urn:li:dataHubAccessToken:t", model.AspectDataHubAccessTokenInfo, `{"name":"t","actorUrn":"urn:li:corpuser:a","ownerUrn":"urn:li:corpuser:a","createdAt":1}`},
	"source":    {"urn:li:dataHubIngestionSource:s", model.AspectDataHubIngestionSourceInfo, `{"name":"s","type":"t","config":{"recipe":"{}"}}`},
	"asked":     {"urn:li:dataHubExecutionRequest:asked", model.AspectDataHubExecutionRequestInput, `{"task":"RUN_INGEST","args":{"recipe":"{}"},"executorId":"default","source":{"type":"MANUAL_INGESTION_SOURCE","ingestionSource":"urn:li:dataHubIngestionSource:s"},"requestedAt":1}`},
	"versions":  {"urn:li:versionSet:(v,dataset)", "", ""},
	"hive":      {"urn:li:dataPlatform:hive", "", ""},
	"incident":  {"urn:li:incident:i", model.AspectIncidentInfo, `{"type":"SQL","entities":["` + catalogtest.Table + `"],"status":{"state":"ACTIVE","lastUpdated":` + catalogtest.Stamp + `},"created":` + catalogtest.Stamp + `}`},
	"app":       {"urn:li:application:a", model.AspectApplicationProperties, `{"name":"a"}`},
	"book":      {"urn:li:document:b", model.AspectDocumentInfo, `{"contents":{"text":"b"},"status":{"state":"PUBLISHED"},"created":` + catalogtest.Stamp + `,"lastModified":` + catalogtest.Stamp + `}`},
	"doc":       {"urn:li:document:d", model.AspectDocumentInfo, `{"contents":{"text":"d"},"status":{"state":"PUBLISHED"},"created":` + catalogtest.Stamp + `,"lastModified":` + catalogtest.Stamp + `}`},
	"lifestage": {"urn:li:lifecycleStageType:s", model.AspectLifecycleStageTypeInfo, `{"name":"s","settings":{},"created":` + catalogtest.Stamp + `,"lastModified":` + catalogtest.Stamp + `}`},
	"attribute": {"urn:li:businessAttribute:a", model.AspectBusinessAttributeInfo, `{"fieldPath":"a","name":"a"}`},
	"column":    {"urn:li:schemaField:(" + catalogtest.Table + ",id)", "", ""},
	"contract":  {"urn:li:dataContract:c", "", ""},
	"policy":    {"urn:li:dataHubPolicy:p", model.AspectDataHubPolicyInfo, `{"displayName":"p","description":"","type":"METADATA","state":"ACTIVE","privileges":["EDIT_ENTITY"],"actors":{"roles":["urn:li:dataHubRole:r"]}}`},
	"fixed":     {"urn:li:dataHubPolicy:f", model.AspectDataHubPolicyInfo, `{"displayName":"f","description":"","type":"METADATA","state":"ACTIVE","privileges":[],"actors":{},"editable":false}`},
	"announced": {"urn:li:announcedChange:a", model.AspectAnnouncedChangeInfo, `{"title":"a 1","state":"ANNOUNCED","created":{"time":0,"actor":"urn:li:corpuser:ada"},"changes":[]}`},
	"secret":    {"urn:li:dataHubSecret:s", model.AspectDataHubSecretValue, `{"name":"s","value":"hw1:0123456789ab:` + strings.Repeat("A", 40) + `"}`},
	"template":  {"urn:li:dataHubPageTemplate:t", model.AspectDataHubPageTemplateProperties, `{"rows":[],"surface":{"surfaceType":"HOME_PAGE"},"visibility":{"scope":"GLOBAL"},"created":` + catalogtest.Stamp + `,"lastModified":` + catalogtest.Stamp + `}`},
	"post":      {"urn:li:post:p", model.AspectPostInfo, `{"type":"HOME_PAGE_ANNOUNCEMENT","content":{"title":"t","type":"TEXT"},"created":1,"lastModified":1}`},
}

// mutationSteps are run in order. @name is the URN of an entity in the spelling of the run,
// =name is the URN in the usual spelling. A step with a ! is refused.
var mutationSteps = []string{
	// Labels, also with a label named twice or with a missing member.
	`addTag(input: {tagUrn: @pii, resourceUrn: @orders})`,
	`addTag(input: {tagUrn: =pii, resourceUrn: =orders})`,
	`addTag(input: {tagUrn: @pii, resourceUrn: @orders, subResource: "id", subResourceType: DATASET_FIELD})`,
	`!addTag(input: {tagUrn: @notag, resourceUrn: @orders})`,
	`!addTag(input: {tagUrn: @revenue, resourceUrn: @orders})`,
	`addTags(input: {tagUrns: [@old, =old, @pii], resourceUrn: @orders})`,
	`batchAddTags(input: {tagUrns: [@pii, =pii], resources: [{resourceUrn: @raw}, {resourceUrn: =raw}, {resourceUrn: @chart}]})`,
	`!batchAddTags(input: {tagUrns: [@old], resources: [{resourceUrn: @raw}, {resourceUrn: @nodata}]})`,
	`!batchAddTags(input: {tagUrns: [@old, @notag], resources: [{resourceUrn: @raw}]})`,
	`removeTag(input: {tagUrn: @old, resourceUrn: @orders})`,
	`batchRemoveTags(input: {tagUrns: [@pii, @notag], resources: [{resourceUrn: @raw}, {resourceUrn: =raw}]})`,
	`!batchRemoveTags(input: {tagUrns: [@pii], resources: [{resourceUrn: @chart}, {resourceUrn: @nodata}]})`,
	`addTerm(input: {termUrn: @revenue, resourceUrn: @orders})`,
	`addTerms(input: {termUrns: [@money, =money], resourceUrn: @orders, subResource: "id", subResourceType: DATASET_FIELD})`,
	`batchAddTerms(input: {termUrns: [@money, @revenue], resources: [{resourceUrn: @raw}, {resourceUrn: =orders}]})`,
	`removeTerm(input: {termUrn: @revenue, resourceUrn: @orders})`,
	`batchRemoveTerms(input: {termUrns: [@revenue, =revenue], resources: [{resourceUrn: @raw}]})`,

	// Owners.
	`addOwner(input: {ownerUrn: @ada, ownerEntityType: CORP_USER, resourceUrn: @orders, type: TECHNICAL_OWNER})`,
	`addOwner(input: {ownerUrn: =ada, ownerEntityType: CORP_USER, resourceUrn: =orders, type: TECHNICAL_OWNER})`,
	`addOwners(input: {resourceUrn: @orders, owners: [{ownerUrn: @group, ownerEntityType: CORP_GROUP}, {ownerUrn: @bob, ownerEntityType: CORP_USER, ownershipTypeUrn: @owning}, {ownerUrn: =bob, ownerEntityType: CORP_USER, ownershipTypeUrn: @owning}]})`,
	`batchAddOwners(input: {owners: [{ownerUrn: @bob, ownerEntityType: CORP_USER}], ownershipTypeUrn: @steward, resources: [{resourceUrn: @raw}, {resourceUrn: =raw}, {resourceUrn: @chart}]})`,
	`!batchAddOwners(input: {owners: [{ownerUrn: @ada, ownerEntityType: CORP_USER}], resources: [{resourceUrn: @raw}, {resourceUrn: @nodata}]})`,
	`removeOwner(input: {ownerUrn: @bob, ownershipTypeUrn: @owning, resourceUrn: @orders})`,
	`batchRemoveOwners(input: {ownerUrns: [@bob, =bob], resources: [{resourceUrn: @raw}]})`,
	`!batchRemoveOwners(input: {ownerUrns: [@bob], resources: [{resourceUrn: @chart}, {resourceUrn: @nodata}]})`,
	`createOwnershipType(input: {name: "made", description: "d"}) { urn }`,
	`updateOwnershipType(urn: @keeping, input: {name: "kept"}) { urn }`,

	// Metadata of which an entity has one value.
	`createDomain(input: {id: "made", name: "made", parentDomain: @sales, owners: [{ownerUrn: @ada, ownerEntityType: CORP_USER}]})`,
	`!createDomain(input: {id: "unmade", name: "unmade", parentDomain: @nodomain})`,
	`moveDomain(input: {resourceUrn: "urn:li:domain:made", parentDomain: null})`,
	`!moveDomain(input: {resourceUrn: @sales, parentDomain: @nodomain})`,
	`setDomain(entityUrn: @orders, domainUrn: @sales)`,
	`!setDomain(entityUrn: @orders, domainUrn: @nodomain)`,
	`batchSetDomain(input: {domainUrn: @sales, resources: [{resourceUrn: @raw}, {resourceUrn: =raw}, {resourceUrn: @chart}]})`,
	`!batchSetDomain(input: {domainUrn: null, resources: [{resourceUrn: @raw}, {resourceUrn: @nodata}]})`,
	`unsetDomain(entityUrn: @raw)`,
	`updateDescription(input: {description: "d", resourceUrn: @orders, subResource: "id", subResourceType: DATASET_FIELD})`,
	`updateDescription(input: {description: "d", resourceUrn: @pii})`,
	`updateName(input: {urn: @money, name: "coins"})`,
	`addLink(input: {linkUrl: "https://example.com", label: "l", resourceUrn: @orders})`,
	`addLink(input: {linkUrl: "https://example.com/2", label: "l", resourceUrn: @orders})`,
	`upsertLink(input: {linkUrl: "https://example.com/2", label: "l", resourceUrn: @orders, settings: {showInAssetPreview: true}})`,
	`updateLink(input: {currentUrl: "https://example.com/2", currentLabel: "l", linkUrl: "https://example.com/3", label: "m", resourceUrn: @orders})`,
	`!updateLink(input: {currentUrl: "https://example.com/2", currentLabel: "l", linkUrl: "https://example.com/3", label: "m", resourceUrn: @orders})`,
	`removeLink(input: {linkUrl: "https://example.com", resourceUrn: @orders})`,
	`updateDeprecation(input: {urn: @raw, deprecated: true, note: "n"})`,
	`batchUpdateDeprecation(input: {deprecated: true, note: "n", resources: [{resourceUrn: @raw}, {resourceUrn: =raw}, {resourceUrn: @orders}]})`,
	`!batchUpdateDeprecation(input: {deprecated: false, resources: [{resourceUrn: @raw}, {resourceUrn: @nodata}]})`,
	`updateEmbed(input: {urn: @chart, renderUrl: "https://example.com/chart"})`,
	`setLogicalParent(input: {resourceUrn: @orders, parentUrn: @raw})`,
	`!setLogicalParent(input: {resourceUrn: @orders, parentUrn: =orders})`,
	`setLogicalParent(input: {resourceUrn: @orders})`,
	`batchUpdateSoftDeleted(input: {urns: [@raw, =raw, @chart], deleted: true})`,
	`!batchUpdateSoftDeleted(input: {urns: [@raw, @nodata], deleted: false})`,
	`setTagColor(urn: @pii, colorHex: "#fff")`,
	`reportOperation(input: {urn: @orders, operationType: INSERT, sourceType: DATA_PROCESS, timestampMillis: 1700000000001})`,
	`announceChange(input: {pullRequest: "https://git.example/a/pull/1", changes: [{kind: "columnDropped", datasets: [@orders], column: "x"}]}) { state }`,
	`withdrawAnnouncedChange(urn: @announced, reason: "closed") { state }`,
	`subscribe(input: {urn: @orders, actor: @ada, categories: ["TAG"]}) { direct }`,
	`unsubscribe(urn: @orders, actor: @ada)`,
	`markFeedRead(until: 1700000000000, actor: @ada) { readUntil }`,
	`refuseTagSuggestion(input: {urn: @orders, fieldPath: "email", tag: @sensitive})`,
	`refuseTagSuggestion(input: {urn: @orders, tag: @sensitive})`,
	`refuseTagSuggestion(input: {urn: @orders, fieldPath: "email", tag: @sensitive, takeBack: true})`,

	// Replacements.
	`updateDataset(urn: @orders, input: {ownership: {owners: [{owner: @bob, ownershipTypeUrn: @owning}, {owner: @ada, type: DATAOWNER}]}, tags: {tags: [{tag: {urn: @old, name: "old"}}, {tag: {urn: =old, name: "old"}}]}, institutionalMemory: {elements: [{author: @ada, url: "https://example.com", description: "d"}]}, editableSchemaMetadata: {editableSchemaFieldInfo: [{fieldPath: "id", globalTags: {tags: [{tag: {urn: @pii, name: "Pii"}}]}}]}}) { urn }`,
	`updateDatasets(input: [{urn: @raw, update: {editableProperties: {description: "R"}}}, {urn: @orders, update: {deprecation: {deprecated: true, note: "n"}}}]) { urn }`,
	`!updateDatasets(input: [{urn: @raw, update: {editableProperties: {description: "S"}}}, {urn: @nodata, update: {deprecation: {deprecated: true, note: "n"}}}]) { urn }`,
	`updateChart(urn: @chart, input: {tags: {tags: [{tag: {urn: @pii, name: "Pii"}}]}, editableProperties: {description: "c"}}) { urn }`,
	`updateDashboard(urn: @dashboard, input: {ownership: {owners: [{owner: @group, type: BUSINESS_OWNER}]}}) { urn }`,
	`updateDataFlow(urn: @flow, input: {editableProperties: {description: "f"}}) { urn }`,
	`updateDataJob(urn: @job, input: {ownership: {owners: [{owner: @ada, type: BUSINESS_OWNER}]}}) { urn }`,
	`updateNotebook(urn: @notebook, input: {ownership: {owners: [{owner: @ada, type: BUSINESS_OWNER}]}}) { urn }`,
	`createTag(input: {id: "made", name: "made"})`,
	`updateTag(urn: @old, input: {urn: @old, name: "older", ownership: {owners: [{owner: @bob, type: DATA_STEWARD}]}}) { urn }`,

	// The glossary.
	`createGlossaryNode(input: {id: "sub", name: "sub", parentNode: @node})`,
	`createGlossaryTerm(input: {id: "profit", name: "profit", parentNode: @node})`,
	`!createGlossaryTerm(input: {name: "profit", parentNode: @node})`,
	`updateParentNode(input: {resourceUrn: @inner, parentNode: @node})`,
	`!updateParentNode(input: {resourceUrn: @node, parentNode: @inner})`,
	`addRelatedTerms(input: {urn: @revenue, termUrns: [@money, =money], relationshipType: isA})`,
	`!addRelatedTerms(input: {urn: @revenue, termUrns: [@revenue], relationshipType: isA})`,
	`addRelatedTerms(input: {urn: @money, termUrns: [@revenue], relationshipType: hasA})`,
	`removeRelatedTerms(input: {urn: @revenue, termUrns: [@money], relationshipType: isA})`,

	// Lineage.
	`updateLineage(input: {edgesToAdd: [{downstreamUrn: @orders, upstreamUrn: @raw}, {downstreamUrn: @orders, upstreamUrn: =raw}, {downstreamUrn: @chart, upstreamUrn: @orders}, {downstreamUrn: @dashboard, upstreamUrn: @chart}, {downstreamUrn: @job, upstreamUrn: @raw}], edgesToRemove: []})`,
	`!updateLineage(input: {edgesToAdd: [{downstreamUrn: @orders, upstreamUrn: @nodata}], edgesToRemove: [{downstreamUrn: @orders, upstreamUrn: @raw}]})`,
	`updateLineage(input: {edgesToAdd: [], edgesToRemove: [{downstreamUrn: @dashboard, upstreamUrn: @chart}]})`,

	// People.
	`createGroup(input: {id: "made", name: "made"})`,
	`addGroupMembers(input: {groupUrn: @group, userUrns: [@ada, =ada, @bob]})`,
	`!addGroupMembers(input: {groupUrn: @group, userUrns: [@ada, @group]})`,
	`removeGroupMembers(input: {groupUrn: @group, userUrns: [@bob]})`,
	`updateUserStatus(urn: @ada, status: ACTIVE)`,
	`updateCorpUserProperties(urn: @ada, input: {title: "t"}) { urn }`,
	`updateCorpGroupProperties(urn: @group, input: {email: "e"}) { urn }`,
	`updateUserSetting(input: {name: SHOW_SIMPLIFIED_HOMEPAGE, value: true})`,

	// Data products, queries, views, tests, pages.
	`createDataProduct(input: {domainUrn: @sales, properties: {name: "made"}}) { urn }`,
	`updateDataProduct(urn: @product, input: {name: "named"}) { urn }`,
	`batchSetDataProduct(input: {dataProductUrn: @product, resourceUrns: [@raw, =raw, @chart, @orders]})`,
	`!batchSetDataProduct(input: {dataProductUrn: @other, resourceUrns: [@raw, @nodata]})`,
	`batchSetDataProduct(input: {dataProductUrn: null, resourceUrns: [@raw]})`,
	`batchAddToDataProducts(input: {dataProductUrns: [@product, =product], resourceUrns: [@raw, =raw]})`,
	`!batchAddToDataProducts(input: {dataProductUrns: [@product], resourceUrns: [@nodata]})`,
	`batchRemoveFromDataProducts(input: {dataProductUrns: [@product], resourceUrns: [@raw, @orders]})`,
	`!batchRemoveFromDataProducts(input: {dataProductUrns: [@orders], resourceUrns: [@raw]})`,
	`createQuery(input: {properties: {name: "q", statement: {value: "SELECT 2", language: SQL}}, subjects: [{datasetUrn: @orders}, {datasetUrn: =orders}]}) { urn }`,
	`updateQuery(urn: @query, input: {properties: {description: "d"}, subjects: [{datasetUrn: @raw}]}) { urn }`,
	`updateQuery(urn: @query, input: {properties: {description: "e"}}) { urn }`,
	`createView(input: {viewType: GLOBAL, name: "made", definition: {entityTypes: [], filter: {operator: AND, filters: []}}}) { urn }`,
	`updateView(urn: @view, input: {name: "named"}) { urn }`,
	`updateGlobalViewsSettings(input: {defaultView: @view})`,
	`updateCorpUserViewsSettings(input: {defaultView: @view})`,
	`createTest(input: {id: "made", name: "made", category: "c", definition: {json: "{}"}})`,
	`updateTest(urn: @test, input: {name: "named", category: "c", definition: {json: "{}"}})`,
	`createPost(input: {postType: HOME_PAGE_ANNOUNCEMENT, content: {contentType: TEXT, title: "made"}})`,
	`createPost(input: {postType: ENTITY_ANNOUNCEMENT, content: {contentType: TEXT, title: "made"}, resourceUrn: @orders, subResource: "id", subResourceType: DATASET_FIELD})`,
	`!createPost(input: {postType: ENTITY_ANNOUNCEMENT, content: {contentType: TEXT, title: "made"}, resourceUrn: @nodata})`,
	`updatePost(input: {urn: @post, postType: HOME_PAGE_ANNOUNCEMENT, content: {contentType: TEXT, title: "named"}})`,
	`updateDocPropagationSettings(input: {docColumnPropagation: true})`,
	`updateApplicationsSettings(input: {enabled: true})`,
	`updateUserHomePageSettings(input: {pageTemplate: @template, newDismissedAnnouncements: [@post, =post]})`,
	`updateCorpUserLocaleSettings(input: {language: "de"})`,
	`batchUpdateStepStates(input: {states: [{id: "step", properties: []}]}) { results { id } }`,
	`rollbackIngestion(input: {runId: "none"})`,
	`rollbackRun(input: {runId: "none", confirm: "none"}) { next }`,
	`!rollbackRun(input: {runId: "none", confirm: "other"}) { next }`,
	`restore(input: {urn: @orders, version: 1, aspects: ["globalTags"]}) { changed aspects { name operation } skipped { name } }`,
	`!restore(input: {urn: @orders}) { changed }`,
	`changeMany(input: {urns: [@orders, =orders], description: "alike", dryRun: true}) { changed refused }`,
	`!undo(changes: [{urn: @orders, aspect: "globalTags", made: 1000}])`,

	// Forms, roles, version sets, ingestion sources.
	`batchAssignForm(input: {formUrn: @form, entityUrns: [@orders, =orders, @raw]})`,
	`!batchAssignForm(input: {formUrn: @form, entityUrns: [@chart, @nodata]})`,
	`createDynamicFormAssignment(input: {formUrn: @form, orFilters: [{and: [{field: "origin", values: ["PROD"]}]}]})`,
	`batchAssignRole(input: {roleUrn: @role, actors: [@ada, =ada, @group]})`,
	`!batchAssignRole(input: {roleUrn: @role, actors: [@orders]})`,
	`createPolicy(input: {type: METADATA, name: "made", state: ACTIVE, privileges: ["EDIT_ENTITY"], resources: {filter: {criteria: [{field: "DOMAIN", values: [@sales], condition: EQUALS}]}}, actors: {users: [@ada, =bob], roles: [@role], resourceOwners: true, resourceOwnersTypes: [@owning], allUsers: false, allGroups: false}})`,
	`updatePolicy(urn: @policy, input: {type: METADATA, name: "changed", state: ACTIVE, privileges: ["EDIT_ENTITY"], resources: {resources: [@orders]}, effect: DENY, endsAt: 5, actors: {groups: [@group], resourceOwners: false, allUsers: false, allGroups: false}})`,
	`!updatePolicy(urn: @fixed, input: {type: METADATA, name: "changed", state: ACTIVE, privileges: [], actors: {resourceOwners: false, allUsers: false, allGroups: false}})`,
	`deletePolicy(urn: @policy)`,
	`!deletePolicy(urn: @fixed)`,
	`revokeAccessToken(tokenId: "t")`,
	`linkAssetVersion(input: {versionSet: @versions, linkedEntity: @raw, version: "1"}) { urn latestVersion { urn } }`,
	`linkAssetVersion(input: {versionSet: @versions, linkedEntity: @orders, version: "2", sourceCreator: @ada, sourceTimestamp: 5}) { urn latestVersion { urn } }`,
	`!linkAssetVersion(input: {versionSet: @versions, linkedEntity: @chart, version: "3"}) { urn }`,
	`unlinkAssetVersion(input: {versionSet: @versions, unlinkedEntity: @orders}) { urn latestVersion { urn } }`,
	`unlinkAssetVersion(input: {versionSet: =versions, unlinkedEntity: @raw}) { urn latestVersion { urn } }`,
	`createIngestionSource(input: {name: "made", type: "t", config: {recipe: "{\"source\":{\"type\":\"t\"}}", executorId: "default"}})`,
	`updateIngestionSource(urn: @source, input: {name: "named", type: "t", schedule: {interval: "0 3 * * *", timezone: "UTC"}, config: {recipe: "{\"source\":{\"type\":\"t\"}}", executorId: "default"}})`,
	`createIngestionExecutionRequest(input: {ingestionSourceUrn: @source})`,
	`cancelIngestionExecutionRequest(input: {ingestionSourceUrn: @source, executionRequestUrn: @asked})`,
	`!cancelIngestionExecutionRequest(input: {ingestionSourceUrn: @source, executionRequestUrn: @orders})`,
	`createTestConnectionRequest(input: {recipe: "{\"source\":{\"type\":\"t\"}}"})`,

	// Incidents, applications, documents, business attributes and contracts.
	`raiseIncident(input: {type: FRESHNESS, title: "late", resourceUrn: @orders, resourceUrns: [=orders, @dashboard], assigneeUrns: [@ada, =ada, @group]})`,
	`!raiseIncident(input: {type: SQL, resourceUrns: [@orders, @nodata]})`,
	`updateIncident(urn: @incident, input: {title: "l", priority: HIGH, resourceUrns: [@orders, =orders, @column], assigneeUrns: [@bob]})`,
	`updateIncident(urn: @incident, input: {priority: null, assigneeUrns: null})`,
	`updateIncidentStatus(urn: @incident, input: {state: RESOLVED, stage: FIXED, message: "m"})`,
	`createApplication(input: {id: "made", properties: {name: "made"}, domainUrn: @sales}) { urn }`,
	`updateApplication(urn: @app, input: {description: "d"}) { urn }`,
	`batchSetApplication(input: {applicationUrn: @app, resourceUrns: [@orders, =orders, @dashboard, @job]})`,
	`!batchSetApplication(input: {applicationUrn: @app, resourceUrns: [@flow, @nodata]})`,
	`batchUnsetApplication(input: {applicationUrn: @app, resourceUrns: [@dashboard, =dashboard]})`,
	`batchSetApplication(input: {resourceUrns: [@job]})`,
	`createDocument(input: {id: "made", contents: {text: "t"}, parentDocument: @book, relatedAssets: [@orders, =orders], relatedDocuments: [@book], owners: [{ownerUrn: @bob, ownerEntityType: CORP_USER, ownershipTypeUrn: @owning}]})`,
	`updateDocumentContents(input: {urn: @doc, title: "t", contents: {text: "d"}, subType: "s"})`,
	`updateDocumentRelatedEntities(input: {urn: @doc, relatedAssets: [@orders, =orders, @dashboard], relatedDocuments: [@book]})`,
	`moveDocument(input: {urn: @doc, parentDocument: @book})`,
	`!moveDocument(input: {urn: @book, parentDocument: @doc})`,
	`updateDocumentStatus(input: {urn: @doc, state: UNPUBLISHED})`,
	`updateDocumentSubType(input: {urn: @doc, subType: null})`,
	`updateDocumentSettings(input: {urn: @doc, showInGlobalContext: false})`,
	`setLifecycleStage(urn: @doc, lifecycleStageUrn: @lifestage)`,
	`createBusinessAttribute(input: {id: "made", name: "made", type: NUMBER}) { urn }`,
	`updateBusinessAttribute(urn: @attribute, input: {name: "named", type: STRING}) { urn }`,
	`addBusinessAttribute(input: {businessAttributeUrn: @attribute, resourceUrn: [{resourceUrn: @column}, {resourceUrn: =orders, subResource: "id", subResourceType: DATASET_FIELD}]})`,
	`removeBusinessAttribute(input: {businessAttributeUrn: @attribute, resourceUrn: [{resourceUrn: =column}, {resourceUrn: @orders, subResource: "id", subResourceType: DATASET_FIELD}]})`,
	`addBusinessAttribute(input: {businessAttributeUrn: @attribute, resourceUrn: [{resourceUrn: @column}]})`,
	`upsertDataContract(urn: @contract, input: {entityUrn: @orders, freshness: [{assertionUrn: @assertion}, {assertionUrn: =assertion}], dataQuality: [{assertionUrn: @assertion}]}) { urn }`,
	`!upsertDataContract(urn: @contract, input: {entityUrn: @dashboard}) { urn }`,

	// Definitions of properties and forms, and answers.
	`createStructuredProperty(input: {id: "made", valueType: "urn:li:dataType:datahub.string", entityTypes: ["urn:li:entityType:datahub.dataset"], allowedPlatforms: [@hive, =hive]}) { urn }`,
	`updateStructuredProperty(input: {urn: @property, displayName: "n", newEntityTypes: ["urn:li:entityType:datahub.dataset", "urn:li:entityType:datahub.schemaField"]}) { urn }`,
	`createForm(input: {id: "made", name: "made", prompts: [{id: "a", title: "t", type: STRUCTURED_PROPERTY, structuredPropertyParams: {urn: @property}}], actors: {users: [@ada, =ada], groups: [@group]}}) { urn }`,
	`updateForm(input: {urn: @form, type: VERIFICATION, promptsToAdd: [{id: "a", title: "t", type: STRUCTURED_PROPERTY, structuredPropertyParams: {urn: @property}}, {id: "c", title: "t", type: FIELDS_STRUCTURED_PROPERTY, structuredPropertyParams: {urn: =property}}], promptsToRemove: ["p"], actors: {usersToAdd: [@ada, =ada, @bob], usersToRemove: [@bob]}}) { urn }`,
	`submitFormPrompt(urn: @orders, input: {promptId: "a", formUrn: @form, type: STRUCTURED_PROPERTY, structuredPropertyParams: {structuredPropertyUrn: @property, values: [{stringValue: "v"}]}})`,
	`submitFormPrompt(urn: @orders, input: {promptId: "c", formUrn: @form, type: FIELDS_STRUCTURED_PROPERTY, fieldPath: "id", structuredPropertyParams: {structuredPropertyUrn: @property, values: [{stringValue: "v"}]}})`,
	`!submitFormPrompt(urn: @dashboard, input: {promptId: "a", formUrn: @form, type: STRUCTURED_PROPERTY, structuredPropertyParams: {structuredPropertyUrn: @property, values: [{stringValue: "v"}]}})`,
	`verifyForm(input: {formUrn: @form, entityUrn: @orders})`,
	`batchRemoveForm(input: {formUrn: @form, entityUrns: [@orders, =orders]})`,

	// Features that this server does not have.
	`!createAccessToken(input: {type: PERSONAL, actorUrn: @ada, duration: ONE_HOUR, name: "n"}) { accessToken }`,
	`!createInviteToken(input: {}) { inviteToken }`,
	`!acceptRole(input: {inviteToken: "t"})`,
	`!createNativeUserResetToken(input: {userUrn: @ada}) { resetToken }`,
	`createServiceAccount(input: {displayName: "made"}) { displayName }`,
	`!updateServiceAccountDefaultView(input: {urn: @ada})`,
	`!deleteServiceAccount(urn: @ada)`,
	`!createSecret(input: {name: "n", value: "v"})`, // the catalog of the test has no key; TestSecrets has one
	`!updateSecret(input: {urn: @secret, name: "s", value: "v"})`,
	`!upsertConnection(input: {id: "c", type: JSON, platformUrn: @hive, json: {blob: "{}"}}) { urn }`, // as for secrets
	`!runAssertion(urn: @assertion) { type }`,
	`!runAssertions(urns: [@assertion]) { passingCount }`,
	`!runAssertionsForAsset(urn: @orders) { passingCount }`,

	// Deletes, also of entities that other entities name. Some steps name an entity of another
	// type.
	`!deleteTag(urn: @orders)`,
	`!deleteTag(urn: @notag)`,
	`deleteTag(urn: @pii)`,
	`deleteDomain(urn: @sales)`,
	`deleteGlossaryEntity(urn: @revenue)`,
	`deleteGlossaryEntity(urn: @node)`,
	`deleteOwnershipType(urn: @keeping, deleteReferences: false)`,
	`deleteOwnershipType(urn: @owning, deleteReferences: true)`,
	`deleteDataProduct(urn: @product)`,
	`deleteQuery(urn: @query)`,
	`deleteView(urn: @view)`,
	`deleteTest(urn: @test)`,
	`deletePost(urn: @post)`,
	`deleteSecret(urn: @secret)`,
	`deleteIngestionSource(urn: @source)`,
	`!deleteIngestionSource(urn: @orders)`,
	`upsertStructuredProperties(input: {assetUrn: @orders, structuredPropertyInputParams: [{structuredPropertyUrn: @property, values: [{stringValue: "v"}]}]}) { properties { structuredProperty { urn } } }`,
	`!upsertStructuredProperties(input: {assetUrn: @nodata, structuredPropertyInputParams: [{structuredPropertyUrn: @property, values: [{stringValue: "v"}]}]}) { properties { structuredProperty { urn } } }`,
	`removeStructuredProperties(input: {assetUrn: @orders, structuredPropertyUrns: [@property, =property]}) { properties { structuredProperty { urn } } }`,
	`!reportAssertionResult(urn: @assertion, result: {timestampMillis: 5, type: SUCCESS})`,
	`upsertCustomAssertion(urn: @assertion, input: {entityUrn: @orders, type: "t", description: "d", fieldPath: "id", platform: {urn: @hive}}) { urn }`,
	`reportAssertionResult(urn: @assertion, result: {timestampMillis: 5, type: SUCCESS})`,
	`deleteAssertion(urn: @assertion)`,
	`deleteApplication(urn: @app)`,
	`deleteDocument(urn: @doc)`,
	`deleteBusinessAttribute(urn: @attribute)`,
	`deleteForm(input: {urn: @form})`,
	`deleteStructuredProperty(input: {urn: @property})`,
	`removeUser(urn: @bob)`,
	`removeGroup(urn: @group)`,
}

// spelledRun is a catalog that mutations change, with all URNs in one spelling.
type spelledRun struct {
	t     *testing.T
	h     *catalogtest.SearchHarness
	spell func(string) string
	// usual puts URNs in answers back into the usual spelling.
	usual *strings.Replacer
}

func newSpelledRun(t *testing.T, spell func(string) string) *spelledRun {
	t.Helper()
	return newSpelledRunOn(t, catalogtest.NewSearchHarness(t), spell)
}

// newSpelledRunOn writes the entities that the mutations name into a catalog.
func newSpelledRunOn(t *testing.T, h *catalogtest.SearchHarness, spell func(string) string) *spelledRun {
	t.Helper()
	r := &spelledRun{t: t, h: h, spell: spell}
	var pairs []string
	for _, e := range spelled {
		if e.aspect != "" {
			r.h.Say(e.urn, e.aspect, e.value)
		}
		pairs = append(pairs, r.quoted(spell(e.urn)), r.quoted(e.urn))
	}
	r.usual = strings.NewReplacer(pairs...)
	return r
}

func (r *spelledRun) quoted(text string) string { return catalogtest.MustJSON(r.t, text) }

var (
	entityNamed = regexp.MustCompile(`[@=][a-z]+\b`)
	madeID      = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
)

// do runs a mutation and returns its answer.
func (r *spelledRun) do(step string, spell func(string) string) string {
	answer := r.usual.Replace(ask(r.t, gql.New(gql.Options{Catalog: r.h.Services, Policies: testcatalog.Policies(r.h.Services, r.h.Store, nil)}), r.mutation(step, spell), nil))
	return madeID.ReplaceAllString(answer, "generated")
}

// mutation returns the text of a mutation.
func (r *spelledRun) mutation(step string, spell func(string) string) string {
	return "mutation { " + entityNamed.ReplaceAllStringFunc(strings.TrimPrefix(step, "!"), func(name string) string {
		e, ok := spelled[name[1:]]
		if !ok {
			r.t.Fatalf("%s: there is no %s", step, name)
		}
		if name[0] == '=' {
			return r.quoted(e.urn)
		}
		return r.quoted(spell(e.urn))
	}) + " }"
}

// TestSpellings: every mutation of the schema leaves the same state and has the same answer in
// any spelling of its URNs, also when the mutation is repeated in the usual spelling.
func TestSpellings(t *testing.T) {
	usual := func(urn string) string { return urn }
	plain, odd := newSpelledRun(t, usual), newSpelledRun(t, catalogtest.Odd)
	for _, step := range mutationSteps {
		for round, spell := range []func(string) string{odd.spell, usual} {
			testclock.Forward(time.Millisecond) // a repeated mutation writes a value with another time
			want, got := plain.do(step, usual), odd.do(step, spell)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, round %d, answers otherwise when URNs are spelled otherwise (-usual +other):\n%s", step, round, diff)
			}
		}
		want, got := plain.h.State(), odd.h.State()
		if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
			t.Fatalf("%s leaves another state when URNs are spelled otherwise (-usual +other):\n%s", step, diff)
		}
	}
}

// TestSpellingsAreComplete: TestSpellings runs every mutation of the schema, and every step
// without a ! succeeds.
func TestSpellingsAreComplete(t *testing.T) {
	tried := map[string]bool{}
	r := newSpelledRun(t, catalogtest.Odd)
	for _, step := range mutationSteps {
		name, _, _ := strings.Cut(strings.TrimPrefix(step, "!"), "(")
		tried[name] = true
		var answer struct{ Errors []json.RawMessage }
		text := r.do(step, r.spell)
		if err := json.Unmarshal([]byte(text), &answer); err != nil {
			t.Fatal(err)
		}
		if (len(answer.Errors) > 0) != strings.HasPrefix(step, "!") {
			t.Errorf("%s: %s", step, text)
		}
	}
	for _, field := range generated.NewExecutableSchema(generated.Config{}).Schema().Mutation.Fields {
		if !tried[field.Name] {
			t.Errorf("no step tries %s", field.Name)
		}
	}
}
