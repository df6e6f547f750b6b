package rest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/streams"
	"github.com/headwater-io/headwater/graphstore/embedded"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func proposalBody(entityType, urn, aspect, value string) string {
	text, _ := json.Marshal(map[string]any{"proposal": map[string]any{
		"entityType": entityType, "entityUrn": urn, "changeType": "UPSERT", "aspectName": aspect,
		"aspect": map[string]string{"value": value, "contentType": "application/json"},
	}})
	return string(text)
}

func TestBadInput(t *testing.T) {
	server := newServer(t)
	const ingest = "/aspects?action=ingestProposal"
	good := proposalBody("tag", "urn:li:tag:x", "status", `{"removed":false}`)
	for _, c := range []struct {
		name, method, target, body string
		status                     int
		says                       string
	}{
		{"no body", "POST", ingest, "", 400, "no body"},
		{"malformed", "POST", ingest, "{", 400, "not valid JSON"},
		{"a list", "POST", ingest, "[]", 400, "array"},
		{"no proposal", "POST", ingest, "{}", 400, "proposal is required"},
		{"wrong type inside", "POST", ingest, `{"proposal":{"entityType":5}}`, 400, "parameter proposal.entityType"},
		{"async", "POST", ingest, strings.Replace(good, `{"proposal"`, `{"async":"maybe","proposal"`, 1), 400, "async"},
		{"async a number", "POST", ingest, strings.Replace(good, `{"proposal"`, `{"async":1,"proposal"`, 1), 400, "async"},
		{"a long run id", "POST", ingest, strings.Replace(good, `{"proposal":{`, `{"proposal":{"systemMetadata":{"runId":"`+strings.Repeat("r", 513)+`"},`, 1), 400, "runId in the system metadata has 513 bytes, at most 512"},
		{"a long registry version", "POST", ingest, strings.Replace(good, `{"proposal":{`, `{"proposal":{"systemMetadata":{"registryVersion":"`+strings.Repeat("r", 513)+`"},`, 1), 400, "registryVersion in the system metadata has 513 bytes"},
		{"the run id of a snapshot", "POST", "/entities?action=ingest", `{"entity":{"value":{"com.linkedin.metadata.snapshot.TagSnapshot":{"urn":"urn:li:tag:x","aspects":[]}}},"systemMetadata":{"runId":"` + strings.Repeat("r", 513) + `"}}`, 400, "runId in the system metadata has 513 bytes"},
		{"unknown action", "POST", "/aspects?action=jump", "{}", 400, "jump not supported on resource '/aspects'"},
		{"no action", "POST", "/entities", "{}", 400, "not supported"},
		{"unknown resource", "GET", "/nothing/here", "", 404, "No root resource"},
		{"method", "PUT", "/aspects", "", 405, "not a method"},
		{"a resource's inside", "GET", "/relationships/x", "", 404, "No root resource"},
		{"bad urn", "GET", "/entitiesV2/x", "", 400, "invalid urn"},
		{"bad encoding", "GET", "/aspects/%25zz?aspect=status", "", 400, "invalid urn"},
		{"hostile urn", "GET", "/entitiesV2/" + "urn%3Ali%3Atag%3A%60%29%20DETACH%20DELETE%20n%20%2F%2F%20", "", 400, "parentheses"},
		{"no entity", "GET", "/entitiesV2", "", 400, "ids"},
		{"version", "GET", "/aspects/urn:li:tag:x?aspect=status&version=one", "", 400, "parameter version"},
		{"no aspect", "GET", "/aspects/urn:li:tag:x", "", 400, "parameter aspect"},
		{"no urn", "GET", "/relationships?direction=INCOMING", "", 400, "parameter urn"},
		{"direction", "GET", "/relationships?direction=UP&urn=urn:li:tag:x", "", 400, "direction"},
		{"start", "GET", "/relationships?direction=INCOMING&urn=urn:li:tag:x&start=-1", "", 400, "negative"},
		{"count", "GET", "/relationships?direction=INCOMING&urn=urn:li:tag:x&count=99999999999", "", 400, "below"},
		{"asOf", "GET", "/relationships?direction=INCOMING&urn=urn:li:tag:x&asOf=today", "", 400, "asOf"},
		{"open list", "GET", "/relationships?direction=INCOMING&urn=urn:li:tag:x&types=List(a", "", 400, "not closed"},
		{"lengths", "POST", "/entities?action=batchIngest", `{"entities":[],"systemMetadata":[{}]}`, 412, "length"},
		{"snapshot", "POST", "/entities?action=ingest", `{"entity":{"value":{"a":{},"b":{}}}}`, 400, "one member"},
		{"list of what", "POST", "/entities?action=listUrns", `{}`, 400, "entity is required"},
		{"unknown type", "POST", "/entities?action=listUrns", `{"entity":"nothing"}`, 400, "Failed to find entity with name nothing"},
		{"exists of what", "POST", "/entities?action=exists", `{}`, 400, "urn is required"},
		{"time series of what", "POST", "/aspects?action=getTimeseriesAspectValues", `{"urn":"urn:li:tag:x"}`, 400, "entity is required"},
		{"sort", "POST", "/aspects?action=getTimeseriesAspectValues", `{"urn":"` + call.ExampleTable + `","entity":"dataset","aspect":"datasetProfile","sort":{"field":"x","order":"UP"}}`, 400, "order"},
		{"no proposals", "POST", "/aspects?action=ingestProposalBatch", `{}`, 400, "proposals is required"},
		{"usage of what", "POST", "/usageStats?action=queryRange", `{}`, 400, "required"},
		{"statistics of what", "POST", "/analytics?action=getTimeseriesStats", `{"entityName":"dataset"}`, 400, "aspectName is required"},
		{"statistics of which metrics", "POST", "/analytics?action=getTimeseriesStats", `{"entityName":"dataset","aspectName":"datasetProfile"}`, 400, "metrics is required"},
		{"edit what", "POST", "/entities?action=edit", `{"description":"x"}`, 400, "urn is required"},
		{"edit nothing", "POST", "/entities?action=edit", `{"urn":"` + call.ExampleTable + `"}`, 400, "nothing to change"},
		{"edit a domain that is none", "POST", "/entities?action=edit", `{"urn":"` + call.ExampleTable + `","domain":5}`, 400, "not accepted"},
		{"edit with a domain of another type", "POST", "/entities?action=edit", `{"urn":"` + call.ExampleTable + `","domain":"urn:li:tag:x"}`, 400, "is not a domain"},
		{"edit tags that are none", "POST", "/entities?action=edit", `{"urn":"` + call.ExampleTable + `","add":{"tags":["urn:li:domain:x"]}}`, 400, "is not a tag"},
		{"edit owners of a column", "POST", "/entities?action=edit", `{"urn":"` + call.ExampleTable + `","column":"x","add":{"owners":[{"owner":"urn:li:corpuser:x"}]}}`, 400, "a column has no owners"},
		{"edit an owner that is none", "POST", "/entities?action=edit", `{"urn":"` + call.ExampleTable + `","add":{"owners":[{}]}}`, 400, "owner is required"},
		{"edit with a kind of ownership", "POST", "/entities?action=edit", `{"urn":"` + call.ExampleTable + `","add":{"owners":[{"owner":"urn:li:corpuser:x","type":"TECHNICAL_OWNR"}]}}`, 400, "did you mean TECHNICAL_OWNER"},
		{"edit both ways", "POST", "/entities?action=edit", `{"urn":"` + call.ExampleTable + `","add":{"tags":["urn:li:tag:x"]},"remove":{"tags":["urn:li:tag:x"]}}`, 400, "to be added and to be removed"},
		{"edit a column of a column", "POST", "/entities?action=edit", `{"urn":"urn:li:schemaField:(` + call.ExampleTable + `,x)","column":"y","description":"x"}`, 400, "has no column"},
		{"edit too many", "POST", "/entities?action=edit", `{"urn":"` + call.ExampleTable + `","add":{"tags":["urn:li:tag:x"` + strings.Repeat(`,"urn:li:tag:x"`, limits.MaxEdits) + `]}}`, 400, "at most 1000"},
		{"edit the description of what has none", "POST", "/entities?action=edit", `{"urn":"urn:li:corpuser:datahub","description":"x"}`, 404, "does not exist"},
		{"delete what", "POST", "/entities?action=delete", `{}`, 400, "urn is required"},
		{"delete a bad urn", "POST", "/entities?action=delete", `{"urn":"x"}`, 400, "invalid urn"},
		{"delete a versioned aspect", "POST", "/entities?action=delete", `{"urn":"` + call.ExampleTable + `","aspectName":"ownership"}`, 400, "has versions"},
		{"delete a range of what", "POST", "/entities?action=delete", `{"urn":"` + call.ExampleTable + `","startTimeMillis":5}`, 400, "aspectName"},
		{"delete a range backwards", "POST", "/entities?action=delete", `{"urn":"` + call.ExampleTable + `","aspectName":"datasetProfile","startTimeMillis":5,"endTimeMillis":4}`, 400, "after the end"},
		{"delete which", "POST", "/entities?action=batchDelete", `{}`, 400, "urns is required"},
		{"take back a hard delete", "POST", "/entities?action=batchDelete", `{"urns":[],"undo":true}`, 400, "soft delete"},
		{"references to what", "POST", "/entities?action=deleteReferences", `{}`, 400, "urn is required"},
		{"registry", "POST", "/entities?action=deleteAll", `{"registryId":"x","dryRun":true}`, 400, "name:version"},
		{"registry, dry or not", "POST", "/entities?action=deleteAll", `{"registryId":"x:1"}`, 400, "dryRun is required"},
		{"runs page", "POST", "/runs?action=list", `{"pageOffset":-1}`, 400, "page"},
		{"runs of a pipeline, without an overview", "POST", "/runs?action=list", `{"pipeline":"x"}`, 400, "set overview too"},
		{"overview of too many runs", "POST", "/runs?action=list", `{"overview":true,"pageSize":1001}`, 400, "at most 1000"},
		{"describe what", "POST", "/runs?action=describe", `{}`, 400, "runId is required"},
		{"rollback of what", "POST", "/runs?action=rollback", `{"dryRun":true}`, 400, "runId is required"},
		{"rollback, dry or not", "POST", "/runs?action=rollback", `{"runId":"x"}`, 400, "dryRun is required"},
		{"rollback of no run", "POST", "/runs?action=rollback", `{"runId":"no-run-id-provided","dryRun":true}`, 400, "cannot be rolled back"},
		{"rollback from where", "POST", "/runs?action=rollback", `{"runId":"x","dryRun":false,"after":"y"}`, 400, "not a position"},
		{"rollback from a made-up row", "POST", "/runs?action=rollback", `{"runId":"x","dryRun":false,"after":"rows:y"}`, 400, "cursor"},
		{"import of no lines", "POST", "/import", `{"x":1}`, 400, "none of header"},
		{"import of what is no JSON", "POST", "/import", `{"header":`, 400, "line 1"},
		{"import of another format", "POST", "/import", `{"header":{"format":2}}`, 400, "format 2"},
		{"import of too long a line", "POST", "/import", `{"header":{"format":1}}{"x":"` + strings.Repeat("a", 165<<20) + `"}`, 413, "line 2: it has more than 167772160 bytes"},
		{"import how", "POST", "/import?replace=maybe", ``, 400, "replace"},
		{"events limit", "GET", "/events?limit=0", "", 400, "limit"},
		{"events cursor", "GET", "/events?from=zz", "", 400, "cursor"},
		{"schema failure", "POST", ingest, proposalBody("tag", "urn:li:tag:x", "tagProperties", `{"nme":"x"}`), 422, "ERROR :: /nme :: unrecognized field found but not allowed"},
		{"too large", "POST", ingest, `{"x":"` + strings.Repeat("a", 21<<20) + `"}`, 413, "larger"},
	} {
		status, body, header := request(t, server, c.method, c.target, c.body)
		var e call.ErrorBody
		if err := json.Unmarshal([]byte(body), &e); err != nil || status != c.status || e.Status != c.status || !strings.Contains(e.Message, c.says) {
			t.Errorf("%s: %d %.300s, want %d with %q", c.name, status, body, c.status, c.says)
		}
		if header.Get("X-RestLi-Error-Response") != "true" || e.StackTrace != "" || e.ExceptionClass == "" {
			t.Errorf("%s: shape %.300s", c.name, body)
		}
	}
	if _, body, _ := request(t, server, "GET", "/events", ""); !strings.Contains(body, `"events":[]`) {
		t.Errorf("refused requests changed something: %.300s", body)
	}
}

