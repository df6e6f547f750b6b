package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// dearRun is the run of the writes of the attack "dearest".
const dearRun = "attack-dearest"

// dearestLimit bounds the time of the attack in its full size, which has some 200 rows.
const dearestLimit = 20 * time.Minute

// dearest sends every kind of request with its most expensive permitted arguments: each
// field of GraphQL as often as one document may have it, and each route and each tool from
// several callers at once. Innocent requests beside each of them must be answered in time.
func dearest(a *arena) {
	d := &dear{arena: a, hub: a.check.dataset("dear"), top: a.check.dataset("dearlayer0.0"), tag: "urn:li:tag:dear" + a.check.run, user: "urn:li:corpuser:dear" + a.check.run, run: dearRun + a.check.run, stage: "urn:li:lifecycleStageType:dear" + a.check.run}
	d.columns, d.fan = pick(a, 40, 1000), pick(a, 200, 3000)
	d.column = "urn:li:schemaField:(" + d.hub + ",c0)"
	if !d.write() {
		return
	}
	s := d.learn()
	if s == nil {
		return
	}
	d.complete(s)
	for range 3 { // as in warmUp: on a new database, the first requests of a kind are slow
		for what, ask := range d.innocents() {
			if r := ask(d, d.client); d.Err() == nil && !r.ok() {
				d.problem("%s fails before any attack: %v", what, r)
			}
		}
	}
	for _, row := range d.rows(s) {
		if a.Err() != nil || !a.server.alive() {
			return
		}
		if !a.full && !row.always || a.rows != nil && !a.rows.MatchString(row.name) {
			continue
		}
		d.beside(row)
	}
	a.note("%d rows; the longest innocent wait was %v beside %s", d.asked, d.longest.Round(time.Millisecond), d.worst)
}

// dear has the catalog of the attack, and its results.
type dear struct {
	*arena
	// hub is a dataset with everything that makes answers large, and column is one of its
	// columns. top is a dataset of the most downstream layer of a lineage in layers: each
	// dataset of a layer depends on all datasets of the next layer.
	hub, column, top string
	tag, user, run   string
	// stage is the life-cycle stage of the datasets that depend on the hub.
	stage        string
	columns, fan int
	asked        int
	longest      time.Duration
	worst        string
}

// schemaOf returns a version of the hub's schema.
func (d *dear) schemaOf(version int) map[string]any {
	fields := make([]any, d.columns)
	for i := range fields {
		fields[i] = map[string]any{
			"fieldPath": fmt.Sprintf("c%d", i), "nativeDataType": "text", "description": fmt.Sprintf("version %d", version), "type": map[string]any{"type": map[string]any{"com.linkedin.schema.StringType": map[string]any{}}},
			"globalTags": map[string]any{"tags": []any{map[string]any{"tag": d.tag}}},
		}
	}
	return map[string]any{"schemaName": "dear", "platform": "urn:li:dataPlatform:hive", "version": version, "hash": "", "platformSchema": map[string]any{"com.linkedin.schema.OtherSchema": map[string]any{"rawSchema": ""}}, "fields": fields}
}

// upstreamsOf returns a lineage from datasets, with one column that depends on a column of
// the hub.
func (d *dear) upstreamsOf(urn string, column int, upstreams ...string) map[string]any {
	list := make([]any, len(upstreams))
	for i, u := range upstreams {
		list[i] = map[string]any{"dataset": u, "type": "TRANSFORMED", "auditStamp": map[string]any{"time": 0, "actor": d.user}}
	}
	value := map[string]any{"upstreams": list}
	if column >= 0 {
		value["fineGrainedLineages"] = []any{map[string]any{"upstreamType": "FIELD_SET", "downstreamType": "FIELD", "upstreams": []any{fmt.Sprintf("urn:li:schemaField:(%s,c%d)", d.hub, column)}, "downstreams": []any{"urn:li:schemaField:(" + urn + ",c0)"}}}
	}
	return value
}

