package rest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/internal/intake"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/rest/call"
)

// TestAmplification: a body that would be far larger in memory than on the wire is refused,
// names the limit that it exceeds, and changes nothing.
func TestAmplification(t *testing.T) {
	server := newServer(t)
	many := func(begin, item string, n int, end string) string {
		return begin + strings.Repeat(item+",", n-1) + item + end
	}
	const items = "more than 50000 items in one list or object"
	for _, c := range []struct {
		name, target, body, says string
	}{
		{"proposals", "/aspects?action=ingestProposalBatch", many(`{"proposals":[`, `{}`, 50_001, `]}`), items},
		{"filters", "/entities?action=search", many(`{"input":"*","entity":"dataset","filter":{"or":[`, `{}`, 50_001, `]}}`), items},
		{"filters of time series", "/aspects?action=getTimeseriesAspectValues", many(`{"filter":{"criteria":[`, `{}`, 50_001, `]}}`), items},
		{"deletes", "/entities?action=batchDelete", many(`{"urns":[`, `""`, 50_001, `]}`), items},
		{"snapshots", "/entities?action=batchIngest", many(`{"entities":[`, `{}`, 50_001, `]}`), items},
		{"values", "/entities?action=exists", many(`{"x":[`, `[0,0,0,0,0,0,0,0,0]`, 20_001, `]}`), "more than 200000 values"},
		{"depth", "/entities?action=exists", strings.Repeat(`[`, 101), "more than 100 lists and objects"},
		{"edges", "/import", many(`{"entity":{"edges":[`, `{}`, 500_001, `]}}`), "line 1: the body: the JSON has more than 500000 items"},
	} {
		status, body, _ := request(t, server, "POST", c.target, c.body, "Content-Type", "application/json", "X-RestLi-Protocol-Version", "2.0.0")
		var e call.ErrorBody
		if err := json.Unmarshal([]byte(body), &e); err != nil || status != 400 || !strings.Contains(e.Message, c.says) {
			t.Errorf("%s: %d %.300s, want 400 with %q", c.name, status, body, c.says)
		}
	}
	if _, body, _ := request(t, server, "GET", "/events", ""); !strings.Contains(body, `"events":[]`) {
		t.Errorf("refused requests changed something: %.300s", body)
	}
}

// TestLimitOfProposals: a stream has as many proposals as the limit, each of which is refused here for its
// content, and one more ends the stream.
func TestLimitOfProposals(t *testing.T) {
	server := newServer(t)
	tooMany := fmt.Sprintf("more than %d proposals", limits.MaxProposals)
	for n, refused := range map[int]bool{limits.MaxProposals: false, limits.MaxProposals + 1: true} {
		status, body, _ := request(t, server, "POST", "/aspects?action=ingestProposalBatch", strings.Repeat(`{"entityType":"tag"}`+"\n", n), "Content-Type", call.MediaTypeLines, "X-RestLi-Protocol-Version", "2.0.0")
		if status != 400 || strings.Contains(body, tooMany) != refused {
			t.Errorf("%d proposals: %d %.300s", n, status, body)
		}
	}
}

// newBoundedServer serves a fresh catalog with a budget and little patience.
func newBoundedServer(t *testing.T, memory *intake.Budget, idle time.Duration) *httptest.Server {
	t.Helper()
	closing, closeNow := context.WithCancel(context.Background())
	server := httptest.NewServer(New(Options{Catalog: testcatalog.New(t), Memory: memory, IdleTimeout: idle, Closing: closing}))
	t.Cleanup(func() {
		closeNow()
		server.Close()
	})
	return server
}

