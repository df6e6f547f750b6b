package rest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/graphstore/neo4j"
	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/kafka/form"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/rest/call"
)

// extremes are numbers at and beyond the limits of number types.
var extremes = []string{
	"-1", "0", "-0", "1.5", "1e3", "1e400", "-9223372036854775808", "-9223372036854775809", "-2147483649",
	"2147483647", "2147483648", "2147483649", "4294967296", "9007199254740993", "9223372036854775807", "9223372036854775808", "1" + strings.Repeat("0", 400),
}

// takingNumbers returns the parameters of an endpoint that take a number, including those
// that the table does not describe.
func takingNumbers(e *call.Endpoint) []string {
	names := map[string]bool{}
	for _, p := range e.Parameters {
		if p.Kind == "integer" || slices.Contains([]string{"asOf", "before", "after", "startTime", "endTime"}, p.Name) {
			names[p.Name] = true
		}
	}
	if e.Action != "" {
		for _, name := range []string{"start", "count", "limit", "maxHops", "startTimeMillis", "endTimeMillis", "asOf"} {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// variants returns copies of the example's body with one number replaced: a member of the
// body, or a number inside a value, also inside JSON in a text.
func variants(t *testing.T, e *call.Endpoint, number string) map[string]string {
	t.Helper()
	bodies := map[string]string{}
	encode := func(where string, v any) {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		bodies[where] = string(text)
	}
	for _, name := range takingNumbers(e) {
		body := map[string]any{}
		if err := json.Unmarshal([]byte(e.Example.Body), &body); err != nil {
			t.Fatal(err)
		}
		body[name] = json.Number(number)
		encode(name, body)
	}
	decode := func(text string) any {
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		var tree any
		if decoder.Decode(&tree) != nil {
			return nil
		}
		return tree
	}
	var inside func(where string, node any, changed func(any))
	inside = func(where string, node any, changed func(any)) {
		switch node := node.(type) {
		case json.Number:
			changed(json.Number(number))
		case string:
			if tree, ok := decode(node).(map[string]any); ok {
				inside(where, tree, func(v any) {
					text, err := json.Marshal(v)
					if err != nil {
						t.Fatal(err)
					}
					changed(string(text))
				})
			}
		case map[string]any:
			for name, member := range node {
				inside(where+"."+name, member, func(v any) {
					other := maps.Clone(node)
					other[name] = v
					changed(other)
				})
			}
		case []any:
			for i, item := range node {
				inside(fmt.Sprint(where, ".", i), item, func(v any) {
					other := slices.Clone(node)
					other[i] = v
					changed(other)
				})
			}
		}
	}
	n := 0
	inside("", decode(e.Example.Body), func(v any) {
		n++
		encode(fmt.Sprint("number ", n), v)
	})
	return bodies
}

// TestExtremeNumbers sends every extreme number in every parameter of every endpoint, and
// in place of every number of the example bodies.
func TestExtremeNumbers(t *testing.T) { sendExtremes(t, newServer(t), extremes, false) }

// TestExtremeNumbersOnNeo4j is TestExtremeNumbers on the Neo4j store, whose pages have
// smaller limits.
func TestExtremeNumbersOnNeo4j(t *testing.T) {
	uri := testservers.Neo4j(t)
	kinds, mirrored := lineage.GraphKinds(model.Default())
	store, err := neo4j.Open(t.Context(), neo4j.Options{
		URI: uri, RelationshipTypes: model.Default().RelationshipNames(), Kinds: kinds, Mirrored: mirrored,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	server := httptest.NewServer(New(Options{Catalog: services.New(services.Options{Store: store}), KafkaForm: form.Text}))
	t.Cleanup(server.Close)
	sendExtremes(t, server, []string{"-1", "2147483647", "2147483648", "9223372036854775807"}, true)
}

func sendExtremes(t *testing.T, server *httptest.Server, numbers []string, withoutIndex bool) {
	endpoints := slices.DeleteFunc(new(Server).allEndpoints(), func(e call.Endpoint) bool {
		return e.Action == "" && e.Method != http.MethodGet || withoutIndex && (e.Tag == "Search" || e.Tag == "Browse" || strings.HasPrefix(e.Path, "/index"))
	})
	sent := 0
	send := func(e *call.Endpoint, where, number, target, body string) {
		sent++
		status, answer, _ := request(t, server, e.Method, target, body)
		if status >= http.StatusInternalServerError && !strings.Contains(answer, "no search index") {
			t.Errorf("%s %s %s %s=%s: %d %.300s", e.Method, e.Path, e.Action, where, number, status, answer)
		}
	}
	for i := range endpoints {
		send(&endpoints[i], "example", "", endpoints[i].Target(), endpoints[i].Example.Body) // so that there is data to find
	}
	for i := range endpoints {
		e := &endpoints[i]
		for _, number := range numbers {
			if e.Action != "" {
				for where, body := range variants(t, e, number) {
					send(e, where, number, e.Target(), body)
				}
				continue
			}
			for _, name := range takingNumbers(e) {
				query, err := url.ParseQuery(e.Example.Query)
				if err != nil {
					t.Fatal(err)
				}
				if query.Set(name, number); name == "wait" {
					query.Set("from", "") // from the beginning there are changes, so the request does not wait
				}
				target, _, _ := strings.Cut(e.Target(), "?")
				send(e, name, number, target+"?"+query.Encode(), "")
			}
		}
	}
	if sent < 200 {
		t.Errorf("only %d requests were sent", sent)
	}
}
