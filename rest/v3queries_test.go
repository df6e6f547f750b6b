package rest

import (
	"encoding/json"
	"fmt"
	"net/url"
	"testing"
)

// TestV3Queries: the queries with which clients search platform resources by keys, with
// alternatives, negations and escapes.
func TestV3Queries(t *testing.T) {
	server := newServer(t)
	const table = "urn:li:dataset:(urn:li:dataPlatform:test,k1,PROD)"
	for name, c := range map[string][2]string{"one": {"p1", `["s1","` + table + `"]`}, "two": {"p2", `["s2"]`}} {
		body := fmt.Sprintf(`[{"urn":"urn:li:platformResource:%s","platformResourceInfo":{"value":{"resourceType":"rt","primaryKey":"key_%s","secondaryKeys":%s},"headers":{"X-DataHub-Sync-Index-Update":"true"}},
			"dataPlatformInstance":{"value":{"platform":"urn:li:dataPlatform:%s"}}}]`, name, name, c[1], c[0])
		if status, answer, _ := callV3(t, server, "POST", "/platformResource?async=false", body); status != 200 {
			t.Fatal(answer)
		}
	}
	const escapedTable = `"urn\:li\:dataset\:\(urn\:li\:dataPlatform\:test,k1,PROD\)"`
	for query, want := range map[string][]string{
		`primaryKey:"key_one"`:                                                       {"one"},
		`(primaryKey:"s1" OR secondaryKeys:"s1")`:                                    {"one"},
		`(primaryKey:"key_two" OR secondaryKeys:"s1")`:                               {"one", "two"},
		`(primaryKey:` + escapedTable + ` OR secondaryKeys:` + escapedTable + `)`:    {"one"},
		`secondaryKeys:` + escapedTable:                                              {"one"},
		`(resourceType:"rt" AND -platform.keyword:"urn\:li\:dataPlatform\:p1")`:      {"two"},
		`resourceType:"rt" primaryKey:"key_two"`:                                     {"two"},
		`primaryKey:key_*`:                                                           {"one", "two"},
		`resourceType:"rt"`:                                                          {"one", "two"},
		`(primaryKey:"nothing" OR secondaryKeys:"nothing")`:                          nil,
		`(resourceType:"rt" AND -platform.keyword:"urn\:li\:dataPlatform\:nowhere")`: {"one", "two"},
		`*`: {"one", "two"},
	} {
		for method, target := range map[string]string{"GET": "/platformresource?", "POST": "/scroll?"} {
			body := ""
			if method == "POST" {
				body = `{"entities":["platformResource"]}`
			}
			status, answer, _ := callV3(t, server, method, target+"count=10&query="+url.QueryEscape(query), body)
			var page struct {
				Entities []struct {
					URN string `json:"urn"`
				} `json:"entities"`
			}
			if err := json.Unmarshal([]byte(answer), &page); err != nil || status != 200 {
				t.Fatalf("%s: %d %s", query, status, answer)
			}
			var found []string
			for _, e := range page.Entities {
				found = append(found, e.URN[len("urn:li:platformResource:"):])
			}
			if fmt.Sprint(found) != fmt.Sprint(want) {
				t.Errorf("%s %s: %v, want %v", method, query, found, want)
			}
		}
	}
}
