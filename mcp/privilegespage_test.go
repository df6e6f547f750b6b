package mcp_test

import (
	"flag"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/headwater-io/headwater/access"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/permission"
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

// recorded is a server for agents on a catalog with the sample. Its caller has the permissions asked.
type recorded struct {
	session *sdk.ClientSession
	asked   *testaccess.Recorder
}

func serveRecorded(t *testing.T, h *catalogtest.SearchHarness) *recorded {
	t.Helper()
	if _, err := sample.Load(t.Context(), h.Services); err != nil {
		t.Fatal(err)
	}
	h.Say("urn:li:structuredProperty:asked", model.AspectPropertyDefinition, `{"qualifiedName":"asked","displayName":"asked","valueType":"urn:li:dataType:datahub.string","entityTypes":["urn:li:entityType:datahub.dataset"]}`)
	h.Await()
	handler := mcp.New(mcp.Options{Catalog: h.Services, Writes: true})
	r := &recorded{asked: &testaccess.Recorder{}}
	r.session = clientOf(t, http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		known := access.Known{Caller: requestinfo.Caller{Actor: "urn:li:corpuser:rita", Means: requestinfo.ByToken}, Permissions: r.asked}
		handler.ServeHTTP(w, request.WithContext(known.In(request.Context())))
	}))
	return r
}

// TestPrivilegesPage compares docs/privileges.md with the agents' tools. Calls are made as a user who may do
// everything, and the page has the privileges that the server asked for.
func TestPrivilegesPage(t *testing.T) {
	r := serveRecorded(t, catalogtest.NewProtectedHarness(t, testaccess.Protect))
	var rows [][]string
	for tool, err := range r.session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if tool.Annotations.ReadOnlyHint {
			rows = append(rows, []string{"`" + tool.Name + "`", "nothing"})
			continue
		}
		r.asked = &testaccess.Recorder{}
		for _, call := range writingCalls[tool.Name] {
			if _, refused := ask(t, r.session, tool.Name, call); refused != "" {
				t.Errorf("%s %s: %s", tool.Name, call, refused)
			}
		}
		needs := r.asked.Needs()
		if len(needs) == 0 {
			t.Errorf("the tool %s writes and needs no privilege", tool.Name)
		}
		rows = append(rows, []string{"`" + tool.Name + "`", testaccess.Shorten(needs)})
	}
	slices.SortFunc(rows, func(a, b []string) int { return strings.Compare(strings.Trim(a[0], "`"), strings.Trim(b[0], "`")) })
	testaccess.Section(t, "tools", testaccess.Table([]string{"tool", "needs"}, rows), *update)
}

// TestEveryNeedOfTools calls the writing tools on each pair of backends. A caller who lacks one of the needs of a
// call, whichever it is, is refused and changes nothing; a caller with these needs and no other is not refused.
func TestEveryNeedOfTools(t *testing.T) {
	catalogtest.OnEachPair(t, testaccess.Protect, func(t *testing.T, h *catalogtest.SearchHarness) {
		permissive := serveRecorded(t, catalogtest.NewProtectedHarness(t, testaccess.Protect))
		judged := serveRecorded(t, h)
		for _, tool := range slices.Sorted(maps.Keys(writingCalls)) {
			for _, call := range writingCalls[tool] {
				permissive.asked = &testaccess.Recorder{}
				ask(t, permissive.session, tool, call)
				needs := permissive.asked.Needs()
				testaccess.EveryNeed(t, tool+" "+call, needs, h, func(without *testaccess.Recorder) (string, bool) {
					judged.asked = without
					_, refused := ask(t, judged.session, tool, call)
					return refused, strings.Contains(refused, permission.Unauthorized)
				})
				judged.asked = testaccess.With(needs)
				if _, refused := ask(t, judged.session, tool, call); refused != "" {
					t.Errorf("%s %s with %q: %s", tool, call, needs, refused)
				}
			}
		}
	})
}
