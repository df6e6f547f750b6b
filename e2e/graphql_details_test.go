package e2e

import (
	"fmt"
	"net/http"
)

// badRun writes a version of the entity of detailSteps in a run.
func (c *graphClient) badRun() {
	c.t.Helper()
	urn := c.named("undone")
	c.propose(http.StatusOK, "UPSERT", urn, "datasetProperties", `{"description":"before"}`)
	c.propose(http.StatusOK, "UPSERT", urn, "datasetProfile", `{"timestampMillis":1700000000000,"rowCount":1}`)
	c.propose(http.StatusOK, "UPSERT", urn, "datasetProfile", `{"timestampMillis":1700000000001,"rowCount":2}`)
	c.want(http.StatusOK, http.MethodPost, "/aspects?action=ingestProposal", fmt.Sprintf(`{"proposal":{"entityType":"dataset","entityUrn":%q,"changeType":"UPSERT",
		"aspectName":"datasetProperties","aspect":{"value":"{\"description\":\"after\"}","contentType":"application/json"},
		"systemMetadata":{"runId":%q,"pipelineName":"gql"}}}`, urn, c.spell("gqlbad<ns>")))
}

// detailSteps are about entities of any type: their history, suggestions, runs and
// rollbacks.
var detailSteps = []graphStep{
	{`{ entityDetails(urn: @undone) { ref { urn type name exists removed } entityType description subTypes timeSeries hasLineage } }`, `{"ref":{"urn":@undone,"type":"dataset","name":"gql.undone","exists":true,"removed":false},"entityType":"DATASET","description":"after","subTypes":[],"timeSeries":["datasetProfile"],"hasLineage":true}`, 0},
	{`{ entityDetails(urn: @undone) { refs { urn type } relationships(input: {types: [], direction: OUTGOING, count: 5}) { count relationships { type } } } }`, `{"refs":[{"urn":@hive,"type":"dataPlatform"}],"relationships":{"count":0,"relationships":[]}}`, 0},
	{`{ entityDetails(urn: @pii) { edits { kind allowed } } }`, `{"edits":[{"kind":"TAGS","allowed":true},{"kind":"TERMS","allowed":true},{"kind":"OWNERS","allowed":true},{"kind":"DOMAIN","allowed":true},{"kind":"LINKS","allowed":true},{"kind":"DEPRECATION","allowed":true},{"kind":"STATUS","allowed":true},{"kind":"DESCRIPTION","allowed":true}]}`, 0},
	{`{ entityDetails(urn: @undone, asOf: 1) { recorded removed: ref { removed } aspects { name } columns { fieldPath } latestValues { name } unsure lost asOf } }`, `{"recorded":false,"removed":{"removed":false},"aspects":[],"columns":[],"latestValues":[],"unsure":[],"lost":[],"asOf":1}`, 0},
	{`{ entityDetails(urn: @undone, asOf: 4102444800000) { recorded description latestValues { name } ref { exists asOfToday } } }`, `{"recorded":true,"description":"after","latestValues":[{"name":"datasetProfile"}],"ref":{"exists":true,"asOfToday":[]}}`, 0},
	{`{ entityDetails(urn: @undone, asOf: -1) { recorded } }`, ``, 400},
	{`{ entityDetails(urn: @undone, asOf: 1) { quality { profile { rows } passed failed errors never assertions { name } incidents { title } lacks } } }`, `{"quality":{"profile":null,"passed":0,"failed":0,"errors":0,"never":0,"assertions":[],"incidents":[],"lacks":null}}`, 0},
	{`{ entityDetails(urn: @undone, asOf: 1700000000000) { quality { updated { time } profile { time rows columns } lacks } } }`, `{"quality":{"updated":null,"profile":{"time":1700000000000,"rows":1,"columns":null},"lacks":null}}`, 0},
	{`{ entityDetails(urn: @undone) { quality { profile { time } } } }`, `{"quality":{"profile":{"time":1700000000001}}}`, 0},
	{`{ entityDetails(urn: @orders) { quality { passed failed errors never assertions { ref { type } columns result error } incidents { ref { type } title } } } }`, `*`, 0},
	{`{ entityDetails(urn: @nodataset, asOf: 1) { recorded } }`, ``, 404},
	{`{ entityDetails(urn: @orders) { columns { fieldPath nullable key tags { urn asOfToday } } } }`, `*`, 0},
	{`{ entityRefs(urns: [@undone, @nodataset], asOf: 1) { exists asOfToday } }`, `[{"exists":false,"asOfToday":[]},{"exists":false,"asOfToday":[]}]`, 0},
	{`{ columnLineageCounts(urn: @orders, asOf: 1) { fieldPath } }`, `[]`, 0},
	{`{ lineageGraph(input: {urn: @orders, direction: UPSTREAM, asOf: 1}) { nodes { exists columns asOfToday } } }`, `{"nodes":[{"exists":false,"columns":0,"asOfToday":[]}]}`, 0},
	{`{ changesSince(input: {urn: @undone, from: 1, categories: ["DOCUMENTATION"]}) { total partial reason start aspects { name operation told unsure } changes { category operation run weight } } }`, `{"total":2,"partial":false,"reason":null,"start":0,"aspects":[{"name":"browsePaths","operation":"ADD","told":false,"unsure":false},{"name":"browsePathsV2","operation":"ADD","told":false,"unsure":false},{"name":"dataPlatformInstance","operation":"ADD","told":false,"unsure":false},{"name":"datasetKey","operation":"ADD","told":false,"unsure":false},{"name":"datasetProperties","operation":"ADD","told":true,"unsure":false}],"changes":[{"category":"DOCUMENTATION","operation":"MODIFY","run":"gqlbad<ns>","weight":"MINOR"},{"category":"DOCUMENTATION","operation":"ADD","run":null,"weight":"MINOR"}]}`, 0},
	{`{ changesSince(input: {urn: @undone, from: 0}) { total } }`, ``, 400},
	{`{ changesSince(input: {urn: @nodataset, from: 1}) { total } }`, ``, 404},
	{`mutation { restore(input: {urn: @undone, version: 1, aspects: ["datasetProperties"], dryRun: true}) { dryRun changed aspects { name operation before after } skipped { name why } } }`, `{"dryRun":true,"changed":true,"aspects":[{"name":"datasetProperties","operation":"MODIFY","before":"{\"description\":\"after\"}","after":"{\"description\":\"before\"}"}],"skipped":[]}`, 0},
	{`mutation { restore(input: {urn: @undone}) { changed } }`, ``, 400},
	{`mutation { changeMany(input: {urns: [@undone, @nodataset], description: "alike", dryRun: true}) { changed made { aspect number } } }`, `[{"changed":true,"made":[]},{"changed":false,"made":[]}]`, 0},
	{`mutation { changeMany(input: {urns: []}) { changed } }`, ``, 400},
	{`mutation { undo(changes: [{urn: @undone, aspect: "datasetProperties", made: 0}]) }`, ``, 400},
	{`{ entityDetails(urn: @undone) { tagSuggestions { fieldPath } refusedTagSuggestions { time } } }`, `{"tagSuggestions":[],"refusedTagSuggestions":[]}`, 0},
	{`mutation { refuseTagSuggestion(input: {urn: @orders, fieldPath: "email", tag: "urn:<ns>:tag:Email"}) }`, `true`, 0},
	{`{ entityDetails(urn: @orders) { refusedTagSuggestions { fieldPath tag { urn } by { urn } } } }`, `{"refusedTagSuggestions":[{"fieldPath":"email","tag":{"urn":"urn:<ns>:tag:Email"},"by":{"urn":@ada}}]}`, 0},
	{`mutation { refuseTagSuggestion(input: {urn: @orders, fieldPath: "email", tag: "urn:<ns>:tag:Email", takeBack: true}) }`, `true`, 0},
	{`mutation { refuseTagSuggestion(input: {urn: @orders, fieldPath: "email", tag: "urn:<ns>:tag:Email", takeBack: true}) }`, ``, 404},
	{`mutation { refuseTagSuggestion(input: {urn: @orders, fieldPath: "id", tag: @pii}) }`, ``, 400},
	{`mutation { undo(changes: [{urn: @undone, aspect: "datasetProperties", made: 1000}]) }`, ``, 404},
	{`{ entityDetails(urn: @pii) { entityType hasLineage } }`, `{"entityType":"TAG","hasLineage":false}`, 0},
	{`{ entityDetails(urn: @nodataset) { description } }`, ``, 404},
	{`{ entityDetails(urn: "nonsense") { description } }`, ``, 400},
	{`{ aspectHistory(input: {urn: @undone, aspect: "datasetProperties"}) { total versions { version number value rolledBackAt } } }`, `{"total":2,"versions":[{"version":0,"number":2,"value":"{\"description\":\"after\"}","rolledBackAt":null},{"version":1,"number":1,"value":"{\"description\":\"before\"}","rolledBackAt":null}]}`, 0},
	{`{ aspectHistory(input: {urn: @undone, aspect: "datasetProperties", start: 1, count: 1}) { total versions { version run } } }`, `{"total":2,"versions":[{"version":1,"run":null}]}`, 0},
	{`{ aspectHistory(input: {urn: @undone, aspect: "datasetProfile"}) { total } }`, ``, 400},
	{`{ aspectHistory(input: {urn: @undone, aspect: "datasetProperties", count: 101}) { total } }`, ``, 400},
	{`{ timeSeriesValues(input: {urn: @undone, aspect: "datasetProfile", limit: 1}) { time } }`, `[{"time":1700000000001}]`, 0},
	{`{ timeSeriesValues(input: {urn: @undone, aspect: "datasetProfile", to: 1700000000000}) { time value } }`, `[{"time":1700000000000,"value":"{\"timestampMillis\":1700000000000,\"rowCount\":1}"}]`, 0},
	{`{ timeSeriesValues(input: {urn: @undone, aspect: "status"}) { time } }`, ``, 400},
	{`{ timeSeriesValues(input: {urn: @undone, aspect: "datasetProfile", limit: 1001}) { time } }`, ``, 400},
	{`{ recentChanges(input: {count: 1, types: ["dataset"]}) { changes { entity { urn } kind aspects entities run } } }`, `{"changes":[{"entity":{"urn":@undone},"kind":"UPSERT","aspects":["datasetProperties"],"entities":1,"run":"gqlbad<ns>"}]}`, 0},
	{`{ recentChanges { changes { time actor { name } } } }`, `*`, 0},
	{`{ recentChanges(input: {count: 201}) { changes { kind } } }`, ``, 400},
	{`{ recentChanges(input: {types: ["weather"]}) { changes { kind } } }`, ``, 400},
	{`{ suggest(input: {text: "gql.und", kinds: [ENTITY]}) { kind text column entity { urn } } }`, `[{"kind":"ENTITY","text":"gql.undone","column":null,"entity":{"urn":@undone}}]`, 0},
	{`{ suggest(input: {text: "gql.orders.customer.n", kinds: [COLUMN]}) { kind text column entity { urn } } }`, `[{"kind":"COLUMN","text":"customer.name","column":"customer.name","entity":{"urn":@orders}}]`, 0},
	{`{ suggest(input: {text: "x", limit: 51}) { text } }`, ``, 400},

	{`{ listRuns(input: {count: 1}) { total runs { runId rows timeSeriesRows entities pipeline rolledBack } } }`, `{"total":1,"runs":[{"runId":"gqlbad<ns>","rows":1,"timeSeriesRows":0,"entities":1,"pipeline":"gql","rolledBack":false}]}`, 0},
	{`{ listRuns(input: {count: 1001}) { total } }`, ``, 400},
	{`{ run(input: {runId: "gqlbad<ns>", values: true}) { summary { runId pipeline } total count effects { entity { urn } aspect created before after } } }`, `{"summary":{"runId":"gqlbad<ns>","pipeline":"gql"},"total":1,"count":1,"effects":[{"entity":{"urn":@undone},"aspect":"datasetProperties","created":false,"before":"{\"description\":\"before\"}","after":"{\"description\":\"after\"}"}]}`, 0},
	{`{ run(input: {runId: "nothing-is-of-this-run"}) { total } }`, `null`, 0},
	{`{ run(input: {runId: ""}) { total } }`, ``, 400},
	{`{ rollbackPreview(runId: "gqlbad<ns>", hard: true) { runId hard entitiesAffected aspectsReverted entitiesDeleted rows { aspect } unsafe { urn } next } }`, `{"runId":"gqlbad<ns>","hard":true,"entitiesAffected":1,"aspectsReverted":1,"entitiesDeleted":0,"rows":[{"aspect":"datasetProperties"}],"unsafe":[],"next":null}`, 0},
	{`{ rollbackPreview(runId: "no-run-id-provided") { aspectsReverted } }`, ``, 400},
	{`mutation { rollbackRun(input: {runId: "gqlbad<ns>", confirm: "gqlbad"}) { next } }`, ``, 400},
	{`mutation { rollbackRun(input: {runId: "gqlbad<ns>", confirm: "gqlbad<ns>", after: "nonsense"}) { next } }`, ``, 400},
	{`{ entityDetails(urn: @undone) { description } }`, `{"description":"after"}`, 0},
	{`mutation { rollbackRun(input: {runId: "gqlbad<ns>", confirm: "gqlbad<ns>"}) { runId hard aspectsReverted next } }`, `{"runId":"gqlbad<ns>","hard":false,"aspectsReverted":1,"next":null}`, 0},
	{`{ entityDetails(urn: @undone) { description } }`, `{"description":"before"}`, 0},
	{`{ aspectHistory(input: {urn: @undone, aspect: "datasetProperties", count: 1}) { total versions { version value run rolledBackBy { urn } } } }`, `{"total":2,"versions":[{"version":-1,"value":"{\"description\":\"after\"}","run":"gqlbad<ns>","rolledBackBy":{"urn":@ada}}]}`, 0},
	{`{ listRuns(input: {count: 1}) { total runs { runId rows entities pipeline rolledBack rolledBackBy { urn } } } }`, `{"total":1,"runs":[{"runId":"gqlbad<ns>","rows":1,"entities":1,"pipeline":"gql","rolledBack":true,"rolledBackBy":{"urn":@ada}}]}`, 0},
	{`{ run(input: {runId: "gqlbad<ns>"}) { summary { rolledBack } total effects { aspect } } }`, `{"summary":{"rolledBack":true},"total":0,"effects":[]}`, 0},
	{`mutation { changeMany(input: {urns: [@undone], description: "alike"}) { changed made { aspect number } } }`, `[{"changed":true,"made":[{"aspect":"editableDatasetProperties","number":1}]}]`, 0},
	{`mutation { undo(changes: [{urn: @undone, aspect: "editableDatasetProperties", made: 1, member: "description"}]) }`, `true`, 0},
	{`{ entityDetails(urn: @undone) { description } }`, `*`, 0},
}