// TestMemoryIsShared: while other requests hold the memory, a large request is told to try
// again, and a small one is answered. When all requests have ended, no memory is held.
func TestMemoryIsShared(t *testing.T) {
	budget := intake.NewBudget(64 << 20)
	server := newBoundedServer(t, budget, time.Minute)
	other := budget.Share()
	if err := other.Hold(t.Context(), budget.Size()); err != nil {
		t.Fatal(err)
	}
	large := proposalBody("tag", "urn:li:tag:x", "tagProperties", `{"name":"x","description":"`+strings.Repeat("a", 2<<20)+`"}`)
	small := proposalBody("tag", "urn:li:tag:y", "status", `{"removed":false}`)
	status, body, header := request(t, server, "POST", "/aspects?action=ingestProposal", large)
	if status != 503 || header.Get("Retry-After") == "" || !strings.Contains(body, "--request-memory") {
		t.Errorf("large: %d %q %.300s", status, header.Get("Retry-After"), body)
	}
	if status, body, _ = request(t, server, "POST", "/aspects?action=ingestProposal", small); status != 200 {
		t.Errorf("small: %d %.300s", status, body)
	}
	other.Release()
	if status, body, _ = request(t, server, "POST", "/aspects?action=ingestProposal", large); status != 200 {
		t.Errorf("large, afterwards: %d %.300s", status, body)
	}
	lines := strings.Repeat(large[len(`{"proposal":`):len(large)-1]+"\n", 12) // 24 MiB in lines, of which only some are in memory at a time
	status, body, _ = request(t, server, "POST", "/aspects?action=ingestProposalBatch", lines, "Content-Type", call.MediaTypeLines)
	if status != 413 || !strings.Contains(body, "--request-memory") {
		t.Errorf("more than there is: %d %.300s", status, body)
	}
	if budget.Held() != 0 {
		t.Errorf("%d bytes are still held", budget.Held())
	}
}

// TestSlowSender: a client that sends a part of a body and stops is answered with 408, also
// by endpoints without a time limit.
func TestSlowSender(t *testing.T) {
	server := newBoundedServer(t, nil, 50*time.Millisecond)
	for _, target := range []string{"/aspects?action=ingestProposal", "/entities?action=batchDelete", "/entities?action=delete", "/import"} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nX-RestLi-Protocol-Version: 2.0.0\r\nContent-Length: 100\r\n\r\n{", target)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(target, err)
		}
		text, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusRequestTimeout || !strings.Contains(string(text), "did not come in time") {
			t.Errorf("%s: %d %s %v", target, resp.StatusCode, text, err)
		}
		resp.Body.Close()
		conn.Close()
	}
}

// TestHonestBodies: bodies of real clients are far below the limits, even with the memory
// of a small machine.
func TestHonestBodies(t *testing.T) {
	budget := intake.NewBudget(512 << 20)
	server := newBoundedServer(t, budget, time.Minute)
	var fields, proposals strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&fields, `,{"fieldPath":"[version=2.0].[type=struct].[type=string].column_%d","nullable":true,"description":"The column's meaning, in a sentence.","type":{"type":{"com.linkedin.schema.StringType":{}}},"nativeDataType":"varchar","recursive":false,"isPartOfKey":false,"globalTags":{"tags":[{"tag":"urn:li:tag:x"}]}}`, i)
	}
	schema := `{"schemaName":"x","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[` + fields.String()[1:] + `]}`
	if status, body, _ := request(t, server, "POST", "/aspects?action=ingestProposal", proposalBody("dataset", call.ExampleTable, "schemaMetadata", schema)); status != 200 {
		t.Errorf("a schema of 10,000 columns: %d %.300s", status, body)
	}
	snapshot := `{"entity":{"value":{"com.linkedin.metadata.snapshot.DatasetSnapshot":{"urn":"` + call.ExampleTable + `","aspects":[{"com.linkedin.schema.SchemaMetadata":` + schema + `}]}}}}`
	if status, body, _ := request(t, server, "POST", "/entities?action=ingest", snapshot); status != 200 {
		t.Errorf("the same as a snapshot: %d %.300s", status, body)
	}
	for i := range 5000 {
		one := proposalBody("tag", fmt.Sprintf("urn:li:tag:t%d", i), "tagProperties", `{"name":"x","description":"`+strings.Repeat("a", 500)+`"}`)
		proposals.WriteString("," + one[len(`{"proposal":`):len(one)-1])
	}
	status, body, _ := request(t, server, "POST", "/aspects?action=ingestProposalBatch&partial=true", `{"proposals":[`+proposals.String()[1:]+`]}`)
	if status != 200 || !strings.Contains(body, `"succeeded":5000`) {
		t.Errorf("5,000 proposals: %d %.300s", status, body)
	}
}
