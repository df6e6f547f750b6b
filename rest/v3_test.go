package rest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// callV3 sends a request below /openapi/v3/entity.
func callV3(t *testing.T, server *httptest.Server, method, target, body string) (int, string, http.Header) {
	t.Helper()
	return request(t, server, method, v3Address+target, body, "Content-Type", "application/json")
}

const v3Table = "urn:li:dataset:(urn:li:dataPlatform:s3,bucket/a b/c.csv,PROD)"

// TestV3Writes: written entities are in the answer, and can be read, patched and deleted.
func TestV3Writes(t *testing.T) {
	server := newServer(t)
	entity := `[{"urn":"` + v3Table + `","status":{"value":{"removed":false}},"datasetProperties":{"value":{"description":"a"},"systemMetadata":{"runId":"r1","lastObserved":5},"headers":{}}}]`
	for _, c := range []struct {
		name, method, target, body string
		status                     int
		says                       string
	}{
		{"entities", "POST", "/DATASET?async=false", entity, 200, `[{"urn":"` + v3Table + `","status":{"value":{"removed":false}},"datasetProperties":{"value":{"description":"a"}}}]`},
		{"with stamps", "POST", "/dataset?async=false&systemMetadata=true", entity, 200, `"datasetProperties":{"value":{"description":"a"},"systemMetadata":{"lastObserved":5,"runId":"r1"`},
		{"a patch", "PATCH", "/dataset?async=false", `[{"urn":"` + v3Table + `","datasetProperties":{"value":{"patch":[{"op":"add","path":"/customProperties/k","value":"v"}]}}}]`, 200, `{"value":{"patch":[{"op":"add"`},
		{"read", "GET", "/dataset/" + escaped(v3Table) + "?aspects=DATASETproperties", "", 200, `{"urn":"` + v3Table + `","datasetProperties":{"value":{"customProperties":{"k":"v"},"description":"a"}}}`},
		{"read by a plain urn", "GET", "/dataset/" + strings.ReplaceAll(v3Table, " ", "%20"), "", 200, `"dataPlatformInstance":{"value":{"platform":"urn:li:dataPlatform:s3"}}`},
		{"an aspect by a plain urn", "GET", "/dataset/" + strings.ReplaceAll(v3Table, " ", "%20") + "/status", "", 200, `{"value":{"removed":false}}`},
		{"a version", "GET", "/dataset/" + escaped(v3Table) + "/datasetProperties?version=1", "", 200, `{"value":{"description":"a"}}`},
		{"an aspect with stamps", "GET", "/dataset/" + escaped(v3Table) + "/datasetProperties?systemMetadata=true", "", 200, `"version":"2"`},
		{"no such version", "GET", "/dataset/" + escaped(v3Table) + "/datasetProperties?version=9", "", 404, `version: 9`},
		{
			"versions", "POST", "/dataset/batchGet", `[{"urn":"` + v3Table + `","datasetProperties":{"headers":{"if-version-match":"1"}}},{"urn":"` + v3Table + `","status":{}},{"urn":"urn:li:dataset:(urn:li:dataPlatform:s3,none,PROD)"}]`, 200,
			`[{"urn":"` + v3Table + `","datasetProperties":{"value":{"description":"a"}}},{"urn":"` + v3Table + `","status":{"value":{"removed":false}}}]`,
		},
		{"create what exists", "POST", "/dataset/" + escaped(v3Table) + "/status", `{"value":{"removed":true}}`, 412, `{"error":"Precondition Error","message":`},
		{"write it anyway", "POST", "/dataset/" + escaped(v3Table) + "/Status?createIfNotExists=false", `{"value":{"removed":true}}`, 200, `{"urn":"` + v3Table + `","status":{"value":{"removed":true}}}`},
		{"create an entity that exists", "POST", "/dataset/" + escaped(v3Table) + "/ownership?createIfEntityNotExists=true", `{"value":{"owners":[]}}`, 412, `Precondition Error`},
		{"soft-deleted", "HEAD", "/dataset/" + escaped(v3Table), "", 404, ``},
		{"soft-deleted and included", "HEAD", "/dataset/" + escaped(v3Table) + "?includeSoftDelete=true", "", 204, ``},
		{"a patch of the aspect", "PATCH", "/dataset/" + escaped(v3Table) + "/datasetProperties", `[{"op":"add","path":"/customProperties/k","value":"w"}]`, 200, `"datasetProperties":{"value":[{"op":"add"`},
		{
			"generic", "POST", "/generic?async=false", `{"Tag":[{"urn":"urn:li:tag:a/b","status":{"value":{"removed":false}}}],"chart":[{"urn":"urn:li:chart:(looker,1)","status":{"value":{"removed":false}}}]}`, 200,
			`{"Tag":[{"urn":"urn:li:tag:a/b","status":{"value":{"removed":false}}}],"chart":[{"urn":"urn:li:chart:(looker,1)","status":`,
		},
		{"a plain urn with a slash", "HEAD", "/tag/urn:li:tag:a/b", "", 204, ``},
		{"its aspect", "HEAD", "/tag/urn:li:tag:a/b/status", "", 204, ``},
		{"no aspect of it", "HEAD", "/tag/urn:li:tag:a%2Fb/tagProperties", "", 404, ``},
		{"another call's type", "GET", "/chart/urn:li:tag:a%2Fb", "", 400, `the path has chart`},
		{"delete an aspect", "DELETE", "/tag/urn:li:tag:a/b/status", "", 200, ``},
		{"once more", "DELETE", "/tag/urn:li:tag:a/b/status", "", 200, ``},
		{"delete all aspects", "DELETE", "/dataset/" + escaped(v3Table) + "?clear=true", "", 200, ``},
		{"what is left", "GET", "/dataset/" + escaped(v3Table), "", 200, `{"urn":"` + v3Table + `","datasetKey":{"value":{`},
		{"delete the entity", "DELETE", "/dataset/" + strings.ReplaceAll(v3Table, " ", "%20"), "", 200, ``},
		{"it is gone", "GET", "/dataset/" + escaped(v3Table), "", 404, `{"error":"there is no dataset ` + v3Table + `","message":"there is no dataset`},
	} {
		status, body, _ := callV3(t, server, c.method, c.target, c.body)
		if status != c.status || !strings.Contains(body, c.says) {
			t.Errorf("%s: %d %.600s, want %d with %s", c.name, status, body, c.status, c.says)
		}
	}
}

