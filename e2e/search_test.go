package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// action calls an action of /entities and returns the value in its answer.
func (s *server) action(name, body string, headers ...string) any {
	s.t.Helper()
	status, answer := s.send(http.MethodPost, "/entities?action="+name, body, headers...)
	if status != http.StatusOK {
		s.t.Fatalf("%s %s: %d %v", name, body, status, answer)
	}
	return at(answer, "value")
}

// awaitIndex waits until the search index has all changes.
func (s *server) awaitIndex(patience time.Duration) {
	s.t.Helper()
	var state any
	if testclock.Poll(patience, func() bool {
		status, answer, err := s.try(http.MethodGet, "/index", "")
		state = answer
		return err == nil && status == http.StatusOK && at(answer, "lag") == 0.0 && at(answer, "building") == false && at(answer, "error") == nil
	}) {
		return
	}
	log := s.log.String()
	s.t.Fatalf("the index has not caught up: %v: …%s", state, log[max(len(log)-2000, 0):])
}

// searches returns requests whose answers are the same for every engine, except for their
// order.
func searches() [][2]string {
	list := [][2]string{
		{"searchAcrossEntities", `{"input":"*","start":0,"count":10000}`},
		{"searchAcrossEntities", `{"input":"orders","start":0,"count":10000}`},
		{"searchAcrossEntities", `{"input":"customer revenue","start":0,"count":10000}`},
		{"batchGetTotalEntityCount", `{}`},
		{"getBrowsePaths", `{"urn":"urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.marts.orders,PROD)"}`},
		{"browseV2", `{"path":"","entity":"dataset","limit":50}`},
		{"browseV2", `{"path":"␟analytics","entity":"dataset","limit":50}`},
		{"list", `{"entity":"dataset","start":0,"count":10000,"sort":{"field":"urn"}}`},
	}
	for _, entity := range []string{"dataset", "chart", "dashboard", "dataJob", "dataFlow", "corpuser", "corpGroup", "tag", "glossaryTerm", "domain", "container", "mlModel"} {
		list = append(
			list,
			[2]string{"search", fmt.Sprintf(`{"input":"*","entity":%q,"start":0,"count":10000}`, entity)},
			[2]string{"getTotalEntityCount", fmt.Sprintf(`{"entity":%q}`, entity)},
			[2]string{"browse", fmt.Sprintf(`{"path":"","entity":%q,"start":0,"limit":100}`, entity)},
		)
	}
	for _, input := range []string{
		"tags:PII", "tags:urn:li:tag:PII", "owners:ines.falk", "platform:snowflake", "origin:PROD", "fieldPaths:customer_id", "name:orders", "hasOwners:true", "hasDescription:false",
		"analytics.marts.orders", "marts", "stg_orders", "ord", "customers snowflake", "nothing at all", "id:analytics.*", "custmers", "snowflke", "analytcs", "oders2",
	} {
		text, _ := json.Marshal(input) // encoding strings cannot fail
		list = append(list, [2]string{"search", fmt.Sprintf(`{"input":%s,"entity":"dataset","start":0,"count":10000}`, text)})
	}
	for _, criterion := range []string{
		`{"field":"id","value":"orders","condition":"CONTAIN"}`, `{"field":"id","value":"ORDERS","condition":"CONTAIN"}`,
		`{"field":"id","value":"analytics.","condition":"START_WITH"}`, `{"field":"id","value":"_orders","condition":"END_WITH"}`,
		`{"field":"urn","value":"marts","condition":"CONTAIN"}`, `{"field":"platform","value":"urn:li:dataPlatform:dbt","condition":"EQUAL"}`,
		`{"field":"platform","values":["urn:li:dataPlatform:dbt","urn:li:dataPlatform:s3"],"condition":"IN"}`,
		`{"field":"platform","value":"urn:li:dataPlatform:dbt","negated":true}`, `{"field":"rowCount","value":"1000","condition":"GREATER_THAN"}`,
		`{"field":"rowCount","value":"1000","condition":"LESS_THAN_OR_EQUAL_TO"}`, `{"field":"domains","condition":"EXISTS"}`, `{"field":"domains","condition":"IS_NULL"}`,
		`{"field":"removed","value":"true"}`, `{"field":"removed","value":""}`, `{"field":"description","value":"order","condition":"CONTAIN"}`,
		"{\"field\":\"description\",\"value\":\"`) || kv:=[\",\"condition\":\"CONTAIN\"}", `{"field":"id","value":"' OR 1=1 --","condition":"EQUAL"}`,
	} {
		list = append(list, [2]string{"filter", `{"entity":"dataset","start":0,"count":10000,"filter":{"or":[{"and":[` + criterion + `]}]}}`})
	}
	for _, path := range []string{"/prod", "/prod/snowflake", "/prod/snowflake/analytics", "/prod/snowflake/analytics/marts", "/nowhere"} {
		list = append(list, [2]string{"browse", fmt.Sprintf(`{"path":%q,"entity":"dataset","start":0,"limit":100}`, path)})
	}
	for _, query := range []string{"ord", "analytics.m", "stg_", "cust", "reven"} {
		list = append(list, [2]string{"autocomplete", fmt.Sprintf(`{"query":%q,"entity":"dataset","limit":1000}`, query)})
	}
	return list
}

