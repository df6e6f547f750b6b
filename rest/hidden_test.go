package rest

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/headwater-io/headwater/access"
	"github.com/headwater-io/headwater/access/audit"
	"github.com/headwater-io/headwater/access/permit"
	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/access/visible"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/follower"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/graphstore/storewrap"
	"github.com/headwater-io/headwater/indexer/indexwrap"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/internal/testing/testaccess"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testsql"
	"github.com/headwater-io/headwater/kafka/form"
	"github.com/headwater-io/headwater/mcp"
	"github.com/headwater-io/headwater/model"
)

// The names of all hidden entities begin with zebra. No stored entity has a name that begins with zorla.
const (
	hiddenName  = "zebra"
	unknownName = "zorla"

	seenBefore = "urn:li:dataset:(urn:li:dataPlatform:hive,db.before,PROD)"
	seenAfter  = "urn:li:dataset:(urn:li:dataPlatform:hive,db.after,PROD)"
	hiddenOne  = "urn:li:dataset:(urn:li:dataPlatform:hive,db.zebra,PROD)"
)

// hiding is a server of a catalog in which piet may not see some entities.
type hiding struct {
	*httptest.Server
	h      *catalogtest.SearchHarness
	caller string
	// questions has, for each request with the header countHeader, the calls that the request made to the
	// store and the index.
	questions chan string
}

func serveHiding(t *testing.T, settings ...func(*Options)) *hiding {
	t.Helper()
	return serveHidingOn(t, catalogtest.NewSearchHarness(t), settings...)
}

func serveHidingOn(t *testing.T, h *catalogtest.SearchHarness, settings ...func(*Options)) *hiding {
	t.Helper()
	counted := storewrap.New(h.Store, storewrap.Options{Tracing: countsQuestions{}})
	index := indexwrap.New(h.Index, indexwrap.Options{Tracing: countsQuestions{}})
	seen := visible.NewStore(counted, model.Default())
	permits := permit.New(permit.Options{Store: counted, Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
	c := services.New(services.Options{
		Store: counted, Index: &follower.Index{Index: index, Wait: catalogtest.Patience}, Now: testclock.Now,
		Shown: services.Shown{
			Store: seen, Index: visible.NewIndex(index, counted, model.Default()), Changes: seen.Shown,
		},
		Protect: permits.Protect, SQL: testsql.Parser(),
	})
	c.OnCommit(permits.Changed)
	following, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { c.Follower.Follow(following); close(done) }()
	closing, closeNow := context.WithCancel(context.Background())
	trail, registry := audit.New(audit.Options{Records: records.New(h.Store), Now: testclock.Now}), prometheus.NewRegistry()
	options := Options{
		Catalog: c, Audit: trail, Registry: registry, Gatherer: registry, Closing: closing, KafkaForm: form.Text,
		GraphQL: gql.New(gql.Options{Catalog: c, Audit: trail, Logger: slog.New(slog.DiscardHandler)}),
		MCP:     mcp.New(mcp.Options{Catalog: c, Audit: trail, Writes: true}), Guard: Guard{Local: true},
	}
	for _, set := range settings {
		set(&options)
	}
	handler := New(options)
	set := policies.Compile(hidingPolicies(), time.Now())
	s := &hiding{h: h, questions: make(chan string, 1)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := r.Context()
		if s.caller != "" {
			rights := set.Rights(policies.Actor{URN: s.caller})
			known := access.Known{Caller: requestinfo.Caller{Actor: s.caller, Means: requestinfo.ByToken}, Permissions: permits.With(rights)}
			ctx = known.In(ctx)
		}
		if r.Header.Get(countHeader) == "" {
			handler.ServeHTTP(w, r.WithContext(ctx))
			return
		}
		ctx, questions := countQuestions(ctx)
		handler.ServeHTTP(w, r.WithContext(ctx))
		s.questions <- questions()
	}))
	t.Cleanup(func() {
		closeNow()
		s.Close()
		stop()
		<-done
	})
	s.fill()
	if err := c.Follower.Await(context.Background()); err != nil {
		t.Fatal(err)
	}
	s.caller = "urn:li:corpuser:piet"
	return s
}

