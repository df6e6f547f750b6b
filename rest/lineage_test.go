package rest

import (
	"encoding/csv"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
)

const (
	sourceTable = "urn:li:dataset:(urn:li:dataPlatform:hive,db.source,PROD)"
	targetTable = "urn:li:dataset:(urn:li:dataPlatform:hive,db.target,PROD)"
	// formulaTable has a name that a spreadsheet would run as a formula.
	formulaTable = "urn:li:dataset:(urn:li:dataPlatform:hive,formula,PROD)"
)

// newLineageServer serves a catalog with source → target → formula and with lineage of a
// column.
func newLineageServer(t *testing.T) *httptest.Server {
	server := newServer(t)
	say := func(entityType, urn, aspect, value string) {
		t.Helper()
		if status, body, _ := request(t, server, "POST", "/aspects?action=ingestProposal&wait=index", proposalBody(entityType, urn, aspect, value)); status != http.StatusOK {
			t.Fatalf("%d %s", status, body)
		}
	}
	say("dataset", sourceTable, "datasetProperties", `{"description":"d"}`)
	say("dataset", targetTable, "upstreamLineage", `{"upstreams":[{"dataset":"`+sourceTable+`","type":"COPY","auditStamp":{"time":7,"actor":"urn:li:corpuser:ada"},"properties":{"source":"UI"}}],
		"fineGrainedLineages":[{"upstreamType":"FIELD_SET","upstreams":["urn:li:schemaField:(`+sourceTable+`,f%28x%29)"],"downstreamType":"FIELD","downstreams":["urn:li:schemaField:(`+targetTable+`,y)"]}]}`)
	say("dataset", formulaTable, "upstreamLineage", `{"upstreams":[{"dataset":"`+targetTable+`","type":"COPY"}]}`)
	say("dataset", formulaTable, "datasetProperties", `{"name":"=HYPERLINK(\"http://x\")","description":"d"}`)
	say("dataset", formulaTable, "ownership", `{"owners":[{"owner":"urn:li:corpuser:ada","type":"DATAOWNER"}],"lastModified":{"time":0,"actor":"urn:li:corpuser:ada"}}`)
	say("corpuser", "urn:li:corpuser:ada", "corpUserInfo", `{"active":true,"displayName":"Ada","email":"ada@example.com"}`)
	return server
}

