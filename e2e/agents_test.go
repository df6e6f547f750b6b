package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/headwater-io/headwater/internal/testing/testservers"
)

var updateAgents = flag.Bool("update-agents", false, "rewrite the questions in docs/agents.md")

// agent connects an agent over a transport.
func agent(t *testing.T, transport mcp.Transport) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "1"}, nil)
	session, err := client.Connect(context.Background(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() }) // the server may have ended already
	return session
}

// overHTTP returns the transport to the server's own address for agents.
func (s *server) overHTTP() mcp.Transport {
	return &mcp.StreamableClientTransport{Endpoint: s.base + "/mcp", DisableStandaloneSSE: true}
}

// overStdio returns the transport to a child process, headwater mcp, that passes requests
// on.
func (s *server) overStdio(t *testing.T) mcp.Transport {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	return &mcp.CommandTransport{Command: exec.Command(path, "mcp", "--server", s.base)}
}

// answerTo calls a tool. It returns the answer or, if the tool refuses the call, the
// message.
func answerTo(t *testing.T, session *mcp.ClientSession, tool string, args map[string]any) (answer any, refused string) {
	t.Helper()
	result, err := session.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	text, ok := result.Content[0].(*mcp.TextContent)
	if !ok || len(result.Content) != 1 || result.StructuredContent != nil {
		t.Fatalf("%s answers with %d contents, the first a %T, and with %T", tool, len(result.Content), result.Content[0], result.StructuredContent)
	}
	if result.IsError {
		return nil, text.Text
	}
	var written any
	if err := json.Unmarshal([]byte(text.Text), &written); err != nil {
		t.Fatal(err)
	}
	return written, ""
}

// refer replaces numbers that refer to statements by the statements.
func refer(answer any) {
	statements := map[string]any{}
	for _, s := range flat(at(answer, "statements")) {
		statements[fmt.Sprint(at(s, "number"))] = s
	}
	var walk func(node any)
	walk = func(node any) {
		switch node := node.(type) {
		case []any:
			for _, item := range node {
				walk(item)
			}
		case map[string]any:
			if s, ok := statements[fmt.Sprint(node["stated"])].(map[string]any); ok {
				s = maps.Clone(s)
				if node["since"] != nil {
					s["since"] = node["since"]
				}
				node["stated"] = s
			}
			for _, member := range node {
				walk(member)
			}
		}
	}
	walk(answer)
}

// pick returns the texts at a path of an answer. A step is the name of a member; lists are
// passed through. name[member=value] selects the items whose member has the value. The last
// step may name several members, whose texts are joined with blanks.
func pick(answer any, path string) []string {
	nodes := []any{answer}
	for step := range strings.SplitSeq(path, ".") {
		step, condition, _ := strings.Cut(strings.TrimSuffix(step, "]"), "[")
		member, value, filtered := strings.Cut(condition, "=")
		var next []any
		for _, node := range nodes {
			for _, item := range flat(node) {
				object, _ := item.(map[string]any)
				var parts []any
				for name := range strings.SplitSeq(step, ",") {
					if object[name] != nil {
						parts = append(parts, object[name])
					}
				}
				if len(parts) > 1 {
					parts = []any{strings.TrimSuffix(fmt.Sprintln(parts...), "\n")}
				}
				next = append(next, parts...)
			}
		}
		if nodes = next; filtered {
			nodes = slices.DeleteFunc(flat(nodes), func(node any) bool { return fmt.Sprint(at(node, member)) != value })
		}
	}
	texts := []string{}
	for _, leaf := range flat(nodes) {
		texts = append(texts, fmt.Sprint(leaf))
	}
	return texts
}

// flat returns the items of nested lists as one list.
func flat(node any) []any {
	list, ok := node.([]any)
	if !ok {
		return []any{node}
	}
	var all []any
	for _, item := range list {
		all = append(all, flat(item)...)
	}
	return all
}

// put asks a question by its calls, and fails the test if the answer is not the expected
// one.
func (q *agentQuestion) put(t *testing.T, session *mcp.ClientSession) (got []string) {
	t.Helper()
	if len(q.calls) > 3 {
		t.Errorf("%s takes %d calls", q.ask, len(q.calls))
	}
	var last any
	for _, c := range q.calls {
		args := maps.Clone(c.args)
		for name, value := range args {
			if text, ok := value.(string); ok && strings.HasPrefix(text, "$") {
				found := pick(last, text[1:])
				if len(found) != 1 {
					t.Fatalf("%s: %s is %q", q.ask, text, found)
				}
				args[name] = found[0]
			}
		}
		answer, refused := answerTo(t, session, c.tool, args)
		if (refused != "") != (c.refused != "") || !strings.Contains(refused, c.refused) {
			t.Fatalf("%s: %s was refused with %q, want %q", q.ask, c.tool, refused, c.refused)
		}
		last = answer
	}
	refer(last)
	got = pick(last, q.answer)
	if diff := cmp.Diff(slices.Sorted(slices.Values(q.want)), slices.Sorted(slices.Values(got))); diff != "" {
		t.Errorf("%s (-want +got):\n%s", q.ask, diff)
	}
	if limit := q.calls[len(q.calls)-1].args["limit"]; at(last, "partial") == true && limit != 1 {
		t.Errorf("%s: the answer is partial: %v", q.ask, at(last, "reason"))
	}
	return got
}

