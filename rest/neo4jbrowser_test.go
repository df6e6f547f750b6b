package rest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/testing/testcatalog"
)

// TestNeo4jBrowser: Neo4j Browser, a page of another origin, may request the guide, the
// style and the queries, but no other path.
func TestNeo4jBrowser(t *testing.T) {
	h := New(Options{Catalog: testcatalog.New(t), Guard: Guard{Local: true}, Neo4j: Neo4j{
		Address: "neo4j://graph.example:7687", Database: "catalog", Browser: "http://graph.example:7474/browser/",
	}})
	page := []string{"Origin", "http://graph.example:7474", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "cors", "Sec-Fetch-Dest", "empty", "Host", "localhost:8080"}
	for target, contains := range map[string]string{
		"/browser/guide":       `data-exec="style http://localhost:8080/browser/style.grass"`,
		"/browser/style.grass": "node.Dataset {",
		"/browser/queries.zip": "PK",
	} {
		w := send(h, "GET", target, "", page...)
		if w.Code != http.StatusOK || w.Header().Get("Access-Control-Allow-Origin") != "*" || !strings.Contains(w.Body.String(), contains) {
			t.Errorf("%s: %d %v", target, w.Code, w.Header())
		}
		w = send(h, "OPTIONS", target, "", append(page, "Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", "baggage,cache-control,pragma,sentry-trace")...)
		if w.Code != http.StatusNoContent || w.Header().Get("Access-Control-Allow-Origin") != "*" || w.Header().Get("Access-Control-Allow-Headers") != "*" {
			t.Errorf("before %s: %d %v", target, w.Code, w.Header())
		}
	}
	for _, target := range []string{"/config", "/browser", "/"} {
		if w := send(h, "GET", target, "", page...); w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("pages of any origin may read %s", target)
		}
	}
	if w := send(h, "POST", "/browser/guide", "", page...); !refused(t, w) {
		t.Errorf("POST: %d", w.Code)
	}
}

// TestWhereNeo4jIs: the page and /config name the address of the graph, or say that there
// is no Neo4j.
func TestWhereNeo4jIs(t *testing.T) {
	catalog := testcatalog.New(t)
	for _, c := range []struct {
		neo4j Neo4j
		says  []string
	}{
		{Neo4j{Address: "neo4j://graph.example:7687", Database: "catalog", Browser: "http://graph.example:7474/browser/"}, []string{
			"neo4j://graph.example:7687", `href="http://graph.example:7474/browser/?arg=http%3A%2F%2Fexample.com%2Fbrowser%2Fguide&amp;cmd=play&amp;db=catalog"`,
			":play http://example.com/browser/guide", ":style http://example.com/browser/style.grass",
		}},
		{Neo4j{}, []string{"embedded store", "--graph"}},
	} {
		h := New(Options{Catalog: catalog, Neo4j: c.neo4j})
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/browser", nil))
		for _, text := range c.says {
			if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), text) {
				t.Errorf("the page lacks %s: %d %s", text, w.Code, w.Body)
			}
		}
		w = httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/config", nil))
		var config struct{ Neo4j Neo4j }
		if err := json.Unmarshal(w.Body.Bytes(), &config); err != nil || config.Neo4j != c.neo4j {
			t.Errorf("%+v, %v", config.Neo4j, err)
		}
	}
}
