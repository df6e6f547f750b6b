package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// echoLetter is the letter that nonsense consists of. Other parts of answers never repeat
// it so often.
const echoLetter = "q"

// echoed is the length of nonsense in an address. An address may have a few tens of KB.
const echoed = 20_000

// echoes sends long nonsense to every interface. Each route in the OpenAPI document gets an
// unknown parameter, nonsense in each of its parameters, and a nonsensical body. GraphQL
// gets nonsense in place of each kind of name. Agents' methods, tools and arguments and the
// schema registry get nonsense too. No error may repeat the nonsense.
func echoes(a *arena) {
	var document struct {
		Paths map[string]map[string]struct {
			Parameters  []struct{ Name, In string }
			RequestBody json.RawMessage
		}
	}
	if r := a.client.get(a, "/openapi.json"); json.Unmarshal(r.body, &document) != nil || len(document.Paths) == 0 {
		a.problem("the OpenAPI document cannot be read: %v", r)
		return
	}
	long, doors := strings.Repeat(echoLetter, echoed), 0
	for path, methods := range document.Paths {
		for method, route := range methods {
			method = strings.ToUpper(method)
			target, _, _ := strings.Cut(path, "?")
			within := placeholder.ReplaceAllString(target, "x")
			a.echo(method+" "+path+" with an unknown parameter", method, within+"?"+query1(path, long, "1"), nil)
			doors++
			if method != http.MethodGet {
				if route.RequestBody != nil {
					a.echo(method+" "+path+" with a body of nonsense", method, within+"?"+query1(path, "", ""), []byte(`{"`+long+`":"`+long+`"}`))
					a.echo(method+" "+path+" with a list of nonsense", method, within+"?"+query1(path, "", ""), []byte(`["`+long+`",{"`+long+`":1}]`))
					doors += 2
				}
				continue // a long value may be valid, and would then change something
			}
			if placeholder.MatchString(target) {
				a.echo(method+" "+path+" with a long name", method, placeholder.ReplaceAllString(target, long), nil)
				doors++
			}
			for _, p := range route.Parameters {
				if p.In == "query" {
					a.echo(method+" "+path+" with a long "+p.Name, method, within+"?"+query1(path, p.Name, long), nil)
					doors++
				}
			}
		}
	}
	long = strings.Repeat(echoLetter, pick(a, 100_000, 1_000_000))
	name := strings.Repeat(echoLetter, 250) // the longest permitted names of parameters
	names := []string{
		"{" + name + "}", "{dataset(" + name + ":1){urn}}", "{dataset(urn:\"" + long + "\"){urn}}", "{dataset(urn:1){" + name + "}}", "query " + name + "($a:" + name + "){dataset(urn:$a){urn}}",
		"{search(input:{type:" + name + ",query:\"*\"}){total}}", "{search(input:{" + name + ":1}){total}}", "{..." + name + "}", "{dataset(urn:\"x\"){...on " + name + "{urn}}}", "{__typename @" + name + "}", long,
	}
	for _, text := range names {
		a.echo("GraphQL", http.MethodPost, graphQL, query(text))
	}
	a.echo("an operation of GraphQL", http.MethodPost, graphQL, jsonOf(map[string]any{"query": "query a{__typename} query b{__typename}", "operationName": long}))
	a.echo("a variable of GraphQL", http.MethodPost, graphQL, jsonOf(map[string]any{"query": "query($urn:String!){dataset(urn:$urn){urn}}", "variables": map[string]any{"urn": map[string]any{long: long}, long: 1}}))
	for _, call := range []map[string]any{
		{"method": long},
		{"method": "tools/call", "params": map[string]any{"name": long}},
		{"method": "tools/call", "params": map[string]any{"name": "entities", "arguments": map[string]any{long: long}}},
		{"method": "tools/call", "params": map[string]any{"name": "entities", "arguments": map[string]any{"names": []string{long}}}},
		{"method": "prompts/get", "params": map[string]any{"name": long}},
		{"method": "resources/read", "params": map[string]any{"uri": long}},
		{"method": "initialize", "params": map[string]any{"protocolVersion": long, "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": long, "version": long}}},
	} {
		call["jsonrpc"], call["id"] = "2.0", 1
		a.echo("agents' "+short(call["method"].(string), 20), http.MethodPost, "/mcp", jsonOf(call), "Accept", "application/json, text/event-stream")
	}
	a.registryDoors()
	a.note("%d requests of routes, %d of GraphQL", doors, len(names)+2)
}

