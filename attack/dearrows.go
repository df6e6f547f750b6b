package main

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// dearRow is one kind of request.
type dearRow struct {
	name string
	// always: the small size sends it too.
	always bool
	ask    func(ctx context.Context, d *dear) (refused string)
}

// inSmall lists the rows that the small size sends: the requests with the worst effects so far.
var inSmall = []string{"query recentChanges", "query lineageGraph", "query timeline", "query run", "field lineage", "mutation batchAddTags", "get /impact/{urn}", "hits of searchAcrossEntities, pages of 5, their stages", "hits of searchAcrossEntities, pages of 100"}

// queryRows are the fields of Query with their most expensive arguments. $ marks the names
// of written entities.
var queryRows = map[string]string{
	"aggregateAcrossEntities": `(input:{types:[],query:"*",facets:["platform","owners","tags","domains","typeNames","container"]})`,
	"announcedChanges":        `(input:{dataset:$hub,count:200})`, "announcedChange": `(urn:"urn:li:announcedChange:x")`,
	"appConfig": ``, "application": `(urn:"urn:li:application:x")`, "aspectHistory": `(input:{urn:$hub,aspect:"schemaMetadata",count:100})`,
	"assertion": `(urn:"urn:li:assertion:x")`, "autoComplete": `(input:{type:DATASET,query:"d",limit:1000})`, "autoCompleteForMultiple": `(input:{query:"d",limit:1000})`,
	"debugAccess": `(userUrn:$user)`, "explainAccess": `(input:{actorUrn:$user,privilege:"READ",resourceUrn:$hub})`, "getGrantedPrivileges": `(input:{actorUrn:$user,resourceSpec:{resourceType:"dataset",resourceUrn:$hub},includeEvaluationDetails:true})`,
	"auditTrail": `(input:{limit:1000})`, "batchGetStepStates": `(input:{ids:["x"]})`, "browse": `(input:{type:DATASET,path:["prod"],count:10000})`, "browsePaths": `(input:{type:DATASET,urn:$hub})`,
	"browseV2": `(input:{type:DATASET,path:[],count:10000,query:"*"})`, "businessAttribute": `(urn:"urn:li:businessAttribute:x")`, "chart": `(urn:"urn:li:chart:(looker,x)")`,
	"changesSince": `(input:{urn:$hub,from:1,count:1000})`, "columnLineageCounts": `(urn:$hub,asOf:4102444800000)`, "connection": `(urn:"urn:li:dataHubConnection:x")`, "container": `(urn:"urn:li:container:x")`, "corpGroup": `(urn:"urn:li:corpGroup:x")`, "corpUser": `(urn:$user)`,
	"dashboard": `(urn:"urn:li:dashboard:(looker,x)")`, "dataFlow": `(urn:"urn:li:dataFlow:(airflow,x,prod)")`, "dataJob": `(urn:"urn:li:dataJob:(urn:li:dataFlow:(airflow,x,prod),y)")`,
	"dataPlatform": `(urn:"urn:li:dataPlatform:hive")`, "dataProduct": `(urn:"urn:li:dataProduct:x")`, "dataset": `(urn:$hub)`, "document": `(urn:"urn:li:document:x")`, "domain": `(urn:"urn:li:domain:x")`,
	"entities": `(urns:[$hub,$top,$user])`, "entity": `(urn:$hub)`, "entityDetails": `(urn:$hub,asOf:4102444800000)`, "entityExists": `(urn:$hub)`, "entityRefs": `(urns:[$hub,$top,$user],asOf:4102444800000)`, "executionRequest": `(urn:"urn:li:dataHubExecutionRequest:x")`,
	"feed": `(input:{actor:$user,from:0,count:200})`, "feedUnread": `(actor:$user)`, "getAnalyticsCharts": ``, "getEntityCounts": `(input:{types:[DATASET]})`, "getHighlights": ``, "getInviteToken": `(input:{})`, "getAccessToken": `(input:{type:PERSONAL,actorUrn:$user,duration:ONE_HOUR})`, "getAccessTokenMetadata": `(token:"x")`, "listServiceAccounts": `(input:{start:0,count:10000})`, "getServiceAccount": `(urn:$user)`, "getMetadataAnalyticsCharts": `(input:{})`,
	"getQuickFilters": `(input:{})`, "getRootGlossaryNodes": `(input:{start:0,count:10000})`, "getRootGlossaryTerms": `(input:{start:0,count:10000})`, "getSchemaBlame": `(input:{datasetUrn:$hub})`,
	"getSchemaVersionList": `(input:{datasetUrn:$hub})`, "getSecretValues": `(input:{secrets:["x"]})`, "docPropagationSettings": ``, "globalHomePageSettings": ``, "globalViewsSettings": ``, "glossaryNode": `(urn:"urn:li:glossaryNode:x")`, "glossaryTerm": `(urn:"urn:li:glossaryTerm:x")`,
	"impact": `(input:{urn:$hub,column:"c0",change:DROP,count:1000})`, "ingestionForm": `(type:"bigquery")`, "ingestionForms": ``, "ingestionRecipeProblems": `(recipe:"{\"source\":{\"type\":\"postgres\",\"config\":{}}}")`, "ingestionSource": `(urn:"urn:li:dataHubIngestionSource:x")`, "isAnalyticsEnabled": ``, "labelledColumns": `(input:{labels:[$tag],count:200})`, "searchColumns": `(input:{query:"c",count:10000})`, "unusedColumns": `(input:{query:"*",count:1000,all:true})`, "sqlLineage": `(input:{sql:"select x.c0, x.* from db.dear x where x.dearcolumn > 0; @sql",dialect:"hive"})`,
	"lineageChanges": `(input:{urn:$hub,direction:DOWNSTREAM,from:1,count:1000})`, "lineageDiff": `(input:{urn:$hub,direction:DOWNSTREAM,before:1,columns:true})`, "lineageGraph": `(input:{urn:$top,direction:UPSTREAM,limit:10000,columns:true})`,
	"listAccessTokens": `(input:{start:0,count:10000})`, "listBusinessAttributes": `(input:{start:0,count:10000})`, "listDataProductAssets": `(urn:"urn:li:dataProduct:x",input:{query:"*",count:10000})`, "listDomains": `(input:{start:0,count:10000})`,
	"listLifecycleStages": ``, "listGlobalViews": `(input:{start:0,count:10000})`, "listGroups": `(input:{start:0,count:10000})`, "listIngestionSources": `(input:{start:0,count:10000})`, "listExecutionRequests": `(input:{start:0,count:10000,systemSources:false})`, "listMyViews": `(input:{start:0,count:10000})`, "listOwnershipTypes": `(input:{start:0,count:10000})`,
	"listPolicies": `(input:{start:0,count:10000})`, "listPosts": `(input:{start:0,count:10000})`, "listQueries": `(input:{start:0,count:10000})`, "listRecommendations": `(input:{userUrn:$user,limit:1000})`, "listRoles": `(input:{start:0,count:10000})`, "listSecrets": `(input:{start:0,count:10000})`,
	"listRuns": `(input:{start:0,count:1000})`, "listTests": `(input:{start:0,count:10000})`, "listUsers": `(input:{start:0,count:10000})`, "me": ``, "mlFeature": `(urn:"urn:li:mlFeature:(x,y)")`, "mlFeatureTable": `(urn:"urn:li:mlFeatureTable:(urn:li:dataPlatform:feast,x)")`,
	"mlModel": `(urn:"urn:li:mlModel:(urn:li:dataPlatform:science,x,PROD)")`, "mlModelGroup": `(urn:"urn:li:mlModelGroup:(urn:li:dataPlatform:science,x,PROD)")`, "mlPrimaryKey": `(urn:"urn:li:mlPrimaryKey:(x,y)")`, "notebook": `(urn:"urn:li:notebook:(querybook,1)")`,
	"openLineage":   `(urn:$hub)`,
	"recentChanges": `(input:{types:["tag"],count:200})`, "rollbackPreview": `(runId:$run)`, "run": `(input:{runId:$run,count:1000,values:true})`, "scrollAcrossEntities": `(input:{query:"*",count:1000})`,
	"scrollAcrossLineage": `(input:{urn:$hub,direction:DOWNSTREAM,query:"*",count:1000,maxHops:1000})`, "search": `(input:{type:DATASET,query:"dear",count:10000})`, "searchAcrossEntities": `(input:{query:"dear",count:10000})`,
	"searchAcrossLineage": `(input:{urn:$hub,direction:DOWNSTREAM,query:"*",count:10000,maxHops:1000})`, "searchDocuments": `(input:{query:"*",count:10000})`, "semanticSearchAcrossEntities": `(input:{query:"*"})`, "subscriptions": `(actor:$user)`,
	"storedSql": `(urn:$top,upstreamUrn:$hub)`, "suggest": `(input:{text:"d",limit:50})`, "tag": `(urn:$tag)`, "test": `(urn:"urn:li:test:x")`, "timeSeriesValues": `(input:{urn:$hub,aspect:"datasetProfile",limit:1000})`, "timeline": `(input:{urn:$hub})`, "getTimeline": `(input:{urn:$hub})`,
	"versionSet": `(urn:"urn:li:versionSet:(x,dataset)")`, "versionedDataset": `(urn:$hub,versionStamp:"schemaMetadata:1")`,
}

