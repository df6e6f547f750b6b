package rest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/rest/call"
)

// dialects has the URN namespace and the prefix of record names of each dialect.
var dialects = []struct{ urns, records string }{{"urn:li:", "com.linkedin."}, {"urn:example:", "com.example."}}

// TestFirstOpenAPICalls writes, reads and deletes aspects in the form of the reference's
// OpenAPI guide, and compares them with the aspects of the other calls.
func TestFirstOpenAPICalls(t *testing.T) {
	for _, d := range dialects {
		server := newServer(t)
		in := func(text string) string { return strings.ReplaceAll(text, "urn:li:", d.urns) }
		table := in("urn:li:dataset:(urn:li:dataPlatform:platform,testSchemaIngest,PROD)")
		schema := in(`{"__type":"SchemaMetadata","schemaName":"SampleHdfsSchema","platform":"urn:li:dataPlatform:platform","platformSchema":{"__type":"MySqlDDL","tableSchema":"schema"},"version":0,"hash":"","fields":[{"fieldPath":"county","nullable":true,"type":{"type":{"__type":"StringType"}},"nativeDataType":"String()","recursive":false,"globalTags":{"__type":"GlobalTags","tags":[{"tag":"urn:li:tag:a"}]}}]}`)
		ask := func(method, target, body string, want int) string {
			t.Helper()
			status, answer, _ := request(t, server, method, target, body)
			if status != want {
				t.Fatalf("%s %s %s: %d %s, want %d", d.urns, method, target, status, answer, want)
			}
			return answer
		}
		write := `[{"aspect":` + schema + `,"entityType":"dataset","entityUrn":"` + table + `"}]`
		if got := ask("POST", "/openapi/entities/v1/", write, http.StatusCreated); got != `["`+table+`"]` {
			t.Errorf("written: %s", got)
		}
		if got := ask("POST", "/openapi/entities/v1/", write, http.StatusOK); got != `[]` {
			t.Errorf("written again: %s", got)
		}
		if got := ask("GET", "/aspects/"+model.EncodeURN(table)+"?aspect=schemaMetadata&version=0", "", 200); !strings.Contains(got, `{"`+d.records+`schema.StringType":{}}`) || strings.Contains(got, "__type") {
			t.Errorf("the usual form: %s", got)
		}
		for _, target := range []string{"urns=" + table, "urns=" + model.EncodeURN(table)} {
			got := ask("GET", "/openapi/entities/v1/latest?"+target+"&aspectNames=schemaMetadata", "", 200)
			for _, want := range []string{`"responses":{"` + table + `":{`, `"entityName":"dataset"`, `"__type":"SchemaMetadata"`, `"type":{"__type":"StringType"}`, `"__type":"MySqlDDL"`, `"__type":"GlobalTags"`, `"__type":"DatasetKey"`} {
				if !strings.Contains(got, want) {
					t.Errorf("latest lacks %s: %s", want, got)
				}
			}
			if strings.Contains(got, d.records) {
				t.Errorf("latest has names of records: %s", got)
			}
		}
		key := in(`[{"entityType":"tag","entityKeyAspect":{"__type":"TagKey","name":"byKey"},"aspect":{"__type":"TagProperties","name":"by key"}}]`)
		if d.urns == "urn:li:" { // the key names no namespace, and the new entity gets that of this dialect
			if got := ask("POST", "/openapi/entities/v1/", key, http.StatusCreated); got != `["urn:li:tag:byKey"]` {
				t.Errorf("by key: %s", got)
			}
		}
		for name, value := range map[string]string{"object": `{"__type":"GlobalTags","tags":[]}`, "text": `"{\"tags\":[]}"`} {
			proposal := `[{"entityType":"dataset","entityUrn":"` + table + name + `","changeType":"UPSERT","aspectName":"globalTags","aspect":{"value":` + value + `,"contentType":"application/json"}}]`
			proposal = strings.Replace(proposal, table+name, strings.Replace(table, "testSchema", name, 1), 1)
			ask("POST", "/openapi/platform/entities/v1/", proposal, http.StatusCreated)
		}
		for body, want := range map[string]string{
			`[{"entityType":"dataset","entityUrn":"` + table + `","aspect":{"__type":"SchemaMetadatta"}}]`:                                                        "did you mean SchemaMetadata",
			`[{"entityType":"dataset","entityUrn":"` + table + `","aspect":{"removed":true}}]`:                                                                    "has no __type",
			`[{"entityType":"dataset","entityUrn":"` + table + `","aspectName":"status","aspect":{"__type":"Ownership"}}]`:                                        "is that of the aspect ownership",
			`[{"entityType":"tag","entityUrn":"` + in("urn:li:tag:a") + `","aspect":{"__type":"Status","removed":true}},` + write[1:len(write)-2] + `,"x":1},{}]`: "nothing was written",
			`[{"entityType":"dataset","entityUrn":"` + table + `","aspect":` + strings.Replace(schema, "StringType", "StrinType", 1) + `}]`:                       "did you mean StringType",
		} {
			if got := ask("POST", "/openapi/entities/v1/", body, http.StatusBadRequest); !strings.Contains(got, want) {
				t.Errorf("%s: %s", body, got)
			}
		}
		ask("GET", "/entitiesV2?ids=List("+model.EncodeURN(in("urn:li:tag:a"))+")", "", 200)
		gone := "/openapi/entities/v1/?urns=" + model.EncodeURN(table)
		ask("DELETE", gone+"&dryRun=true", "", 200)
		marked := `[{"rowsRolledBack":[{"urn":"` + table + `"}],"rowsDeletedFromEntityDeletion":1}]`
		if got := ask("DELETE", gone, "", 200); got != marked {
			t.Errorf("soft: %s", got)
		}
		if got := ask("DELETE", gone+"&soft=true", "", 200); got != `[{"rowsRolledBack":[],"rowsDeletedFromEntityDeletion":0}]` {
			t.Errorf("soft again: %s", got)
		}
		dry := ask("DELETE", gone+"&soft=false&dryRun=true", "", 200)
		if got := ask("DELETE", gone+"&soft=false", "", 200); got != dry || !strings.Contains(got, `"aspectName":"datasetKey","keyAspect":true`) {
			t.Errorf("hard: %s, dry %s", got, dry)
		}
		if got := ask("DELETE", gone+"&soft=false", "", 200); got != `[{"rowsRolledBack":[],"rowsDeletedFromEntityDeletion":0}]` {
			t.Errorf("hard again: %s", got)
		}
		ask("DELETE", "/openapi/entities/v1/", "", http.StatusBadRequest)
	}
}