// hidingPolicies let everybody read all entities except those whose names begin with zebra, and do everything
// else.
func hidingPolicies() []policies.Policy {
	every := policies.Policy{ID: "every", Type: policies.Metadata, State: policies.Active, Privileges: policies.Names()}
	every.Actors.Everybody = true
	platform := every
	platform.ID, platform.Type = "platform", policies.Platform
	deny := every
	deny.ID, deny.Effect, deny.Privileges = "deny", policies.Deny, []string{policies.EveryPrivilege}
	deny.Resources = &policies.Resources{Filter: []policies.Criterion{{Field: "URN", Condition: policies.StartsWith, Values: []string{
		"urn:li:dataset:(urn:li:dataPlatform:hive,db.zebra", "urn:li:tag:zebra", "urn:li:corpuser:zebra", "urn:li:domain:zebra", "urn:li:container:zebra",
		"urn:li:glossaryTerm:zebra", "urn:li:glossaryNode:zebra", "urn:li:query:zebra", "urn:li:assertion:zebra", "urn:li:dataJob:(urn:li:dataFlow:(airflow,zebra",
		"urn:li:dataFlow:(airflow,zebra", "urn:li:chart:(looker,zebra", "urn:li:incident:zebra", "urn:li:corpGroup:zebra", "urn:li:dataProduct:zebra",
	}}}}
	owned := deny
	owned.ID = "owned"
	owned.Resources = &policies.Resources{Filter: []policies.Criterion{{Field: "DOMAIN", Condition: policies.Equals, Values: []string{"urn:li:domain:zebra"}}}}
	return []policies.Policy{every, platform, deny, owned}
}

