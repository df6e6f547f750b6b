package rest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/mcp"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/rest/call"
)

// lockedLog is a log that handlers write while a test reads it.
type lockedLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// take returns the log lines since the last call.
func (l *lockedLog) take() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.text.Reset()
	return l.text.String()
}

// TestRequestLog: on every interface, the log has one line of bounded length for a request.
// It names the actor and the entity of the request, and contains no secret.
func TestRequestLog(t *testing.T) {
	h, log := catalogtest.NewSearchHarness(t), &lockedLog{}
	server := httptest.NewServer(New(Options{
		Catalog: h.Services, Logger: slog.New(slog.NewJSONHandler(log, nil)),
		GraphQL: gql.New(gql.Options{Catalog: h.Services}), MCP: mcp.New(mcp.Options{Catalog: h.Services, Writes: true}),
	}))
	defer server.Close()
	h.Say("urn:li:tag:Pii", model.AspectTagProperties, `{"name":"Pii"}`)
	h.Say(catalogtest.Table, model.AspectStatus, `{"removed":false}`)
	const odd = "urn:li:tag:a\"b\nmsg=request entity=c\u2028d"
	hostile := catalogtest.MustJSON(t, odd)
	item := func(urn string) string {
		return `{"entityType":"tag","entityUrn":` + urn + `,"aspectName":"status","aspect":{"value":"{\"removed\":false}","contentType":"application/json"}}`
	}
	tool := func(name, arguments string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `","arguments":` + arguments + `}}`
	}
	for _, c := range []struct {
		name, method, target, body string
		status                     int
		actor, entity              string
		more                       bool
	}{
		{"a proposal", "POST", "/aspects?action=ingestProposal", `{"proposal":` + item(`"urn:li:tag:x"`) + `}`, 200, "urn:li:corpuser:eve", "urn:li:tag:x", false},
		{"without an actor", "POST", "/aspects?action=ingestProposal", `{"proposal":` + item(`"urn:li:tag:x"`) + `}`, 200, "", "urn:li:tag:x", false},
		{"an actor that is none", "POST", "/aspects?action=ingestProposal", `{"proposal":` + item(`"urn:li:tag:x"`) + `}`, 400, "s3cret", "", false},
		{"a proposal that is refused", "POST", "/aspects?action=ingestProposal", `{"proposal":` + strings.Replace(item(`"urn:li:tag:x"`), "status", "ownrship", 1) + `}`, 400, "urn:li:corpuser:eve", "urn:li:tag:x", false},
		{"a name with everything", "POST", "/aspects?action=ingestProposal", `{"proposal":` + item(hostile) + `}`, 200, "urn:li:corpuser:eve", odd, false},
		{"no URN, and large", "POST", "/aspects?action=ingestProposal", `{"proposal":` + item(`"`+strings.Repeat("s3cret", 1e5)+`"`) + `}`, 400, "", "", false},
		{"two proposals", "POST", "/aspects?action=ingestProposalBatch", `{"proposals":[` + item(`"urn:li:tag:x"`) + `,` + item(`"urn:li:tag:y"`) + `]}`, 200, "", "urn:li:tag:x", true},
		{"two of one", "POST", "/aspects?action=ingestProposalBatch", `{"proposals":[` + item(`"urn:li:tag:x"`) + `,` + item(`"urn:li:tag:x"`) + `]}`, 200, "", "urn:li:tag:x", false},
		{"a snapshot", "POST", "/entities?action=ingest", `{"entity":{"value":{"com.linkedin.metadata.snapshot.TagSnapshot":{"urn":"urn:li:tag:z","aspects":[{"com.linkedin.tag.TagProperties":{"name":"z"}}]}}}}`, 200, "", "urn:li:tag:z", false},
		{"an edit", "POST", "/entities?action=edit", `{"urn":"urn:li:tag:Pii","description":"s3cret"}`, 200, "urn:li:corpuser:eve", "urn:li:tag:Pii", false},
		{"a dry run of an edit", "POST", "/entities?action=edit", `{"urn":"` + catalogtest.Table + `","add":{"tags":["urn:li:tag:x"]},"description":"s3cret","dryRun":true}`, 200, "urn:li:corpuser:eve", catalogtest.Table, true},
		{"an edit of nothing", "POST", "/entities?action=edit", `{"urn":"urn:li:tag:nothing","description":"s3cret"}`, 404, "", "urn:li:tag:nothing", false},
		{"a read", "GET", "/entitiesV2/urn%3Ali%3Atag%3Ax", "", 200, "urn:li:corpuser:eve", "urn:li:tag:x", false},
		{"a parameter", "GET", "/relationships?direction=INCOMING&urn=urn%3Ali%3Atag%3Ax", "", 200, "", "urn:li:tag:x", false},
		{"several", "POST", "/openapi/v3/entity/tag/batchGet", `[{"urn":"urn:li:tag:x"},{"urn":"urn:li:tag:y"}]`, 200, "", "urn:li:tag:x", true},
		{"a delete", "DELETE", "/openapi/v3/entity/tag/urn%3Ali%3Atag%3Ay", "", 200, "urn:li:corpuser:eve", "urn:li:tag:y", false},
		{"a search", "POST", "/entities?action=search", `{"input":"s3cret","entity":"tag","start":0,"count":1}`, 200, "", "", false},
		{"a query", "POST", "/api/graphql", `{"query":"{ tag(urn: \"urn:li:tag:x\") { urn } }"}`, 200, "", "urn:li:tag:x", false},
		{"a mutation", "POST", "/api/graphql", `{"query":"mutation($t: String!) { addTag(input: {tagUrn: $t, resourceUrn: \"` + catalogtest.Table + `\"}) }","variables":{"t":"urn:li:tag:Pii"}}`, 200, "urn:li:corpuser:eve", catalogtest.Table, true},
		{"a secret", "POST", "/api/graphql", `{"query":"mutation { createSecret(input: {name: \"n\", value: \"s3cret\"}) }"}`, 200, "urn:li:corpuser:eve", "", false},
		{"an agent that reads", "POST", "/mcp", tool("lineage", `{"of":"`+catalogtest.Table+`"}`), 200, "urn:li:corpuser:eve", catalogtest.Table, false},
		{"an agent that writes", "POST", "/mcp", tool("set_description", `{"of":"Pii","description":"s3cret"}`), 200, "urn:li:corpuser:eve", "urn:li:tag:Pii", false},
	} {
		headers := []string{"X-RestLi-Protocol-Version", "2.0.0", "Content-Type", "application/json", "Accept", "application/json, text/event-stream", "Authorization", "Bearer s3cret"}
		if c.actor != "" {
			headers = append(headers, call.ActorHeader, c.actor)
		}
		log.take()
		status, answer, _ := request(t, server, c.method, c.target, c.body, headers...)
		if status != c.status {
			t.Errorf("%s: %d %.300s", c.name, status, answer)
		}
		text := awaitLine(t, log)
		var said struct {
			Msg, Actor, Entity string
			More               bool `json:"more_entities"`
		}
		if err := json.Unmarshal([]byte(text), &said); err != nil || said.Msg != "request" {
			t.Fatalf("%s: %v %s", c.name, err, text)
		}
		actor := c.actor
		if actor == "s3cret" {
			actor = ""
		}
		if said.Actor != actor || said.Entity != c.entity || said.More != c.more {
			t.Errorf("%s: %q %q %t in %s", c.name, said.Actor, said.Entity, said.More, text)
		}
		if strings.Contains(text, "s3cret") || len(text) > 4*limits.MaxURNBytes {
			t.Errorf("%s: %.2000s", c.name, text)
		}
	}
}

// awaitLine returns the log line of a request. The line is written after the answer.
func awaitLine(t *testing.T, log *lockedLog) string {
	t.Helper()
	var text string
	testclock.Await(t, "the request is logged", func() bool {
		text += log.take()
		return strings.HasSuffix(text, "\n")
	})
	lines := 0
	for s := bufio.NewScanner(strings.NewReader(text)); s.Scan(); lines++ {
		if lines > 0 {
			t.Errorf("more than one line: %s", text)
		}
	}
	return text
}
