package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/headwater-io/headwater/model"
)

// TestContract tests the examples of the interface document in both dialects and on both
// stores.
func TestContract(t *testing.T) {
	for _, b := range backends() {
		t.Run(b.name, func(t *testing.T) {
			s := start(t, b.flags(t)...)
			for _, d := range []model.Dialect{model.LI(), model.Example()} {
				t.Run(d.Name, func(t *testing.T) { contract(t, &dialectClient{server: s, t: t, d: d}) })
			}
			s.stop()
		})
	}
}

// dialectClient sends requests in one dialect. It replaces "<ns>" and "<prefix>" in them.
type dialectClient struct {
	*server
	t *testing.T
	d model.Dialect
}

func (c *dialectClient) spell(text string) string {
	return strings.NewReplacer("<ns>", c.d.Namespace, "<prefix>", c.d.Prefix).Replace(text)
}

func (c *dialectClient) urn(text string) string { return url.PathEscape(c.spell(text)) }

// want sends a request, checks the status, and returns the answer.
func (c *dialectClient) want(status int, method, target, body string) any {
	c.t.Helper()
	got, answer := c.send(method, c.spell(target), c.spell(body), c.d.VersionHeader, "2.0.0")
	if got != status {
		c.t.Errorf("%s %s answers %d, want %d: %v", method, c.spell(target), got, status, answer)
	}
	return answer
}

// propose sends a proposal, checks the status, and returns the answer.
func (c *dialectClient) propose(status int, change, urn, aspect, value string) any {
	c.t.Helper()
	urn = c.spell(urn)
	u, err := model.ParseURN(urn)
	if err != nil {
		c.t.Fatal(err)
	}
	body, err := json.Marshal(map[string]any{"proposal": map[string]any{
		"entityType": u.EntityType(), "entityUrn": urn, "changeType": change, "aspectName": aspect,
		"aspect": map[string]any{"value": c.spell(value), "contentType": "application/json"},
	}})
	if err != nil {
		c.t.Fatal(err)
	}
	return c.want(status, http.MethodPost, "/aspects?action=ingestProposal", string(body))
}

func (c *dialectClient) equal(what string, got, want any) {
	c.t.Helper()
	if a, b := text(got), c.spell(text(want)); a != b {
		c.t.Errorf("%s: got %s, want %s", what, a, b)
	}
}

// text returns a value as JSON, without escaping < and >.
func text(value any) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err.Error()
	}
	return b.String()
}

const (
	orders   = "urn:<ns>:dataset:(urn:<ns>:dataPlatform:hive,shop.orders,PROD)"
	upstream = "urn:<ns>:dataset:(urn:<ns>:dataPlatform:hive,shop.raw_orders,PROD)"
	ada      = "urn:<ns>:corpuser:ada"
)

// contract runs the steps of the interface document. Each step needs the steps before it.
func contract(t *testing.T, c *dialectClient) {
	for _, step := range []struct {
		name string
		take func(c *dialectClient)
	}{
		{"legacy snapshots", (*dialectClient).legacySnapshots},
		{"reads of version 2", (*dialectClient).readsV2},
		{"default aspects", (*dialectClient).defaultAspects},
		{"legacy reads", (*dialectClient).legacyReads},
		{"lineage and relationships", (*dialectClient).relationships},
		{"versions", (*dialectClient).versions},
		{"soft delete and return", (*dialectClient).softDelete},
		{"time series", (*dialectClient).timeSeries},
		{"change types", (*dialectClient).changeTypes},
		{"unknown entities", (*dialectClient).unknownEntities},
		{"bad input", (*dialectClient).badInput},
		{"search", contractSearch},
	} {
		t.Run(step.name, func(t *testing.T) {
			step.take(&dialectClient{server: c.server, t: t, d: c.d})
		})
	}
}

