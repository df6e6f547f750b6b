package mcp_test

import (
	"strings"
	"testing"

	"github.com/headwater-io/headwater/mcp"
)

// TestReadOnly: a read-only server refuses each tool that writes, whatever the arguments are.
// Every other tool answers.
func TestReadOnly(t *testing.T) {
	c := sampled(t)
	session := clientOf(t, mcp.New(mcp.Options{Catalog: c, Writes: true}))
	writing := map[string]string{
		"set_tags": `{"of":"marts.orders","add":["PII"]}`, "set_terms": `{"of":"marts.orders","add":["Revenue"]}`,
		"set_owners": `{"of":"marts.orders","add":["ada.wren"]}`, "set_description": `{"of":"marts.orders","description":"x"}`,
		"set_properties": `{"of":"marts.orders","properties":[]}`,
	}
	c.SetReadOnly(true)
	tools := 0
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if tool.Annotations.ReadOnlyHint {
			continue
		}
		tools++
		if _, refused := ask(t, session, tool.Name, writing[tool.Name]); !strings.Contains(refused, "read-only") {
			t.Errorf("%s: %q", tool.Name, refused)
		}
	}
	if tools != len(writing) {
		t.Errorf("%d tools write", tools)
	}
	if _, refused := ask(t, session, "lineage", `{"of":"marts.orders"}`); refused != "" {
		t.Errorf("a tool that reads: %s", refused)
	}
	c.SetReadOnly(false)
	if _, refused := ask(t, session, "set_description", writing["set_description"]); refused != "" {
		t.Errorf("a server that is not read-only any more: %s", refused)
	}
}
