package gql

// queryCosts are the costs of the fields of Query. A field without a row fails a test.
var queryCosts = map[string]cost{
	"announcedChange": single, "announcedChanges": walked, "aspectHistory": walked, "auditTrail": walked, "debugAccess": walked, "explainAccess": walked, "getGrantedPrivileges": walked, "changesSince": walked, "columnLineageCounts": walked, "entityDetails": walked, "feed": walked, "feedUnread": walked, "getSchemaBlame": walked, "getSchemaVersionList": walked, "impact": walked, "labelledColumns": walked, "searchColumns": walked, "sqlLineage": walked, "storedSql": walked, "unusedColumns": walked,
	"lineageChanges": walked, "lineageDiff": walked, "lineageGraph": walked, "listRuns": walked, "openLineage": walked, "recentChanges": walked, "rollbackPreview": walked, "run": walked, "scrollAcrossLineage": walked,
	"searchAcrossLineage": walked, "timeSeriesValues": walked, "timeline": walked, "getTimeline": walked,
	"aggregateAcrossEntities": paged, "autoComplete": paged, "autoCompleteForMultiple": paged, "browse": paged, "browsePaths": paged, "browseV2": paged, "getEntityCounts": paged, "getQuickFilters": paged,
	"getRootGlossaryNodes": paged, "listLifecycleStages": paged, "getRootGlossaryTerms": paged, "listAccessTokens": paged, "listBusinessAttributes": paged, "listDataProductAssets": paged, "listDomains": paged, "listGlobalViews": paged, "listGroups": paged,
	"listIngestionSources": paged, "listExecutionRequests": paged, "listMyViews": paged, "listOwnershipTypes": paged, "listPolicies": paged, "listPosts": paged, "listQueries": paged, "listRecommendations": paged, "listRoles": paged, "listSecrets": paged, "listServiceAccounts": paged, "listTests": paged,
	"listUsers": paged, "scrollAcrossEntities": paged, "search": paged, "searchAcrossEntities": paged, "searchDocuments": paged, "subscriptions": paged, "suggest": paged,
	"application": single, "ingestionForm": single, "ingestionForms": single, "ingestionRecipeProblems": single, "assertion": single, "batchGetStepStates": single, "businessAttribute": single, "chart": single, "connection": single, "container": single, "corpGroup": single,
	"corpUser": single, "dashboard": single, "dataFlow": single, "dataJob": single, "dataPlatform": single, "dataProduct": single, "dataset": single, "document": single,
	"domain": single, "entities": single, "entity": single, "entityExists": single, "entityRefs": single, "executionRequest": single, "docPropagationSettings": single, "globalHomePageSettings": single, "globalViewsSettings": single, "getSecretValues": paged, "glossaryNode": single,
	"getInviteToken": single, "glossaryTerm": single, "ingestionSource": single, "me": single, "mlFeature": single, "mlFeatureTable": single, "mlModel": single, "mlModelGroup": single, "mlPrimaryKey": single,
	"getAccessToken": single, "getAccessTokenMetadata": single, "getServiceAccount": single, "notebook": single, "tag": single, "test": single, "versionSet": single, "versionedDataset": single,
	"appConfig": free, "getAnalyticsCharts": free, "getHighlights": free, "getMetadataAnalyticsCharts": free, "isAnalyticsEnabled": free,
	"semanticSearchAcrossEntities": free,
}

// fieldCosts are the costs of the fields with arguments of other objects, for any object that
// has a field of the name. Most fields without arguments are read for all entities of a place
// together, and cost nothing of their own.
var fieldCosts = map[string]cost{
	"impact": walked, "quality": walked, "unseen": walked,
	"assertions": below, "changeHistory": below, "datasetProfiles": below, "entities": below, "executions": below, "incidents": below, "lineage": below, "operations": below, "relatedDocuments": below,
	"relationships": below, "runEvents": below, "runs": below, "state": below, "usageStats": below, "versionsSearch": below,
	"aspects": single, "schemaMetadata": single,
}