// legacySnapshots sends the legacy snapshots of the interface document.
func (c *dialectClient) legacySnapshots() {
	c.t.Helper()
	for _, snapshot := range []string{
		`{"<prefix>.metadata.snapshot.CorpUserSnapshot":{"urn":"` + ada + `","aspects":[{"<prefix>.identity.CorpUserInfo":{"active":true,"displayName":"Ada","fullName":"Ada Example","email":"ada@example.com"}}]}}`,
		`{"<prefix>.metadata.snapshot.CorpGroupSnapshot":{"urn":"urn:<ns>:corpGroup:dev","aspects":[{"<prefix>.identity.CorpGroupInfo":{"email":"dev@example.com","admins":["urn:<ns>:corpuser:boss"],"members":["` + ada + `"],"groups":[]}}]}}`,
		`{"<prefix>.metadata.snapshot.TagSnapshot":{"urn":"urn:<ns>:tag:Engineering","aspects":[{"<prefix>.tag.TagProperties":{"name":"Engineering","description":"of engineering"}}]}}`,
		`{"<prefix>.metadata.snapshot.ChartSnapshot":{"urn":"urn:<ns>:chart:(looker,1)","aspects":[{"<prefix>.chart.ChartInfo":{"title":"Orders","description":"by day","inputs":[{"string":"` + orders + `"}],"lastModified":{"created":{"time":0,"actor":"` + ada + `"},"lastModified":{"time":0,"actor":"` + ada + `"}}}}]}}`,
		`{"<prefix>.metadata.snapshot.DashboardSnapshot":{"urn":"urn:<ns>:dashboard:(looker,1)","aspects":[{"<prefix>.dashboard.DashboardInfo":{"title":"Shop","description":"","charts":["urn:<ns>:chart:(looker,1)"],"lastModified":{"created":{"time":0,"actor":"` + ada + `"},"lastModified":{"time":0,"actor":"` + ada + `"}}}}]}}`,
		`{"<prefix>.metadata.snapshot.DatasetSnapshot":{"urn":"` + orders + `","aspects":[
			{"<prefix>.common.Ownership":{"owners":[{"owner":"` + ada + `","type":"DATAOWNER"}],"lastModified":{"time":0,"actor":"` + ada + `"}}},
			{"<prefix>.common.InstitutionalMemory":{"elements":[{"url":"https://example.com","description":"wiki","createStamp":{"time":0,"actor":"` + ada + `"}}]}},
			{"<prefix>.schema.SchemaMetadata":{"schemaName":"orders","platform":"urn:<ns>:dataPlatform:hive","version":0,"created":{"time":0,"actor":"` + ada + `"},"lastModified":{"time":0,"actor":"` + ada + `"},"hash":"",
				"platformSchema":{"<prefix>.schema.StreamSchema":{"documentSchema":"{}"}},"fields":[{"fieldPath":"id","description":"the id","nativeDataType":"number","type":{"type":{"<prefix>.schema.NumberType":{}}},"nullable":false,"isPartOfKey":true,"recursive":false}]}}]}}`,
	} {
		c.want(200, http.MethodPost, "/entities?action=ingest", `{"entity":{"value":`+snapshot+`}}`)
	}
}

// readsV2 reads envelopes, which always have the key aspect. Parentheses in paths may be
// encoded or not.
func (c *dialectClient) readsV2() {
	c.t.Helper()
	for _, path := range []string{c.urn(orders), c.spell(orders)} {
		answer := c.want(200, http.MethodGet, "/entitiesV2/"+path+"?aspects=List(ownership,nothing)", "")
		c.equal("urn", at(answer, "urn"), orders)
		c.equal("owner", at(answer, "aspects", "ownership", "value", "owners", 0, "owner"), ada)
		c.equal("key", at(answer, "aspects", "datasetKey", "value", "name"), "shop.orders")
		c.equal("version", at(answer, "aspects", "ownership", "version"), 0)
		if n := len(at(answer, "aspects").(map[string]any)); n != 2 {
			c.t.Errorf("%d aspects, want ownership and the key", n)
		}
	}
	streamSchema := "KafkaSchema"
	if c.d.Name == "example" {
		streamSchema = "StreamSchema"
	}
	schema := c.want(200, http.MethodGet, "/aspects/"+c.urn(orders)+"?aspect=schemaMetadata&version=0", "")
	c.equal("platform schema", at(schema, "aspect", c.spell("<prefix>.schema.SchemaMetadata"), "platformSchema"), map[string]any{"<prefix>.schema." + streamSchema: map[string]any{"documentSchema": "{}"}})
}

