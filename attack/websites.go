package main

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// websites sends the requests that a page of another site can make a browser send, also a
// page whose host name was directed to this machine. The server must refuse all of them.
func websites(a *arena) {
	victim := a.check.entry("innocent1").urn
	tag := "attackfrom" + letters(a.check.run)
	written := a.check.dataset("fromanothersite")
	one := string(proposal("UPSERT", written, "status", `{"removed":true}`))
	writes := []struct{ name, target, body string }{
		{"createTag", graphQL, string(query(`mutation { createTag(input: {id: "` + tag + `", name: "x"}) }`))},
		{"a proposal", ingest, one},
		{"a batch", "/aspects?action=ingestProposalBatch", `{"proposals":[` + one[len(`{"proposal":`):len(one)-1] + `]}`},
		{"delete", "/entities?action=delete", string(jsonOf(map[string]any{"urn": victim, "dryRun": true}))},
		{"batchDelete", "/entities?action=batchDelete", string(jsonOf(map[string]any{"urns": []string{victim}, "dryRun": true, "soft": true}))},
		{"an edit", "/entities?action=edit", string(jsonOf(map[string]any{"urn": victim, "description": "x", "dryRun": true}))},
		{"rollback", "/runs?action=rollback", `{"runId":"no-run-of-this-name","dryRun":true,"safe":true}`},
		{"import", "/import", `{"header":{"format":1,"time":0}}`},
		{"rebuild", "/index?action=rebuild", "{}"},
		{"a snapshot", "/entities?action=ingest", `{"entity":{"value":{"com.linkedin.metadata.snapshot.TagSnapshot":{"urn":"urn:li:tag:` + tag + `","aspects":[]}}}}`},
	}
	const foreign = "https://evil.example"
	guises := []struct {
		name    string
		headers []string
	}{
		{"a foreign Origin", []string{"Origin", foreign}},
		{"a foreign Origin and text/plain", []string{"Origin", foreign, "Content-Type", "text/plain"}},
		{"a form of another site", []string{"Origin", foreign, "Sec-Fetch-Site", "cross-site", "Content-Type", "application/x-www-form-urlencoded"}},
		{"Sec-Fetch-Site alone", []string{"Sec-Fetch-Site", "cross-site"}},
		{"an Origin of null", []string{"Origin", "null", "Content-Type", "text/plain"}},
		{"a foreign Host", []string{"Host", "evil.example"}},
		{"a foreign Host with its own Origin", []string{"Host", "evil.example", "Origin", "http://evil.example"}},
	}
	for _, w := range writes {
		for _, g := range guises {
			a.turnedAway(w.name+" with "+g.name, http.MethodPost, w.target, []byte(w.body), g.headers...)
		}
	}
	for _, target := range []string{"/export", "/entitiesV2/" + url.PathEscape(victim), "/events"} {
		a.turnedAway("reading "+target[:7]+" with a foreign Host", http.MethodGet, target, nil, "Host", "evil.example")
	}
	a.turnedAway("a query with a foreign Host", http.MethodPost, graphQL, query("{__typename}"), "Host", "evil.example")
	for _, urn := range []string{written, "urn:li:tag:" + tag} {
		if r := a.client.post(a, "/entities?action=exists", jsonOf(map[string]string{"urn": urn})); r.at("value") != false {
			a.problem("%s was written from another site", urn)
		}
	}
	// The same requests without the headers of a page must succeed; otherwise the refusals
	// above would prove nothing.
	for _, w := range writes {
		if r := a.client.post(a, w.target, []byte(w.body)); a.Err() == nil && !r.ok() {
			a.problem("%s is refused without any guise: %v", w.name, r)
		}
	}
	a.honestOrigins()
	a.pages()
}

// turnedAway sends a request that must be refused before it is read. An answer of 200 with
// errors is not enough.
func (a *arena) turnedAway(what, method, target string, body []byte, headers ...string) {
	r := a.client.send(a, method, target, body, headers...)
	a.sent(1, len(body))
	if a.Err() == nil && !r.refused() {
		a.problem("%s is not refused: %v", what, r)
	}
}

// honestOrigins sends requests that resemble requests of other sites but must be served.
func (a *arena) honestOrigins() {
	body := []byte(`{"input":"*","entity":"dataset","start":0,"count":1}`)
	port := a.server.url()[strings.LastIndexByte(a.server.url(), ':'):]
	for name, headers := range map[string][]string{
		"curl -d, a form by its content type": {"Content-Type", "application/x-www-form-urlencoded"},
		"no content type":                     {"Content-Type", ""},
		"the page of the server itself":       {"Origin", a.server.url(), "Sec-Fetch-Site", "same-origin"},
		"the name localhost":                  {"Host", "localhost" + port, "Origin", "http://localhost" + port},
		"what a user typed":                   {"Sec-Fetch-Site", "none"},
	} {
		if r := a.client.post(a, "/entities?action=search", body, headers...); a.Err() == nil && !r.ok() {
			a.problem("%s is refused: %v", name, r)
		}
	}
}

// pages checks the headers that forbid framing a page and loading other servers' code.
func (a *arena) pages() {
	for _, page := range []string{"/", "/restli/docs", "/docs/", "/api/graphiql"} {
		r := a.client.get(a, page, "Accept", "text/html")
		a.sent(1, 0)
		if a.Err() != nil {
			return
		}
		policy := r.header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "frame-ancestors") && r.header.Get("X-Frame-Options") == "" {
			a.problem("the page %s may be framed by others", page)
		}
		if policy == "" {
			a.problem("the page %s has no Content-Security-Policy", page)
		}
		if r.header.Get("X-Content-Type-Options") != "nosniff" {
			a.problem("the page %s may be taken for something else: no nosniff", page)
		}
	}
}

// metricsGrowth is how many bytes /metrics may grow by requests of any kind.
const metricsGrowth = 256 << 10

// labels sends invented methods, actions, paths and names of operations. None of them may
// become a label of a metric.
func labels(a *arena) {
	before := a.client.get(a, "/metrics")
	total := pick(a, 500, 5000)
	many(total, 32, func(i int) {
		word := fmt.Sprintf("X%dY%d", a.seed, i)
		for _, r := range []answer{
			a.client.send(a, word, "/health", nil),
			a.client.post(a, "/entities?action="+word, []byte("{}")),
			a.client.get(a, "/"+word),
			a.client.post(a, graphQL, jsonOf(map[string]string{"query": "query " + word + "{__typename}", "operationName": word})),
			a.client.get(a, "/aspects/urn:li:tag:"+word+"?aspect="+word),
		} {
			a.sent(1, 0)
			if a.Err() == nil && !r.civil() && r.status != http.StatusNotImplemented {
				a.problem("something invented is neither answered nor refused: %s", r.kind())
			}
		}
	})
	after := a.client.get(a, "/metrics")
	if !before.ok() || !after.ok() {
		a.problem("/metrics cannot be read: %v", after)
		return
	}
	grown := int64(len(after.body) - len(before.body))
	a.note("/metrics has %s, grew by %s", size(int64(len(after.body))), size(max(grown, 0)))
	if grown > metricsGrowth {
		a.problem("/metrics grew by %s", size(grown))
	}
}