func TestHeaders(t *testing.T) {
	server := newServer(t)
	body := proposalBody("tag", "urn:li:tag:x", "status", `{"removed":false}`)
	for _, c := range []struct {
		name    string
		headers []string
		status  int
	}{
		{"none", []string{"Accept", "*/*"}, 400},
		{"another version", []string{"X-RestLi-Protocol-Version", "1.0.0"}, 400},
		{"li", []string{"X-RestLi-Protocol-Version", "2.0.0"}, 200},
		{"example", []string{"X-Svc-Protocol-Version", "2.0.0"}, 200},
		{"authorization is ignored", []string{"X-RestLi-Protocol-Version", "2.0.0", "Authorization", "Bearer None"}, 200},
		{"actor", []string{"X-RestLi-Protocol-Version", "2.0.0", "X-DataHub-Actor", "urn:li:corpuser:eve"}, 200},
		{"no actor", []string{"X-RestLi-Protocol-Version", "2.0.0", "X-DataHub-Actor", "eve"}, 400},
	} {
		if status, answer, _ := request(t, server, "POST", "/aspects?action=ingestProposal", body, c.headers...); status != c.status {
			t.Errorf("%s: %d %s", c.name, status, answer)
		}
	}
	request(t, server, "POST", "/aspects/?action=ingestProposal", proposalBody("tag", "urn:li:tag:y", "status", `{"removed":true}`), "X-RestLi-Protocol-Version", "2.0.0", "X-DataHub-Actor", "urn:li:corpuser:eve")
	if _, answer, _ := request(t, server, "GET", "/entitiesV2/urn:li:tag:y", ""); !strings.Contains(answer, `"actor":"urn:li:corpuser:eve"`) {
		t.Errorf("the actor is not kept: %s", answer)
	}
	_, _, header := request(t, server, "GET", "/health", "", "X-Request-Id", "mine-1")
	if header.Get("X-Request-Id") != "mine-1" {
		t.Errorf("request id %q", header.Get("X-Request-Id"))
	}
	if _, _, header = request(t, server, "GET", "/health", "", "X-Request-Id", "bad id\tx"); header.Get("X-Request-Id") == "bad id\tx" {
		t.Error("a harmful request id is echoed")
	}
}