// TestVersionedEntities: a read with a version stamp of the timeline returns the aspects of
// that version.
func TestVersionedEntities(t *testing.T) {
	for _, d := range dialects {
		server := newServer(t)
		table := strings.ReplaceAll("urn:li:dataset:(urn:li:dataPlatform:kafka,a%28b%29,PROD)", "urn:li:", d.urns)
		for i := range 3 {
			request(t, server, "POST", "/aspects?action=ingestProposal", proposalBody("dataset", table, "datasetProperties", fmt.Sprintf(`{"description":"v%d"}`, i)))
		}
		request(t, server, "POST", "/aspects?action=ingestProposal", proposalBody("dataset", table, "status", `{"removed":false}`))
		encoded := model.EncodeURN(table)
		for _, c := range []struct{ id, more, has, lacks string }{
			{"(urn:" + encoded + ",versionStamp:datasetProperties%3A1)", "", `"description":"v0"`, `"status"`},
			{"(urn:" + encoded + ",versionStamp:datasetProperties%3A2%3Bstatus%3A0)", "", `"description":"v1"`, `"v0"`},
			{"(urn:" + encoded + ",versionStamp:datasetProperties%3A2%3Bstatus%3A0)", "&aspects=List(status)", `"removed"`, `"v1"`},
			{"(versionStamp:datasetProperties%3A0,urn:" + encoded + ")", "", `"description":"v2"`, `"removed"`},
			{"(urn:" + encoded + ",versionStamp:)", "", `"description":"v2"`, `"v1"`},
			{encoded, "&aspects=List(datasetProperties)", `"description":"v2"`, `"removed"`},
			{"(urn:" + encoded + ",versionStamp:datasetProperties%3A99)", "", `"datasetKey"`, `"description"`},
		} {
			status, body, _ := request(t, server, "GET", "/entitiesVersionedV2?ids=List("+c.id+")&entityType=dataset"+c.more, "")
			if status != 200 || !strings.Contains(body, `"results":{"`+table+`":`) || !strings.Contains(body, c.has) || strings.Contains(body, c.lacks) {
				t.Errorf("%s %s: %d %s", c.id, c.more, status, body)
			}
		}
		for target, want := range map[string]string{
			"ids=List((urn:" + encoded + ",versionStamp:x))&entityType=dataset":   "not of the form",
			"ids=List((urn:" + encoded + ",versionStamp:a%3A-1))&entityType=tag":  "is not a tag",
			"ids=List((urn:" + encoded + ",stamp:a%3A1))&entityType=dataset":      "neither urn nor versionStamp",
			"ids=List((urn:" + encoded + ")&entityType=dataset":                   "not closed",
			"ids=List(" + encoded + ")":                                           "entityType is required",
			"ids=List(" + encoded + ")&entityType=dataset&aspects=List(statuses)": "did you mean status",
		} {
			if status, body, _ := request(t, server, "GET", "/entitiesVersionedV2?"+target, ""); status != http.StatusBadRequest || !strings.Contains(body, want) {
				t.Errorf("%s: %d %s", target, status, body)
			}
		}
	}
}