func TestLineageRequests(t *testing.T) {
	server := newLineageServer(t)
	source := url.QueryEscape(sourceTable)
	for _, c := range []struct {
		name, method, target, body string
		status                     int
		says                       string
	}{
		{"walk", "GET", "/lineage/" + source + "?direction=downstream", "", 200, `"total":2`},
		{"upstream is the default", "GET", "/lineage/" + url.QueryEscape(formulaTable), "", 200, `"direction":"UPSTREAM"`},
		{"a URN that is not encoded", "GET", "/lineage/" + sourceTable + "?direction=DOWNSTREAM", "", 200, `"total":2`},
		{"direction", "GET", "/lineage/" + source + "?direction=SIDEWAYS", "", 400, "UPSTREAM or DOWNSTREAM"},
		{"hops", "GET", "/lineage/" + source + "?hops=many", "", 400, "parameter hops"},
		{"negative hops", "GET", "/lineage/" + source + "?hops=-1", "", 400, "hops"},
		{"reach", "GET", "/lineage/" + source + "?reach=2000000", "", 400, "1000000"},
		{"count", "GET", "/lineage/" + source + "?count=99999999999", "", 400, "count"},
		{"paths", "GET", "/lineage/" + source + "?paths=101", "", 400, "100 paths"},
		{"columns", "GET", "/lineage/" + source + "?columns=maybe", "", 400, "true or false"},
		{"moment", "GET", "/lineage/" + source + "?asOf=yesterday", "", 400, "2026-10-21"},
		{"day", "GET", "/lineage/" + source + "?asOf=2020-01-01&direction=DOWNSTREAM", "", 200, `"total":0`},
		{"time", "GET", "/lineage/" + source + "?asOf=2020-01-01T10:00:00%2B02:00", "", 200, `"asOf":1577865600000`},
		{"removed", "GET", "/lineage/" + source + "?removed=perhaps", "", 400, "pass, show or stop"},
		{"type", "GET", "/lineage/" + source + "?types=thing", "", 400, "thing"},
		{"urn", "GET", "/lineage/nonsense", "", 400, "invalid urn"},
		{"urn of a diff", "GET", "/lineage-diff/nonsense?before=2020-01-01", "", 400, "invalid urn"},
		{"urn of an impact", "GET", "/impact/nonsense", "", 400, "invalid urn"},
		{"urn of the impact of a column", "GET", "/impact/nonsense?column=x", "", 400, "invalid urn"},
		{"urn of getLineage", "POST", "/relationships?action=getLineage", `{"urn":"nonsense","direction":"UPSTREAM"}`, 400, "invalid urn"},
		{"urn of a search", "POST", "/entities?action=searchAcrossLineage", `{"urn":"nonsense","direction":"UPSTREAM","input":"*"}`, 400, "invalid urn"},
		{"blanks around the urn", "GET", "/lineage/" + url.PathEscape(" "+sourceTable+" ") + "?direction=DOWNSTREAM", "", 200, `"urn":"` + sourceTable + `"`},
		{"a type in other letters", "GET", "/lineage/" + url.PathEscape(strings.Replace(sourceTable, "dataset", "dATASET", 1)) + "?direction=DOWNSTREAM", "", 200, `"urn":"` + sourceTable + `"`},
		{"no urn", "GET", "/lineage", "", 400, "needs an entity"},
		{"misspelt", "GET", "/lineage/" + url.QueryEscape(strings.Replace(sourceTable, "source", "sourrce", 1)), "", 404, `nearest are ` + sourceTable},
		{"misspelt, as candidates", "GET", "/impact/" + url.QueryEscape(strings.Replace(sourceTable, "source", "sourrce", 1)), "", 404, `"candidates":[{"urn":"` + sourceTable},
		{"unknown", "GET", "/lineage/" + url.QueryEscape("urn:li:dataset:(urn:li:dataPlatform:hive,nothing,PROD)"), "", 404, "nothing is known"},
		{"window", "GET", "/lineage/" + source + "?direction=DOWNSTREAM&startTimeMillis=8&endTimeMillis=9", "", 200, `"total":2`}, // the edge was drawn by hand, so the window does not exclude it
		{"diff", "GET", "/lineage-diff/" + source + "?before=2020-01-01&direction=DOWNSTREAM", "", 200, `"added":[{`},
		{"diff without a moment", "GET", "/lineage-diff/" + source, "", 400, "two moments"},
		{"diff backwards", "GET", "/lineage-diff/" + source + "?before=2020-01-02&after=2020-01-01", "", 400, "before the moment"},
		{"impact", "GET", "/impact/" + source, "", 200, `"byType":[{"value":"dataset","count":2}]`},
		{"impact of a column", "GET", "/impact/" + source + "?column=f(x)", "", 200, `"effect":"certain","columns":["y"]`},
		{"impact of a column, upstream", "GET", "/impact/" + source + "?column=f(x)&direction=UPSTREAM", "", 400, "downstream"},
		{"compact", "GET", "/lineage/" + source + "?direction=downstream&form=compact", "", 200, `"paths":[[0]]`},
		{"compact impact", "GET", "/impact/" + source + "?form=compact", "", 200, `"urns":["urn`},
		{"misspelt form", "GET", "/lineage/" + source + "?form=compakt", "", 400, "compact"},
		{"misspelt form of an impact", "GET", "/impact/" + source + "?form=compakt", "", 400, "compact"},
		{"impact format", "GET", "/impact/" + source + "?format=xml", "", 400, "json or csv"},
		{
			"getLineage", "POST", "/relationships?action=getLineage", `{"urn":"` + targetTable + `","direction":"UPSTREAM","count":5}`, 200,
			`"relationships":[{"type":"DownstreamOf","entity":"` + sourceTable + `","degree":1,"paths":[["` + targetTable + `","` + sourceTable + `"]],"updatedOn":7,"updatedActor":"urn:li:corpuser:ada","isManual":true}],"start":0,"total":1`,
		},
		{"getLineage of what is unknown", "POST", "/relationships?action=getLineage", `{"urn":"urn:li:dataset:(urn:li:dataPlatform:hive,nothing,PROD)","direction":"UPSTREAM"}`, 200, `"total":0`},
		{"getLineage direction", "POST", "/relationships?action=getLineage", `{"urn":"` + targetTable + `"}`, 400, "direction"},
		{"search", "POST", "/entities?action=searchAcrossLineage", `{"urn":"` + sourceTable + `","direction":"DOWNSTREAM","input":"*"}`, 200, `"degree":1`},
		{"search by degree", "POST", "/entities?action=searchAcrossLineage", `{"urn":"` + sourceTable + `","direction":"DOWNSTREAM","filter":{"or":[{"and":[{"field":"degree.keyword","value":"2"}]}]}}`, 200, `"numEntities":1`},
		{"search by a bad degree", "POST", "/entities?action=searchAcrossLineage", `{"urn":"` + sourceTable + `","direction":"DOWNSTREAM","filter":{"or":[{"and":[{"field":"degree","value":"7"}]}]}}`, 400, "3+"},
		{"search within hops", "POST", "/entities?action=searchAcrossLineage", `{"urn":"` + sourceTable + `","direction":"DOWNSTREAM","maxHops":1}`, 200, `"numEntities":1`},
		{"scroll", "POST", "/entities?action=scrollAcrossLineage", `{"urn":"` + sourceTable + `","direction":"DOWNSTREAM","count":1}`, 200, `"scrollId":"`},
		{"search without a urn", "POST", "/entities?action=searchAcrossLineage", `{"direction":"DOWNSTREAM"}`, 400, "urn"},
		{"timeline", "GET", "/openapi/timeline/v1/" + url.QueryEscape(formulaTable) + "?categories=OWNER,LINEAGE", "", 200, `"semVer":"0.0.0-computed"`},
		{"timeline with differences", "GET", "/openapi/timeline/v1/" + url.QueryEscape(formulaTable) + "?categories=OWNER&raw=True", "", 200, `"path":"/ownership"`},
		{"timeline of nothing", "GET", "/openapi/timeline/v1/" + url.QueryEscape(formulaTable) + "?categories=TAG", "", 200, `[]`},
		{"timeline category", "GET", "/openapi/timeline/v1/" + source + "?categories=WEATHER", "", 400, "WEATHER"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, body, _ := request(t, server, c.method, c.target, c.body)
			if status != c.status || !strings.Contains(body, c.says) {
				t.Errorf("%s %s answers %d %s, wanted %d with %s", c.method, c.target, status, body, c.status, c.says)
			}
		})
	}
}