func TestURNsInPaths(t *testing.T) {
	server := newServer(t)
	for _, urn := range []string{
		"urn:li:dataset:(urn:li:dataPlatform:s3,bucket/a b/c.csv,PROD)", "urn:li:dataset:(urn:li:dataPlatform:x,f%28y%29%2C,PROD)",
		"urn:li:dataset:(urn:li:dataPlatform:x,a+b&c=d#e?f,PROD)", "urn:li:dataset:(urn:li:dataPlatform:x,s3://b//k,PROD)",
		`urn:li:dataset:(urn:li:dataPlatform:x,'; DROP TABLE entity; --,PROD)`, "urn:li:dataset:(urn:li:dataPlatform:x,é☃`$$TYPES$$,PROD)",
	} {
		if status, body, _ := request(t, server, "POST", "/aspects?action=ingestProposal", proposalBody("dataset", urn, "status", `{"removed":false}`)); status != 200 {
			t.Fatalf("%s: %s", urn, body)
		}
		encoded := ""
		for _, b := range []byte(urn) {
			encoded += fmt.Sprintf("%%%02X", b)
		}
		partly := strings.NewReplacer("%28", "(", "%29", ")", "%2C", ",").Replace(encoded)
		for _, path := range []string{encoded, partly} {
			status, body, _ := request(t, server, "GET", "/entitiesV2/"+path+"?aspects=List(status)", "")
			var answer struct {
				URN     string         `json:"urn"`
				Aspects map[string]any `json:"aspects"`
			}
			if err := json.Unmarshal([]byte(body), &answer); err != nil || status != 200 || answer.URN != urn || answer.Aspects["status"] == nil {
				t.Errorf("%s: %d %s", path, status, body)
			}
		}
		for _, ids := range []string{"ids=List(" + encoded + ")", "ids=" + strings.NewReplacer("(", "%28", ")", "%29").Replace("List("+strings.ReplaceAll(encoded, "%", "%25")+")")} {
			if _, body, _ := request(t, server, "GET", "/entitiesV2?"+ids, ""); !strings.Contains(body, `"status"`) {
				t.Errorf("%s: %s", ids, body)
			}
		}
	}
}

