package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
)

// bomb is a small body that becomes large when it is decompressed.
type bomb struct {
	name, target string
	body         []byte
	kind         string // content type of the body
}

// amplify sends a hundred bodies at the same time. Each has some 60 KB on the wire and,
// decompressed, 64 MB of the smallest possible items.
func amplify(a *arena) {
	bombs := a.bombs(pick(a, 16<<20, 64<<20))
	total := pick(a, 20, 100)
	many(total, total, func(i int) { a.throw(bombs[i%len(bombs)]) })
	// Then one after the other: the server must refuse each for its own size, not because it
	// is busy.
	for _, b := range bombs {
		a.throw(b)
	}
}

func (a *arena) bombs(size int) []bomb {
	const lines, object = "application/x-ndjson", "application/json"
	urn := a.check.dataset("amplify")
	return []bomb{
		{"a batch of empty proposals", "/aspects?action=ingestProposalBatch&partial=true", zipped(`{"proposals":[`, "{}", ",", "]}", size), object},
		{"a batch of empty lines", "/aspects?action=ingestProposalBatch", zipped("", "{}", "\n", "\n", size), lines},
		{"a filter of empty parts", "/entities?action=search", zipped(`{"input":"*","entity":"dataset","start":0,"count":1,"filter":{"or":[`, "{}", ",", "]}}", size), object},
		{"a filter of empty criteria", "/entities?action=search", zipped(`{"input":"*","entity":"dataset","start":0,"count":1,"filter":{"or":[{"and":[`, "{}", ",", "]}]}}", size), object},
		{"variables of GraphQL", graphQL, zipped(`{"query":"{ __typename }","variables":{"a":[`, "{}", ",", "]}}", size), object},
		{"a batchDelete of empty names", "/entities?action=batchDelete", zipped(`{"soft":true,"dryRun":true,"urns":[`, `""`, ",", "]}", size), object},
		{"an edit of empty tags", "/entities?action=edit", zipped(`{"urn":"`+urn+`","dryRun":true,"add":{"tags":[`, `""`, ",", "]}}", size), object},
		{"an edit of empty owners", "/entities?action=edit", zipped(`{"urn":"`+urn+`","dryRun":true,"remove":{"owners":[`, `{}`, ",", "]}}", size), object},
		{"a line of import", "/import", zipped(`{"header":{"format":1,"time":0}}`+"\n"+`{"entity":{"urn":"`+urn+`","versions":[`, "{}", ",", "]}}\n", size), lines},
		{"an import line of edges", "/import", zipped(`{"header":{"format":1,"time":0}}`+"\n"+`{"entity":{"urn":"`+urn+`","edges":[`, "{}", ",", "]}}\n", size), lines},
		{"empty writes of the first OpenAPI form", "/openapi/entities/v1/", zipped("[", "{}", ",", "]", size), object},
		{"empty proposals of the first OpenAPI form", "/openapi/platform/entities/v1/", zipped("[", "{}", ",", "]", size), object},
		{"types within types of a value", "/openapi/entities/v1/", zipped(`[{"entityType":"dataset","entityUrn":"`+urn+`","aspect":{"__type":"SchemaMetadata","fields":[`, `{"type":{"type":{"__type":"StringType"}}}`, ",", "]}}]", size), object},
		{"a batch of empty snapshots", "/entities?action=batchIngest", zipped(`{"entities":[`, "{}", ",", "]}", size), object},
		{"empty buckets of usage", "/usageStats?action=batchIngest", zipped(`{"buckets":[`, "{}", ",", "]}", size), object},
		{"a list of facets", "/entities?action=search", zipped(`{"input":"*","entity":"dataset","start":0,"count":1,"facets":[`, `""`, ",", "]}", size), object},
		{"a list of types", "/entities?action=searchAcrossEntities", zipped(`{"input":"*","start":0,"count":1,"entities":[`, `""`, ",", "]}", size), object},
		{"a body of zeros", ingest, zipped(`{"proposal":{"entityUrn":"`, strings.Repeat("0", 64), "", `"}}`, size), object},
		{"an object of unknown members", ingest, zipped(`{"proposal":{`, `"a":{}`, ",", "}}", size), object},
	}
}

// throw sends a bomb. The server must refuse it.
func (a *arena) throw(b bomb) {
	r := a.client.post(a, b.target, b.body, "Content-Encoding", "gzip", "Content-Type", b.kind)
	a.sent(1, len(b.body))
	if a.Err() == nil && !r.refused() && !a.graphQLRefused(b.target, r) {
		a.problem("%s is not refused: %s", b.name, r.kind())
	}
}

// kind returns a short description of an answer. Similar answers have the same one.
func (r answer) kind() string {
	if r.err != nil {
		return "no answer"
	}
	return http.StatusText(r.status)
}

// nesting sends JSON with the deepest nesting that fits into a body.
func nesting(a *arena) {
	depth := pick(a, 4<<20, 32<<20)
	urn := a.check.dataset("nested")
	prefix := `{"proposal":{"entityType":"dataset","entityUrn":"` + urn + `","changeType":"UPSERT","aspectName":"datasetProperties","aspect":{"contentType":"application/json","value":"`
	arrays := strings.Repeat("[", 1<<16)
	bombs := []bomb{
		{"nested arrays as a body", ingest, zipped("", arrays, "", "", depth), "application/json"},
		{"nested arrays in a value", ingest, zipped(prefix, arrays, "", `"}}}`, depth), "application/json"},
		{"nested objects in a value", ingest, zipped(prefix, strings.Repeat(`{\"a\":`, 1<<12), "", `"}}}`, depth), "application/json"},
		{"nested filters", "/entities?action=search", zipped(`{"input":"*","entity":"dataset","filter":`, strings.Repeat(`{"or":[`, 1<<12), "", "", depth), "application/json"},
		{"nested variables of GraphQL", graphQL, zipped(`{"query":"{ __typename }","variables":{"a":`, arrays, "", "", depth), "application/json"},
		{"a nested line of import", "/import", zipped(`{"entity":{"urn":"x","versions":`, arrays, "", "", depth), "application/x-ndjson"},
	}
	for _, b := range bombs {
		a.throw(b)
	}
	total := pick(a, 12, 100)
	many(total, total, func(i int) { a.throw(bombs[i%len(bombs)]) })
	// Valid and closed nesting, deeper than any honest value.
	for _, levels := range []int{1_000, 9_000, 100_000} {
		value := `{"description":` + strings.Repeat("[", levels) + strings.Repeat("]", levels) + "}"
		a.refused("a value of many levels", http.MethodPost, ingest, proposal("UPSERT", urn, "datasetProperties", value))
	}
	a.throw(bomb{"gzip within gzip", ingest, twice(zipped("", arrays, "", "", depth)), "application/json"})
	a.throw(bomb{"a body that only says that it is gzip", ingest, []byte("{}"), "application/json"})
}

// twice compresses a body that is already compressed.
func twice(body []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = io.Copy(w, bytes.NewReader(body)) // writing to a buffer cannot fail
	_ = w.Close()
	return out.Bytes()
}
