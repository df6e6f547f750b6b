package main

import (
	"fmt"
	"net/http"
	"strings"
)

// numbers sends numbers at the limits of their types, and lists and texts that are far too
// large.
func numbers(a *arena) {
	bad := []string{"9223372036854775807", "9223372036854775806", "9223372036854775808", "4294967296", "2147483648", "2147483647", "-1", "-9223372036854775808", "1e300", "1.5"}
	for _, n := range bad {
		for _, at := range []struct{ name, target, body string }{
			{"browse", "/entities?action=browse", `{"path":"/prod","entity":"dataset","start":%s,"limit":10}`},
			{"browse limit", "/entities?action=browse", `{"path":"/prod","entity":"dataset","start":0,"limit":%s}`},
			{"browseV2", "/entities?action=browseV2", `{"path":"","entity":"dataset","start":%s,"count":10}`},
			{"search", "/entities?action=search", `{"input":"*","entity":"dataset","start":%s,"count":10}`},
			{"search count", "/entities?action=search", `{"input":"*","entity":"dataset","start":0,"count":%s}`},
			{"searchAcrossEntities", "/entities?action=searchAcrossEntities", `{"input":"*","start":%s,"count":10}`},
			{"scrollAcrossEntities", "/entities?action=scrollAcrossEntities", `{"input":"*","count":%s}`},
			{"filter", "/entities?action=filter", `{"entity":"dataset","filter":{"or":[]},"start":%s,"count":10}`},
			{"list", "/entities?action=list", `{"entity":"dataset","filter":{"or":[]},"start":%s,"count":10}`},
			{"autocomplete", "/entities?action=autocomplete", `{"query":"a","entity":"dataset","limit":%s}`},
			{"listUrns", "/entities?action=listUrns", `{"entity":"dataset","start":%s,"count":10}`},
			{"runs", "/runs?action=list", `{"pageOffset":%s,"pageSize":10}`},
			{"runs size", "/runs?action=list", `{"pageOffset":0,"pageSize":%s}`},
			{"describe", "/runs?action=describe", `{"runId":"no-run-id-provided","start":%s,"count":10}`},
			{"time series", "/aspects?action=getTimeseriesAspectValues", `{"urn":"` + a.check.dataset("x") + `","entity":"dataset","aspect":"datasetProfile","startTimeMillis":0,"limit":%s}`},
			{"time series start", "/aspects?action=getTimeseriesAspectValues", `{"urn":"` + a.check.dataset("x") + `","entity":"dataset","aspect":"datasetProfile","startTimeMillis":%s}`},
			{"usage", "/usageStats?action=queryRange", `{"resource":"` + a.check.dataset("x") + `","duration":"DAY","rangeFromEnd":"ALL","maxBuckets":%s}`},
			{"getLineage", "/relationships?action=getLineage", `{"urn":"` + a.check.dataset("x") + `","direction":"UPSTREAM","start":%s,"count":10,"maxHops":3}`},
			{"searchAcrossLineage", "/entities?action=searchAcrossLineage", `{"urn":"` + a.check.dataset("x") + `","direction":"UPSTREAM","input":"*","start":%s,"count":10}`},
			{"graphql", graphQL, `{"query":"{searchAcrossEntities(input:{query:\"*\",start:%s,count:10}){total}}"}`},
		} {
			a.civil(at.name+" with "+n, http.MethodPost, at.target, []byte(fmt.Sprintf(at.body, n)))
		}
		urn := a.check.entry("innocent1").urn
		for _, target := range []string{
			"/events?limit=%s", "/events?from=%s", "/events?wait=-1&from=%s", "/relationships?direction=OUTGOING&urn=" + urn + "&start=%s", "/relationships?direction=OUTGOING&urn=" + urn + "&count=%s",
			"/aspects/" + urn + "?aspect=datasetProperties&version=%s", "/lineage/" + urn + "?hops=%s", "/lineage/" + urn + "?start=%s", "/lineage/" + urn + "?count=%s&paths=%[1]s",
			"/lineage/" + urn + "?asOf=%s", "/impact/" + urn + "?hops=%s", "/openapi/relationships/v1/?direction=OUTGOING&relationshipTypes=OwnedBy&urn=" + urn + "&start=%s",
			"/openapi/timeline/v1/" + urn + "?categories=TAG&start=%s", "/lineage-diff/" + urn + "?from=%s",
		} {
			a.civil(strings.ReplaceAll(target, urn, "URN")+" with "+n, http.MethodGet, fmt.Sprintf(target, n), nil)
		}
	}
	a.largeSearches()
}

