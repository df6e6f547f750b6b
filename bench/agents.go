package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"
)

const (
	// agentCalls is how many calls of a tool one repetition makes.
	agentCalls = 300
	// agentTarget is the time within which 95 of 100 calls of a tool should be answered.
	agentTarget = 50 * time.Millisecond
)

const (
	sampleOrders  = "urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.marts.orders,PROD)"
	sampleSummary = "urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.marts.executive_summary,PROD)"
)

// agentRow compares a tool with the REST call that uses the same room.
type agentRow struct {
	what, tool, arguments string
	// path is the path of a GET or, if body is set, of a POST.
	path, body string
}

// agentRows returns the comparisons. Tools get URNs, except in rows whose names say
// otherwise.
func agentRows() []agentRow {
	orders := url.QueryEscape(sampleOrders)
	named := func(arguments string) string { return strings.ReplaceAll(arguments, "ORDERS", sampleOrders) }
	walk := "/lineage/" + orders + "?direction=DOWNSTREAM&count=20&paths="
	return []agentRow{
		{"search", "search", `{"query":"orders"}`, "/entities?action=searchAcrossEntities", `{"input":"orders","start":0,"count":20}`},
		{"entities", "entities", named(`{"names":["ORDERS"]}`), "/entitiesV2/" + orders, ""},
		{"columns", "columns", named(`{"dataset":"ORDERS"}`), "/entitiesV2/" + orders + "?aspects=List(schemaMetadata,editableSchemaMetadata)", ""},
		{"lineage", "lineage", named(`{"of":"ORDERS","direction":"downstream"}`), walk + "0", ""},
		{"lineage of a name", "lineage", `{"of":"marts.orders","direction":"downstream"}`, walk + "0", ""},
		{"paths", "paths", named(`{"from":"ORDERS","to":"` + sampleSummary + `"}`), walk + "3", ""},
		{"impact", "impact", named(`{"of":"ORDERS.net_revenue","change":"drop"}`), "/impact/" + orders + "?column=net_revenue", ""},
		{"lineage_changes", "lineage_changes", named(`{"of":"ORDERS","before":"2026-01-01"}`), "/lineage-diff/" + orders + "?before=2026-01-01", ""},
		{
			"queries", "queries", named(`{"of":"ORDERS"}`), "/entities?action=searchAcrossEntities",
			`{"input":"*","entities":["query"],"start":0,"count":20,"filter":{"criteria":[{"field":"entities","value":"` + sampleOrders + `","condition":"EQUAL"}]}}`,
		},
		{"runs", "runs", `{}`, "/runs?action=list", `{"pageSize":20}`},
		{"history", "history", named(`{"of":"ORDERS"}`), "/openapi/timeline/v1/" + orders + "?startTime=1", ""},
	}
}

// onAgents compares the tools for agents with REST, on the sample catalog.
func (b *bench) onAgents(ctx context.Context) error {
	s, err := startServer(ctx, b.binary, "--data", filepath.Join(b.dir, "agents"), "--sample")
	if err != nil {
		return err
	}
	defer s.stop() //nolint:errcheck // the figures are taken
	if err := s.settle(ctx); err != nil {
		return err
	}
	for _, r := range agentRows() {
		err := b.add("embedded, sample: the tool "+r.what+" beside REST", 0, func(int) (figure, error) {
			return s.measure(ctx, 1, agentCalls, func(ctx context.Context, _ int) error { return s.callTool(ctx, r.tool, r.arguments) })
		}, func(int) (figure, error) {
			return s.measure(ctx, 1, agentCalls, func(ctx context.Context, _ int) (err error) {
				if r.body == "" {
					_, err = s.get(ctx, r.path)
				} else {
					_, err = s.post(ctx, r.path, []byte(r.body))
				}
				return err
			})
		})
		if err != nil {
			return err
		}
		last := &b.rows[len(b.rows)-1]
		tool, plain := latency(last.ours, 0.95), latency(last.theirs, 0.95)
		within := "within"
		if tool > agentTarget {
			within = "over"
		}
		fmt.Printf("  p95 %v, REST %v: ratio %.2f; %s the target of %v\n", tool, plain, float64(tool)/float64(max(plain, 1)), within, agentTarget)
	}
	return nil
}

// callTool calls a tool, and returns an error if the call fails.
func (s *server) callTool(ctx context.Context, tool, arguments string) error {
	body, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": json.RawMessage(arguments)},
	})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.base+"/mcp", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := s.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err == nil && (resp.StatusCode != http.StatusOK || !bytes.Contains(answer, []byte(`"content":[{"type":"text"`))) {
		err = fmt.Errorf("%s: %s: %.300s", tool, resp.Status, answer)
	}
	return err
}