// mutationCosts are the costs of the fields of Mutation.
var mutationCosts = map[string]cost{
	"createDynamicFormAssignment": walked, "rollbackIngestion": walked, "rollbackRun": walked, "restore": walked, "changeMany": walked, "undo": walked,
	"addGroupMembers": paged, "addOwners": paged, "addRelatedTerms": paged, "addTags": paged, "addTerms": paged, "batchAddOwners": paged, "batchAddTags": paged, "batchAddTerms": paged,
	"batchAssignForm": paged, "batchAssignRole": paged, "batchRemoveForm": paged, "batchRemoveOwners": paged, "batchRemoveTags": paged, "batchRemoveTerms": paged, "batchSetApplication": paged, "batchSetDataProduct": paged, "batchAddToDataProducts": paged, "batchRemoveFromDataProducts": paged,
	"batchSetDomain": paged, "batchUnsetApplication": paged, "batchUpdateDeprecation": paged, "batchUpdateSoftDeleted": paged, "batchUpdateStepStates": paged, "deleteApplication": paged, "deleteAssertion": paged, "deleteBusinessAttribute": paged,
	"deleteDataProduct": paged, "deleteDocument": paged, "deleteDomain": paged, "deleteForm": paged, "deleteGlossaryEntity": paged, "deleteOwnershipType": paged, "deletePost": paged, "deleteQuery": paged, "deleteSecret": paged, "deleteServiceAccount": paged, "revokeAccessToken": paged,
	"deleteStructuredProperty": paged, "deleteTag": paged, "deleteTest": paged, "deleteView": paged, "linkAssetVersion": paged, "moveDocument": paged, "moveDomain": paged, "removeGroup": paged, "removeGroupMembers": paged,
	"removeRelatedTerms": paged, "removeUser": paged, "unlinkAssetVersion": paged, "updateDatasets": paged, "updateDocumentRelatedEntities": paged, "updateLineage": paged, "updateParentNode": paged,
	"addBusinessAttribute": single, "addLink": single, "addOwner": single, "addTag": single, "addTerm": single, "createApplication": single, "createBusinessAttribute": single, "createDataProduct": single,
	"createDocument": single, "createDomain": single, "createForm": single, "createGlossaryNode": single, "createGlossaryTerm": single, "createGroup": single, "createOwnershipType": single, "createPost": single,
	"createQuery": single, "createSecret": single, "createStructuredProperty": single, "createTag": single, "createTest": single, "createView": single, "raiseIncident": single, "removeBusinessAttribute": single, "removeLink": single,
	"removeOwner": single, "removeStructuredProperties": single, "removeTag": single, "removeTerm": single, "reportAssertionResult": single, "reportOperation": single, "setDomain": single, "setLogicalParent": single, "setLifecycleStage": single, "setTagColor": single,
	"announceChange": single, "withdrawAnnouncedChange": single, "submitFormPrompt": single, "markFeedRead": single, "refuseTagSuggestion": single, "subscribe": single, "unsetDomain": single, "unsubscribe": single, "updateApplication": single, "updateBusinessAttribute": single, "updateChart": single, "updateCorpGroupProperties": single,
	"updateCorpUserProperties": single, "updateCorpUserViewsSettings": single, "updateDashboard": single, "updateDataFlow": single, "updateDataJob": single, "updateDataProduct": single, "updateDataset": single, "updateDeprecation": single,
	"updateDescription": single, "updateDocumentContents": single, "updateDocumentSettings": single, "updateDocumentStatus": single, "updateDocumentSubType": single, "updateEmbed": single, "updateForm": single, "updateGlobalViewsSettings": single,
	"updateIncident": single, "updateLink": single, "upsertLink": single, "updateIncidentStatus": single, "createIngestionSource": single, "updateIngestionSource": single, "deleteIngestionSource": single, "createIngestionExecutionRequest": single, "cancelIngestionExecutionRequest": single, "createTestConnectionRequest": single, "updateName": single, "updateNotebook": single, "updateOwnershipType": single, "updateQuery": single, "updateSecret": single, "updatePost": single, "updateDocPropagationSettings": single, "updateApplicationsSettings": single, "updateUserHomePageSettings": single, "updateCorpUserLocaleSettings": single, "updateStructuredProperty": single,
	"updateTag": single, "updateTest": single, "updateUserSetting": single, "updateUserStatus": single, "updateView": single, "upsertConnection": single, "upsertCustomAssertion": single, "upsertDataContract": single,
	"upsertStructuredProperties": single, "verifyForm": single, "acceptRole": single, "createAccessToken": single, "createInviteToken": single, "createNativeUserResetToken": single, "createServiceAccount": single, "updateServiceAccountDefaultView": single,
	"createPolicy": single, "updatePolicy": single, "deletePolicy": paged,
	"runAssertion": free, "runAssertions": free, "runAssertionsForAsset": free,
}