func TestBatch(t *testing.T) {
	server := newServer(t)
	item := func(urn, value string) string {
		return strings.TrimSuffix(strings.TrimPrefix(proposalBody("tag", urn, "status", value), `{"proposal":`), "}")
	}
	lines := item("urn:li:tag:a", `{"removed":false}`) + "\n" + item("urn:li:tag:b", `{"x":1}`) + "\n" + item("urn:li:tag:a", `{"removed":false}`)
	want := `{"value":{"results":[{"urn":"urn:li:tag:a","status":"ok","created":true},{"status":"error","error":{"status":422,`
	for name, c := range map[string]struct{ body, contentType string }{
		"json":  {`{"proposals":[` + strings.ReplaceAll(lines, "\n", ",") + `]}`, "application/json"},
		"lines": {lines + "\n", "application/x-ndjson"},
	} {
		server := newServer(t)
		status, body, _ := request(t, server, "POST", "/aspects?action=ingestProposalBatch&partial=true", c.body, "Content-Type", c.contentType)
		if status != 200 || !strings.HasPrefix(body, want) || !strings.HasSuffix(body, `{"urn":"urn:li:tag:a","status":"unchanged"}],"succeeded":2,"failed":1}}`) {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
	status, body, _ := request(t, server, "POST", "/aspects?action=ingestProposalBatch", lines+"\n{", "Content-Type", "application/x-ndjson")
	if status != 400 || !strings.Contains(body, "proposal 4") {
		t.Errorf("a cut stream: %d %s", status, body)
	}
}

// TestRefusedBatch: a batch with a refused proposal never gets status 200. A list is
// written as a whole or not at all. Of a stream of lines, the proposals that are not
// refused are written, and the error says so.
func TestRefusedBatch(t *testing.T) {
	server := newServer(t)
	item := func(urn, value string) string {
		return strings.TrimSuffix(strings.TrimPrefix(proposalBody("tag", urn, "status", value), `{"proposal":`), "}")
	}
	good, bad := item("urn:li:tag:a", `{"removed":false}`), item("urn:li:tag:b", `{"x":1}`)
	for _, c := range []struct{ body, contentType, says, exists string }{
		{`{"proposals":[` + good + "," + bad + `]}`, "application/json", "1 of 2 were refused, nothing was written", `{"value":false}`},
		{good + "\n" + bad, call.MediaTypeLines, "1 of 2 were refused, the others were written", `{"value":true}`},
	} {
		status, body, header := request(t, server, "POST", "/aspects?action=ingestProposalBatch", c.body, "Content-Type", c.contentType)
		var e call.ErrorBody
		if err := json.Unmarshal([]byte(body), &e); err != nil || status != 422 || e.Status != 422 || e.ExceptionClass == "" || header.Get("X-RestLi-Error-Response") != "true" ||
			!strings.Contains(e.Message, c.says) || !strings.Contains(e.Message, "1: urn:li:tag:b status: ") {
			t.Errorf("%d %s", status, body)
		}
		if len(e.Refused) != 1 || e.RefusedCount != 1 || e.Refused[0].Index != 1 || e.Refused[0].URN != "urn:li:tag:b" || e.Refused[0].Aspect != "status" ||
			e.Refused[0].Status != 422 || !strings.Contains(e.Refused[0].Message, "/x") {
			t.Errorf("members: %s", body)
		}
		if _, body, _ := request(t, server, "POST", "/entities?action=exists", `{"urn":"urn:li:tag:a"}`); body != c.exists {
			t.Errorf("%s: the good one: %s", c.contentType, body)
		}
	}
	if status, body, _ := request(t, server, "POST", "/aspects?action=ingestProposalBatch&partial=perhaps", `{"proposals":[]}`); status != 400 {
		t.Errorf("partial or not: %d %s", status, body)
	}
	if status, body, _ := request(t, server, "POST", "/aspects?action=ingestProposalBatch", `{"proposals":[`+good+`]}`); status != 200 || !strings.Contains(body, `"succeeded":1,"failed":0`) {
		t.Errorf("a good batch: %d %s", status, body)
	}
}

// TestRefusedImport: if an entity of an import fails, the request fails too, unless it has
// partial=true.
func TestRefusedImport(t *testing.T) {
	server := newServer(t)
	lines := `{"header":{"format":1,"time":0}}` + "\n" + `{"entity":{"urn":"urn:li:tag:x","versions":[],"edges":[]}}`
	status, body, _ := request(t, server, "POST", "/import", lines)
	if status != 400 || !strings.Contains(body, "1 of 1 were refused, the others were written") || !strings.Contains(body, `"refused":[{"index":0,"urn":"urn:li:tag:x","status":400`) {
		t.Errorf("%d %s", status, body)
	}
	if status, body, _ = request(t, server, "POST", "/import?partial=true", lines); status != 200 || !strings.Contains(body, `"failures":[{"urn":"urn:li:tag:x"`) {
		t.Errorf("with partial: %d %s", status, body)
	}
}

// TestTimeSeriesStats: the answer repeats the request beside the table.
func TestTimeSeriesStats(t *testing.T) {
	server := newServer(t)
	request(t, server, "POST", "/usageStats?action=batchIngest", `{"buckets":[{"bucket":86400000,"duration":"DAY","resource":"`+call.ExampleTable+`","metrics":{"totalSqlQueries":3}}]}`)
	status, body, _ := request(t, server, "POST", "/analytics?action=getTimeseriesStats", `{"entityName":"dataset","aspectName":"datasetUsageStatistics","metrics":[{"fieldPath":"totalSqlQueries","aggregationType":"SUM"}],
		"filter":{"criteria":[{"field":"urn","value":" `+call.ExampleTable+` ","condition":"EQUAL"}]},"buckets":[{"type":"DATE_GROUPING_BUCKET","key":"timestampMillis","timeWindowSize":{"unit":"DAY","multiple":1}}]}`)
	for _, part := range []string{
		`{"value":{"entityName":"dataset","aspectName":"datasetUsageStatistics","aggregationSpecs":[{"fieldPath":"totalSqlQueries","aggregationType":"SUM"}],"filter":{"criteria":`, `"groupingBuckets":[{`,
		`"table":{"columnNames":["timestampMillis","sum_totalSqlQueries"],"columnTypes":["long","double"],"rows":[["86400000","3"]]}}}`,
	} {
		if status != 200 || !strings.Contains(body, part) {
			t.Errorf("%d %s\nwithout %s", status, body, part)
		}
	}
}

func TestGzip(t *testing.T) {
	server := newServer(t)
	pack := func(text string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = w.Write([]byte(text))
		_ = w.Close()
		return b.String()
	}
	headers := []string{"X-RestLi-Protocol-Version", "2.0.0", "Content-Encoding", "gzip"}
	for _, c := range []struct {
		name, body string
		status     int
	}{
		{"packed", pack(proposalBody("tag", "urn:li:tag:x", "status", `{"removed":false}`)), 200},
		{"not packed", "{}", 400},
		{"a bomb", pack(`{"x":"` + strings.Repeat("a", 64<<20) + `"}`), 413},
		{"cut", pack("{}")[:15], 400},
	} {
		if status, body, _ := request(t, server, "POST", "/aspects?action=ingestProposal", c.body, headers...); status != c.status {
			t.Errorf("%s: %d %s", c.name, status, body)
		}
	}
}

func TestLargeAspect(t *testing.T) {
	server := newServer(t)
	value := `{"name":"x","description":"` + strings.Repeat("a", 15_999_900) + `"}`
	if status, body, _ := request(t, server, "POST", "/aspects?action=ingestProposal", proposalBody("tag", "urn:li:tag:x", "tagProperties", value)); status != 200 {
		t.Fatalf("%d %.300s", status, body)
	}
	if _, body, _ := request(t, server, "GET", "/aspects/urn:li:tag:x?aspect=tagProperties", ""); len(body) < 15_999_900 {
		t.Errorf("%d bytes came back", len(body))
	}
}

func TestEvents(t *testing.T) {
	server := newServer(t)
	write := func(n int) {
		request(t, server, "POST", "/aspects?action=ingestProposal", proposalBody("tag", "urn:li:tag:x", "tagProperties", fmt.Sprintf(`{"name":"%d"}`, n)))
	}
	write(1)
	write(2)
	type page struct {
		Events []streams.ChangeEvent `json:"events"`
		Next   string                `json:"next"`
	}
	get := func(query string) page {
		_, body, _ := request(t, server, "GET", "/events?"+query, "")
		var p page
		if err := json.Unmarshal([]byte(body), &p); err != nil {
			t.Fatal(err, body)
		}
		return p
	}
	all := get("")
	last := all.Events[len(all.Events)-1]
	if string(last.Aspect) != `{"name":"2"}` || string(last.PreviousAspect) != `{"name":"1"}` || last.Cursor != all.Next || last.AspectName != "tagProperties" {
		t.Errorf("last event: %+v", last)
	}
	if first := get("limit=1"); len(first.Events) != 1 || len(get("from="+first.Next).Events) != len(all.Events)-1 {
		t.Error("paging loses events")
	}
	if end := get("from=now"); len(end.Events) != 0 || end.Next != all.Next {
		t.Errorf("from the end: %+v", end)
	}

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/events", nil)
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("Last-Event-ID", all.Next)
	resp, err := server.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	write(3)
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			if !strings.Contains(data, `"aspect":{"name":"3"}`) {
				t.Errorf("the stream goes on with %s", data)
			}
			return
		}
	}
	t.Error("the stream ended")
}