// escaped percent-encodes a URN as a part of a path.
func escaped(urn string) string {
	return strings.NewReplacer(":", "%3A", "(", "%28", ")", "%29", ",", "%2C", "/", "%2F", " ", "%20").Replace(urn)
}

// TestV3Errors: a refused call changes nothing. Its error has the form that clients of
// these paths read.
func TestV3Errors(t *testing.T) {
	server := newServer(t)
	good := `{"urn":"urn:li:tag:x","status":{"value":{"removed":false}}}`
	for _, c := range []struct {
		name, method, target, body string
		status                     int
		error, says                string
	}{
		{"a wrong type", "POST", "/datasett", `[` + good + `]`, 400, "Failed to find entity", "did you mean dataset"},
		{"a wrong aspect", "GET", "/tag/urn%3Ali%3Atag%3Ax/statsu", "", 400, "Unknown aspect statsu", "did you mean status"},
		{"a wrong value", "POST", "/tag", `[` + good + `,{"urn":"urn:li:tag:y","tagProperties":{"value":{"nme":"x"}}}]`, 400, "Validation Error", "unrecognized field found but not allowed"},
		{"a wrong type of value", "POST", "/tag", `[` + good + `,{"urn":"urn:li:tag:y","tagProperties":{"value":"x"}}]`, 400, "", "tagProperties: the value is not a JSON object"},
		{"a bad urn", "POST", "/tag", `[` + good + `,{"urn":"y","status":{"value":{"removed":false}}}]`, 400, "", "invalid urn"},
		{"no urn", "POST", "/tag", `[{"status":{"value":{"removed":false}}}]`, 400, "", "has no urn"},
		{"no aspects", "POST", "/tag", `[{"urn":"urn:li:tag:x"}]`, 400, "", "has no aspects"},
		{"no value", "POST", "/tag", `[{"urn":"urn:li:tag:x","status":{}}]`, 400, "", "has no value"},
		{"a text for an aspect", "POST", "/tag", `[{"urn":"urn:li:tag:x","status":"x"}]`, 400, "", "a JSON string is not accepted"},
		{"no list", "POST", "/tag", good, 400, "", "object is not accepted"},
		{"no JSON", "POST", "/tag", `[`, 400, "", "not valid JSON"},
		{"a failed condition", "POST", "/tag", `[` + good + `,{"urn":"urn:li:tag:y","status":{"value":{"removed":false},"headers":{"If-Version-Match":"3"}}}]`, 412, "Precondition Error", "3"},
		{"a wrong header", "POST", "/tag", `[{"urn":"urn:li:tag:y","status":{"value":{"removed":false},"headers":{"X-DataHub-Sync-Index-Update":"perhaps"}}}]`, 400, "", "must be true or false"},
		{"a wrong async", "POST", "/tag?async=perhaps", `[` + good + `]`, 400, "", "parameter async"},
		{"a bad version", "POST", "/tag/batchGet", `[{"urn":"urn:li:tag:x","status":{"headers":{"If-Version-Match":"x"}}}]`, 400, "", "is not a version"},
		{"no such path", "POST", "/tag/urn%3Ali%3Atag%3Ax/status/more", `{}`, 404, "", "No root resource"},
		{"generic of a wrong type", "POST", "/generic", `{"tag":[` + good + `],"corpusr":[]}`, 400, "", "did you mean corpuser"},
		{"too many", "POST", "/tag", `[` + strings.Repeat(good+",", 2000) + good + `]`, 400, "", "2001 proposals"},
	} {
		status, body, _ := callV3(t, server, c.method, c.target, c.body)
		var e struct{ Error, Message string }
		if err := json.Unmarshal([]byte(body), &e); err != nil || status != c.status || !strings.Contains(e.Error, c.error) || !strings.Contains(e.Message, c.says) || strings.Contains(body, "exceptionClass") {
			t.Errorf("%s: %d %.500s, want %d with %q and %q", c.name, status, body, c.status, c.error, c.says)
		}
	}
	if status, body, _ := callV3(t, server, "GET", "/tag/urn%3Ali%3Atag%3Ax", ""); status != 404 {
		t.Errorf("a refused call wrote something: %d %s", status, body)
	}
	status, body, _ := callV3(t, server, "POST", "/tag?async=false", `[`+good+`,{"urn":"urn:li:tag:y","tagProperties":{"value":{"nme":"x"}}}]`)
	if status != 400 || !strings.Contains(body, `"refused":[{"index":1,"urn":"urn:li:tag:y","aspect":"tagProperties","status":400,`) {
		t.Errorf("the refused member: %d %s", status, body)
	}
}

