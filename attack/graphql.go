package main

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

const graphQL = "/api/graphql"

// graphQLRefused reports whether GraphQL refused a query: with status 200, errors and no
// data.
func (a *arena) graphQLRefused(target string, r answer) bool {
	return target == graphQL && r.ok() && r.at("errors") != nil
}

func query(text string) []byte { return jsonOf(map[string]string{"query": text}) }

// graphQLBombs sends queries whose validation costs much more than sending them. It also
// sends honest queries, which must be answered.
func graphQLBombs(a *arena) {
	urn := a.check.entry("innocent1").urn
	root := `dataset(urn: "` + urn + `")`
	names := pick(a, 3_000, 14_990)
	numbered := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	bombs := map[string]string{
		"a field that does not exist, repeated": "{" + strings.Repeat("urn ", names) + "}",
		"a field, repeated":                     "{" + root + "{" + strings.Repeat("urn ", names) + "}}",
		"aliases of one field":                  "{" + numbered(names/5, "a%d:"+root+"{urn}") + "}",
		"aliases of a search":                   "{" + numbered(names/20, `a%d:searchAcrossEntities(input:{query:"*",count:1000}){total}`) + "}",
		"aliases of impacts of columns":         "{" + numbered(names/20, `a%d:labelledColumns(input:{labels:["urn:li:tag:x"],count:200}){columns{impact{total}}}`) + "}",
		"fields with objects, repeated":         "{" + strings.Repeat(root+"{urn ownership{owners{type}}}", names/15) + "}",
		"fragments that know each other":        "{" + root + "{...f0}} fragment f0 on Dataset{...f1} fragment f1 on Dataset{...f0}",
		"spreads of one fragment":               "{" + root + "{" + strings.Repeat("...f ", names/2) + "}} fragment f on Dataset{" + strings.Repeat("urn ", 40) + "}",
		"fields within fields":                  strings.Repeat("{a", names),
		"lists within lists":                    `{a(b:` + strings.Repeat("[", names) + "}",
		"directives":                            "{__typename" + strings.Repeat(" @skip(if:false)", names/6) + "}",
		"variables declared":                    "query(" + numbered(names/4, "$v%d:Int ") + "){__typename}",
		"operations":                            numbered(names/4, "query q%d{__typename}"),
	}
	var chain strings.Builder
	depth := pick(a, 18, 24)
	for n := range depth {
		fmt.Fprintf(&chain, "fragment f%d on Dataset{...f%d ...f%d urn}", n, n+1, n+1)
	}
	bombs["fragments within fragments"] = "{" + root + "{...f0}}" + chain.String() + fmt.Sprintf("fragment f%d on Dataset{urn}", depth)
	for name, text := range bombs {
		a.civilQuery(name, text)
	}
	// Many bombs are sent at once; innocent callers must not wait for their answers.
	var texts []string
	for _, text := range bombs {
		texts = append(texts, text)
	}
	many(pick(a, 16, 60), pick(a, 16, 60), func(i int) {
		body := query(texts[i%len(texts)])
		if r := a.client.post(a, graphQL, body); a.Err() == nil && !r.civil() {
			a.problem("a query among many is neither answered nor refused: %s", r.kind())
		}
		a.sent(1, len(body))
	})
	a.honestQueries()
}

// civilQuery sends an expensive query. It must be answered or refused soon.
func (a *arena) civilQuery(name, text string) {
	body := query(text)
	r := a.client.post(a, graphQL, body)
	a.sent(1, len(body))
	if a.Err() != nil {
		return
	}
	if !r.civil() {
		a.problem("%s: neither answered nor refused: %s", name, r.kind())
	}
	if r.took > a.oddPatience()/2 {
		a.problem("%s takes %v", name, r.took.Round(100*time.Millisecond))
	}
}

// honestQueries sends large queries of the pages of a real catalog.
func (a *arena) honestQueries() {
	for name, text := range map[string]string{
		"a page of 1,000 with numbers of relationships": `{searchAcrossEntities(input:{types:[DATASET],query:"*",count:1000}){total searchResults{entity{urn ... on Dataset{relationships(input:{types:["DownstreamOf"],direction:OUTGOING,count:10000}){total}}}}}}`,
		"a page of 1,000 with owners and tags":          `{searchAcrossEntities(input:{types:[DATASET],query:"*",count:1000}){total searchResults{entity{urn type ... on Dataset{name properties{description customProperties{key value}} ownership{owners{type}} tags{tags{tag{urn name}}}}}}}}`,
	} {
		r := a.client.send(a, http.MethodPost, graphQL, query(text))
		a.sent(1, len(text))
		if a.Err() == nil && (!r.ok() || r.at("errors") != nil) {
			a.problem("%s, an honest query, is refused: %v", name, r)
		}
	}
}
