package mcp_test

import (
	"flag"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/access"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/internal/testing/testaccess"
	"github.com/headwater-io/headwater/mcp"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sample"
)

var update = flag.Bool("update", false, "rewrite the section about tools in docs/privileges.md")

// writingCalls are calls of the tools that write.
var writingCalls = map[string][]string{
	"set_tags":        {`{"of":"marts.orders","add":["PII"]}`, `{"of":"marts.orders.order_id","add":["PII"]}`},
	"set_terms":       {`{"of":"marts.orders","add":["GrossRevenue"]}`, `{"of":"marts.orders.order_id","add":["GrossRevenue"]}`},
	"set_owners":      {`{"of":"marts.orders","add":["ada.wren"]}`},
	"set_description": {`{"of":"marts.orders","description":"x"}`, `{"of":"marts.orders.order_id","description":"x"}`},
	"set_properties":  {`{"of":"marts.orders","properties":[{"property":"asked","texts":["x"]}]}`},
}

// TestPrivilegesPage compares docs/privileges.md with the agents' tools. Calls are made as a user who may do
// everything, and the page has the privileges that the server asked for.
func TestPrivilegesPage(t *testing.T) {
	h := catalogtest.NewProtectedHarness(t, testaccess.Protect)
	if _, err := sample.Load(t.Context(), h.Services); err != nil {
		t.Fatal(err)
	}
	h.Say("urn:li:structuredProperty:asked", model.AspectPropertyDefinition, `{"qualifiedName":"asked","displayName":"asked","valueType":"urn:li:dataType:datahub.string","entityTypes":["urn:li:entityType:datahub.dataset"]}`)
	h.Await()
	handler := mcp.New(mcp.Options{Catalog: h.Services, Writes: true})
	asked := &testaccess.Recorder{}
	session := clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		known := access.Known{Caller: requestinfo.Caller{Actor: "urn:li:corpuser:rita", Means: requestinfo.ByToken}, Permissions: asked}
		handler.ServeHTTP(w, r.WithContext(known.In(r.Context())))
	}))
	var rows [][]string
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if tool.Annotations.ReadOnlyHint {
			rows = append(rows, []string{"`" + tool.Name + "`", "nothing"})
			continue
		}
		asked = &testaccess.Recorder{}
		for _, call := range writingCalls[tool.Name] {
			if _, refused := ask(t, session, tool.Name, call); refused != "" {
				t.Errorf("%s %s: %s", tool.Name, call, refused)
			}
		}
		needs := asked.Needs()
		if len(needs) == 0 {
			t.Errorf("the tool %s writes and needs no privilege", tool.Name)
		}
		rows = append(rows, []string{"`" + tool.Name + "`", testaccess.Shorten(needs)})
	}
	slices.SortFunc(rows, func(a, b []string) int { return strings.Compare(strings.Trim(a[0], "`"), strings.Trim(b[0], "`")) })
	testaccess.Section(t, "tools", testaccess.Table([]string{"tool", "needs"}, rows), *update)
}