// unordered sorts those lists of an answer whose order engines may choose.
func unordered(answer any) any {
	switch answer := answer.(type) {
	case map[string]any:
		for _, member := range answer {
			unordered(member)
		}
	case []any:
		for _, item := range answer {
			unordered(item)
		}
		slices.SortFunc(answer, func(a, b any) int { return strings.Compare(text(a), text(b)) })
	}
	return answer
}

// wholeFacets removes facets that are cut, because any of several equally frequent values
// may be the last.
func wholeFacets(answer any) any {
	metadata, _ := at(answer, "metadata").(map[string]any)
	for _, name := range []string{"aggregations", "searchResultMetadatas"} {
		if list, ok := metadata[name].([]any); ok {
			metadata[name] = slices.DeleteFunc(list, func(facet any) bool {
				values, _ := at(facet, "aggregations").(map[string]any)
				return len(values) >= 20
			})
		}
	}
	return answer
}

// TestEnginesAgree: both kinds of server give the same answers about the sample catalog.
func TestEnginesAgree(t *testing.T) {
	var servers []*server
	for _, b := range backends() {
		s := start(t, append(b.flags(t), "--sample")...)
		s.awaitIndex(time.Minute)
		servers = append(servers, s)
	}
	for _, request := range searches() {
		var answers []any
		for _, s := range servers {
			answers = append(answers, unordered(wholeFacets(s.action(request[0], request[1]))))
		}
		if diff := cmp.Diff(answers[0], answers[1]); diff != "" {
			t.Errorf("%s %s (-%s +%s):\n%s", request[0], request[1], backends()[0].name, backends()[1].name, diff)
		}
	}
	for _, s := range servers {
		s.stop()
	}
}

// TestSearchNumbers compares the counts of searches with the entities, which it reads one
// by one, on both kinds of server.
func TestSearchNumbers(t *testing.T) {
	for _, b := range backends() {
		t.Run(b.name, func(t *testing.T) {
			s := start(t, append(b.flags(t), "--sample")...)
			s.awaitIndex(time.Minute)
			tagged, platforms, owned := map[string]int{}, map[string]int{}, map[string]int{}
			urns, _ := at(s.action("listUrns", `{"entity":"dataset","start":0,"count":10000}`), "entities").([]any)
			total := 0
			for _, urn := range urns {
				_, entity := s.send(http.MethodGet, "/entitiesV2/"+escaped(urn.(string)), "")
				aspects := at(entity, "aspects")
				if at(aspects, "status", "value", "removed") == true {
					continue
				}
				total++
				platforms[at(aspects, "dataPlatformInstance", "value", "platform").(string)]++
				for _, tag := range listAt(aspects, "globalTags", "value", "tags") {
					tagged[at(tag, "tag").(string)]++
				}
				seen := map[string]bool{}
				for _, owner := range listAt(aspects, "ownership", "value", "owners") {
					if urn := at(owner, "owner").(string); !seen[urn] {
						seen[urn] = true
						owned[urn]++
					}
				}
			}
			answer := s.action("search", `{"input":"*","entity":"dataset","start":0,"count":10}`)
			if at(answer, "numEntities") != float64(total) || total < 50 {
				t.Errorf("the search counts %v datasets, there are %d", at(answer, "numEntities"), total)
			}
			facets := map[string]any{}
			for _, facet := range listAt(answer, "metadata", "searchResultMetadatas") {
				facets[at(facet, "name").(string)] = at(facet, "aggregations")
			}
			for name, want := range map[string]map[string]int{"tags": tagged, "platform": platforms, "owners": owned} {
				if text(facets[name]) != text(want) || len(want) == 0 {
					t.Errorf("facet %s is %s, counted one by one %s", name, text(facets[name]), text(want))
				}
			}
			s.stop()
		})
	}
}

func listAt(answer any, path ...any) []any {
	list, _ := at(answer, path...).([]any)
	return list
}

