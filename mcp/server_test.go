package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/mcp"
	"github.com/headwater-io/headwater/sample"
)

// client connects an agent to a catalog.
func client(t *testing.T, c *services.Services, writes bool) *sdk.ClientSession {
	t.Helper()
	handler := mcp.New(mcp.Options{Catalog: c, Version: "test", Writes: writes})
	return clientOf(t, handler)
}

func clientOf(t *testing.T, handler http.Handler) *sdk.ClientSession {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test"}, nil).Connect(context.Background(), &sdk.StreamableClientTransport{
		Endpoint: s.URL, DisableStandaloneSSE: true, MaxRetries: -1,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	})
	return session
}

// ask calls a tool and returns its answer, or the text of its refusal.
func ask(t *testing.T, session *sdk.ClientSession, tool, arguments string) (answer map[string]any, refused string) {
	t.Helper()
	result, err := session.CallTool(context.Background(), &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatalf("%s %s: %v", tool, arguments, err)
	}
	if result.IsError {
		text, ok := result.Content[0].(*sdk.TextContent)
		if !ok {
			t.Fatalf("%T", result.Content[0])
		}
		return nil, text.Text
	}
	if result.StructuredContent != nil || len(result.Content) != 1 {
		t.Errorf("%s answers with %d contents and %T", tool, len(result.Content), result.StructuredContent)
	}
	text, ok := result.Content[0].(*sdk.TextContent)
	if !ok {
		t.Fatalf("%T", result.Content[0])
	}
	if err := json.Unmarshal([]byte(text.Text), &answer); err != nil {
		t.Fatalf("%s: %v", text.Text, err)
	}
	return answer, ""
}

