package gql_test

import (
	"testing"

	"github.com/headwater-io/headwater/catalog/tracking"
	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
)

// TestRecommendations: the home page recommends the entities that are viewed most and the
// queries that are searched most, the search bar these queries alone, and other pages recommend
// nothing.
func TestRecommendations(t *testing.T) {
	c := testcatalog.New(t)
	h := gql.New(gql.Options{Catalog: c})
	for _, name := range []string{"a", "b"} {
		writeAspect(t, c, "urn:li:tag:"+name, "tagProperties", `{"name":"`+name+`"}`)
	}
	check := func(arguments, want string) {
		t.Helper()
		got := ask(t, h, `{ answer: listRecommendations(input: {userUrn: "urn:li:corpuser:ada", `+arguments+`}) { modules { moduleId renderType content { value entity { urn type } params { searchParams { query } contentParams { count } } } } } }`, nil)
		checkAnswer(t, got, arguments, want)
	}
	const home = `requestContext: {scenario: HOME}`
	check(home, `{"modules":[]}`)
	for _, name := range []string{"a", "b", "b"} {
		if err := c.Tracking.Track(tracking.Event{Type: tracking.ViewEvent, EntityURN: "urn:li:tag:" + name}); err != nil {
			t.Fatal(err)
		}
	}
	content := func(name, count string) string {
		return `{"value":"urn:li:tag:` + name + `","entity":{"urn":"urn:li:tag:` + name + `","type":"TAG"},"params":{"searchParams":null,"contentParams":{"count":` + count + `}}}`
	}
	const module = `{"modules":[{"moduleId":"HighUsageEntities","renderType":"ENTITY_NAME_LIST","content":[`
	check(home, module+content("b", "2")+","+content("a", "1")+`]}]}`)
	check(home+`, limit: 1`, module+content("b", "2")+`]}]}`)
	check(`requestContext: {scenario: SEARCH_RESULTS}`, `{"modules":[]}`)
	check(`limit: 5`, `{"modules":[]}`)
	if err := c.Tracking.Track(tracking.Event{Type: tracking.SearchEvent, Query: "Revenue", Total: 1}); err != nil {
		t.Fatal(err)
	}
	const searched = `{"moduleId":"MostSearchedQueries","renderType":"SEARCH_QUERY_LIST","content":[{"value":"revenue","entity":null,"params":{"searchParams":{"query":"revenue"},"contentParams":{"count":1}}}]}`
	check(`requestContext: {scenario: SEARCH_BAR}`, `{"modules":[`+searched+`]}`)
	check(home+`, limit: 1`, module+content("b", "2")+`]},`+searched+`]}`)
}