// fieldRows are the other fields with arguments: the place of the field, and its most
// expensive arguments.
var fieldRows = map[string]string{
	"aspects": `dataset(urn:$hub) aspects(input:{})`, "changeHistory": `document(urn:"urn:li:document:x") changeHistory(startTimeMillis:1,limit:1000)`, "assertions": `dataset(urn:$hub) assertions(count:1000)`, "datasetProfiles": `dataset(urn:$hub) datasetProfiles(startTimeMillis:1,limit:10000)`,
	"entities": `domain(urn:"urn:li:domain:x") entities(input:{query:"*",count:1000})`, "executions": `ingestionSource(urn:"urn:li:dataHubIngestionSource:x") executions(count:1000)`, "unseen": `ingestionSource(urn:"urn:li:dataHubIngestionSource:x") unseen(count:1000)`, "impact": `labelledColumns(input:{labels:[$tag],count:1}){columns impact(count:1000)`,
	"incidents": `dataset(urn:$hub) incidents(count:1000)`, "lineage": `dataset(urn:$hub) lineage(input:{direction:DOWNSTREAM,count:10000})`, "operations": `dataset(urn:$hub) operations(startTimeMillis:1,limit:10000)`,
	"relatedDocuments": `dataset(urn:$hub) relatedDocuments(input:{count:1000})`, "relationships": `dataset(urn:$hub) relationships(input:{types:[],direction:INCOMING,count:10000})`, "runEvents": `assertion(urn:"urn:li:assertion:x") runEvents(limit:1000)`,
	"runs": `dataset(urn:$hub) runs(count:1000,direction:INCOMING)`, "schemaMetadata": `dataset(urn:$hub) schemaMetadata(version:1)`, "state": `entity(urn:"urn:li:dataProcessInstance:x"){...on DataProcessInstance state(limit:1000)`,
	"usageStats": `dataset(urn:$hub) usageStats(range:ALL)`, "versionsSearch": `versionSet(urn:"urn:li:versionSet:(x,dataset)") versionsSearch(input:{query:"*",count:1000})`,
}