// TestV3Trace: a write with async=true is answered with a trace, with which the caller can
// ask for its outcome.
func TestV3Trace(t *testing.T) {
	server := newServer(t)
	write := func(value string) string {
		t.Helper()
		status, body, header := callV3(t, server, "POST", "/tag?async=true", `[{"urn":"urn:li:tag:x","tagProperties":{"value":{"name":"`+value+`"}}}]`)
		parts := strings.Split(header.Get("traceparent"), "-")
		if status != 202 || len(parts) != 4 || parts[0] != "00" || len(parts[1]) != 32 || len(parts[2]) != 16 || parts[3] != "01" {
			t.Fatalf("%d %s %s", status, body, header.Get("traceparent"))
		}
		return parts[1]
	}
	first, second, same := write("a"), write("b"), write("b")
	ask := func(trace, body string) string {
		t.Helper()
		if !strings.Contains(trace, "?") {
			trace += "?onlyIncludeErrors=false&detailed=true"
		}
		_, answer, _ := request(t, server, "POST", "/openapi/v1/trace/write/"+trace, body, "Content-Type", "application/json")
		return answer
	}
	state := func(state string) string {
		return `{"urn:li:tag:x":{"tagProperties":{"success":true,"primaryStorage":{"writeStatus":"` + state + `"},"searchStorage":{"writeStatus":"` + state + `"}}}}`
	}
	for trace, want := range map[string]string{first: "HISTORIC_STATE", second: "ACTIVE_STATE", same: "NO_OP"} {
		if got := ask(trace, `{"urn:li:tag:x":["tagProperties"]}`); got != state(want) {
			t.Errorf("%s: %s", want, got)
		}
	}
	for name, c := range map[string][2]string{
		"a trace of nobody":  {strings.Repeat("0", 32), `"success":false,"primaryStorage":{"writeStatus":"UNKNOWN"}`},
		"a text":             {"x", `is not a trace`},
		"an altered trace":   {"1" + first[1:], `"UNKNOWN"`},
		"an unknown aspect":  {second, `"success":true`},
		"only what is wrong": {second + "?onlyIncludeErrors=true", `{}`},
	} {
		if got := ask(c[0], `{"urn:li:tag:x":["tagProperties"]}`); !strings.Contains(got, c[1]) {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := ask(second, `{"urn:li:tag:x":["nothing"]}`); !strings.Contains(got, `"success":false`) {
		t.Errorf("an aspect that the model does not have: %s", got)
	}
	callV3(t, server, "DELETE", "/tag/urn:li:tag:x", "")
	if got := ask(second, `{"urn:li:tag:x":["tagProperties"]}`); got != state("NO_OP") {
		t.Errorf("what was deleted since: %s", got)
	}
}

// TestV3Scroll: every entity is on exactly one page, and scroll ids are bound to their
// question.
func TestV3Scroll(t *testing.T) {
	server := newServer(t)
	for n := range 7 {
		callV3(t, server, "POST", "/tag?async=false", fmt.Sprintf(`[{"urn":"urn:li:tag:s%d","tagProperties":{"value":{"name":"s%d"}},"status":{"value":{"removed":%t},"headers":{"X-DataHub-Sync-Index-Update":"true"}}}]`, n, n, n == 3))
	}
	type page struct {
		ScrollID *string                      `json:"scrollId"`
		Entities []map[string]json.RawMessage `json:"entities"`
		Total    int                          `json:"totalCount"`
	}
	read := func(method, target, body string) page {
		t.Helper()
		status, answer, _ := callV3(t, server, method, target, body)
		var p page
		if err := json.Unmarshal([]byte(answer), &p); err != nil || status != 200 {
			t.Fatalf("%s: %d %s", target, status, answer)
		}
		return p
	}
	all := func(method, target, body string) (found []string) {
		id := ""
		for range 20 {
			p := read(method, target+"&scrollId="+id, body)
			for _, e := range p.Entities {
				found = append(found, string(e["urn"]))
			}
			if p.ScrollID == nil {
				return found
			}
			id = *p.ScrollID
		}
		t.Fatalf("%s does not end", target)
		return nil
	}
	want := `["urn:li:tag:s0" "urn:li:tag:s1" "urn:li:tag:s2" "urn:li:tag:s4" "urn:li:tag:s5" "urn:li:tag:s6"]`
	for name, got := range map[string][]string{
		"a list":    all("GET", "/Tag?count=2", ""),
		"a scroll":  all("POST", "/scroll?count=4", `{"entities":["TAG"]}`),
		"one page":  all("POST", "/scroll?count=100", `{"entities":["tag"],"filter":{"and":[{"criteria":[{"field":"name","values":["s0","s1","s2","s3","s4","s5","s6"],"condition":"EQUAL"}]}]}}`),
		"in slices": append(all("POST", "/scroll?count=4&sliceId=0&sliceMax=2", `{"entities":["tag"]}`), all("POST", "/scroll?count=4&sliceId=1&sliceMax=2", `{"entities":["tag"]}`)...),
	} {
		if fmt.Sprint(got) != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := all("POST", "/scroll?count=3&includeSoftDelete=true", `{"entities":["tag"],"filter":{"and":[{"criteria":[{"field":"urn","values":["urn:li:tag:s3"]}]},{"criteria":[{"field":"urn","values":["urn:li:tag:s1"]}]}]}}`); fmt.Sprint(got) != `["urn:li:tag:s1" "urn:li:tag:s3"]` {
		t.Errorf("with soft-deleted: %s", got)
	}
	if got := all("POST", "/scroll?count=3", `{"entities":["tag"],"filter":{"and":[{"criteria":[{"field":"noSuchField","values":["x"]}]}]}}`); len(got) != 0 {
		t.Errorf("a field that tags do not have: %s", got)
	}
	for body, aspects := range map[string]int{`{"entities":["tag"]}`: 1, `{"entities":["tag"],"aspects":[]}`: 4, `{"entities":["tag"],"aspects":["status"]}`: 2} {
		if p := read("POST", "/scroll?count=1", body); len(p.Entities) != 1 || len(p.Entities[0]) != aspects || p.Total != 6 {
			t.Errorf("%s: %v", body, p)
		}
	}
	id := *read("POST", "/scroll?count=2", `{"entities":["tag"]}`).ScrollID
	for _, c := range [][2]string{
		{"/scroll?count=2&scrollId=" + id, `{"entities":["tag"],"filter":{"and":[{"criteria":[{"field":"name","values":["s1"]}]}]}}`},
		{"/scroll?count=2&query=s1&scrollId=" + id, `{"entities":["tag"]}`},
		{"/scroll?count=2&scrollId=x" + id[1:], `{"entities":["tag"]}`},
		{"/scroll?count=0", `{"entities":["tag"]}`},
		{"/scroll?sliceId=2&sliceMax=2", `{"entities":["tag"]}`},
	} {
		if status, answer, _ := callV3(t, server, "POST", c[0], c[1]); status != 400 {
			t.Errorf("%s: %d %s", c[0], status, answer)
		}
	}
}

// TestV3Edges: every edge is on exactly one page, with its direction.
func TestV3Edges(t *testing.T) {
	server := newServer(t)
	table := func(name string) string { return "urn:li:dataset:(urn:li:dataPlatform:hive," + name + ",PROD)" }
	upstream := func(of string, names ...string) {
		var list []string
		for _, name := range names {
			list = append(list, `{"dataset":"`+table(name)+`","type":"TRANSFORMED"}`)
		}
		status, body, _ := callV3(t, server, "POST", "/dataset?async=false", `[{"urn":"`+table(of)+`","upstreamLineage":{"value":{"upstreams":[`+strings.Join(list, ",")+`]}},
			"ownership":{"value":{"owners":[{"owner":"urn:li:corpuser:ada","type":"DATAOWNER"}]}}}]`)
		if status != 200 {
			t.Fatal(body)
		}
	}
	upstream("b", "a", "z")
	upstream("c", "b")
	upstream("d", "b", "c")
	callV3(t, server, "POST", "/dataset?async=false", `[{"urn":"`+table("z")+`","status":{"value":{"removed":true}}}]`)
	all := func(target, body string) string {
		t.Helper()
		var found []string
		for id := ""; ; {
			status, answer, _ := request(t, server, "POST", target+"&scrollId="+id, body, "Content-Type", "application/json")
			var page gotV3EdgePage
			if err := json.Unmarshal([]byte(answer), &page); err != nil || status != 200 {
				t.Fatalf("%s: %d %s", target, status, answer)
			}
			for _, e := range page.Results {
				short := strings.NewReplacer("urn:li:dataset:(urn:li:dataPlatform:hive,", "", ",PROD)", "", "urn:li:corpuser:", "")
				one := short.Replace(e.Source.URN + ">" + e.Destination.URN)
				if e.Upstream != "" {
					one += short.Replace(" " + e.Upstream + "^")
				}
				found = append(found, one)
			}
			if page.ScrollID == nil {
				return strings.Join(found, ", ")
			}
			id = *page.ScrollID
		}
	}
	urns := func(names ...string) string {
		for i := range names {
			names[i] = `"` + table(names[i]) + `"`
		}
		return `[` + strings.Join(names, ",") + `]`
	}
	const relationships, lineage = "/openapi/v3/relationship/scroll?", "/openapi/v3/lineage/scroll?"
	for _, c := range []struct{ target, body, want string }{
		{relationships + "relationshipTypes=DownstreamOf&count=2", ``, "b>a, c>b, d>b, d>c"},
		{relationships + "relationshipTypes=DownstreamOf&count=1&includeSoftDelete=true", `{}`, "b>a, b>z, c>b, d>b, d>c"},
		{relationships + "relationshipTypes=DownstreamOf&relationshipTypes=OwnedBy&sourceTypes=DATASET&destinationTypes=corpuser", `{}`, "b>ada, c>ada, d>ada"},
		{relationships + "sourceTypes=corpuser", `{}`, ""},
		{relationships + "relationshipTypes=DownstreamOf&count=1", `{"sourceFilter":{"and":[{"criteria":[{"field":"urn","values":` + urns("d", "c") + `}]}]}}`, "c>b, d>b, d>c"},
		{relationships + "relationshipTypes=DownstreamOf&count=1", `{"destinationFilter":{"and":[{"criteria":[{"field":"urn","values":` + urns("b") + `}]}]}}`, "c>b, d>b"},
		{relationships + "relationshipTypes=DownstreamOf&direction=INCOMING", `{"sourceFilter":{"and":[{"criteria":[{"field":"urn","values":` + urns("b") + `}]}]}}`, "c>b, d>b"},
		{relationships + "count=100", `{"sourceFilter":{"and":[{"criteria":[{"field":"urn","values":["x"],"negated":true},{"field":"entityType","values":["dataset"]}]}]},"edgeFilter":{"and":[{"criteria":[{"field":"relationshipType","values":["OwnedBy"]}]}]}}`, "b>ada, c>ada, d>ada"},
		{lineage + "count=2", ``, "b>a a^, c>b b^, d>b b^, d>c c^"},
		{lineage + "count=1&direction=UPSTREAM", `{"urns":` + urns("d", "b") + `}`, "b>a a^, d>b b^, d>c c^"},
		{lineage + "count=1&direction=DOWNSTREAM", `{"urns":` + urns("b") + `}`, "c>b b^, d>b b^"},
		{lineage + "count=1", `{"urns":` + urns("b", "c") + `}`, "b>a a^, d>b b^, c>b b^, d>c c^"},
		{lineage + "relationshipTypes=Consumes", `{"urns":` + urns("b") + `}`, ""},
	} {
		if got := all(c.target, c.body); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.target, c.body, got, c.want)
		}
	}
	for _, target := range []string{relationships + "direction=UP", relationships + "count=0", lineage + "direction=UP", relationships + "sourceTypes=nothing", lineage + "scrollId=abc"} {
		if status, answer, _ := request(t, server, "POST", target, `{}`, "Content-Type", "application/json"); status != 400 {
			t.Errorf("%s: %d %s", target, status, answer)
		}
	}
}

// TestV3Service: the model and the lag, in the form that clients ask for.
func TestV3Service(t *testing.T) {
	server := newServer(t)
	var names []string
	layouts := map[string]int{}
	for start, total := 0, 1; start < total; {
		_, body, _ := request(t, server, "GET", fmt.Sprintf("/openapi/v1/registry/models/entity/specifications?start=%d&count=30", start), "")
		var page struct {
			Total    int                      `json:"total"`
			Elements []gotEntitySpecification `json:"elements"`
		}
		if err := json.Unmarshal([]byte(body), &page); err != nil || len(page.Elements) == 0 {
			t.Fatal(body)
		}
		for _, e := range page.Elements {
			names = append(names, e.Name)
			if e.KeyAspect == "" || e.Aspects[0].Annotation.Name != e.KeyAspect {
				t.Errorf("%+v", e)
			}
			for _, a := range e.Aspects {
				layouts[a.Annotation.Name] = a.Annotation.SchemaVersion
			}
		}
		start, total = start+len(page.Elements), page.Total
	}
	if len(names) < 40 {
		t.Errorf("%d entity types", len(names))
	}
	if layouts["dashboardInfo"] != 2 || layouts["ownership"] != 1 {
		t.Errorf("versions of layouts: %d and %d", layouts["dashboardInfo"], layouts["ownership"])
	}
	for _, c := range [][2]string{
		{"/openapi/operations/messaging/mcl/consumer/lag", `"search-index":{"change-log":{"partitions":{"0":{"lag":0}}`},
		{"/openapi/operations/messaging/mcp/consumer/lag?skipCache=true", `"consumerGroups":{}`},
		{"/openapi/operations/messaging/x/consumer/lag", `"error"`},
	} {
		if _, body, _ := request(t, server, "GET", c[0], ""); !strings.Contains(body, c[1]) {
			t.Errorf("%s: %s", c[0], body)
		}
	}
}
