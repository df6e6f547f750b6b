package main

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// badText sends invalid UTF-8, halves of surrogate pairs, URNs that are too long where they
// are mentioned, and long faulty input.
func badText(a *arena) {
	urn := a.check.dataset("text")
	if r := a.client.propose(a, "UPSERT", urn, "datasetProperties", `{"description":"as it was"}`); !r.ok() {
		a.problem("the dataset cannot be written: %v", r)
		return
	}
	plain := string(proposal("UPSERT", urn, "datasetProperties", `{"description":"HERE"}`))
	for name, text := range map[string]string{
		"a byte that is no UTF-8":           "\xff",
		"a character cut short":             "\xe2\x82",
		"an overlong slash":                 "\xc0\xaf",
		"a surrogate in UTF-8":              "\xed\xa0\x80",
		"half a surrogate pair, escaped":    `\\ud800`,
		"the other half, escaped":           `\\udc00`,
		"two halves in the wrong order":     `\\udc00\\ud800`,
		"half a pair escaped by the outer":  `\ud800`,
		"half a pair before a quoted quote": `\\ud800\\\"`,
	} {
		a.refused(name+" in a value", http.MethodPost, ingest, []byte(strings.Replace(plain, "HERE", text, 1)))
		tag := "urn:li:tag:bad" + strings.ReplaceAll(text, `\\`, `\`)
		if strings.Contains(text, `\"`) {
			continue
		}
		a.refused(name+" in a URN", http.MethodPost, ingest, []byte(strings.Replace(string(proposal("UPSERT", "urn:li:tag:HERE", "status", `{"removed":false}`)), "urn:li:tag:HERE", tag, 1)))
		a.refused(name+" in a query", http.MethodPost, graphQL, []byte(`{"query":"{__typename}","variables":{"a":"`+strings.ReplaceAll(text, `\\`, `\`)+`"}}`))
		a.refused(name+" in a search", http.MethodPost, "/entities?action=search", []byte(`{"input":"`+strings.ReplaceAll(text, `\\`, `\`)+`","entity":"dataset","start":0,"count":1}`))
	}
	for _, target := range []string{"/entitiesV2/urn:li:tag:%FF", "/relationships?direction=OUTGOING&urn=urn:li:tag:%FF", "/aspects/urn:li:tag:%ED%A0%80?aspect=status"} {
		a.refused("a byte that is no UTF-8 in an address", http.MethodGet, target, nil)
	}
	value, r := a.client.aspect(a, urn, "datasetProperties", 0)
	if a.Err() == nil && value["description"] != "as it was" {
		a.problem("bad text was stored: %v", r)
	}
	a.longURNs(urn)
	a.longNonsense(urn)
}

// longURNs sends aspects that mention URNs longer than any entity's URN.
func (a *arena) longURNs(urn string) {
	long := strings.Repeat("l", 5000)
	a.refused("a URN of 5,000 characters", http.MethodPost, ingest, proposal("UPSERT", dataset(long), "status", `{"removed":false}`))
	a.refused("a long URN in lineage", http.MethodPost, ingest, proposal("UPSERT", urn, "upstreamLineage", `{"upstreams":[{"dataset":"`+dataset(long)+`","type":"TRANSFORMED","auditStamp":{"time":0,"actor":"urn:li:corpuser:a"}}]}`))
	a.refused("a long URN of a tag", http.MethodPost, ingest, proposal("UPSERT", urn, "globalTags", `{"tags":[{"tag":"urn:li:tag:`+long+`"}]}`))
	a.refused("a long URN of an owner", http.MethodPost, ingest, proposal("UPSERT", urn, "ownership", `{"owners":[{"owner":"urn:li:corpuser:`+long+`","type":"DATAOWNER"}],"lastModified":{"time":0,"actor":"urn:li:corpuser:a"}}`))
	a.refused("a long URN in a patch", http.MethodPost, ingest, proposal("PATCH", urn, "globalTags", `[{"op":"add","path":"/tags/x","value":{"tag":"urn:li:tag:`+long+`"}}]`))
	for _, aspect := range []string{"upstreamLineage", "globalTags", "ownership"} {
		if value, _ := a.client.aspect(a, urn, aspect, 0); value != nil {
			a.problem("a URN that is too long is stored in %s", aspect)
		}
	}
}

// maxEcho is the largest size in bytes of an error about long nonsense: a message of 2,000
// bytes, the limit in docs/limits.md, and the JSON around it.
const maxEcho = 2000 + 300

// longNonsense sends long nonsense. The error must not repeat it.
func (a *arena) longNonsense(urn string) {
	long := strings.Repeat("e", pick(a, 100_000, 1_000_000))
	for name, r := range map[string]answer{
		"aspect":    a.refused("a long name of an aspect", http.MethodPost, ingest, proposal("UPSERT", urn, long, "{}")),
		"entity":    a.refused("a long type of entity", http.MethodPost, "/entities?action=search", []byte(`{"input":"*","entity":"`+long+`","start":0,"count":1}`)),
		"field":     a.refused("a long field of a filter", http.MethodPost, "/entities?action=search", []byte(`{"input":"*","entity":"dataset","start":0,"count":1,"filter":{"or":[{"and":[{"field":"`+long+`","value":"x"}]}]}}`)),
		"member":    a.refused("a long member of a value", http.MethodPost, ingest, proposal("UPSERT", urn, "status", `{"removed":"`+long+`"}`)),
		"change":    a.refused("a long change type", http.MethodPost, ingest, proposal(long, urn, "status", "{}")),
		"urn":       a.refused("a long URN", http.MethodPost, "/entities?action=delete", []byte(`{"urn":"`+long+`","dryRun":true}`)),
		"patch":     a.refused("a long path of a patch", http.MethodPost, ingest, proposal("PATCH", urn, "datasetProperties", `[{"op":"add","path":"/`+long+`","value":1}]`)),
		"parameter": a.refused("a long number", http.MethodGet, "/events?limit="+long[:20_000], nil),
		"address":   a.refused("a long address", http.MethodGet, "/entitiesV2/"+long[:20_000], nil),
		"query":     a.civil("a long name in GraphQL", http.MethodPost, graphQL, query("{"+long+"}")),
		"cursor":    a.refused("a long cursor", http.MethodGet, "/events?from="+url.QueryEscape(long[:20_000]), nil),
	} {
		if len(r.body) > maxEcho {
			a.problem("the error about a long %s has %s", name, size(int64(len(r.body))))
		}
	}
}

// futureClock imports an entity of the year 2100, and writes one with stamps of that year.
// Later writes must have today's stamps.
func futureClock(a *arena) {
	future := time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	urn := a.check.dataset("future")
	stamp := func(aspect, value string, seq int, latest bool) map[string]any {
		v := map[string]any{
			"aspect": aspect, "seq": seq, "value": rawJSON(value), "createdOn": future, "createdBy": "urn:li:corpuser:future",
			"systemMetadata": map[string]any{"lastObserved": future, "runId": "future"},
		}
		if latest {
			v["latest"] = true
		}
		return v
	}
	lines := [][]byte{
		jsonOf(map[string]any{"header": map[string]any{"format": 1, "time": future}}),
		jsonOf(map[string]any{"entity": map[string]any{"urn": urn, "versions": []any{
			stamp("datasetKey", `{"platform":"urn:li:dataPlatform:hive","name":"attack.`+a.check.run+`.future","origin":"PROD"}`, 1, true),
			stamp("status", `{"removed":true}`, 1, false), stamp("status", `{"removed":false}`, 2, true),
		}}}),
		jsonOf(map[string]any{"end": map[string]any{"entities": 1, "versions": 3, "edges": 0, "values": 0, "changesMeanwhile": 0}}),
	}
	var body []byte
	for _, line := range lines {
		body = append(append(body, line...), '\n')
	}
	r := a.civil("an import from the future", http.MethodPost, "/import", body, "Content-Type", "application/x-ndjson")
	if r.ok() {
		a.note("imported: %s", short(string(r.body), 80))
	}
	late := strings.Replace(string(proposal("UPSERT", urn, "datasetProperties", `{"description":"late"}`)), `{"proposal":{`, fmt.Sprintf(`{"proposal":{"systemMetadata":{"lastObserved":%d,"runId":"future"},"auditHeader":{"time":%d,"actor":"urn:li:corpuser:future"},`, future, future), 1)
	a.civil("a proposal from the future", http.MethodPost, ingest, []byte(late))
	for n := range 5 {
		other := a.check.dataset(fmt.Sprintf("afterfuture%d", n))
		for _, written := range []string{other, urn} {
			if r := a.client.propose(a, "UPSERT", written, "datasetProperties", map[string]string{"description": fmt.Sprintf("today %d", n)}); !r.ok() {
				a.problem("after the import a write fails: %v", r)
				continue
			}
			envelope := a.client.get(a, "/entitiesV2/"+url.PathEscape(written)+"?aspects=List(datasetProperties)")
			a.today("a version of "+written, envelope.at("aspects", "datasetProperties", "created", "time"))
		}
	}
	a.todaysEvents()
}

type rawJSON string

// MarshalJSON returns the text unchanged.
func (r rawJSON) MarshalJSON() ([]byte, error) { return []byte(r), nil }

// today checks that a stamp in epoch milliseconds is of today.
func (a *arena) today(what string, stamp any) {
	millis, ok := stamp.(float64)
	if !ok {
		a.problem("%s has no stamp: %v", what, stamp)
		return
	}
	if off := time.Since(time.UnixMilli(int64(millis))).Abs(); off > time.Hour {
		a.problem("%s is stamped %s", what, time.UnixMilli(int64(millis)).UTC().Format(time.DateOnly))
	}
}

// todaysEvents checks that the last changes of the log are of today.
func (a *arena) todaysEvents() {
	next := a.client.get(a, "/events?from=now&limit=1").at("next")
	cursor, _ := next.(string)
	urn := a.check.dataset("lastofall")
	if r := a.client.propose(a, "UPSERT", urn, "status", `{"removed":false}`); !r.ok() {
		a.problem("after the import a write fails: %v", r)
	}
	r := a.client.get(a, "/events?limit=100&wait=5&from="+url.QueryEscape(cursor))
	events, _ := r.at("events").([]any)
	if len(events) == 0 {
		a.problem("the change log does not show a write: %v", r)
	}
	for _, event := range events {
		object, _ := event.(map[string]any)
		a.today("a change in the log", object["time"])
	}
}