// mutationRows are the mutations that change many entities, or a large part of one.
var mutationRows = map[string]string{
	"batchAddOwners": `(input:{owners:[{ownerUrn:$user,ownerEntityType:CORP_USER}],resources:[$resources]})`, "batchAddTags": `(input:{tagUrns:[$tag],resources:[$resources]})`,
	"announceChange":  `(input:{pullRequest:"https://git.invalid/dear/1",changes:[{kind:"columnDropped",datasets:[$hub,$top],column:"c0"}]})`,
	"batchRemoveTags": `(input:{tagUrns:[$tag],resources:[$resources]})`, "batchUpdateDeprecation": `(input:{deprecated:true,note:"x",resources:[$resources]})`,
	"changeMany": `(input:{urns:[$hub],addTags:[$tag],dryRun:true})`, "undo": `(changes:[{urn:$hub,aspect:"globalTags",made:1}])`,
	"restore": `(input:{urn:$hub,asOf:4102444800000,dryRun:true})`, "rollbackRun": `(input:{runId:$run,confirm:"x"})`, "updateDescription": `(input:{description:"x",resourceUrn:$hub})`, "addTag": `(input:{tagUrn:$tag,resourceUrn:$top})`,
	"updateLineage": `(input:{edgesToAdd:[],edgesToRemove:[]})`, "subscribe": `(input:{urn:$hub})`, "batchAssignForm": `(input:{formUrn:"urn:li:form:x",entityUrns:[$hub]})`,
}

// toolRows are the tools for agents.
var toolRows = map[string]string{
	"columns": `{"query":"c","limit":200}`, "entities": `{"names":[$hub,$top,$user,$tag]}`, "history": `{"of":$hub,"limit":200}`, "impact": `{"of":$hub,"change":"drop","limit":200}`,
	"lineage": `{"of":$hub,"direction":"downstream","hops":0,"limit":200}`, "lineage_changes": `{"of":$hub,"direction":"downstream","before":"2020-01-01","limit":200}`,
	"paths": `{"from":$hub,"to":$top,"max_paths":10}`, "queries": `{"of":$hub,"limit":200}`, "runs": `{"run":$run,"limit":200}`, "search": `{"query":"dear","limit":200}`, "unused_columns": `{"query":"*","limit":200,"all":true}`, "sql": `{"sql":"select x.c0, x.* from db.dear x where x.dearcolumn > 0; @sql","dialect":"hive","limit":200}`,
}