// largeSearches sends searches with more words, criteria, values and facets than anybody
// types.
func (a *arena) largeSearches() {
	many := pick(a, 10_000, 40_000)
	search := func(fields string) []byte {
		return []byte(`{"entity":"dataset","start":0,"count":10,` + fields + `}`)
	}
	repeat := func(n int, format string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = fmt.Sprintf(format, i)
		}
		return strings.Join(parts, ",")
	}
	const target = "/entities?action=search"
	words := make([]string, many)
	for i := range words {
		words[i] = fmt.Sprintf("w%s", letters(fmt.Sprint(i)))
	}
	text := strings.Join(words, " ")
	a.civil("a search of 40,000 words", http.MethodPost, target, search(`"input":"`+text+`"`))
	a.civil("autocomplete of 40,000 words", http.MethodPost, "/entities?action=autocomplete", []byte(`{"query":"`+text+`","entity":"dataset","limit":10}`))
	a.civil("a quoted search of 40,000 words", http.MethodPost, target, search(`"input":"\"`+text+`\""`))
	a.civil("a filter of 1,100 parts", http.MethodPost, target, search(`"input":"*","filter":{"or":[`+repeat(1100, `{"and":[{"field":"name","value":"n%d","condition":"EQUAL"}]}`)+`]}`))
	a.civil("a filter of 1,100 criteria", http.MethodPost, target, search(`"input":"*","filter":{"or":[{"and":[`+repeat(1100, `{"field":"name","value":"n%d","condition":"CONTAIN"}`)+`]}]}`))
	a.civil("40,000 values of CONTAIN", http.MethodPost, target, search(`"input":"*","filter":{"or":[{"and":[{"field":"name","condition":"CONTAIN","values":[`+repeat(many, `"v%d"`)+`]}]}]}`))
	a.civil("40,000 values of EQUAL", http.MethodPost, target, search(`"input":"*","filter":{"or":[{"and":[{"field":"urn","condition":"EQUAL","values":[`+repeat(many, `"urn:li:tag:v%d"`)+`]}]}]}`))
	a.civil("40,000 facets", http.MethodPost, target, search(`"input":"*","facets":[`+repeat(many, `"platform%d"`)+`]`))
	a.civil("40,000 times one facet", http.MethodPost, target, search(`"input":"*","facets":[`+strings.TrimSuffix(strings.Repeat(`"platform",`, many), ",")+`]`))
	a.civil("40,000 types", http.MethodPost, "/entities?action=searchAcrossEntities", []byte(`{"input":"*","start":0,"count":10,"entities":[`+strings.TrimSuffix(strings.Repeat(`"dataset",`, many), ",")+`]}`))
	a.civil("a batch of 40,000 counts", http.MethodPost, "/entities?action=batchGetTotalEntityCount", []byte(`{"entities":[`+strings.TrimSuffix(strings.Repeat(`"dataset",`, many), ",")+`]}`))
	a.civil("hundreds of aspects", http.MethodGet, "/entitiesV2/"+a.check.entry("innocent1").urn+"?aspects=List("+strings.TrimSuffix(strings.Repeat("status,", many/50), ",")+")", nil)
	a.civil("wildcards without end", http.MethodPost, target, search(`"input":"name:`+strings.Repeat("*a", 2000)+`"`))
}