// write writes the catalog of the attack.
func (d *dear) write() bool {
	began := time.Now()
	stamp := map[string]any{"time": 0, "actor": d.user}
	var proposals []any
	add := func(urn, aspect string, value any) {
		proposals = append(proposals, map[string]any{
			"entityType": strings.Split(urn, ":")[2], "entityUrn": urn, "changeType": "UPSERT", "aspectName": aspect,
			"aspect":         map[string]any{"value": string(jsonOf(value)), "contentType": "application/json"},
			"systemMetadata": map[string]any{"runId": d.run, "lastObserved": time.Now().UnixMilli()},
		})
	}
	add(d.stage, "lifecycleStageTypeInfo", map[string]any{"name": "dear", "settings": map[string]any{"hideInSearch": false}, "created": stamp, "lastModified": stamp})
	common := func(urn string) {
		add(urn, "ownership", map[string]any{"owners": []any{map[string]any{"owner": d.user, "type": "DATAOWNER"}}})
		add(urn, "globalTags", map[string]any{"tags": []any{map[string]any{"tag": d.tag}}})
		add(urn, "datasetProperties", map[string]any{"description": strings.Repeat("dear data ", 20)})
		add(urn, "status", map[string]any{"removed": false, "lifecycleStage": d.stage})
	}
	add(d.tag, "tagProperties", map[string]any{"name": "dear"})
	add(d.user, "corpUserInfo", map[string]any{"active": true, "displayName": "Dear"})
	common(d.hub)
	for version := range pick(d.arena, 4, 60) {
		add(d.hub, "schemaMetadata", d.schemaOf(version))
	}
	for n := range pick(d.arena, 200, 5000) {
		add(d.hub, "datasetProfile", map[string]any{"timestampMillis": 1700000000000 + int64(n)*1000, "rowCount": n})
		add(d.hub, "operation", map[string]any{"timestampMillis": 1700000000000 + int64(n)*1000, "operationType": "INSERT", "lastUpdatedTimestamp": n})
	}
	for i := range d.fan {
		urn := d.check.dataset(fmt.Sprintf("dearfan%d", i))
		common(urn)
		add(urn, "upstreamLineage", d.upstreamsOf(urn, i%d.columns, d.hub))
	}
	layers, width := pick(d.arena, 6, 20), pick(d.arena, 8, 30)
	node := func(layer, n int) string { return d.check.dataset(fmt.Sprintf("dearlayer%d.%d", layer, n)) }
	for layer := range layers {
		for n := range width {
			upstreams := []string{d.hub}
			if layer < layers-1 {
				upstreams = nil
				for m := range width {
					upstreams = append(upstreams, node(layer+1, m))
				}
			}
			add(node(layer, n), "upstreamLineage", d.upstreamsOf("", -1, upstreams...))
		}
	}
	for len(proposals) > 0 && d.Err() == nil {
		some := proposals[:min(len(proposals), 400)]
		proposals = proposals[len(some):]
		body := jsonOf(map[string]any{"proposals": some})
		r := d.client.post(d, "/aspects?action=ingestProposalBatch&partial=true", body)
		d.sent(1, len(body))
		if !r.ok() {
			d.problem("the catalog to be asked cannot be written: %v", r)
			return false
		}
	}
	d.note("written in %v", time.Since(began).Round(100*time.Millisecond))
	return d.Err() == nil
}

// innocents are the innocent requests that are sent beside each row.
func (d *dear) innocents() map[string]func(context.Context, *client) answer {
	e := d.check.entry("innocent1")
	return map[string]func(context.Context, *client) answer{
		"write": func(ctx context.Context, c *client) answer { return d.check.write(ctx, c, d.check.entry("beside")) },
		"read":  func(ctx context.Context, c *client) answer { return c.get(ctx, "/entitiesV2/"+url.PathEscape(e.urn)) },
		"walk": func(ctx context.Context, c *client) answer {
			return c.get(ctx, "/lineage/"+url.PathEscape(e.urn)+"?direction=UPSTREAM&hops=3")
		},
		"events": func(ctx context.Context, c *client) answer { return c.get(ctx, "/events?from=now&limit=10") },
		"ready":  func(ctx context.Context, c *client) answer { return c.get(ctx, "/health/ready") },
		"search": func(ctx context.Context, c *client) answer {
			return c.post(ctx, "/entities?action=search", []byte(`{"input":"checker","entity":"dataset","start":0,"count":10}`))
		},
		"page": func(ctx context.Context, c *client) answer {
			return c.post(ctx, graphQL, query(`{dataset(urn:"`+e.urn+`"){urn properties{description} ownership{owners{type}} lineage(input:{direction:UPSTREAM,count:10}){total relationships{entity{urn}}}} recentChanges(input:{count:5}){changes{time}}}`))
		},
	}
}