// routeRows are the reading routes with their most expensive arguments: the path and, after
// a blank, the body.
var routeRows = map[string]string{
	"get /aspects/{urn}": `/aspects/@hub?aspect=schemaMetadata&version=1`, "get /changes-since/{urn}": `/changes-since/@hub?from=1&count=1000`, "get /columns": `/columns?query=c&count=10000`, "get /unused-columns": `/unused-columns?datasets=List(@hub)&days=3650&all=true&count=1000`, "get /columns-at/{urn}": `/columns-at/@hub?asOf=@now`, "get /complete": `/complete?text=d&count=100`, "get /entities": `/entities?ids=List(@hub,@top)`, "get /entities/{urn}": `/entities/@hub`,
	"get /entitiesV2": `/entitiesV2?ids=List(@hub,@top)`, "get /entitiesV2/{urn}": `/entitiesV2/@hub`, "get /entitiesVersionedV2": `/entitiesVersionedV2?ids=List((urn:@hub,versionStamp:schemaMetadata:1))&entityType=dataset`,
	"get /entity-at/{urn}": `/entity-at/@hub?asOf=@now`, "get /events": `/events?from=&limit=1000`, "get /export": `/export`, "get /feed": `/feed?actor=@user&from=0&count=200`,
	"get /impact/{urn}": `/impact/@hub?column=c0&change=drop&hops=1000`, "get /labels/{urn}": `/labels/@hub`, "get /lineage-diff/{urn}": `/lineage-diff/@hub?before=1&direction=DOWNSTREAM&hops=1000&columns=true`,
	"get /lineage/{urn}": `/lineage/@top?direction=UPSTREAM&hops=1000&paths=100&count=10000&edges=true&columns=true`, "get /quality/{urn}": `/quality/@hub`, "get /relationships": `/relationships?urn=@hub&direction=INCOMING&count=10000&provenance=true`,
	"get /replica/changes": `/replica/changes?from=&limit=1000`, "get /replica/series": `/replica/series?urn=@hub&aspect=datasetProfile`, "get /resolve": `/resolve?name=dear`, "get /subscriptions": `/subscriptions?actor=@user`,
	"get /openapi/entities/v1/latest": `/openapi/entities/v1/latest?urns=@hub`, "get /openapi/relationships/v1": `/openapi/relationships/v1?urn=@hub&direction=INCOMING&relationshipTypes=DownstreamOf&count=10000`,
	"get /openapi/timeline/v1/{urn}": `/openapi/timeline/v1/@hub?raw=true`, "get /openapi/v2/timeline/v1/{urn}": `/openapi/v2/timeline/v1/@hub?raw=true&categories=TECHNICAL_SCHEMA`,
	"get /openapi/v1/registry/models/entity/specifications": `/openapi/v1/registry/models/entity/specifications?count=1000`, "get /openapi/v2/entity/{entityType}": `/openapi/v2/entity/dataset?count=1000&query=*`,
	"get /openapi/v3/entity/{entityType}": `/openapi/v3/entity/dataset?count=1000&query=*&systemMetadata=true`, "get /openapi/v3/entity/{entityType}/{urn}": `/openapi/v3/entity/dataset/@hub?systemMetadata=true`,
	"get /openapi/v3/entity/{entityType}/{urn}/{aspect}": `/openapi/v3/entity/dataset/@hub/schemaMetadata?version=1`, "get /proposals/failed": `/proposals/failed?limit=1000`, "get /openapi.json": `/openapi.json`, "get /openapi/v3/api-docs": `/openapi/v3/api-docs`, "get /restli/docs": `/restli/docs`,
	"get /openapi/v2/timeseries/{entityType}/{aspect}": `/openapi/v2/timeseries/dataset/datasetProfile?count=1000&systemMetadata=true`,
	"get /openapi/v1/events/poll":                      `/openapi/v1/events/poll?topic=MetadataChangeLog_Versioned_v1&lookbackWindowDays=10000&limit=1000&pollTimeoutSeconds=0`,
	"get /access/explain":                              `/access/explain?actor=@user&privilege=READ&urn=@hub`,
	"get /access/policies":                             `/access/policies`,
	"post /access/policies/test":                       `/access/policies/test {"text":"expect: [{actor: dear, privilege: READ, may: true}]"}`,
	"post /secrets/rotate":                             `/secrets/rotate?start=0 {}`,
	"post /access/policies/apply":                      `/access/policies/apply?dryRun=true&prune=true {"text":"policies: []"}`,
	"get /openlineage/facets":                          `/openlineage/facets?urn=@hub`,
	"get /audit":                                       `/audit?limit=1000`,
	"post /openapi/v1/events/audit/search":             `/openapi/v1/events/audit/search?size=1000 {"eventTypes":[],"actorUrns":[]}`,
	"post /analytics?action=getTimeseriesStats":        `/analytics?action=getTimeseriesStats {"entityName":"dataset","aspectName":"datasetProfile","metrics":[{"fieldPath":"rowCount","aggregationType":"SUM"}],"buckets":[{"key":"timestampMillis","type":"DATE_GROUPING_BUCKET","timeWindowSize":{"unit":"DAY","multiple":1}}],"filter":{"or":[{"and":[{"field":"urn","values":[$hub]}]}]}}`,
	"post /aspects?action=getCount":                    `/aspects?action=getCount {"aspect":"datasetProperties","urnLike":"%a%e%a%r%PROD%"}`,
	"post /aspects?action=getTimeseriesAspectValues":   `/aspects?action=getTimeseriesAspectValues {"urn":$hub,"entity":"dataset","aspect":"datasetProfile","limit":10000}`,
	"post /entities?action=autocomplete":               `/entities?action=autocomplete {"entity":"dataset","query":"d","limit":1000}`,
	"post /entities?action=batchGetTotalEntityCount":   `/entities?action=batchGetTotalEntityCount {"entities":["dataset","tag","corpuser","chart"]}`,
	"post /entities?action=browse":                     `/entities?action=browse {"entity":"dataset","path":"/prod","start":0,"limit":10000}`,
	"post /entities?action=browseV2":                   `/entities?action=browseV2 {"entity":"dataset","path":"","input":"*","start":0,"limit":10000}`,
	"post /entities?action=exists":                     `/entities?action=exists {"urn":$hub}`,
	"post /entities?action=filter":                     `/entities?action=filter {"entity":"dataset","filter":{"or":[]},"start":0,"count":10000}`,
	"post /entities?action=getBrowsePaths":             `/entities?action=getBrowsePaths {"urn":$hub}`,
	"post /entities?action=getTotalEntityCount":        `/entities?action=getTotalEntityCount {"entity":"dataset"}`,
	"post /entities?action=list":                       `/entities?action=list {"entity":"dataset","filter":{"or":[]},"start":0,"count":10000}`,
	"post /entities?action=listUrns":                   `/entities?action=listUrns {"entity":"dataset","start":0,"count":10000}`,
	"post /entities?action=scrollAcrossEntities":       `/entities?action=scrollAcrossEntities {"input":"dear","entities":[],"count":10000}`,
	"post /entities?action=scrollAcrossLineage":        `/entities?action=scrollAcrossLineage {"urn":$hub,"direction":"DOWNSTREAM","input":"*","count":1000,"maxHops":1000}`,
	"post /entities?action=search":                     `/entities?action=search {"entity":"dataset","input":"dear","start":0,"count":10000}`,
	"post /entities?action=searchAcrossEntities":       `/entities?action=searchAcrossEntities {"entities":[],"input":"dear","start":0,"count":10000}`,
	"post /entities?action=searchAcrossLineage":        `/entities?action=searchAcrossLineage {"urn":$hub,"direction":"DOWNSTREAM","input":"*","start":0,"count":10000,"maxHops":1000}`,
	"post /openapi/v1/trace/write/{traceId}":           `/openapi/v1/trace/write/00000000000000000000000000000001 {$hub:["schemaMetadata"]}`,
	"post /openapi/v1/tracking/track":                  `/openapi/v1/tracking/track {"type":"EntityViewEvent","entityUrn":$hub}`,
	"post /openapi/v2/entity/batch/{entityType}":       `/openapi/v2/entity/batch/dataset {"urns":[$hub,$top],"aspectNames":["schemaMetadata","ownership"]}`,
	"post /openapi/v3/entity/scroll":                   `/openapi/v3/entity/scroll?count=1000&query=* {"entities":["dataset"],"aspects":["ownership","schemaMetadata"]}`,
	"post /openapi/v3/entity/{entityType}/batchGet":    `/openapi/v3/entity/dataset/batchGet [{"urn":$hub,"schemaMetadata":{}}]`,
	"post /openapi/v3/lineage/scroll":                  `/openapi/v3/lineage/scroll?direction=INCOMING&count=10000 {"urns":[$hub]}`,
	"post /openapi/v3/relationship/scroll":             `/openapi/v3/relationship/scroll?count=10000 {}`,
	"post /relationships?action=getLineage":            `/relationships?action=getLineage {"urn":$hub,"direction":"DOWNSTREAM","start":0,"count":10000,"maxHops":1000}`,
	"get /announced-changes":                           `/announced-changes?dataset=@hub&count=200`,
	"get /announced-changes/{urn}":                     `/announced-changes/urn:li:announcedChange:x`,
	"post /announced-changes":                          `/announced-changes {"pullRequest":"https://git.invalid/dear/2","changes":[@members]}`,
	"post /lineage/{urn}":                              `/lineage/@hub?direction=DOWNSTREAM&hops=1000&paths=100&count=10000&edges=true @overlay`,
	"post /impact/{urn}":                               `/impact/@hub?hops=1000 @overlay`,
	"post /overlay-diff":                               `/overlay-diff?urn=@hub&hops=5 @overlay`,
	"post /sql/lineage":                                `/sql/lineage {"sql":"select x.c0, x.* from db.dear x where x.dearcolumn > 0; @sql","dialect":"hive"}`,
	"post /runs?action=describe":                       `/runs?action=describe {"runId":$run,"start":0,"count":1000,"includeAspect":true}`,
	"post /runs?action=list":                           `/runs?action=list {"pageOffset":0,"pageSize":1000}`,
	"post /api/v1/lineage":                             `/api/v1/lineage @edges`,
	"post /api/v1/lineage/batch":                       `/api/v1/lineage/batch [@edges]`,
	"post /openapi/openlineage/api/v1/lineage":         `/openapi/openlineage/api/v1/lineage @edges`,
	"post /openapi/openlineage/api/v1/lineage/batch":   `/openapi/openlineage/api/v1/lineage/batch [@edges]`,
	"post /usageStats?action=query":                    `/usageStats?action=query {"resource":$hub,"duration":"DAY"}`,
	"post /usageStats?action=queryRange":               `/usageStats?action=queryRange {"resource":$hub,"duration":"DAY","rangeFromEnd":"ALL"}`,
	"post /entities?action=deleteReferences":           `/entities?action=deleteReferences {"urn":$tag,"dryRun":true}`,
	"post /entities?action=delete":                     `/entities?action=delete {"urn":$hub,"dryRun":true}`,
	"post /entities?action=restore":                    `/entities?action=restore {"urn":$hub,"asOf":4102444800000,"dryRun":true}`,
	"post /entities?action=edit":                       `/entities?action=edit {"urn":$hub,"add":{"tags":[$tag]},"dryRun":true}`,
	"post /entities?action=batchDelete":                `/entities?action=batchDelete {"urns":[$hub,$top],"dryRun":true,"references":true}`,
	"post /runs?action=rollback":                       `/runs?action=rollback {"runId":$run,"dryRun":true}`,
	"post /operations?action=truncateTimeseriesAspect": `/operations?action=truncateTimeseriesAspect {"entityType":"dataset","aspect":"datasetProfile","endTimeMillis":1,"dryRun":true}`,
	"post /aspects?action=restoreIndices":              `/aspects?action=restoreIndices {"urnLike":"%dear%PROD%","batchSize":10000}`,
	"post /operations?action=restoreIndices":           `/operations?action=restoreIndices {"urnLike":"%dear%PROD%","batchSize":10000}`,
	"post /aspects?action=ingestProposal":              `/aspects?action=ingestProposal {"proposal":{"entityType":"dataset","entityUrn":$top,"changeType":"UPSERT","aspectName":"datasetProperties","aspect":{"value":"{\"description\":\"x\"}","contentType":"application/json"}}}`,

	// The reads in the shape of Marquez.
	"get /api/v1/namespaces": `/api/v1/namespaces?limit=200`, "get /api/v1/namespaces/{namespace}": `/api/v1/namespaces/hive`, "get /api/v1/namespaces/{namespace}/datasets": `/api/v1/namespaces/hive/datasets?limit=200`,
	"get /api/v1/namespaces/{namespace}/datasets/{dataset}": `/api/v1/namespaces/hive/datasets/@table`, "get /api/v1/namespaces/{namespace}/jobs": `/api/v1/namespaces/dear/jobs?limit=200`,
	"get /api/v1/namespaces/{namespace}/jobs/{job}": `/api/v1/namespaces/dear/jobs/dear`, "get /api/v1/namespaces/{namespace}/jobs/{job}/runs": `/api/v1/namespaces/dear/jobs/dear/runs?limit=200`,
	"get /api/v1/jobs": `/api/v1/jobs?limit=200`, "get /api/v1/jobs/runs/{id}": `/api/v1/jobs/runs/dear`, "get /api/v1/jobs/runs/{id}/facets": `/api/v1/jobs/runs/dear/facets?type=job`,
	"get /api/v1/lineage": `/api/v1/lineage?nodeId=@node&depth=100`, "get /api/v1/column-lineage": `/api/v1/column-lineage?nodeId=@node&depth=100&withDownstream=true`,
	"get /api/v1/search": `/api/v1/search?q=dear&limit=200`, "get /api/v1/tags": `/api/v1/tags?limit=200`,
}