// TestScrollAcrossLineage reads all pages of a scroll, in the order that the request asks for.
func TestScrollAcrossLineage(t *testing.T) {
	server := newLineageServer(t)
	pages := map[string][]string{}
	for _, order := range []string{"ASCENDING", "DESCENDING"} {
		scroll, found := "", []string{}
		for range 5 {
			body, _ := json.Marshal(map[string]any{"urn": sourceTable, "direction": "DOWNSTREAM", "count": 1, "scrollId": scroll, "sort": map[string]string{"field": "urn", "order": order}})
			_, text, _ := request(t, server, "POST", "/entities?action=scrollAcrossLineage", string(body))
			var answer struct {
				Value struct {
					ScrollID string
					Entities []struct{ Entity string }
				}
			}
			if err := json.Unmarshal([]byte(text), &answer); err != nil {
				t.Fatal(err)
			}
			for _, e := range answer.Value.Entities {
				found = append(found, e.Entity)
			}
			if scroll = answer.Value.ScrollID; scroll == "" {
				break
			}
		}
		if len(found) != 2 || found[0] == found[1] || scroll != "" {
			t.Errorf("%s: found %v, scroll %q", order, found, scroll)
		}
		pages[order] = found
	}
	slices.Reverse(pages["DESCENDING"])
	if !slices.Equal(pages["ASCENDING"], pages["DESCENDING"]) || !slices.IsSorted(pages["ASCENDING"]) {
		t.Errorf("in the order of the request: %v", pages)
	}
}

// TestImpactTable: the table is valid CSV, and no cell is a formula.
func TestImpactTable(t *testing.T) {
	server := newLineageServer(t)
	status, body, header := request(t, server, "GET", "/impact/"+url.QueryEscape(sourceTable)+"?format=csv", "")
	if status != http.StatusOK || !strings.HasPrefix(header.Get("Content-Type"), "text/csv") || header.Get("X-Headwater-Partial") != "false" {
		t.Errorf("%d %v", status, header)
	}
	rows, err := csv.NewReader(strings.NewReader(body)).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatalf("%v %v", rows, err)
	}
	if row := rows[2]; row[0] != formulaTable || row[2] != `'=HYPERLINK("http://x")` || row[7] != "urn:li:corpuser:ada" || row[8] != "ada@example.com" {
		t.Errorf("%q", row)
	}
}