func (s *hiding) fill() {
	say := func(urn, aspect, value string) { s.h.Run("run1", urn, aspect, value) }
	stamp := `"auditStamp":{"time":1,"actor":"urn:li:corpuser:zebra"}`
	say("urn:li:corpuser:zebra", "corpUserInfo", `{"active":true,"displayName":"zebra the user"}`)
	say("urn:li:corpuser:piet", "corpUserInfo", `{"active":true,"displayName":"Piet"}`)
	say("urn:li:corpGroup:zebra", "corpGroupInfo", `{"displayName":"zebras","admins":[],"members":[],"groups":[]}`)
	say("urn:li:tag:zebra", "tagProperties", `{"name":"zebra tag"}`)
	say("urn:li:tag:plain", "tagProperties", `{"name":"plain tag"}`)
	say("urn:li:domain:zebra", "domainProperties", `{"name":"zebra domain"}`)
	say("urn:li:container:zebra", "containerProperties", `{"name":"zebra container"}`)
	say("urn:li:glossaryNode:zebra", "glossaryNodeInfo", `{"name":"zebra node","definition":"x"}`)
	say("urn:li:glossaryTerm:zebra", "glossaryTermInfo", `{"name":"zebra term","definition":"zebra","termSource":"INTERNAL"}`)
	say("urn:li:dataProduct:zebra", "dataProductProperties", `{"name":"zebra product","assets":[{"destinationUrn":"`+seenAfter+`"}]}`)
	say("urn:li:structuredProperty:links", "propertyDefinition", `{"qualifiedName":"links","displayName":"links","valueType":"urn:li:dataType:datahub.urn","cardinality":"SINGLE","entityTypes":["urn:li:entityType:datahub.dataset"]}`)
	fields := func(name string) string {
		return `{"schemaName":"x","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[` +
			`{"fieldPath":"c0","nativeDataType":"int","type":{"type":{"com.linkedin.schema.NumberType":{}}}},{"fieldPath":"` + name + `","nativeDataType":"int","type":{"type":{"com.linkedin.schema.NumberType":{}}}}]}`
	}
	upstream := func(of, from string) string {
		return `{"upstreams":[{"dataset":"` + from + `","type":"VIEW",` + stamp + `}],"fineGrainedLineages":[{"upstreamType":"FIELD_SET","downstreamType":"FIELD",` +
			`"upstreams":["urn:li:schemaField:(` + from + `,c0)"],"downstreams":["urn:li:schemaField:(` + of + `,c0)"],"confidenceScore":1.0,"query":"urn:li:query:zebra"}]}`
	}
	for _, urn := range []string{seenBefore, hiddenOne, seenAfter} {
		name := "c1"
		if urn == hiddenOne {
			name = "zebracolumn"
		}
		say(urn, "datasetProperties", `{"name":"`+map[bool]string{true: "zebra secrets", false: "plain table"}[urn == hiddenOne]+`","description":"`+name+`"}`)
		say(urn, "schemaMetadata", fields(name))
		say(urn, "ownership", `{"owners":[{"owner":"urn:li:corpuser:zebra","type":"TECHNICAL_OWNER"},{"owner":"urn:li:corpGroup:zebra","type":"DATAOWNER"},{"owner":"urn:li:corpuser:piet","type":"DATAOWNER"}]}`)
		say(urn, "globalTags", `{"tags":[{"tag":"urn:li:tag:zebra"},{"tag":"urn:li:tag:plain"}]}`)
		say(urn, "glossaryTerms", `{"terms":[{"urn":"urn:li:glossaryTerm:zebra"}],`+stamp+`}`)
		say(urn, "container", `{"container":"urn:li:container:zebra"}`)
		say(urn, "browsePathsV2", `{"path":[{"id":"urn:li:container:zebra","urn":"urn:li:container:zebra"},{"id":"x"}]}`)
		say(urn, "structuredProperties", `{"properties":[{"propertyUrn":"urn:li:structuredProperty:links","values":[{"string":"urn:li:tag:zebra"}]}]}`)
		say(urn, "datasetProfile", `{"timestampMillis":1700000000000,"rowCount":7}`)
		say(urn, "institutionalMemory", `{"elements":[{"url":"https://example.com","description":"a link","createStamp":{"time":1,"actor":"urn:li:corpuser:zebra"}}]}`)
	}
	say(hiddenOne, "domains", `{"domains":["urn:li:domain:zebra"]}`)
	say(hiddenOne, "upstreamLineage", upstream(hiddenOne, seenBefore))
	say(seenAfter, "upstreamLineage", upstream(seenAfter, hiddenOne))
	say("urn:li:query:zebra", "queryProperties", `{"statement":{"value":"select zebra","language":"SQL"},"source":"MANUAL","created":{"time":1,"actor":"urn:li:corpuser:zebra"},"lastModified":{"time":1,"actor":"urn:li:corpuser:zebra"}}`)
	say("urn:li:query:zebra", "querySubjects", `{"subjects":[{"entity":"`+seenAfter+`"}]}`)
	say("urn:li:assertion:zebra", "assertionInfo", `{"type":"CUSTOM","customAssertion":{"type":"zebra","entity":"`+seenAfter+`"}}`)
	say("urn:li:assertion:zebra", "assertionRunEvent", `{"timestampMillis":1700000000000,"runId":"zebra","asserteeUrn":"`+seenAfter+`","status":"COMPLETE","assertionUrn":"urn:li:assertion:zebra","result":{"type":"FAILURE"}}`)
	say("urn:li:incident:zebra", "incidentInfo", `{"type":"CUSTOM","customType":"zebra","title":"zebra","entities":["`+seenAfter+`"],"status":{"state":"ACTIVE","lastUpdated":{"time":1,"actor":"urn:li:corpuser:zebra"}},"created":{"time":1,"actor":"urn:li:corpuser:zebra"}}`)
	say("urn:li:dataFlow:(airflow,zebra,prod)", "dataFlowInfo", `{"name":"zebra flow"}`)
	say("urn:li:dataJob:(urn:li:dataFlow:(airflow,zebra,prod),job)", "dataJobInfo", `{"name":"zebra job","type":{"string":"SQL"}}`)
	say("urn:li:dataJob:(urn:li:dataFlow:(airflow,zebra,prod),job)", "dataJobInputOutput", `{"inputDatasets":["`+seenBefore+`"],"outputDatasets":["`+seenAfter+`"]}`)
	say("urn:li:chart:(looker,zebra)", "chartInfo", `{"title":"zebra chart","description":"","lastModified":{"created":{"time":1,"actor":"urn:li:corpuser:zebra"},"lastModified":{"time":1,"actor":"urn:li:corpuser:zebra"}},"inputs":[{"string":"`+seenAfter+`"}]}`)
}