// manyEdges is an OpenLineage event with as many inputs and outputs as it may have.
var manyEdges = func() string {
	side := func(name string) string {
		list := make([]string, 1000)
		for i := range list {
			list[i] = fmt.Sprintf(`{"namespace":"hive://dear","name":"dear.%s%d"}`, name, i)
		}
		return strings.Join(list, ",")
	}
	return `{"eventType":"COMPLETE","eventTime":"2026-11-27T10:00:00Z","run":{"runId":"dear"},"job":{"namespace":"dear","name":"dear"},"inputs":[` + side("in") + `],"outputs":[` + side("out") + `]}`
}()

// manyProposals is an overlay with as many proposals as it may have: a thousand datasets that all derive from the hub and from
// each other, and as many statuses as fit.
var manyProposals = func() string {
	urn := func(i int) string {
		return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,dear.over%d,PROD)", i)
	}
	var list []string
	for i := range 9000 {
		list = append(list, fmt.Sprintf(`{"entityType":"dataset","entityUrn":%q,"aspectName":"status","aspect":{"json":{"removed":false}}}`, urn(i)))
	}
	for i := range 1000 {
		upstreams := []string{`{"dataset":$hub,"type":"COPY"}`}
		for k := range 90 {
			upstreams = append(upstreams, fmt.Sprintf(`{"dataset":%q,"type":"COPY"}`, urn((i+k+1)%1000)))
		}
		list = append(list, fmt.Sprintf(`{"entityType":"dataset","entityUrn":%q,"aspectName":"upstreamLineage","aspect":{"json":{"upstreams":[%s]}}}`, urn(i), strings.Join(upstreams, ",")))
	}
	return `{"overlay":[` + strings.Join(list, ",") + `]}`
}()