// defaultAspects reads aspects that no client has sent.
func (c *dialectClient) defaultAspects() {
	c.t.Helper()
	all := c.want(200, http.MethodGet, "/entitiesV2/"+c.urn(orders), "")
	c.equal("browse path", at(all, "aspects", "browsePaths", "value", "paths", 0), "/prod/hive/shop")
	c.equal("platform", at(all, "aspects", "dataPlatformInstance", "value", "platform"), "urn:<ns>:dataPlatform:hive")
}

// legacyReads reads snapshots, which have the key aspect. In the snapshot of a term, two
// aspects are also fields.
func (c *dialectClient) legacyReads() {
	c.t.Helper()
	legacy := c.want(200, http.MethodGet, "/entities/"+c.urn(orders), "")
	c.equal("snapshot", at(legacy, "value", c.spell("<prefix>.metadata.snapshot.DatasetSnapshot"), "urn"), orders)
	c.propose(200, "UPSERT", "urn:<ns>:glossaryTerm:Revenue", "glossaryTermInfo", `{"definition":"money in","termSource":"EXTERNAL","sourceRef":"x","sourceUrl":"https://example.com","customProperties":{"a":"b"}}`)
	termSnapshot := c.want(200, http.MethodGet, "/entities/"+c.urn("urn:<ns>:glossaryTerm:Revenue"), "")
	c.equal("term", at(termSnapshot, "value", c.spell("<prefix>.metadata.snapshot.GlossaryTermSnapshot"), "glossaryTermInfo", "termSource"), "EXTERNAL")
}

// relationships reads edges, with lists of types in every spelling.
func (c *dialectClient) relationships() {
	c.t.Helper()
	c.propose(200, "UPSERT", orders, "upstreamLineage", `{"upstreams":[{"auditStamp":{"time":0,"actor":"`+ada+`"},"type":"TRANSFORMED","dataset":"`+upstream+`"}]}`)
	owned := c.want(200, http.MethodGet, "/relationships?direction=INCOMING&urn="+c.urn(ada)+"&types=OwnedBy", "")
	c.equal("owned", at(owned, "entities"), []string{orders})
	c.equal("owned", at(owned, "relationships"), []map[string]string{{"entity": orders, "type": "OwnedBy"}})
	for _, types := range []string{"types=DownstreamOf", "types=OwnedBy,DownstreamOf", "types=List(DownstreamOf)", "types=X&types=DownstreamOf", ""} {
		answer := c.want(200, http.MethodGet, "/relationships?direction=INCOMING&urn="+c.urn(upstream)+"&"+types, "")
		c.equal(types, at(answer, "entities"), []string{orders})
	}
	related := c.want(200, http.MethodGet, "/openapi/relationships/v1/?direction=OUTGOING&urn="+c.urn(orders)+"&relationshipTypes=DownstreamOf&relationshipTypes=OwnedBy&start=0", "")
	c.equal("related", at(related, "count"), 2)
}

// versions reads versions: 0 is the latest, 1 the oldest. An equal write makes no version.
func (c *dialectClient) versions() {
	c.t.Helper()
	for n := range 3 {
		c.propose(200, "UPSERT", orders, "datasetProperties", fmt.Sprintf(`{"description":"text %d"}`, n))
		c.propose(200, "UPSERT", orders, "datasetProperties", fmt.Sprintf(`{ "description" : "text %d" }`, n))
	}
	record := c.spell("<prefix>.dataset.DatasetProperties")
	for version, words := range map[int]string{0: "text 2", 1: "text 0", 2: "text 1", -1: "text 1", -2: "text 0"} {
		answer := c.want(200, http.MethodGet, fmt.Sprintf("/aspects/%s?aspect=datasetProperties&version=%d", c.urn(orders), version), "")
		c.equal(fmt.Sprintf("version %d", version), at(answer, "aspect", record, "description"), words)
	}
	c.want(404, http.MethodGet, "/aspects/"+c.urn(orders)+"?aspect=datasetProperties&version=3", "")
}