// named replaces the names of a row: $ for JSON, @ for addresses.
func named(row string, names map[string]string) string {
	for name, value := range names {
		row = strings.ReplaceAll(row, "$"+name, strconv.Quote(value))
		row = strings.ReplaceAll(row, "@"+name, url.QueryEscape(value))
	}
	return strings.ReplaceAll(strings.ReplaceAll(row, "@now", "1900000000000"), "dear", hiddenName)
}

// hiddenAsk is a request of the test.
type hiddenAsk struct{ name, method, target, body string }

// asks returns a request for each door.
func (s *hiding) asks(t *testing.T, names map[string]string) []hiddenAsk {
	t.Helper()
	var asks []hiddenAsk
	schema := s.schema(t)
	for _, table := range []string{"queryRows", "fieldRows"} {
		rows := testaccess.Rows(t, table)
		for _, name := range slices.Sorted(maps.Keys(rows)) {
			row, before, after := rows[name], "", ""
			if table == "fieldRows" {
				at := strings.LastIndexByte(row, ' ')
				before, after, row = row[:at]+"{", "}", strings.TrimPrefix(row[at+1:], name)
				if strings.Contains(before, "){") && strings.Count(before, "{") > strings.Count(before, "}")+1 {
					after += "}"
				}
			}
			text := "{" + named(before, names) + "f:" + name + named(row, names) + schema.selection(name, table == "queryRows") + named(after, names) + "}"
			text = strings.ReplaceAll(text, "10000", "100")
			body, _ := json.Marshal(map[string]string{"query": text})
			asks = append(asks, hiddenAsk{"graphql, " + table + ": " + name, http.MethodPost, "/api/graphql", string(body)})
		}
	}
	for name, row := range testaccess.Rows(t, "toolRows") {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, name, named(row, names))
		asks = append(asks, hiddenAsk{"tool " + name, http.MethodPost, "/mcp", body})
	}
	for name, row := range testaccess.Rows(t, "routeRows") {
		if strings.HasSuffix(name, "ingestProposal") || strings.HasSuffix(name, "tracking/track") || strings.Contains(row, "@edges") {
			continue // they write
		}
		method, _, _ := strings.Cut(name, " ")
		target, body, _ := strings.Cut(named(row, names), " ")
		asks = append(asks, hiddenAsk{name, strings.ToUpper(method), target, body})
	}
	for _, target := range []string{"/metrics", "/index", "/followers", "/audit", "/config", "/health", "/webhooks", "/runs?action=list", "/replica"} {
		asks = append(asks, hiddenAsk{"also get " + target, http.MethodGet, target, ""})
	}
	slices.SortFunc(asks, func(a, b hiddenAsk) int { return strings.Compare(a.name, b.name) })
	return asks
}

// hiddenSchema is the schema of GraphQL.
type hiddenSchema map[string][]schemaMember

type schemaMember struct {
	Name string
	Args []struct{ Name string }
	Type schemaRef
}

type schemaRef struct {
	Kind, Name string
	OfType     *schemaRef
}

func (s *hiding) schema(t *testing.T) hiddenSchema {
	t.Helper()
	body, _ := json.Marshal(map[string]string{"query": `{__schema{types{name kind fields(includeDeprecated:true){name args{name} type{kind name ofType{kind name ofType{kind name ofType{kind name}}}}}}}}`})
	status, answer, _ := request(t, s.Server, http.MethodPost, "/api/graphql", string(body))
	var read struct {
		Data struct {
			Schema struct {
				Types []struct {
					Name   string
					Fields []schemaMember
				}
			} `json:"__schema"`
		}
	}
	if err := json.Unmarshal([]byte(answer), &read); err != nil || status != http.StatusOK {
		t.Fatal(status, err, answer)
	}
	schema := hiddenSchema{}
	for _, of := range read.Data.Schema.Types {
		schema[of.Name] = of.Fields
	}
	return schema
}

// selection selects all fields of the type of a field.
func (s hiddenSchema) selection(field string, ofQuery bool) string {
	for _, of := range append([]string{"Query", "Dataset"}, slices.Sorted(maps.Keys(s))...) {
		if of == "Mutation" || ofQuery != (of == "Query") {
			continue
		}
		for _, f := range s[of] {
			if f.Name == field && (ofQuery || len(f.Args) > 0) {
				return s.below(&f.Type, 4)
			}
		}
	}
	return ""
}