// manySelects are statements with many tables, of which the catalog has none.
var manySelects = func() string {
	var b strings.Builder
	for i := range 150 {
		fmt.Fprintf(&b, "select a.c0, b.*, count(*) over (partition by b.c1) from db.a%d a join db.b%d b on a.c0 = b.c0 where a.c1 in (select c2 from db.c%d);", i, i, i)
	}
	return b.String()
}()

// manyMembers announces as many changes of tables as the limit, and each names as many datasets as a change may have.
var manyMembers = func() string {
	members := make([]string, 1000)
	for i := range members {
		datasets := make([]string, 10)
		for k := range datasets {
			datasets[k] = fmt.Sprintf(`"urn:li:dataset:(urn:li:dataPlatform:hive,dear.announced%d,PROD)"`, (i+k)%1000)
		}
		members[i] = fmt.Sprintf(`{"kind":"columnDropped","datasets":[%s],"column":"c%d"}`, strings.Join(datasets, ","), i)
	}
	return strings.Join(members, ",")
}()

// cheapRoutes are routes without arguments that could make them expensive, and routes that
// answer from memory.
var cheapRoutes = []string{
	"get /", "get /browser", "options /browser", "get /browser/guide", "get /browser/queries.zip", "get /browser/style.grass", "get /config", "get /docs", "get /followers", "get /health", "get /health/check/ready", "get /health/ready", "get /index",
	"get /openapi/operations/messaging/{log}/consumer/lag", "get /openapi/operations/dev/featureFlags", "get /openapi/operations/identity/user/urn", "get /openapi/operations/dev/featureFlags/{name}", "get /openapi/v1/system-info", "get /openapi/v1/system-info/properties", "get /openapi/v1/system-info/properties/simple", "get /openapi/v1/system-info/spring-components",
	"get /openapi/swagger-ui", "get /openapi/up", "get /replica", "get /ui", "get /webhooks", "get /webhooks/{id}", "get /webhooks/{id}/dead", "get /auth/options", "get /authenticate", "get /sso", "get /callback/oidc", "get /auth/session", "get /auth/sessions", "post /auth/password", "post /auth/generateSessionTokenForUser", "get /logOut", "post /logOut", "delete /auth/sessions/{id}", "post /auth/verifyNativeUserCredentials", "post /logIn", "head /openapi/v3/entity/{entityType}/{urn}", "head /openapi/v3/entity/{entityType}/{urn}/{aspect}",
	"post /entities?action=applyRetention", "post /entities?action=setWritable", "post /operations?action=getEsTaskStatus", "post /operations?action=getIndexSizes", "post /platform?action=producePlatformEvent",
}