// TestUsageBetween: a question about usage between two moments includes both moments.
func TestUsageBetween(t *testing.T) {
	server := newServer(t)
	const day = 86_400_000
	for i := range 5 {
		request(t, server, "POST", "/usageStats?action=batchIngest", fmt.Sprintf(`{"buckets":[{"bucket":%d,"duration":"DAY","resource":"%s","metrics":{"totalSqlQueries":%d}}]}`, (i+1)*day, call.ExampleTable, 1<<i))
	}
	for members, want := range map[string]int{
		``: 31, fmt.Sprintf(`,"startTime":%d`, 2*day): 30, fmt.Sprintf(`,"startTime":"%d","endTime":"%d"`, 2*day, 4*day): 14, fmt.Sprintf(`,"endTime":%d`, day): 1,
	} {
		status, body, _ := request(t, server, "POST", "/usageStats?action=query", `{"resource":"`+call.ExampleTable+`","duration":"DAY"`+members+`}`)
		if status != 200 || !strings.Contains(body, fmt.Sprintf(`"uniqueUserCount":0,"totalSqlQueries":%d`, want)) {
			t.Errorf("%s: %d %s, want %d", members, status, body, want)
		}
	}
	if status, body, _ := request(t, server, "POST", "/usageStats?action=query", `{"resource":"`+call.ExampleTable+`","duration":"DAY","startTime":2,"endTime":1}`); status != 400 {
		t.Errorf("backwards: %d %s", status, body)
	}
}