func TestLogsTellNoSecrets(t *testing.T) {
	store, err := embedded.Open(context.Background(), embedded.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	var log bytes.Buffer
	handler := New(Options{Catalog: services.New(services.Options{Store: store}), Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	for _, value := range []string{`{"name":"secretvalue"}`, `{"secretvalue":1}`} {
		req := httptest.NewRequest(http.MethodPost, "/aspects?action=ingestProposal", strings.NewReader(proposalBody("tag", "urn:li:tag:x", "tagProperties", value)))
		req.Header.Set("X-RestLi-Protocol-Version", "2.0.0")
		req.Header.Set("Authorization", "Bearer secrettoken")
		handler.ServeHTTP(httptest.NewRecorder(), req)
	}
	if text := log.String(); !strings.Contains(text, "route=\"/aspects?action=ingestProposal\"") || strings.Contains(text, "secret") {
		t.Errorf("log: %s", text)
	}
}

func TestServicePages(t *testing.T) {
	server := newServer(t)
	_, body, _ := request(t, server, "GET", "/config", "")
	var config map[string]any
	if err := json.Unmarshal([]byte(body), &config); err != nil || config["noCode"] != "true" || config["statefulIngestionCapable"] != true || config["datasetUrnNameCasing"] != false ||
		!strings.Contains(body, `"acryldata/datahub":{"commit":"","version":"v1.4.0"}`) || !strings.Contains(body, `"linkedin/datahub":{"commit":"","version":"v0.10.5"}`) || config["baseUrl"] != nil {
		t.Errorf("config: %s", body)
	}
	for target, says := range map[string]string{
		"/": "Headwater", "/restli/docs": "ingestProposalBatch", "/health/ready": `"ready":true`, "/health/check/ready": `"graph":{"status":"ok"}`,
		"/metrics": `headwater_http_requests_total{method="GET",route="/config",status="200"} 1`, "/docs/": "swagger", "/docs": "swagger",
	} {
		if status, body, _ := request(t, server, "GET", target, ""); status != 200 || !strings.Contains(body, says) {
			t.Errorf("%s: %d %.200s", target, status, body)
		}
	}
	status, body, _ := request(t, server, "GET", "/docs/swagger-ui-bundle.js", "")
	if status != 200 || len(body) < 100_000 {
		t.Errorf("swagger's script: %d, %d bytes", status, len(body))
	}
	if status, body, _ := request(t, server, "GET", "/health", ""); status != 200 || body != "" {
		t.Errorf("health: %d %q", status, body)
	}
}

// TestOpenAPI compares the OpenAPI document with a golden file and with the route table.
func TestOpenAPI(t *testing.T) {
	server := newServer(t)
	_, body, _ := request(t, server, "GET", "/openapi.json", "")
	var indented bytes.Buffer
	if err := json.Indent(&indented, []byte(body), "", " "); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "openapi.json")
	if *update {
		if err := os.WriteFile(golden, indented.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(indented.Bytes(), want) {
		t.Error("the description differs from testdata/openapi.json; run the test with -update and look at the difference")
	}
	var doc struct {
		Paths map[string]map[string]struct {
			RequestBody struct {
				Content map[string]struct {
					Schema bodySchema `json:"schema"`
				} `json:"content"`
			} `json:"requestBody"`
		} `json:"paths"`
		Limits []struct {
			Name  string `json:"name"`
			Value int64  `json:"value"`
		} `json:"x-limits"`
	}
	if err := json.Unmarshal(want, &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Limits) != len(limits.All()) {
		t.Errorf("%d limits are described, there are %d", len(doc.Limits), len(limits.All()))
	}
	for _, e := range new(Server).allEndpoints() {
		operation, ok := doc.Paths[e.Described()][strings.ToLower(e.Method)]
		if !ok {
			t.Errorf("%s %s is not described", e.Method, e.Described())
		}
		if e.Action != "" {
			fits(t, e.Described(), operation.RequestBody.Content["application/json"].Schema, []byte(e.Example.Body))
		}
	}
}

// bodySchema is the schema of an operation's body.
type bodySchema struct {
	Title      string              `json:"title"`
	Required   []string            `json:"required"`
	Properties map[string]property `json:"properties"`
}

type property struct {
	Type      any      `json:"type"`
	Minimum   *float64 `json:"minimum"`
	Maximum   *float64 `json:"maximum"`
	MaxLength *int     `json:"maxLength"`
	MaxItems  *int     `json:"maxItems"`
}

// fits checks a body against the schema of its operation: the schema must describe every
// member, its type and its size.
func fits(t *testing.T, where string, schema bodySchema, body []byte) {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal(body, &members); err != nil {
		t.Errorf("%s: %v", where, err)
	}
	for _, name := range schema.Required {
		if _, ok := members[name]; !ok {
			t.Errorf("%s: the example lacks %s", where, name)
		}
	}
	for name, member := range members {
		p, ok := schema.Properties[name]
		kind := map[string]string{"string": "string", "float64": "integer", "bool": "boolean", "[]interface {}": "array", "map[string]interface {}": "object"}[fmt.Sprintf("%T", member)]
		if !ok || !strings.Contains(fmt.Sprint(p.Type), kind) {
			t.Errorf("%s: %s is a %s, described as %v", where, name, kind, p.Type)
		}
		switch member := member.(type) {
		case float64:
			if p.Minimum != nil && member < *p.Minimum || p.Maximum != nil && member > *p.Maximum {
				t.Errorf("%s: %s is %v", where, name, member)
			}
		case string:
			if p.MaxLength != nil && len(member) > *p.MaxLength {
				t.Errorf("%s: %s is too long", where, name)
			}
		}
	}
}