// TestAgentQuestions asks the questions over HTTP on each pair of backends, and through a
// child process.
func TestAgentQuestions(t *testing.T) {
	if len(agentQuestions) < 20 {
		t.Errorf("there are %d questions", len(agentQuestions))
	}
	for i, b := range backends() {
		t.Run(b.name, func(t *testing.T) {
			s := start(t, append(b.flags(t), "--sample")...)
			s.awaitIndex(time.Minute)
			session := agent(t, s.overHTTP())
			answers := make([][]string, len(agentQuestions))
			for k := range agentQuestions {
				answers[k] = agentQuestions[k].put(t, session)
			}
			for k := range furtherQuestions {
				furtherQuestions[k].put(t, session)
			}
			if i > 0 {
				return
			}
			child := agent(t, s.overStdio(t))
			for k := range agentQuestions {
				agentQuestions[k].put(t, child)
			}
			if !t.Failed() {
				checkTranscript(t, answers)
			}
		})
	}
}

// The lines of docs/agents.md around the questions.
const (
	transcriptBegins = "<!-- questions: generated by go test ./e2e -run TestAgentQuestions -update-agents -->\n"
	transcriptEnds   = "<!-- end of questions -->\n"
)

// checkTranscript compares the questions in docs/agents.md with the questions and answers
// of the test. With -update-agents, it rewrites them.
func checkTranscript(t *testing.T, answers [][]string) {
	t.Helper()
	file := filepath.Join(testservers.Root(), "docs", "agents.md")
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(page), transcriptBegins)
	_, after, ends := strings.Cut(rest, transcriptEnds)
	if !begins || !ends {
		t.Fatalf("%s has no place for the questions", file)
	}
	want := before + transcriptBegins + transcript(t, answers) + transcriptEnds + after
	if *updateAgents {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(page), want); diff != "" {
		t.Errorf("docs/agents.md differs; run the test with -update-agents and look at the difference:\n%s", diff)
	}
}

func transcript(t *testing.T, answers [][]string) string {
	t.Helper()
	var b strings.Builder
	for i, q := range agentQuestions {
		fmt.Fprintf(&b, "\n**%d. %s**\n\n```\n", i+1, q.ask)
		for _, c := range q.calls {
			args, err := json.Marshal(c.args)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s %s\n", c.tool, args)
			if c.refused != "" {
				fmt.Fprint(&b, "  refused: the name stands for several things, which are listed\n")
			}
		}
		fmt.Fprintf(&b, "=> %s\n", q.answer)
		for _, line := range answers[i] {
			fmt.Fprintf(&b, "   %s\n", line)
		}
		b.WriteString("```\n")
	}
	b.WriteString("\n")
	return b.String()
}