// TestOperations: a truncation of time series is a dry run by default, and then truncates.
// Documents of the search index can be written again.
func TestOperations(t *testing.T) {
	h, server := serveHarness(t)
	for i, urn := range []string{catalogtest.Table, catalogtest.Table, catalogtest.Upstream, catalogtest.Dataset("kafka", "other", "PROD")} {
		h.Say(urn, model.AspectDatasetProfile, fmt.Sprintf(`{"timestampMillis":%d}`, i+1))
	}
	for _, c := range []struct{ members, want string }{
		{`"endTimeMillis":3`, "Delete 3 out of 4 rows (75.00%). This was a dry run. Run with dryRun = false to execute."},
		{`"endTimeMillis":"2","dryRun":"false","batchSize":100,"timeoutSeconds":3600,"forceDeleteByQuery":true`, "Deleted 2 out of 4 rows (50.00%)."},
		{`"endTimeMillis":2`, "Delete 0 out of 2 rows (0.00%). This was a dry run. Run with dryRun = false to execute."},
	} {
		if status, body, _ := request(t, server, "POST", "/operations?action=truncateTimeseriesAspect", `{"entityType":"dataset","aspect":"datasetprofile",`+c.members+`}`); status != 200 || body != `{"value":"`+c.want+`"}` {
			t.Errorf("%s: %d %s", c.members, status, body)
		}
	}
	for body, want := range map[string]string{
		`{"entityType":"dataset","aspect":"datasetProfile"}`:                                                  "are required",
		`{"entityType":"dataset","aspect":"ownership","endTimeMillis":3}`:                                     "not a time-series aspect",
		`{"entityType":"dataset","aspect":"datasetProfil","endTimeMillis":3}`:                                 "did you mean datasetProfile",
		`{"entityType":"datset","aspect":"datasetProfile","endTimeMillis":3}`:                                 "dataset",
		`{"entityType":"dataset","aspect":"datasetProfile","endTimeMillis":0}`:                                "after 1970",
		`{"entityType":"dataset","aspect":"datasetProfile","endTimeMillis":3,"timeoutSeconds":-1}`:            "timeoutSeconds",
		`{"entityType":"dataset","aspect":"datasetProfile","endTimeMillis":3,"timeoutSeconds":9999999999999}`: "timeoutSeconds",
	} {
		if status, answer, _ := request(t, server, "POST", "/operations?action=truncateTimeseriesAspect", body); status != 400 || !strings.Contains(answer, want) {
			t.Errorf("%s: %d %s", body, status, answer)
		}
	}
	h.Await()
	for body, want := range map[string]int{
		`{"urn":"` + catalogtest.Table + `"}`: 1, `{"urnLike":"urn:li:tag:%"}`: 2, `{"urnLike":"urn:li:tag:old%"}`: 1, `{"urnLike":"%old"}`: 1, `{"urnLike":"urn:li:tag:%","start":1}`: 1,
		`{"urnLike":"urn:li:dataset:%","aspect":"tagProperties"}`: 0, `{"aspect":"tagProperties","batchSize":1}`: 1, `{"urnLike":"urn:li:tag:nothing%"}`: 0,
	} {
		for _, path := range []string{"/operations", "/aspects"} {
			if status, answer, _ := request(t, server, "POST", path+"?action=restoreIndices", body); status != 200 || !strings.Contains(answer, fmt.Sprintf("rowsMigrated=%d)", want)) {
				t.Errorf("%s %s: %d %s, want %d", path, body, status, answer, want)
			}
		}
	}
	for _, body := range []string{`{"batchSize":0}`, `{"batchSize":10001}`, `{"start":-1}`, `{"urn":"x"}`} {
		if status, answer, _ := request(t, server, "POST", "/operations?action=restoreIndices", body); status != 400 {
			t.Errorf("%s: %d %s", body, status, answer)
		}
	}
}

// TestReferencePages: the reference's addresses of documentation and probes are answered or
// redirected.
func TestReferencePages(t *testing.T) {
	server := newServer(t)
	for target, want := range map[string]string{
		"/openapi/up/": "true", "/openapi/up": "true", "/openapi/swagger-ui/index.html": "<html", "/openapi/v3/api-docs": `"openapi":"3.1.0"`,
	} {
		if status, body, _ := request(t, server, "GET", target, ""); status != 200 || !strings.Contains(body, want) {
			t.Errorf("%s: %d %.200s", target, status, body)
		}
	}
}

// TestNotOffered: a call that this server lacks is refused, and the error names an
// alternative.
func TestNotOffered(t *testing.T) {
	server := newServer(t)
	for target, want := range map[string]string{
		"/operations?action=getIndexSizes": "truncateTimeseriesAspect", "/operations?action=getEsTaskStatus": "GET /index", "/platform?action=producePlatformEvent": "/events",
		"/entities?action=applyRetention": "every write", "/entities?action=setWritable": "setting read-only",
	} {
		if status, body, _ := request(t, server, "POST", target, `{}`); status != 400 || !strings.Contains(body, want) || !strings.Contains(body, `"exceptionClass"`) {
			t.Errorf("%s: %d %s", target, status, body)
		}
	}
}

// TestPreviousForm: in the previous form, the last page of a list of entities has no
// scrollId.
func TestPreviousForm(t *testing.T) {
	h, server := serveHarness(t)
	h.Await()
	status, body, _ := request(t, server, "GET", "/openapi/v2/entity/tag?count=1&aspects=tagProperties", "")
	if status != 200 || !strings.Contains(body, `"results":[{"urn":"urn:li:tag:Pii","aspects":{"tagProperties":{"value":{"name":"Pii"}}}}]`) || !strings.Contains(body, `"scrollId":"`) {
		t.Errorf("the first page: %d %s", status, body)
	}
	if status, body, _ := request(t, server, "GET", "/openapi/v2/entity/tag?count=10", ""); status != 200 || strings.Contains(body, "scrollId") {
		t.Errorf("all: %d %s", status, body)
	}
}