func (s hiddenSchema) below(t *schemaRef, depth int) string {
	for t.OfType != nil {
		t = t.OfType
	}
	switch {
	case t.Kind == "SCALAR" || t.Kind == "ENUM":
		return ""
	case t.Kind == "UNION" || depth <= 0:
		return "{__typename}"
	}
	fields := []string{"__typename"}
	for _, f := range s[t.Name] {
		if len(f.Args) == 0 && len(fields) < 12 {
			fields = append(fields, f.Name+s.below(&f.Type, depth-1))
		}
	}
	return "{" + strings.Join(fields, " ") + "}"
}

// send asks as the caller of the moment, in forms that are not streams.
func (s *hiding) send(t *testing.T, a hiddenAsk) (status int, body string) {
	t.Helper()
	status, body, _ = s.sendWith(t, a)
	return status, body
}

func (s *hiding) sendWith(t *testing.T, a hiddenAsk, more ...string) (status int, body string, header http.Header) {
	t.Helper()
	headers := []string{"X-RestLi-Protocol-Version", "2.0.0", "Content-Type", "application/json", "Accept", "application/json"}
	if a.target == "/mcp" {
		headers[5] = "application/json, text/event-stream"
	}
	return request(t, s.Server, a.method, a.target, a.body, append(headers, more...)...)
}

// apart matches the texts in which two answers to one question may differ: moments of the question, durations, ids.
var apart = regexp.MustCompile(`\d{10,}|\\"since\\":\\"[^"]*"|"(took|traceId|duration|tookMs)":[^,}]*|urn:li:restricted:[0-9a-f]+`)

// TestNothingHiddenIsTold asks every door about the entities that piet may see, and about all, on each pair of
// backends: no answer names a hidden entity, unless the question did.
func TestNothingHiddenIsTold(t *testing.T) {
	catalogtest.OnEachPair(t, nil, func(t *testing.T, h *catalogtest.SearchHarness) {
		s := serveHidingOn(t, h)
		names := map[string]string{"hub": seenAfter, "top": seenBefore, "tag": "urn:li:tag:plain", "user": "urn:li:corpuser:piet", "run": "run1", "column": "urn:li:schemaField:(" + seenAfter + ",c0)", "node": "dataset:hive:db.after", "table": "db.after"}
		told, refused := 0, 0
		for _, ask := range s.asks(t, names) {
			ask.target, ask.body = strings.ReplaceAll(ask.target, hiddenName, "plain"), strings.ReplaceAll(ask.body, hiddenName, "plain")
			status, body := s.send(t, ask)
			if at := strings.Index(strings.ToLower(body), hiddenName); at >= 0 {
				t.Errorf("%s (%d) %s %s tells:\n…%.400s", ask.name, status, ask.target, ask.body, body[max(at-200, 0):])
			}
			if strings.Contains(body, `"errors":[`) {
				t.Logf("%s has errors: %.400s", ask.name, body[strings.Index(body, `"errors":[`):])
			}
			if status < 300 {
				told++
			} else if status == http.StatusForbidden {
				refused++
			} else {
				t.Logf("%s answers %d: %.300s", ask.name, status, body)
			}
		}
		t.Logf("%d answers, %d refusals", told, refused)
	})
}

// TestMetricsOfLimited: metrics count hidden entities too, so a caller who does not see everything may not
// read metrics, unless everybody may.
func TestMetricsOfLimited(t *testing.T) {
	for open, want := range map[bool]int{false: http.StatusForbidden, true: http.StatusOK} {
		s := serveHiding(t, func(o *Options) { o.OpenMetrics = open })
		if status, body := s.send(t, hiddenAsk{method: http.MethodGet, target: metricsPath}); status != want {
			t.Errorf("open %v: %d %.200s", open, status, body)
		}
	}
}