// softDelete deletes an entity softly and restores it.
func (c *dialectClient) softDelete() {
	c.t.Helper()
	for _, removed := range []bool{true, false} {
		c.propose(200, "UPSERT", orders, "status", fmt.Sprintf(`{"removed":%t}`, removed))
		answer := c.want(200, http.MethodGet, "/entitiesV2/"+c.urn(orders)+"?aspects=List(status)", "")
		c.equal("removed", at(answer, "aspects", "status", "value", "removed"), removed)
	}
}

// timeSeries reads the profiles in a time range, the newest first.
func (c *dialectClient) timeSeries() {
	c.t.Helper()
	for day := 1; day <= 3; day++ {
		c.propose(200, "UPSERT", orders, "datasetProfile", fmt.Sprintf(`{"timestampMillis":%d,"rowCount":%d,"columnCount":1}`, day*1000, day))
	}
	c.propose(200, "UPSERT", orders, "datasetProfile", `{"timestampMillis":3000,"rowCount":33,"columnCount":1}`)
	values := c.want(200, http.MethodPost, "/aspects?action=getTimeseriesAspectValues",
		`{"urn":"`+orders+`","entity":"dataset","aspect":"datasetProfile","startTimeMillis":2000,"endTimeMillis":3000}`)
	c.equal("limit", at(values, "value", "limit"), 10000)
	var profile map[string]any
	if raw, ok := at(values, "value", "values", 0, "aspect", "value").(string); !ok || json.Unmarshal([]byte(raw), &profile) != nil || profile["rowCount"] != 33.0 {
		c.t.Errorf("the newest profile: %v", values)
	}
	c.equal("how many", len(at(values, "value", "values").([]any)), 2)
}

// changeTypes sends proposals that create, patch and delete.
func (c *dialectClient) changeTypes() {
	c.t.Helper()
	c.propose(422, "CREATE", orders, "datasetProperties", `{"description":"again"}`)
	c.propose(200, "CREATE", orders, "globalTags", `{"tags":[]}`)
	c.propose(200, "PATCH", orders, "globalTags", `[{"op":"add","path":"/tags/urn:<ns>:tag:Engineering","value":{"tag":"urn:<ns>:tag:Engineering"}}]`)
	tagged := c.want(200, http.MethodGet, "/relationships?direction=INCOMING&urn="+c.urn("urn:<ns>:tag:Engineering")+"&types=TaggedWith", "")
	c.equal("tagged", at(tagged, "entities"), []string{orders})
	c.propose(200, "DELETE", orders, "globalTags", `{}`)
	c.want(404, http.MethodGet, "/aspects/"+c.urn(orders)+"?aspect=globalTags&version=0", "")
	tagged = c.want(200, http.MethodGet, "/relationships?direction=INCOMING&urn="+c.urn("urn:<ns>:tag:Engineering")+"&types=TaggedWith", "")
	c.equal("untagged", at(tagged, "total"), 0)
}

// unknownEntities reads unknown entities, whose answer depends on the dialect.
func (c *dialectClient) unknownEntities() {
	c.t.Helper()
	unknown := 200
	if c.d.Name == "example" {
		unknown = 404
	}
	c.want(unknown, http.MethodGet, "/entitiesV2/"+c.urn("urn:<ns>:corpuser:nobody"), "")
	c.want(404, http.MethodGet, "/entities/"+c.urn("urn:<ns>:corpuser:nobody"), "")
}