// TestAgentGuard: requests of agents pass the same checks as all other requests.
func TestAgentGuard(t *testing.T) {
	s := start(t, "--data", t.TempDir(), "--max-body", "100000")
	ask := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	asked := []string{"Content-Type", "application/json", "Accept", "application/json, text/event-stream"}
	for name, c := range map[string]struct {
		method, body string
		headers      []string
		want         int
	}{
		"as it should be":        {http.MethodPost, ask, nil, http.StatusOK},
		"a page of another site": {http.MethodPost, ask, []string{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"}, http.StatusForbidden},
		"another actor's name":   {http.MethodPost, ask, []string{"X-DataHub-Actor", "nobody"}, http.StatusBadRequest},
		"too large":              {http.MethodPost, `{"x":"` + strings.Repeat("x", 200_000) + `"}`, nil, http.StatusRequestEntityTooLarge},
		"too deep":               {http.MethodPost, strings.Repeat("[", 200) + strings.Repeat("]", 200), nil, http.StatusBadRequest},
		"not JSON":               {http.MethodPost, "hello", nil, http.StatusBadRequest},
		"not a form":             {http.MethodPost, ask, []string{"Content-Type", "text/plain"}, http.StatusUnsupportedMediaType},
		"a stream":               {http.MethodGet, "", nil, http.StatusMethodNotAllowed},
	} {
		if status, answer := s.send(c.method, "/mcp", c.body, slices.Concat(asked, c.headers)...); status != c.want {
			t.Errorf("%s: %d %v, want %d", name, status, answer, c.want)
		}
	}
}

// TestAgentWrites: writing tools exist only if the setting permits them, and write as the
// actor of the request.
func TestAgentWrites(t *testing.T) {
	reading := start(t, "--data", t.TempDir())
	if _, err := agent(t, reading.overHTTP()).CallTool(context.Background(), &mcp.CallToolParams{Name: "set_tags", Arguments: map[string]any{"of": martOrders}}); err == nil {
		t.Error("a server that does not allow writes has set_tags")
	}
	s := start(t, "--data", t.TempDir(), "--sample", "--mcp-writes")
	s.awaitIndex(time.Minute)
	session := agent(t, &mcp.StreamableClientTransport{
		Endpoint: s.base + "/mcp", DisableStandaloneSSE: true, HTTPClient: &http.Client{Transport: asActor("urn:li:corpuser:ada.wren")},
	})
	for _, c := range []agentCall{
		call("set_tags", "of", "orders.net_revenue", "add", []string{"Certified"}, "remove", []string{"Finance"}),
		call("set_terms", "of", "marts.loyalty", "add", []string{"LoyalCustomer"}),
		call("set_owners", "of", "marts.loyalty", "add", []string{"Ada Wren"}, "kind", "TECHNICAL_OWNER", "remove", []string{"bela.norris"}),
		call("set_description", "of", "marts.loyalty", "description", "Who comes back."),
	} {
		if _, refused := answerTo(t, session, c.tool, c.args); refused != "" {
			t.Errorf("%s: %s", c.tool, refused)
		}
	}
	columns, _ := answerTo(t, session, "columns", map[string]any{"dataset": "marts.orders", "filter": "net_revenue"})
	if diff := cmp.Diff([]string{"Certified"}, pick(columns, "columns.tags")); diff != "" {
		t.Error(diff)
	}
	loyalty, _ := answerTo(t, session, "entities", map[string]any{"names": []string{"marts.loyalty"}})
	if diff := cmp.Diff([]string{"Who comes back."}, pick(loyalty, "entities.description")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"LoyalCustomer"}, pick(loyalty, "entities.terms")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"data-platform", "ada.wren"}, pick(loyalty, "entities.owners")); diff != "" {
		t.Error(diff)
	}
	past, _ := answerTo(t, session, "history", map[string]any{"of": "marts.loyalty", "categories": []string{"GLOSSARY_TERM"}})
	if diff := cmp.Diff([]string{"urn:li:corpuser:ada.wren"}, pick(past, "changes.actor")); diff != "" {
		t.Error(diff)
	}
	if _, refused := answerTo(t, session, "set_tags", map[string]any{"of": "marts.loyalty", "add": []string{"Nothing"}}); !strings.Contains(refused, "nothing is named") {
		t.Errorf("an unknown tag: %q", refused)
	}
}

// TestAgentOverStdio: a child process passes on the server's tools, even after the server
// has restarted. It ends when its input ends, and fails without a server.
func TestAgentOverStdio(t *testing.T) {
	data := t.TempDir()
	s := start(t, "--data", data, "--sample")
	s.awaitIndex(time.Minute)
	child := agent(t, s.overStdio(t))
	if info := child.InitializeResult(); info.ServerInfo.Name != "headwater" || info.Instructions == "" {
		t.Errorf("the child introduces itself as %+v", info)
	}
	var tools, prompts int
	for range child.Tools(context.Background(), nil) {
		tools++
	}
	for range child.Prompts(context.Background(), nil) {
		prompts++
	}
	if tools != 12 || prompts != 5 {
		t.Errorf("%d tools, %d prompts", tools, prompts)
	}
	prompt, err := child.GetPrompt(context.Background(), &mcp.GetPromptParams{Name: "explain", Arguments: map[string]string{"of": "marts.orders"}})
	if err != nil || len(prompt.Messages) != 1 {
		t.Errorf("%+v: %v", prompt, err)
	}
	if _, refused := answerTo(t, child, "columns", map[string]any{"dataset": "marts.orders", "bogus": 1}); !strings.Contains(refused, "bogus") {
		t.Errorf("an unknown argument: %q", refused)
	}
	s.stop()
	restarted := start(t, "--data", data, "--listen", strings.TrimPrefix(s.base, "http://"))
	restarted.awaitIndex(time.Minute)
	answer, refused := answerTo(t, child, "columns", map[string]any{"dataset": "marts.customers", "filter": "PII"})
	if diff := cmp.Diff([]string{"email"}, pick(answer, "columns.path")); refused != "" || diff != "" {
		t.Errorf("after a restart: %q %s", refused, diff)
	}
	if err := child.Close(); err != nil {
		t.Errorf("the child ended with %v", err)
	}
	restarted.stop()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(path, "mcp", "--server", s.base).CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 4 || !strings.Contains(string(out), "cannot be reached") {
		t.Errorf("without a server: %v, %s", err, out)
	}
}

// asActor is an HTTP transport that sends requests in the name of an actor.
type asActor string

func (a asActor) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-DataHub-Actor", string(a))
	return http.DefaultTransport.RoundTrip(r)
}