// writingRoutes are routes whose writes other attacks cover (amplify, hot-entity, kills,
// clock): they write as much as their body has, or change one thing.
var writingRoutes = []string{
	"post /aspects?action=ingestProposalBatch", "post /entities?action=batchIngest", "post /entities?action=deleteAll", "post /entities?action=ingest", "post /followers?action=remove", "post /import", "post /index?action=rebuild",
	"delete /openapi/entities/v1", "post /openapi/entities/v1", "post /openapi/platform/entities/v1", "patch /openapi/v3/entity/generic", "post /openapi/v3/entity/generic", "patch /openapi/v3/entity/{entityType}", "post /openapi/v3/entity/{entityType}",
	"delete /openapi/v3/entity/{entityType}/{urn}", "delete /openapi/v3/entity/{entityType}/{urn}/{aspect}", "patch /openapi/v3/entity/{entityType}/{urn}/{aspect}", "post /openapi/v3/entity/{entityType}/{urn}/{aspect}",
	"post /announced-changes/{urn}/withdraw", "delete /subscriptions", "post /subscriptions", "post /ingestion/claim", "post /ingestion/renew", "post /ingestion/end", "post /ingestion/secrets", "post /usageStats?action=batchIngest", "post /webhooks", "delete /webhooks/{id}", "patch /webhooks/{id}", "delete /webhooks/{id}/dead/{letter}", "post /webhooks/{id}/dead/{letter}/replay", "post /webhooks/{id}/test",
	"post /auth/first", "post /auth/resetNativeUserCredentials", "post /auth/signUp", "post /resetNativeUserCredentials", "post /signUp",
}

// singleMutations are mutations that change at most as much as a similar one in
// mutationRows.
var singleMutations = []string{
	"updateName", "withdrawAnnouncedChange", "batchUpdateSoftDeleted", "rollbackIngestion", "createAccessToken", "revokeAccessToken", "createInviteToken", "acceptRole", "createNativeUserResetToken", "createServiceAccount", "deleteServiceAccount", "updateServiceAccountDefaultView", "batchAssignRole", "createPolicy", "updatePolicy", "deletePolicy", "createApplication", "updateApplication", "deleteApplication", "batchSetApplication", "batchUnsetApplication", "upsertCustomAssertion",
	"reportAssertionResult", "runAssertion", "runAssertions", "runAssertionsForAsset", "deleteAssertion", "createBusinessAttribute", "updateBusinessAttribute", "deleteBusinessAttribute", "addBusinessAttribute", "removeBusinessAttribute", "upsertConnection", "upsertDataContract",
	"updateChart", "updateDashboard", "updateDataset", "updateDatasets", "createDocument", "updateDocumentContents", "updateDocumentRelatedEntities", "moveDocument", "deleteDocument", "updateDocumentStatus", "updateDocumentSubType", "updateDocumentSettings",
	"createDomain", "moveDomain", "deleteDomain", "setDomain", "unsetDomain", "batchSetDomain", "setLifecycleStage", "unsubscribe", "markFeedRead", "refuseTagSuggestion", "updateDataFlow", "updateDataJob", "createDynamicFormAssignment", "batchRemoveForm", "createForm", "updateForm",
	"deleteForm", "submitFormPrompt", "verifyForm", "addTerm", "addTerms", "batchAddTerms", "removeTerm", "batchRemoveTerms", "createGlossaryTerm", "createGlossaryNode", "deleteGlossaryEntity", "updateParentNode",
	"addRelatedTerms", "removeRelatedTerms", "raiseIncident", "updateIncident", "updateIncidentStatus", "createIngestionSource", "updateIngestionSource", "deleteIngestionSource", "createIngestionExecutionRequest", "cancelIngestionExecutionRequest", "createTestConnectionRequest", "addLink", "updateLink", "upsertLink", "removeLink", "updateDeprecation", "updateNotebook", "batchUpdateStepStates", "updateEmbed",
	"addOwner", "addOwners", "removeOwner", "batchRemoveOwners", "createGroup", "removeGroup", "removeUser", "addGroupMembers", "removeGroupMembers", "updateUserStatus", "updateCorpUserProperties", "updateCorpGroupProperties",
	"updateUserSetting", "createOwnershipType", "updateOwnershipType", "deleteOwnershipType", "createPost", "updatePost", "deletePost", "createDataProduct", "updateDataProduct", "deleteDataProduct", "batchSetDataProduct", "batchAddToDataProducts", "batchRemoveFromDataProducts", "setLogicalParent", "createStructuredProperty", "updateStructuredProperty",
	"deleteStructuredProperty", "createQuery", "updateQuery", "deleteQuery", "createSecret", "updateSecret", "deleteSecret", "upsertStructuredProperties", "removeStructuredProperties", "addTags", "removeTag", "createTag", "updateTag",
	"deleteTag", "setTagColor", "createTest", "updateTest", "deleteTest", "reportOperation", "linkAssetVersion", "unlinkAssetVersion", "createView", "updateView", "deleteView", "updateGlobalViewsSettings",
	"updateCorpUserViewsSettings", "updateDocPropagationSettings", "updateApplicationsSettings", "updateUserHomePageSettings", "updateCorpUserLocaleSettings",
}