// TestMetrics: calls are counted by tool, also refused calls.
func TestMetrics(t *testing.T) {
	registry := prometheus.NewRegistry()
	session := clientOf(t, mcp.New(mcp.Options{Catalog: sampled(t), Metrics: registry}))
	if _, refused := ask(t, session, "lineage", `{"of": "marts.orders"}`); refused != "" {
		t.Fatal(refused)
	}
	if _, refused := ask(t, session, "lineage", `{"of": "no such thing"}`); refused == "" {
		t.Fatal("found")
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, family := range families {
		for _, m := range family.GetMetric() {
			if family.GetName() == "headwater_mcp_calls_total" { // the labels are sorted: result, tool
				got[m.GetLabel()[1].GetValue()+" "+m.GetLabel()[0].GetValue()] = m.GetCounter().GetValue()
			}
		}
	}
	if diff := cmp.Diff(map[string]float64{"lineage ok": 1, "lineage error": 1}, got); diff != "" {
		t.Error(diff)
	}
}

func sampled(t *testing.T) *services.Services {
	t.Helper()
	c := testcatalog.New(t)
	if _, err := sample.Load(context.Background(), c); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestTools: at most twelve tools read, tools that write are separate, and the schema of each tool
// states exactly the arguments that the tool accepts.
func TestTools(t *testing.T) {
	c := testcatalog.New(t)
	var reads, all []string
	for writes, names := range map[bool]*[]string{false: &reads, true: &all} {
		for tool, err := range client(t, c, writes).Tools(context.Background(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			*names = append(*names, tool.Name)
			checkTool(t, tool)
			if reading := !slices.Contains([]string{"set_tags", "set_terms", "set_owners", "set_description", "set_properties"}, tool.Name); tool.Annotations.ReadOnlyHint != reading {
				t.Errorf("%s says that reading is all it does: %t", tool.Name, tool.Annotations.ReadOnlyHint)
			}
		}
	}
	if len(reads) != 12 || len(all) != 17 {
		t.Errorf("the tools are %v and, with writes, %v", reads, all)
	}
}

func checkTool(t *testing.T, tool *sdk.Tool) {
	t.Helper()
	if len(tool.Description) == 0 || len(tool.Description) > 200 {
		t.Errorf("the description of %s has %d bytes", tool.Name, len(tool.Description))
	}
	if tool.OutputSchema != nil {
		t.Errorf("%s promises structured content", tool.Name)
	}
	text, err := json.Marshal(tool.InputSchema)
	if err != nil {
		t.Fatal(err)
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	if schema.AdditionalProperties == nil || !strings.Contains(string(text), `"additionalProperties":false`) {
		t.Errorf("%s accepts anything: %s", tool.Name, text)
	}
}

// TestRefusals: if a tool cannot answer, its error says how the caller can correct the call.
func TestRefusals(t *testing.T) {
	session := client(t, sampled(t), true)
	long := strings.Repeat("x", limits.MaxQueryBytes+1)
	for _, c := range []struct{ tool, arguments, says string }{
		{"search", `{"bogus":1}`, `unexpected additional properties ["bogus"]`},
		{"search", `{"limit":0}`, "minimum"},
		{"search", `{"limit":201}`, "maximum"},
		{"search", `{"limit":"ten"}`, "limit"},
		{"search", `{"start":-1}`, "minimum"},
		{"search", `{"query":"` + long + `"}`, "maxLength"},
		{"search", `{"types":["table"]}`, "table"},
		{"search", `{"tags":["Secret"]}`, `nothing is named "Secret"`},
		{"search", `{"tags":null}`, "tags"},
		{"search", `{"owners":` + strings.ReplaceAll(fmt.Sprintf("%q", strings.Split(strings.Repeat("a ", 21), " ")), " ", ",") + `}`, "maxItems"},
		{"entities", `{}`, "names"},
		{"entities", `{"names":[]}`, "minItems"},
		{"entities", `{"names":["nothing.like.it"]}`, "nothing is named"},
		{"columns", `{"dataset":"Board overview"}`, "nothing is named"}, // Board overview is a dashboard
		{"columns", `{"dataset":"orders"}`, "analytics.marts.orders"},
		{"columns", `{"dataset":"urn:li:dataset:(urn:li:dataPlatform:hive,none,PROD)"}`, "does not exist"},
		{"columns", `{"personal":true,"as_of":"2026-11-01"}`, "need a dataset"},
		{"columns", `{"filter":"x"}`, "need a dataset"},
		{"columns", `{"tags":["nosuch"]}`, `nothing is named "nosuch"`},
		{"columns", `{"dataset":""}`, "minLength"},
		{"sql", `{"sql":"select 1","dialect":"snowflakes"}`, "did you mean snowflake"},
		{"sql", `{"sql":"","dialect":"snowflake"}`, "minLength"},
		{"sql", `{"sql":"select 1","dialect":"snowflake","as_of":"yesterday"}`, "as_of"},
		{"lineage", `{"of":"marts.orders","direction":"sideways"}`, "enum"},
		{"lineage", `{"of":"marts.orders","as_of":"yesterday"}`, "is not a moment"},
		{"lineage", `{"of":""}`, "minLength"},
		{"lineage", `{"of":"marts.orders","hops":-1}`, "minimum"},
		{"paths", `{"from":"marts.orders","to":"orders.nothing"}`, "has a column"},
		{"paths", `{"from":"marts.orders","to":"marts.loyalty","max_paths":11}`, "maximum"},
		{"impact", `{"of":"marts.orders","change":"rename"}`, "has a column"},
		{"impact", `{"of":"urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.marts.orders,PROD)","change":"retype"}`, "is not a column"},
		{"impact", `{"of":"orders.net_revenue","change":"explode"}`, "enum"},
		{"lineage_changes", `{"of":"marts.orders"}`, "before"},
		{"lineage_changes", `{"of":"marts.orders","before":"2026-11-02","after":"2026-11-01"}`, "before the moment before"},
		{"queries", `{"of":"urn:li:dataset:(urn:li:dataPlatform:hive,none,PROD)"}`, "does not exist"},
		{"runs", `{"run":"no-such-run"}`, "no-such-run"},
		{"history", `{"of":"marts.orders","categories":["WEATHER"]}`, "WEATHER"},
		{"set_tags", `{"of":"marts.orders"}`, "nothing to change"},
		{"set_tags", `{"of":"orders.nothing","add":["PII"]}`, "has a column"},
		{"set_owners", `{"of":"marts.orders","add":["PII"]}`, "nothing is named"},
		{"set_description", `{"of":"urn:li:dataset:(urn:li:dataPlatform:hive,none,PROD)","description":"x"}`, "does not exist"},
		{"set_properties", `{"of":"marts.orders","properties":[{"property":"none"}]}`, "nothing is named"},
	} {
		answer, refused := ask(t, session, c.tool, c.arguments)
		if !strings.Contains(refused, c.says) {
			t.Errorf("%s %.200s: %q %v, want %q", c.tool, c.arguments, refused, answer, c.says)
		}
	}
	if _, err := session.CallTool(context.Background(), &sdk.CallToolParams{Name: "drop_everything"}); err == nil {
		t.Error("a tool that does not exist answers")
	}
}

// wide stores a dataset with very many columns and long descriptions, and datasets that derive
// from this dataset.
func wide(t *testing.T, columns, downstreams int) *services.Services {
	t.Helper()
	c, ctx := testcatalog.New(t), context.Background()
	urn := func(name string) string { return "urn:li:dataset:(urn:li:dataPlatform:hive," + name + ",PROD)" }
	fields := make([]string, columns)
	for i := range fields {
		fields[i] = fmt.Sprintf(`{"fieldPath":"c%04d","nativeDataType":"INT","type":{"type":{"com.linkedin.schema.NumberType":{}}},"description":%q}`, i, strings.Repeat("long ", 200))
	}
	write := func(urn, aspect, value string) {
		if _, err := c.Ingest(ctx, write.Proposal{
			EntityType: "dataset", EntityURN: urn, AspectName: aspect, ChangeType: write.Upsert,
			Aspect: &write.GenericAspect{Value: json.RawMessage(value), ContentType: "application/json"},
		}, catalog.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	write(urn("wide"), "schemaMetadata", `{"schemaName":"wide","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[`+strings.Join(fields, ",")+`]}`)
	write(urn("wide"), "datasetProperties", fmt.Sprintf(`{"description":%q}`, strings.Repeat("é", 5000)))
	for i := range downstreams {
		write(urn(fmt.Sprintf("%s%04d", strings.Repeat("d", 300), i)), "upstreamLineage", `{"upstreams":[{"dataset":"`+urn("wide")+`","type":"TRANSFORMED"}]}`)
	}
	return c
}

// TestPages: answers are bounded in size, and partial answers say that they are partial. A
// caller who continues from next again and again sees each item once.
func TestPages(t *testing.T) {
	const columns, downstreams = 450, 350
	session := client(t, wide(t, columns, downstreams), false)
	for _, c := range []struct {
		tool, arguments, list, name string
		want                        int
		// most is the largest number of items of a page. Where it is 199, a page of 200 items
		// does not fit into an answer.
		most int
	}{
		{"columns", `{"dataset":"wide","start":%d}`, "columns", "path", columns, 20},
		{"columns", `{"dataset":"wide","limit":200,"start":%d}`, "columns", "path", columns, 199},
		{"columns", `{"dataset":"wide","limit":200,"filter":"C01","start":%d}`, "columns", "path", 100, 200},
		{"columns", `{"query":"c","limit":200,"start":%d}`, "columns", "path", columns, 199},
		{"columns", `{"dataset":"wide","types":["int"],"limit":200,"start":%d}`, "columns", "path", columns, 199},
		{"lineage", `{"of":"wide","direction":"downstream","limit":200,"start":%d}`, "entities", "urn", downstreams, 199},
		{"impact", `{"of":"wide","limit":200,"start":%d}`, "entities", "urn", downstreams, 199},
		{"lineage_changes", `{"of":"wide","direction":"downstream","before":"2020-01-01","limit":200,"start":%d}`, "entities", "urn", downstreams, 199},
		{"search", `{"types":["dataset"],"limit":200,"start":%d}`, "entities", "urn", downstreams + 1, 199},
		{"history", `{"of":"wide","categories":["TECHNICAL_SCHEMA"],"limit":200,"start":%d}`, "changes", "description", columns, 200},
	} {
		seen := map[any]bool{}
		for start, calls := 0, 0; ; calls++ {
			answer, refused := ask(t, session, c.tool, fmt.Sprintf(c.arguments, start))
			if refused != "" || calls > columns {
				t.Fatalf("%s: %s after %d calls", c.tool, refused, calls)
			}
			text, err := json.Marshal(answer)
			if err != nil || len(text) > limits.MaxAgentAnswer*5/4 {
				t.Errorf("%s: an answer of %d bytes: %v", c.tool, len(text), err)
			}
			items, _ := answer[c.list].([]any)
			if len(items) > c.most {
				t.Errorf("%s: a page of %d", c.tool, len(items))
			}
			for _, item := range items {
				member, _ := item.(map[string]any)
				if seen[member[c.name]] {
					t.Errorf("%s: %v is there twice", c.tool, member[c.name])
				}
				seen[member[c.name]] = true
			}
			next, more := answer["next"].(float64)
			if reason, _ := answer["reason"].(string); (answer["partial"] == true) != (more || reason != "") || more && reason == "" {
				t.Errorf("%s: partial is %v for %q", c.tool, answer["partial"], reason)
			}
			if !more {
				break
			}
			start = int(next)
		}
		if len(seen) != c.want {
			t.Errorf("%s: %d items in all, want %d", c.tool, len(seen), c.want)
		}
	}
	answer, _ := ask(t, session, "entities", `{"names":["wide"]}`)
	entities, _ := answer["entities"].([]any)
	entity, _ := entities[0].(map[string]any)
	if text, _ := entity["description"].(string); !strings.HasSuffix(text, "é… (8000 more bytes)") || len(text) > limits.MaxAgentText+30 {
		t.Errorf("the description ends with %.50q", text[max(0, len(text)-50):])
	}
}

// TestEveryNameAnswered: if some of several names cannot be read, the answer reports them and
// has the entities of the other names.
func TestEveryNameAnswered(t *testing.T) {
	answer, refused := ask(t, client(t, sampled(t), false), "entities", `{"names":["marts.orders","orders","PII"]}`)
	entities, _ := answer["entities"].([]any)
	failed, _ := answer["failed"].([]any)
	if refused != "" || len(entities) != 2 || len(failed) != 1 {
		t.Errorf("%q: %d entities, failed: %v", refused, len(entities), failed)
	}
}

// TestBeforeTheFirstWrite: an answer about a moment before the first write says that nothing
// was known at that moment.
func TestBeforeTheFirstWrite(t *testing.T) {
	session := client(t, sampled(t), false)
	for tool, arguments := range map[string]string{
		"lineage":         `{"of":"marts.orders","as_of":"2001-01-01"}`,
		"lineage_changes": `{"of":"marts.orders","before":"2001-01-01"}`,
	} {
		answer, refused := ask(t, session, tool, arguments)
		if note, _ := answer["note"].(string); refused != "" || !strings.HasPrefix(note, "nothing was written about ") {
			t.Errorf("%s: %q %v", tool, refused, answer)
		}
	}
	if answer, _ := ask(t, session, "lineage", `{"of":"marts.orders"}`); answer["note"] != nil {
		t.Errorf("now: %v", answer["note"])
	}
}

// TestSetProperties: a tool sets values of structured properties if their definition allows the
// values, and details show the values.
func TestSetProperties(t *testing.T) {
	c, ctx := sampled(t), context.Background()
	if _, err := c.Ingest(ctx, write.Proposal{
		EntityType: "structuredProperty", EntityURN: "urn:li:structuredProperty:tier", AspectName: "propertyDefinition", ChangeType: write.Upsert,
		Aspect: &write.GenericAspect{ContentType: "application/json", Value: json.RawMessage(`{"qualifiedName":"tier","displayName":"Tier",` +
			`"valueType":"urn:li:dataType:datahub.string","cardinality":"SINGLE","entityTypes":["urn:li:entityType:datahub.dataset"],"allowedValues":[{"value":{"string":"gold"}}]}`)},
	}, catalog.WriteOptions{AwaitIndex: true}); err != nil {
		t.Fatal(err)
	}
	session := client(t, c, true)
	if _, refused := ask(t, session, "set_properties", `{"of":"marts.orders","properties":[{"property":"Tier","texts":["tin"]}]}`); !strings.Contains(refused, `value: {string=tin} should be one of [`) {
		t.Errorf("a value that is not allowed: %q", refused)
	}
	if _, refused := ask(t, session, "set_properties", `{"of":"marts.orders","properties":[{"property":"Tier","texts":["gold"]}]}`); refused != "" {
		t.Fatal(refused)
	}
	answer, _ := ask(t, session, "entities", `{"names":["marts.orders"]}`)
	entities, _ := answer["entities"].([]any)
	entity, _ := entities[0].(map[string]any)
	if diff := cmp.Diff(map[string]any{"tier": []any{"gold"}}, entity["structured_properties"]); diff != "" {
		t.Error(diff)
	}
}

// TestPrompts: a prompt contains its arguments. A prompt without a required argument is
// refused.
func TestPrompts(t *testing.T) {
	session, ctx := client(t, testcatalog.New(t), false), context.Background()
	var names []string
	for prompt, err := range session.Prompts(ctx, nil) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, prompt.Name)
		given := map[string]string{}
		for _, a := range prompt.Arguments {
			given[a.Name] = "<" + a.Name + ">"
		}
		result, err := session.GetPrompt(ctx, &sdk.GetPromptParams{Name: prompt.Name, Arguments: given})
		if err != nil {
			t.Fatal(err)
		}
		text, _ := result.Messages[0].Content.(*sdk.TextContent)
		for _, value := range given {
			if !strings.Contains(text.Text, value) || strings.Contains(text.Text, "{") {
				t.Errorf("%s: %s lacks %s", prompt.Name, text.Text, value)
			}
		}
		if len(given) > 0 {
			if _, err := session.GetPrompt(ctx, &sdk.GetPromptParams{Name: prompt.Name}); err == nil || !strings.Contains(err.Error(), "needs the argument") {
				t.Errorf("%s without arguments: %v", prompt.Name, err)
			}
		}
	}
	if diff := cmp.Diff([]string{"explain", "impact_of_change", "last_run", "what_changed", "where_from"}, names); diff != "" {
		t.Error(diff)
	}
}

// failing is a store whose walks panic, or continue until the request ends.
type failing struct {
	graphstore.Store
	slow bool
}

func (f *failing) Walk(ctx context.Context, q graphstore.WalkQuery) (graphstore.Walk, error) {
	if !f.slow {
		panic("secret")
	}
	<-ctx.Done()
	return graphstore.Walk{}, ctx.Err()
}

// TestFailures: a panic fails only the call of the tool, and the error does not give the
// reason. A tool ends when its request ends.
func TestFailures(t *testing.T) {
	broken := &failing{}
	c := testcatalog.Wrapped(t, func(s graphstore.Store) graphstore.Store {
		broken.Store = s
		return broken
	})
	if _, err := sample.Load(context.Background(), c); err != nil {
		t.Fatal(err)
	}
	handler := mcp.New(mcp.Options{Catalog: c})
	session := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := r.Context()
		if broken.slow {
			bounded, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
			defer cancel()
			ctx = bounded
		}
		handler.ServeHTTP(w, r.WithContext(ctx))
	}))
	if _, refused := ask(t, session, "lineage", `{"of":"marts.orders"}`); refused != "internal error" {
		t.Errorf("a panic: %q", refused)
	}
	if _, refused := ask(t, session, "columns", `{"dataset":"marts.orders"}`); refused != "" {
		t.Errorf("after a panic: %q", refused)
	}
	broken.slow = true
	if _, refused := ask(t, session, "lineage", `{"of":"marts.orders"}`); !strings.Contains(refused, "too long") {
		t.Errorf("a walk that never ends: %q", refused)
	}
}
