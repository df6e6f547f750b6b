package gql_test

import (
	"fmt"
	"testing"

	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
)

// TestVersionsSearch: a search in a version set finds all its versions. The latest version is
// the first unless the input has another order.
func TestVersionsSearch(t *testing.T) {
	c := testcatalog.New(t)
	const set = "urn:li:versionSet:(v,dataset)"
	urn := func(n int) string { return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,v%d,PROD)", n) }
	for _, n := range []int{2, 1, 3} {
		writeAspect(t, c, urn(n), "versionProperties", fmt.Sprintf(`{"versionSet":"%s","version":{"versionTag":"v%d"},"sortId":"0%d"}`, set, n, n))
	}
	writeAspect(t, c, urn(4), "versionProperties", `{"versionSet":"urn:li:versionSet:(w,dataset)","version":{"versionTag":"v4"},"sortId":"04"}`)
	awaitIndex(t, c)
	h := gql.New(gql.Options{Catalog: c})
	found := func(order ...int) string {
		text := fmt.Sprintf(`{"versionsSearch":{"total":%d,"searchResults":[`, len(order))
		for i, n := range order {
			if i > 0 {
				text += ","
			}
			text += `{"entity":{"urn":"` + urn(n) + `"}}`
		}
		return text + `]}}`
	}
	const members = ` { total searchResults { entity { urn } } }`
	for input, want := range map[string]string{
		`{query: "*"}`: found(3, 2, 1),
		`{query: "*", searchFlags: {filterNonLatestVersions: true}}`:                               found(3, 2, 1),
		`{query: "*", sortInput: {sortCriterion: {field: "versionSortId", sortOrder: ASCENDING}}}`: found(1, 2, 3),
	} {
		query := `versionSet(urn: "` + set + `") { versionsSearch(input: ` + input + `)` + members + ` }`
		checkAnswer(t, ask(t, h, "{ answer: "+query+" }", nil), query, want)
	}
}