// TestHiddenIsUnknown asks every door about a hidden entity, and about an entity that is not stored. The
// answers are the same but for the name, and so are the headers and the questions to the store and the
// index.
func TestHiddenIsUnknown(t *testing.T) {
	catalogtest.OnEachPair(t, nil, func(t *testing.T, h *catalogtest.SearchHarness) { serveHidingOn(t, h).hidesAsUnknown(t) })
}

// askedOf returns the questions without reads of the change log. Requests share such a read for a moment, whatever they are about, so that
// often the first of two requests makes it.
func askedOf(questions string) string {
	return strings.ReplaceAll(questions, "graphstore.ChangesWithoutValues ", "")
}

func (s *hiding) hidesAsUnknown(t *testing.T) {
	t.Helper()
	about := func(name string) map[string]string {
		urn := strings.ReplaceAll(hiddenOne, hiddenName, name)
		return map[string]string{"hub": urn, "top": urn, "tag": "urn:li:tag:" + name, "user": "urn:li:corpuser:" + name, "run": "run1", "column": "urn:li:schemaField:(" + urn + ",c0)", "node": "dataset:hive:db." + name, "table": "db." + name}
	}
	hidden, unknown := s.asks(t, about(hiddenName)), s.asks(t, about(unknownName))
	for i := range hidden {
		unknown[i].target, unknown[i].body = strings.ReplaceAll(unknown[i].target, hiddenName, unknownName), strings.ReplaceAll(unknown[i].body, hiddenName, unknownName)
		status, body, questions := s.sendCounted(t, hidden[i])
		status2, body2, questions2 := s.sendCounted(t, unknown[i])
		for range 5 { // the number of questions that are put together, and the remembered decisions, vary by chance
			if questions == questions2 {
				break
			}
			_, _, questions = s.sendCounted(t, hidden[i])
			_, _, questions2 = s.sendCounted(t, unknown[i])
		}
		if askedOf(questions) != askedOf(questions2) {
			t.Errorf("%s %s %s\nasks for the hidden\n%s\nand for the unknown\n%s", hidden[i].name, hidden[i].target, hidden[i].body, questions, questions2)
		}
		body, body2 = apart.ReplaceAllString(body, "0"), apart.ReplaceAllString(strings.ReplaceAll(body2, unknownName, hiddenName), "0")
		if status != status2 || body != body2 {
			at := 0
			for at < len(body) && at < len(body2) && body[at] == body2[at] {
				at++
			}
			from := max(at-100, 0)
			t.Errorf("%s %s %s\ntells of the hidden (%d): %.300s\nand of the unknown (%d): %.300s", hidden[i].name, hidden[i].target, hidden[i].body, status, body[min(from, len(body)):], status2, body2[min(from, len(body2)):])
		}
	}
}

// TestRestrictedSteps: a path over a hidden entity is in the answer, with a restricted step, and impact
// counts it.
func TestRestrictedSteps(t *testing.T) {
	s := serveHiding(t)
	step := regexp.MustCompile(`urn:li:restricted:[0-9a-f]{32}`)
	for _, ask := range []hiddenAsk{
		{"lineage", http.MethodGet, "/lineage/" + url.QueryEscape(seenBefore) + "?direction=DOWNSTREAM&paths=10&edges=true", ""},
		{"columns", http.MethodGet, "/lineage/" + url.QueryEscape(seenBefore) + "?direction=DOWNSTREAM&paths=10&columns=true", ""},
		{"impact", http.MethodGet, "/impact/" + url.QueryEscape(seenBefore), ""},
		{"graph", http.MethodPost, "/api/graphql", `{"query":"{lineageGraph(input:{urn:\"` + seenBefore + `\",hops:5,limit:100}){nodes{urn type entityType name} edges{upstream downstream type}}}"}`},
		{"search", http.MethodPost, "/api/graphql", `{"query":"{searchAcrossLineage(input:{urn:\"` + seenBefore + `\",direction:DOWNSTREAM,query:\"*\"}){searchResults{entity{urn} paths{path{urn type}}}}}"}`},
	} {
		status, body := s.send(t, ask)
		if status != http.StatusOK || !step.MatchString(body) || !strings.Contains(body, seenAfter) || strings.Contains(body, hiddenName) || strings.Contains(body, `"errors"`) {
			t.Errorf("%s answers %d %.1500s", ask.name, status, body)
		}
	}
}