// agentRows returns the rows for requests that exist only in the agents' protocol.
func agentRows() []dearRow {
	call := func(params string) string {
		return `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":` + params + `}`
	}
	batch := func(n int, message string) []byte {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf(message, i)
		}
		return []byte("[" + strings.Join(list, ",") + "]")
	}
	var rows []dearRow
	for _, n := range []int{20, 600, 18_000} {
		rows = append(rows, dearRow{fmt.Sprintf("batches of %d calls", n), true, func(ctx context.Context, d *dear) string {
			body := batch(n, d.named(call(`{"name":"impact","arguments":{"of":$hub,"limit":200}}`)))
			return d.askHTTP(ctx, http.MethodPost, "/mcp", body, agentHeaders...)
		}})
	}
	return append(rows, dearRow{"a method of 100,000 letters", true, func(ctx context.Context, d *dear) string {
		r := d.client.post(ctx, "/mcp", agentBody(strings.Repeat("x", 100_000), "{}"), agentHeaders...)
		d.sent(1, 100_000)
		if len(r.body) > 5_000 {
			d.problem("the error about an unknown method of MCP has %d bytes", len(r.body))
		}
		return ""
	}})
}

// named replaces $NAME by the written entity of that name and, in paths, @NAME by its
// encoded form. @edges stands for an event with as many edges as it may have, @sql for many statements,
// @overlay for an overlay with as many proposals as it may have, @members for as many announced changes.
func (d *dear) named(text string) string {
	text = strings.ReplaceAll(text, "@overlay", manyProposals)
	for name, value := range map[string]string{"hub": d.hub, "top": d.top, "tag": d.tag, "user": d.user, "run": d.run, "word": d.check.run, "column": d.column, "node": "dataset:hive:" + hiveName(d.hub), "table": hiveName(d.hub)} {
		text = strings.ReplaceAll(text, "$"+name, string(jsonOf(value)))
		text = strings.ReplaceAll(text, "@"+name, url.QueryEscape(value))
	}
	return strings.NewReplacer("@now", "1900000000000", "@edges", manyEdges, "@sql", manySelects, "@members", manyMembers).Replace(text)
}

// hiveName is the name of a dataset of Hive in its URN.
func hiveName(urn string) string { return strings.Split(urn, ",")[1] }

// rows returns all rows, in the order of their names.
func (d *dear) rows(s *schema) []dearRow {
	rows := slices.Concat(agentRows(), d.hitsOf(s))
	add := func(name string, ask func(ctx context.Context, d *dear) string) {
		rows = append(rows, dearRow{name, slices.Contains(inSmall, name), ask})
	}
	document := func(before, field, arguments, selected, after string) func(n int) string {
		return func(n int) string {
			var b strings.Builder
			b.WriteString(before + "{")
			for i := range n {
				fmt.Fprintf(&b, "a%d:%s%s%s\n", i, field, arguments, selected)
			}
			b.WriteString("}" + after)
			return b.String()
		}
	}
	// The times of innocent requests while no dear request runs.
	add("nothing", func(ctx context.Context, _ *dear) string { sleep(ctx, time.Second); return "" })
	for _, name := range slices.Sorted(maps.Keys(queryRows)) {
		if f := s.field("Query", name); f != nil {
			text := document("", name, d.named(queryRows[name]), s.selection(&f.Type, 3), "")
			add("query "+name, func(ctx context.Context, d *dear) string { return d.askGraphQL(ctx, text) })
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fieldRows)) {
		// The last word has the field and its arguments, the text before it the place of the
		// field.
		at := strings.LastIndexByte(fieldRows[name], ' ')
		within, arguments := d.named(fieldRows[name][:at]), d.named(strings.TrimPrefix(fieldRows[name][at+1:], name))
		within, after := "{"+within, "}"
		if strings.Contains(within, "){") {
			after = "}}"
		}
		text := document(within, name, arguments, s.selectionOf(name), after)
		add("field "+name, func(ctx context.Context, d *dear) string { return d.askGraphQL(ctx, text) })
	}
	for _, name := range slices.Sorted(maps.Keys(mutationRows)) {
		if f := s.field("Mutation", name); f != nil {
			text := document("mutation", name, d.resources(d.named(mutationRows[name])), s.selection(&f.Type, 1), "")
			add("mutation "+name, func(ctx context.Context, d *dear) string { return d.askGraphQL(ctx, text) })
		}
	}
	for _, name := range slices.Sorted(maps.Keys(toolRows)) {
		body := agentBody("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, d.named(toolRows[name])))
		add("tool "+name, func(ctx context.Context, d *dear) string {
			return d.askHTTP(ctx, http.MethodPost, "/mcp", body, agentHeaders...)
		})
	}
	for _, name := range slices.Sorted(maps.Keys(routeRows)) {
		method, _, _ := strings.Cut(name, " ")
		target, body, has := strings.Cut(d.named(routeRows[name]), " ")
		var sent []byte
		if has {
			sent = []byte(body)
		}
		add(name, func(ctx context.Context, d *dear) string {
			return d.askHTTP(ctx, strings.ToUpper(method), target, sent)
		})
	}
	return rows
}

// resources replaces $resources by as many datasets as fit into one document.
func (d *dear) resources(text string) string {
	list := make([]string, min(d.fan, 1000))
	for i := range list {
		list[i] = "{resourceUrn:" + string(jsonOf(d.check.dataset(fmt.Sprintf("dearfan%d", i)))) + "}"
	}
	return strings.ReplaceAll(text, "$resources", strings.Join(list, ","))
}

// selectionOf returns a selection for the type of a field with arguments.
func (s *schema) selectionOf(field string) string {
	for _, of := range append([]string{"Dataset"}, slices.Sorted(maps.Keys(s.types))...) { // fields of Dataset come first, because the rows ask a dataset if possible
		if of == "Query" || of == "Mutation" {
			continue
		}
		if f := s.field(of, field); f != nil && len(f.Args) > 0 {
			return s.selection(&f.Type, 2)
		}
	}
	return ""
}