func escaped(urn string) string {
	return strings.NewReplacer("/", "%2F", " ", "%20", "(", "%28", ")", "%29", ",", "%2C", ":", "%3A").Replace(urn)
}

// loadedDataset returns a proposal for the n-th dataset of a load.
func loadedDataset(n int) string {
	return fmt.Sprintf(`{"proposal":{"entityType":"dataset","entityUrn":"urn:li:dataset:(urn:li:dataPlatform:hive,load.t%05d,PROD)","changeType":"UPSERT",
		"aspectName":"datasetProperties","aspect":{"value":"{\"description\":\"number %d\"}","contentType":"application/json"}}}`, n, n)
}

// loadDatasets writes the datasets from to to-1. The server must accept all of them.
func (s *server) loadDatasets(from, to int) {
	s.t.Helper()
	for n := from; n < to; n++ {
		if status, answer := s.send(http.MethodPost, "/aspects?action=ingestProposal", loadedDataset(n)); status != http.StatusOK {
			s.t.Fatalf("dataset %d: %d %v", n, status, answer)
		}
	}
}

func (s *server) countDatasets() any {
	s.t.Helper()
	_, answer := s.send(http.MethodPost, "/entities?action=getTotalEntityCount", `{"entity":"dataset"}`)
	return at(answer, "value")
}

// TestTypesenseRestartsUnderLoad: while the search server is unavailable, writes succeed
// and searches answer 503. When it is back, the index catches up, even after a crash of the
// catalog.
func TestTypesenseRestartsUnderLoad(t *testing.T) {
	node := localTypesense(t)
	if err := node.Start(); err != nil {
		t.Fatal(err)
	}
	flags := append([]string{"--data", t.TempDir()}, typesenseFlags(node.Address())...)
	s := start(t, flags...)
	s.awaitIndex(time.Minute)
	s.loadDatasets(0, 300)
	node.Kill()
	s.loadDatasets(300, 600)
	if status, answer := s.send(http.MethodPost, "/entities?action=search", `{"input":"*","entity":"dataset","count":1}`); status != http.StatusServiceUnavailable {
		t.Errorf("a search without its server: %d %v", status, answer)
	}
	if status, answer := s.send(http.MethodGet, "/health/ready", ""); status != http.StatusServiceUnavailable || at(answer, "backends", "search", "status") != "down" || at(answer, "backends", "graph", "status") != "ok" {
		t.Errorf("ready: %d %v", status, answer)
	}
	s.loadDatasets(600, 700)
	s.kill()
	s = start(t, flags...) // the search server is still unavailable
	s.loadDatasets(700, 800)
	if err := node.Start(); err != nil {
		t.Fatal(err)
	}
	s.loadDatasets(800, 900)
	s.awaitIndex(2 * time.Minute)
	if got := s.countDatasets(); got != 900.0 {
		t.Errorf("the index has %v datasets of 900", got)
	}
	if status, answer := s.send(http.MethodPost, "/aspects?action=ingestProposal&wait=index", loadedDataset(1000)); status != http.StatusOK {
		t.Errorf("a write that waits: %d %v", status, answer)
	}
	if got := s.countDatasets(); got != 901.0 {
		t.Errorf("after a write that waited there are %v", got)
	}
	s.stop()
}

