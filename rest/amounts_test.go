package rest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
)

// many returns n copies of an item, separated. A verb in the item is replaced by the number
// of the copy.
func many(n int, item, separator string) string {
	items := make([]string, n)
	for i := range items {
		if items[i] = item; strings.Contains(item, "%d") {
			items[i] = fmt.Sprintf(item, i)
		}
	}
	return strings.Join(items, separator)
}

// TestAmounts sends the largest permitted amounts, amounts that are larger by one, and
// amounts that once took minutes.
func TestAmounts(t *testing.T) {
	server := newShop(t)
	criteria := func(n int, shape string) string {
		return `{"input":"*","entity":"dataset","count":10,"filter":` + fmt.Sprintf(shape, many(n, `{"field":"origin","value":"P%d","condition":"EQUAL"}`, ",")) + `}`
	}
	values := func(n int, condition string) string {
		return `{"input":"*","entity":"dataset","count":10,"filter":{"or":[{"and":[{"field":"name","condition":"` + condition + `","values":[` + many(n, `"v%d"`, ",") + `]}]}]}}`
	}
	get := func(target, list string) func(n int) (string, string) {
		return func(n int) (string, string) {
			return target + list + "=List(" + many(n, "urn%%3Ali%%3Atag%%3At%d", ",") + ")", ""
		}
	}
	for name, c := range map[string]struct {
		most, far int
		request   func(n int) (target, body string)
	}{
		"words": {limits.MaxQueryWords, 40_000, func(n int) (string, string) {
			return "/entities?action=search", `{"input":"` + many(n, "w", " ") + `","entity":"dataset"}`
		}},
		"bytes of a query": {limits.MaxQueryBytes, 1_000_000, func(n int) (string, string) {
			return "/entities?action=search", `{"input":"` + strings.Repeat("x", n) + `","entity":"dataset"}`
		}},
		"words of all types": {limits.MaxQueryWords, 40_000, func(n int) (string, string) {
			return "/entities?action=searchAcrossEntities", `{"input":"` + many(n, "w", " ") + `"}`
		}},
		"words in lineage": {limits.MaxQueryWords, 40_000, func(n int) (string, string) {
			return "/entities?action=searchAcrossLineage", `{"urn":"` + ordersURN + `","direction":"UPSTREAM","input":"` + many(n, "w", " ") + `"}`
		}},
		"words completed": {limits.MaxQueryWords, 40_000, func(n int) (string, string) {
			return "/entities?action=autocomplete", `{"query":"` + many(n, "w", " ") + `","entity":"dataset"}`
		}},
		"words of a browse path": {limits.MaxQueryWords, 40_000, func(n int) (string, string) {
			return "/entities?action=browseV2", `{"path":"","input":"` + many(n, "w", " ") + `","entity":"dataset"}`
		}},
		"facets": {limits.MaxFacets, 40_000, func(n int) (string, string) {
			return "/entities?action=search", `{"input":"*","entity":"dataset","facets":[` + many(n, `"origin"`, ",") + `]}`
		}},
		"criteria": {limits.MaxFilterParts, 1100, func(n int) (string, string) {
			return "/entities?action=search", criteria(n, `{"or":[{"and":[%s]}]}`)
		}},
		"alternatives": {limits.MaxFilterParts, 1100, func(n int) (string, string) {
			return "/entities?action=search", `{"input":"*","entity":"dataset","filter":{"or":[` + many(n, `{"and":[{"field":"origin","value":"P%d"}]}`, ",") + `]}}`
		}},
		"empty alternatives": {limits.MaxFilterParts, 40_000, func(n int) (string, string) {
			return "/entities?action=search", `{"input":"*","entity":"dataset","filter":{"or":[` + many(n, `{}`, ",") + `]}}`
		}},
		"legacy criteria": {limits.MaxFilterParts, 1100, func(n int) (string, string) {
			return "/entities?action=filter", criteria(n, `{"criteria":[%s]}`)
		}},
		"criteria of a browse path": {limits.MaxFilterParts, 1100, func(n int) (string, string) {
			return "/entities?action=browse", criteria(n, `{"or":[{"and":[%s]}]}`)
		}},
		"criteria on values": {limits.MaxFilterParts, 1100, func(n int) (string, string) {
			return "/aspects?action=getTimeseriesAspectValues", `{"urn":"` + ordersURN + `","entity":"dataset","aspect":"datasetProfile","filter":{"or":[{"and":[` + many(n, `{"field":"rowCount","value":"%d"}`, ",") + `]}]}}`
		}},
		"values":   {limits.MaxFilterValues, 40_000, func(n int) (string, string) { return "/entities?action=search", values(n, "EQUAL") }},
		"CONTAIN":  {limits.MaxFilterPatterns, 40_000, func(n int) (string, string) { return "/entities?action=search", values(n, "CONTAIN") }},
		"END_WITH": {limits.MaxFilterPatterns, 40_000, func(n int) (string, string) { return "/entities?action=list", values(n, "END_WITH") }},
		"values by commas": {limits.MaxFilterValues, 40_000, func(n int) (string, string) {
			return "/entities?action=search", `{"input":"*","entity":"dataset","filter":{"or":[{"and":[{"field":"name","value":"` + many(n-1, "v%d", ",") + `"}]}]}}`
		}},
		"bytes of a filter": {limits.MaxFilterBytes - 4, 10 << 20, func(n int) (string, string) {
			return "/entities?action=search", `{"input":"*","entity":"dataset","filter":{"or":[{"and":[{"field":"name","values":["` + strings.Repeat("x", n) + `"]}]}]}}`
		}},
		"types": {limits.MaxListItems, 40_000, func(n int) (string, string) {
			return "/entities?action=searchAcrossEntities", `{"input":"*","entities":[` + many(n, `"dataset"`, ",") + `]}`
		}},
		"ids": {limits.MaxIDs, 20_000, get("/entitiesV2?", "ids")},
		"aspects": {limits.MaxListItems, 40_000, func(n int) (string, string) {
			return "/entitiesV2/" + call.ExampleTableEncoded + "?aspects=List(" + many(n, "ownership", ",") + ")", ""
		}},
		"aspects of snapshots": {limits.MaxListItems, 40_000, func(n int) (string, string) {
			return "/entities/" + call.ExampleTableEncoded + "?aspects=List(" + many(n, "ownership", ",") + ")", ""
		}},
		"relationships": {limits.MaxListItems, 40_000, func(n int) (string, string) {
			return "/relationships?direction=INCOMING&urn=" + call.ExampleTableEncoded + "&types=List(" + many(n, "OwnedBy", ",") + ")", ""
		}},
		"owners of a lineage": {limits.MaxListItems, 40_000, get("/lineage/"+call.ExampleTableEncoded+"?", "owners")},
	} {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{c.most, c.most + 1, c.far} {
				target, body := c.request(n)
				method := http.MethodPost
				if body == "" {
					method = http.MethodGet
				}
				status, answer, _ := request(t, server, method, target, body)
				if n == c.most {
					if status >= http.StatusInternalServerError || status == http.StatusBadRequest {
						t.Errorf("%d of them: %d %.300s", n, status, answer)
					}
					continue
				}
				var refusal call.ErrorBody
				if err := json.Unmarshal([]byte(answer), &refusal); err != nil || status != http.StatusBadRequest || !strings.Contains(refusal.Message, "at most ") || len(answer) > 500 {
					t.Errorf("%d of them: %d %.300s", n, status, answer)
				}
			}
		})
	}
}