// besidePause is the pause between two innocent requests of one client.
const besidePause = 50 * time.Millisecond

// beside sends the request of a row, and innocent requests at the same time. Each innocent
// request must be answered in time.
func (d *dear) beside(r dearRow) {
	ctx, cancel := context.WithTimeout(d, pick(d.arena, 3*time.Second, 8*time.Second))
	defer cancel()
	var mu sync.Mutex
	waits := make(map[string]time.Duration) // the longest of each innocent request
	asking, done := context.WithCancel(d)
	var group sync.WaitGroup
	for what, ask := range d.innocents() {
		c := newClient(d.server, innocentTimeout, 1)
		group.Go(func() {
			defer c.http.CloseIdleConnections()
			for asking.Err() == nil && d.Err() == nil {
				got := ask(d, c)
				mu.Lock()
				waits[what] = max(waits[what], got.took)
				mu.Unlock()
				if d.Err() == nil && !got.ok() {
					d.problem("beside %s, %s fails: %v", r.name, what, got)
				}
				sleep(asking, besidePause)
			}
		})
	}
	began := time.Now()
	refused := r.ask(ctx, d)
	took := time.Since(began)
	done()
	group.Wait()
	d.asked++
	of := slices.MaxFunc(slices.Sorted(maps.Keys(waits)), func(a, b string) int { return cmp.Compare(waits[a], waits[b]) })
	longest := waits[of]
	if refused != "" {
		if d.full {
			d.log("  %s: %s", r.name, refused)
		}
		d.problem("%s is not answered: %s", r.name, refused)
	}
	if longest > d.patience {
		d.problem("beside %s, %s takes %v", r.name, of, longest.Round(10*time.Millisecond))
	}
	if longest > d.longest {
		d.longest, d.worst = longest, r.name
	}
	if d.full {
		d.log("  %s: %v, the longest innocent wait %v (%s) of %v", r.name, took.Round(time.Millisecond), longest.Round(time.Millisecond), of, waits)
	}
}

// repeats are the numbers of times that a document has a field, tried from the largest.
var repeats = []int{499, 250, 100, 50, 25, 10, 5, 1}

// askGraphQL sends a document that has a field as often as the server permits.
func (d *dear) askGraphQL(ctx context.Context, document func(n int) string) string {
	for _, n := range repeats {
		body := query(document(n))
		r := d.client.post(ctx, graphQL, body)
		d.sent(1, len(body))
		if ctx.Err() != nil {
			return "" // the row's time is over, and the request was cancelled
		}
		if !r.civil() && r.status != http.StatusGatewayTimeout {
			return r.kind()
		}
		if !bytes.HasPrefix(r.body, []byte(`{"errors"`)) {
			return "" // a large answer; decoding it here would slow the innocent clients
		}
		switch {
		case r.at("data") != nil:
			return ""
		case n == 1 && r.at("errors", 0, "extensions", "classification") != "DataFetchingException":
			return "the document is wrong: " + short(string(r.body), 300)
		}
		// The server refuses a document with n fields, so a document with fewer is tried.
	}
	return ""
}

// dearCallers is how many callers send one route or tool at the same time.
const dearCallers = 2

// askHTTP sends a request repeatedly from several callers, for a certain time.
func (d *dear) askHTTP(ctx context.Context, method, target string, body []byte, headers ...string) string {
	end := time.Now().Add(pick(d.arena, 300*time.Millisecond, time.Second))
	var mu sync.Mutex
	problem := ""
	many(dearCallers, dearCallers, func(int) {
		for first := true; ctx.Err() == nil && (first || time.Now().Before(end)); first = false {
			r := d.client.send(ctx, method, target, body, headers...)
			d.sent(1, len(body))
			if ctx.Err() == nil && !r.civil() && r.status != http.StatusGatewayTimeout {
				mu.Lock()
				problem = r.kind() + " " + r.String()
				mu.Unlock()
			}
		}
	})
	return problem
}