// badInput checks that faulty requests are refused with a clear reason and change nothing.
func (c *dialectClient) badInput() {
	c.t.Helper()
	before := c.want(200, http.MethodGet, "/events?from=now", "")
	c.propose(422, "UPSERT", orders, "ownership", `{"owners":[{"owner":"`+ada+`"}]}`)
	c.propose(422, "UPSERT", orders, "ownership", `{"owners":[],"lastModified":{"time":0,"actor":"`+ada+`"},"surprise":1}`)
	c.propose(400, "UPSERT", orders, "ownership", `{"owners":[{"owner":"not a urn","type":"DATAOWNER"}],"lastModified":{"time":0,"actor":"`+ada+`"}}`)
	c.propose(400, "UPSERT", orders, "nothing", `{}`)
	c.propose(400, "RESTATED", orders, "ownership", `{}`)
	c.propose(400, "PATCH", orders, "deprecation", `[]`)
	for _, body := range []string{``, `{`, `[]`, `{"proposal":1}`, `{"proposal":{"entityType":"nothing","entityUrn":"x"}}`, `{"other":1}`} {
		c.want(400, http.MethodPost, "/aspects?action=ingestProposal", body)
	}
	c.want(400, http.MethodPost, "/aspects?action=nothing", `{}`)
	c.want(404, http.MethodGet, "/nothing", "")
	c.want(400, http.MethodGet, "/entitiesV2/not-a-urn", "")
	c.want(400, http.MethodGet, "/relationships?direction=SIDEWAYS&urn="+c.urn(orders), "")
	if status, _ := c.send(http.MethodGet, "/entitiesV2/"+c.urn(orders), "", "Accept", "*/*"); status != 400 {
		c.t.Errorf("without the version header: %d", status)
	}
	after := c.want(200, http.MethodGet, "/events?from=now", "")
	c.equal("the change log", at(after, "next"), at(before, "next"))
	answer := c.propose(422, "UPSERT", orders, "status", `{"removed":"yes"}`)
	for _, member := range []string{"exceptionClass", "stackTrace", "message", "status"} {
		if _, ok := answer.(map[string]any)[member]; !ok {
			c.t.Errorf("the error has no %s: %v", member, answer)
		}
	}
}

// TestKilledServer kills the server while clients write. After a restart, the server must
// have every answered write.
func TestKilledServer(t *testing.T) {
	for _, b := range backends() {
		t.Run(b.name, func(t *testing.T) {
			flags := b.flags(t)
			s := start(t, flags...)
			var answered sync.Map
			var count atomic.Int64
			var group sync.WaitGroup
			for w := range 8 {
				group.Go(func() {
					for n := 0; ; n++ {
						urn := fmt.Sprintf("urn:li:corpuser:w%d-%d", w, n)
						status, _, err := s.try(http.MethodPost, "/aspects?action=ingestProposal",
							`{"proposal":{"entityType":"corpuser","entityUrn":"`+urn+`","changeType":"UPSERT","aspectName":"status","aspect":{"value":"{\"removed\":false}","contentType":"application/json"}}}`)
						if err != nil {
							return // the server is gone
						}
						if status == 200 {
							answered.Store(urn, true)
							if count.Add(1) == 200 {
								s.kill()
							}
						}
					}
				})
			}
			group.Wait()
			restarted := start(t, flags...)
			missing := 0
			answered.Range(func(urn, _ any) bool {
				if _, found := restarted.send(http.MethodPost, "/entities?action=exists", fmt.Sprintf(`{"urn":%q}`, urn)); at(found, "value") != true {
					missing++
				}
				return true
			})
			if missing > 0 {
				t.Errorf("%d of %d answered writes are lost", missing, count.Load())
			}
			restarted.stop()
		})
	}
}