// TestTypesenseCluster kills one of three nodes during a load.
func TestTypesenseCluster(t *testing.T) {
	nodes := []*testservers.TypesenseNode{localTypesense(t), localTypesense(t), localTypesense(t)}
	var peers, addresses []string
	for _, node := range nodes {
		peers, addresses = append(peers, node.Peer()), append(addresses, node.Address())
	}
	file := filepath.Join(t.TempDir(), "nodes")
	if err := os.WriteFile(file, []byte(strings.Join(peers, ",")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, node := range nodes {
		node.Nodes = file
		if err := node.Launch(); err != nil {
			t.Fatal(err)
		}
	}
	for _, node := range nodes {
		if err := node.Await(); err != nil {
			t.Fatal(err)
		}
	}
	s := start(t, append([]string{"--data", t.TempDir()}, typesenseFlags(addresses...)...)...)
	s.awaitIndex(2 * time.Minute)
	s.loadDatasets(0, 200)
	s.awaitIndex(time.Minute)
	nodes[0].Kill() // the node to which requests are sent first
	if status, answer := s.send(http.MethodPost, "/entities?action=search", `{"input":"*","entity":"dataset","count":1}`); status != http.StatusOK {
		t.Errorf("a search with two nodes of three: %d %v", status, answer)
	}
	s.loadDatasets(200, 500)
	s.awaitIndex(2 * time.Minute)
	// Followers lag a little behind the leader.
	testclock.Await(t, "the index has 500 datasets", func() bool { return s.countDatasets() == 500.0 })
	s.stop()
}

// localTypesense returns a node that the test can kill.
func localTypesense(t *testing.T) *testservers.TypesenseNode {
	t.Helper()
	if testing.Short() {
		t.Skip("needs Typesense, which -short leaves out")
	}
	node := &testservers.TypesenseNode{Dir: t.TempDir()}
	t.Cleanup(node.Stop)
	return node
}

// contractSearch tests search, browse and autocomplete in a dialect, with the requests of
// the interface document: without a version header.
func contractSearch(c *dialectClient) {
	c.t.Helper()
	const found = "urn:<ns>:dataset:(urn:<ns>:dataPlatform:hive,shop.searched,PROD)"
	c.want(200, http.MethodPost, "/entities?action=ingest&wait=index", `{"entity":{"value":{"<prefix>.metadata.snapshot.DatasetSnapshot":{"urn":"`+found+`","aspects":[
		{"<prefix>.common.GlobalTags":{"tags":[{"tag":"urn:<ns>:tag:Engineering"}]}},{"<prefix>.common.BrowsePaths":{"paths":["/prod/hive/shop"]}}]}}}}`)
	ask := func(action, body string) any {
		c.t.Helper()
		return c.action(action, c.spell(body), "Content-Type", "application/json")
	}
	const mine = `,"filter":{"or":[{"and":[{"field":"urn","value":"` + found + `","condition":"EQUAL"}]}]}`
	answer := ask("search", `{"input":"tags:Engineering","entity":"dataset","start":0,"count":10`+mine+`}`)
	c.equal("numEntities", at(answer, "numEntities"), 1)
	c.equal("pageSize", at(answer, "pageSize"), 10)
	c.equal("from", at(answer, "from"), 0)
	c.equal("entities", at(answer, "entities"), []string{found})
	c.equal("urns", at(answer, "metadata", "urns"), []string{found})
	c.equal("matches", at(answer, "metadata", "matches", 0, "matchedFields"), []any{map[string]string{"name": "tags", "value": "urn:<ns>:tag:Engineering"}})
	c.equal("facet", at(answer, "metadata", "searchResultMetadatas", 0), map[string]any{"name": "_entityType", "aggregations": map[string]int{"dataset": 1}})
	for _, condition := range []string{"CONTAIN", "END_WITH", "EQUAL", "START_WITH"} {
		value := map[string]string{"CONTAIN": "p.sear", "END_WITH": "searched", "EQUAL": "shop.searched", "START_WITH": "shop.s"}[condition]
		body := `{"input":"*","entity":"dataset","start":0,"count":10,"filter":{"or":[{"and":[{"field":"id","value":"` + value + `","condition":"` + condition + `"},
			{"field":"platform","value":"urn:<ns>:dataPlatform:hive","condition":"EQUAL"}]}]}}`
		c.equal(condition, at(ask("search", body), "entities"), []string{found})
	}
	browsed := ask("browse", `{"path":"/prod/hive/shop","entity":"dataset","start":0,"limit":10`+mine+`}`)
	c.equal("browse", at(browsed, "entities"), []any{map[string]string{"name": "shop.searched", "urn": found}})
	c.equal("browse path", at(browsed, "metadata", "path"), "/prod/hive/shop")
	suggested := ask("autocomplete", `{"query":"searc","entity":"dataset","start":0,"limit":10`+mine+`}`)
	c.equal("suggestions", at(suggested, "suggestions"), []string{"shop.searched"})
	c.equal("query", at(suggested, "query"), "searc")
	// A soft-deleted entity is not found. When it is active again, it is found.
	for _, removed := range []bool{true, false} {
		status := fmt.Sprintf(`{"entity":{"value":{"<prefix>.metadata.snapshot.DatasetSnapshot":{"urn":"`+found+`","aspects":[{"<prefix>.common.Status":{"removed":%t}}]}}}}`, removed)
		c.want(200, http.MethodPost, "/entities?action=ingest&wait=index", status)
		want := map[bool]int{true: 0, false: 1}[removed]
		c.equal("soft delete", at(ask("search", `{"input":"tags:Engineering","entity":"dataset","start":0,"count":10`+mine+`}`), "numEntities"), want)
		c.equal("soft delete, browse", at(ask("browse", `{"path":"/prod/hive/shop","entity":"dataset","start":0,"limit":10`+mine+`}`), "numEntities"), want)
	}
}