// registryDoors asks the schema registry for subjects, versions and ids that do not exist,
// and sends schemas that are too large.
func (a *arena) registryDoors() {
	const at = "/schema-registry/api"
	long := strings.Repeat(echoLetter, echoed)
	for _, target := range []string{
		"/schemas/ids/-1", "/schemas/ids/99999999999999999999", "/schemas/ids/" + long, "/subjects/" + long + "/versions", "/subjects/" + long + "/versions/latest",
		"/subjects/x/versions/-1", "/subjects/x/versions/99999999999999999999", "/subjects/x/versions/" + long, "/config/" + long, "/mode/" + long, "/" + long,
	} {
		a.echo("the schema registry", http.MethodGet, at+target, nil)
	}
	for n := range pick(a, 200, 20_000) { // very many ids
		a.echo("the schema registry", http.MethodGet, fmt.Sprintf("%s/schemas/ids/%d", at, 1_000_000+n), nil)
	}
	for _, body := range [][]byte{
		[]byte(`{"schema":"` + strings.Repeat(echoLetter, 20<<20) + `"}`), []byte(`{"schema":` + strings.Repeat("[", 100_000)), jsonOf(map[string]any{"schema": strings.Repeat(`{"type":`, 50_000)}),
		jsonOf(map[string]any{"schema": `"` + long + `"`}), jsonOf(map[string]any{"schema": "\"string\"", "references": make([]any, 100_000)}), []byte(`{"` + long + `":1}`),
	} {
		for _, target := range []string{"/subjects/" + long + "/versions", "/subjects/attack/versions", "/subjects/attack", "/compatibility/subjects/attack/versions/latest"} {
			a.echo("a schema for the registry", http.MethodPost, at+target, body)
		}
	}
}

var placeholder = regexp.MustCompile(`\{[^}]*\}`)

// query1 returns the query for a path in the OpenAPI document, which may have an action,
// with one more parameter.
func query1(path, name, value string) string {
	_, fixed, _ := strings.Cut(path, "?")
	if name == "" {
		return fixed
	}
	return strings.TrimPrefix(fixed+"&"+url.QueryEscape(name)+"="+url.QueryEscape(value), "&")
}

// echo sends nonsense, which an error must not repeat. A successful answer may contain
// stored values and search words.
func (a *arena) echo(what, method, target string, body []byte, headers ...string) {
	r := a.client.send(a, method, target, body, headers...)
	a.sent(1, len(body)+len(target))
	switch {
	case a.Err() != nil:
	case !r.civil():
		a.problem("%s is neither answered nor refused: %v", what, r)
	case longestRun(r.body) > maxEcho || r.refused() && len(r.body) > 2*maxEcho:
		a.problem("the answer to %s has %d letters of it, %s in all", what, longestRun(r.body), size(int64(len(r.body))))
	}
	a.soon(what, r)
}

// longestRun returns the length of the longest repetition of echoLetter in a text.
func longestRun(text []byte) int {
	longest := 0
	for len(text) > 0 {
		at := bytes.IndexByte(text, echoLetter[0])
		if at < 0 {
			break
		}
		text = text[at:]
		n := len(text) - len(bytes.TrimLeft(text, echoLetter))
		longest, text = max(longest, n), text[n:]
	}
	return longest
}