// TestSampleInNeo4j reads the sample catalog in Neo4j as an analyst does.
func TestSampleInNeo4j(t *testing.T) {
	b := backends()[1]
	flags := b.flags(t)
	s := start(t, append(flags, "--sample")...)
	owners := cypher(t, flags[1], "MATCH (d:Dataset)-[:OwnedBy]->(u) RETURN d.urn AS dataset, d.name AS name, collect(DISTINCT u.urn) AS owners")
	if len(owners) < 50 {
		t.Errorf("%d datasets have owners", len(owners))
	}
	for _, row := range owners[:20] {
		_, answer := s.send(http.MethodGet, "/relationships?direction=OUTGOING&types=OwnedBy&urn="+url.QueryEscape(row["dataset"].(string)), "")
		if got := len(at(answer, "entities").([]any)); got != len(row["owners"].([]any)) || row["name"] == nil {
			t.Errorf("%v: %d owners over REST, %v in the graph", row["name"], got, row["owners"])
		}
	}
	paths := cypher(t, flags[1], "MATCH p=(d:Dataset)-[:DownstreamOf*1..3]->(u:Dataset) RETURN count(p) AS paths, count(DISTINCT d) AS datasets")
	if paths[0]["datasets"].(int64) < 20 {
		t.Errorf("paths: %v", paths)
	}
	// The walk in docs/graph-model.md, compared with the walk over REST.
	walked := cypher(t, flags[1], "MATCH p = (d:Dataset {urn: '"+martOrders+"'})-[:DownstreamOf|Consumes|FED_BY*1..]->(u:Dataset|DataJob) WITH u, min(length(p)) AS degree RETURN degree, u.urn AS urn ORDER BY degree, urn")
	_, page := s.send(http.MethodGet, "/lineage/"+url.QueryEscape(martOrders)+"?paths=0&count=1000", "")
	if entities, _ := at(page, "entities").([]any); len(entities) != len(walked) || len(walked) < 8 {
		t.Errorf("the walk in the graph reaches %d entities, over REST %d", len(walked), len(entities))
	}
	for i, row := range walked {
		if at(page, "entities", i, "urn") != row["urn"] || at(page, "entities", i, "degree") != float64(row["degree"].(int64)) {
			t.Errorf("step %d is %v in the graph and %v over REST", i, row, at(page, "entities", i))
		}
	}
	ended := cypher(t, flags[1], "MATCH (:Dataset)-[r:ENDED {type: 'DownstreamOf'}]->(u:Dataset) RETURN u.urn AS urn")
	if len(ended) == 0 {
		t.Error("the replaced lineage edge of the sample is not kept")
	}
	checkGraphForPeople(t, flags[1])
	s.runsInNeo4j(flags[1])
	s.stop()
}

// runsInNeo4j rolls a run of the sample back, and compares the graph with the answers over
// REST.
func (s *server) runsInNeo4j(uri string) {
	s.t.Helper()
	compare := func() map[string]int64 {
		counts := map[string]int64{}
		for _, row := range cypher(s.t, uri, "MATCH (a:Aspect {version: 0}) RETURN a.runId AS run, count(*) AS aspects ORDER BY run") {
			counts[row["run"].(string)] = row["aspects"].(int64)
		}
		_, answer := s.send(http.MethodPost, "/runs?action=list", `{"includeSoft":true}`)
		runs, _ := at(answer, "value").([]any)
		for _, run := range runs {
			name, _ := at(run, "runId").(string)
			if at(run, "rows") != float64(counts[name]) {
				s.t.Errorf("the run %s has %v aspects over REST and %d in the graph", name, at(run, "rows"), counts[name])
			}
		}
		return counts
	}
	const run = "larkspur-nightly-2026-11-08"
	if compare()[run] == 0 {
		s.t.Errorf("the run %s of the sample is not there", run)
	}
	s.send(http.MethodPost, "/runs?action=rollback", `{"runId":"`+run+`","dryRun":false,"safe":false}`)
	if left := compare()[run]; left != 0 {
		s.t.Errorf("%d aspects of the run are left", left)
	}
	edges := cypher(s.t, uri, "MATCH (e)-[r]->() WHERE r.sinceRun = '"+run+"' AND type(r) <> 'ENDED' RETURN count(r) AS current")
	if edges[0]["current"] != int64(0) {
		s.t.Errorf("edges that the run stated are current: %v", edges)
	}
}
