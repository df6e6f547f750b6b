package gql_test

import (
	"context"
	"flag"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/access"
	"github.com/headwater-io/headwater/access/keys"
	"github.com/headwater-io/headwater/access/people"
	"github.com/headwater-io/headwater/access/sessions"
	"github.com/headwater-io/headwater/access/tokens"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/gql/generated"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/internal/testing/testaccess"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

var update = flag.Bool("update", false, "rewrite the sections about GraphQL in docs/privileges.md")

// recordedOn is a server with authentication on a catalog. try runs a request of a user who has some permissions,
// and returns the answer.
func recordedOn(t *testing.T, h *catalogtest.SearchHarness) (r *spelledRun, try func(user, query string, asked *testaccess.Recorder) string) {
	t.Helper()
	r = newSpelledRunOn(t, h, func(urn string) string { return urn })
	path := filepath.Join(t.TempDir(), keys.File)
	if err := keys.Create(path); err != nil {
		t.Fatal(err)
	}
	ring, err := keys.Open(path, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	c, store := r.h.Services, r.h.Store
	made := tokens.New(tokens.Options{Keys: ring, Entities: c, Removal: c.Removal, Registry: c.Registry(), Now: testclock.Now, OwnWork: write.OwnWork, List: func(ctx context.Context, entityType string, start, count int) ([]string, error) {
		page, err := c.ListURNs(ctx, entityType, start, count)
		return page.Entities, err
	}})
	managed, actors := testcatalog.Policies(c, store, nil), access.NewActors(c)
	gate := access.New(access.Options{Keys: ring, Tokens: made, Actors: actors, Permit: managed.Permit, Now: testclock.Now})
	managed.Forget = gate.Forget
	door := records.New(store)
	users := people.New(people.Options{
		Registry: c.Registry(), Records: door, Writer: c.Writer, Reader: c.Reader, Actors: actors,
		Sessions: sessions.New(sessions.Options{Records: door, Now: testclock.Now}),
		Secret:   func() []byte { return []byte(ring.Current().Links) }, Now: testclock.Now,
	})
	handler := gql.New(gql.Options{Catalog: c, Credentials: access.NewCredentials(made, c.Edits, gate), People: users, Policies: managed})
	return r, func(user, query string, asked *testaccess.Recorder) string {
		known := access.Known{Caller: requestinfo.Caller{Actor: user, Means: requestinfo.ByToken}, Permissions: asked}
		return askAs(known.In(t.Context()), t, handler, query)
	}
}

// recorded is a server with authentication that permits everything. try runs a request of a user and returns
// the privileges that the server asked for.
func recorded(t *testing.T) (r *spelledRun, try func(user, query string) []string) {
	t.Helper()
	r, answer := recordedOn(t, catalogtest.NewProtectedHarness(t, testaccess.Protect))
	return r, func(user, query string) []string {
		asked := &testaccess.Recorder{}
		answer(user, query, asked)
		needs := asked.Needs()
		if strings.HasPrefix(query, "mutation") {
			return needs
		}
		// A query may ask for a privilege only to decide how much it tells.
		if !strings.Contains(answer(user, query, &testaccess.Recorder{Refuses: true}), `"code":403`) {
			return nil
		}
		return needs
	}
}

// needsOf are the privileges that an operation needs: of another user, and of the user whom it concerns.
type needsOf struct{ other, own []string }

func (n *needsOf) add(other, own []string) {
	for _, list := range []struct {
		into *[]string
		from []string
	}{{&n.other, other}, {&n.own, own}} {
		*list.into = append(*list.into, list.from...)
		slices.Sort(*list.into)
		*list.into = slices.Compact(*list.into)
	}
}

func orNothing(needs string) string {
	if needs == "" {
		return "nothing"
	}
	return needs
}

// cell is the text of the page.
func (n *needsOf) cell() string {
	text := orNothing(testaccess.Shorten(n.other))
	if own := orNothing(testaccess.Shorten(n.own)); own != text {
		text += "; for oneself: " + own
	}
	return text
}

// TestPrivilegesPage compares docs/privileges.md with GraphQL. Its steps run as a user who may do everything,
// and the page has the privileges that the server asked for.
func TestPrivilegesPage(t *testing.T) {
	r, try := recorded(t)
	own, tryOwn := recorded(t)
	needs, works := map[string]*needsOf{}, map[string]bool{}
	for _, step := range mutationSteps {
		name, _, _ := strings.Cut(strings.TrimPrefix(step, "!"), "(")
		if needs[name] == nil {
			needs[name] = &needsOf{}
		}
		works[name] = works[name] || !strings.HasPrefix(step, "!")
		needs[name].add(try(spelled["bob"].urn, r.mutation(step, r.spell)), tryOwn(catalogtest.Ada, own.mutation(step, own.spell)))
	}
	var rows [][]string
	for _, name := range slices.Sorted(maps.Keys(needs)) {
		cell := needs[name].cell()
		switch unneeded := cell == "nothing"; {
		case unneeded && !works[name] && !slices.Contains(byAnybody, name):
			cell = "refused to everybody"
		case unneeded != slices.Contains(byAnybody, name):
			t.Errorf("the mutation %s needs %s", name, cell)
		}
		rows = append(rows, []string{"`" + name + "`", cell})
	}
	testaccess.Section(t, "mutations", testaccess.Table([]string{"mutation", "needs"}, rows), *update)

	rows = nil
	schema := generated.NewExecutableSchema(generated.Config{}).Schema()
	queries := testaccess.Rows(t, "queryRows")
	names := strings.NewReplacer("$tag", `"urn:li:tag:Pii"`, "$user", `"`+catalogtest.Ada+`"`, "$run", `"run"`,
		"$column", `"urn:li:schemaField:(`+catalogtest.Table+`,id)"`, "$hub", `"`+catalogtest.Table+`"`, "$top", `"`+catalogtest.Upstream+`"`)
	for _, name := range slices.Sorted(maps.Keys(queries)) {
		field := schema.Query.Fields.ForName(name)
		if field == nil {
			t.Errorf("the schema has no query %s", name)
			continue
		}
		selection := ""
		if schema.Types[field.Type.Name()].IsCompositeType() {
			selection = "{__typename}"
		}
		query := "{" + name + names.Replace(queries[name]) + selection + "}"
		needs := needsOf{}
		needs.add(try(spelled["bob"].urn, query), tryOwn(catalogtest.Ada, query))
		if cell := needs.cell(); cell != "nothing" {
			rows = append(rows, []string{"`" + name + "`", cell})
		}
	}
	if len(rows) < 10 {
		t.Errorf("%d queries need a privilege", len(rows))
	}
	testaccess.Section(t, "queries", testaccess.Table([]string{"query", "needs"}, rows), *update)
}

// byAnybody are the mutations that need no privilege: a link gives the right, or they change the caller's own
// entity.
var byAnybody = []string{"acceptRole", "updateCorpUserLocaleSettings", "updateCorpUserViewsSettings", "updateUserHomePageSettings", "updateUserSetting"}

// isAlternative reports whether a mutation asks for a need, and does not depend on it: a caller who may change a
// data product may move any asset into it.
func isAlternative(step, need string) bool {
	return strings.HasPrefix(step, "batchSetDataProduct(input: {dataProductUrn") && strings.Contains(need, "EDIT_ENTITY_DATA_PRODUCTS")
}

// TestEveryNeedOfMutations runs the mutations of the schema on each pair of backends. A caller who lacks one of the
// needs of a mutation, whichever it is, is refused with 403 and changes nothing; a caller with these needs and no
// other is not refused.
func TestEveryNeedOfMutations(t *testing.T) {
	catalogtest.OnEachPair(t, testaccess.Protect, func(t *testing.T, h *catalogtest.SearchHarness) {
		permissive, record := recordedOn(t, catalogtest.NewProtectedHarness(t, testaccess.Protect))
		judged, try := recordedOn(t, h)
		user, refused := spelled["bob"].urn, 0
		for _, step := range mutationSteps {
			asked := &testaccess.Recorder{}
			want := record(user, permissive.mutation(step, permissive.spell), asked)
			needs, mutation := asked.Needs(), judged.mutation(step, judged.spell)
			wrong := strings.HasPrefix(step, "!") // refused for one reason or the other
			var needed, alternatives []string
			for _, need := range needs {
				if isAlternative(step, need) {
					alternatives = append(alternatives, need)
				} else {
					needed = append(needed, need)
				}
			}
			testaccess.EveryNeed(t, step, needed, h, func(without *testaccess.Recorder) (string, bool) {
				refused++
				without.Holding = append(without.Holding, alternatives...)
				answer := try(user, mutation, without)
				return answer, strings.Contains(answer, `"code":403`) || wrong && strings.Contains(answer, `"errors"`)
			})
			if answer := try(user, mutation, testaccess.With(needs)); strings.Contains(answer, `"errors"`) != strings.Contains(want, `"errors"`) {
				t.Errorf("%s with %q: %.300s", step, needs, answer)
			}
		}
		if refused < 100 {
			t.Errorf("%d mutations were to be refused", refused)
		}
	})
}
