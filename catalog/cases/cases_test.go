package cases

import (
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// door is a way to ask the catalog.
type door interface {
	name() string
	// ask returns errNotExpressible when the door cannot ask this.
	ask(q *question) (answer, error)
}

var errNotExpressible = errors.New("this door cannot ask this")

func TestLineage(t *testing.T) { runFolder(t, "lineage") }

func TestSearch(t *testing.T) { runFolder(t, "search") }

// runFolder runs the files of a folder on each kind of store and index.
func runFolder(t *testing.T, folder string) {
	paths, err := filepath.Glob(filepath.Join("testdata", folder, "*.yaml"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases in %s: %v", folder, err)
	}
	for _, b := range backends {
		t.Run(b.name, func(t *testing.T) {
			asked := map[string]int{}
			for _, path := range paths {
				t.Run(strings.TrimSuffix(filepath.Base(path), ".yaml"), func(t *testing.T) {
					f, err := read(path)
					if err != nil {
						t.Fatal(err)
					}
					f.run(t, b, asked)
				})
			}
			t.Logf("questions: %v", asked)
		})
	}
}

// run asks the questions of a file, each at every door that can ask it. Cases share a
// catalog, except for cases that load more. These run last, because opening their catalog
// empties the servers that the shared catalog is on.
func (f *file) run(t *testing.T, b backend, asked map[string]int) {
	shared := f.open(t, b, nil)
	slices.SortStableFunc(f.Cases, func(a, b testCase) int { return min(len(a.Load), 1) - min(len(b.Load), 1) })
	for i := range f.Cases {
		c := &f.Cases[i]
		t.Run(c.Name, func(t *testing.T) {
			at := shared
			if len(c.Load) > 0 {
				at = f.open(t, b, c.Load)
			}
			for k := range c.Ask {
				q := &c.Ask[k]
				at.askAll(t, f.names, q, k+1, slices.Concat(c.Doors, q.Doors), asked)
			}
		})
	}
}

// loaded is a catalog with the statements of a case, their moments, and the doors of the catalog.
type loaded struct {
	moments map[string]int64
	doors   []door
}

func (f *file) open(t *testing.T, b backend, more []statement) *loaded {
	c := openCatalog(t, b)
	moments := load(t, c, slices.Concat(f.Load, more))
	return &loaded{moments, []door{rooms{c}, newREST(c), newGraphQL(c)}}
}

// askAll asks one question at the named doors, all when none is named.
func (l *loaded) askAll(t *testing.T, n names, q *question, number int, only []string, asked map[string]int) {
	t.Helper()
	resolved := q.at(t, l.moments)
	for _, d := range l.doors {
		if len(only) > 0 && !slices.Contains(only, d.name()) {
			continue
		}
		where := "question " + strconv.Itoa(number) + " at " + d.name()
		got, err := d.ask(resolved)
		if errors.Is(err, errNotExpressible) {
			if slices.Contains(only, d.name()) {
				t.Errorf("%s: %v", where, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", where, err)
			continue
		}
		asked[d.name()]++
		whole := d.name() == "rooms" || len(only) == 1
		compare(t, n, where, whole, q.Expect, got)
	}
}

// at returns the question with moments in place of their names.
func (q *question) at(t *testing.T, moments map[string]int64) *question {
	t.Helper()
	resolved := *q
	resolve := func(texts ...*string) {
		for _, text := range texts {
			if at, ok := moments[*text]; ok {
				*text = strconv.FormatInt(at, 10)
			} else if _, err := strconv.ParseInt(*text, 10, 64); err != nil && *text != "" {
				t.Fatalf("%q is neither a moment of this catalog nor epoch milliseconds", *text)
			}
		}
	}
	switch {
	case q.Lineage != nil:
		asked := *q.Lineage
		resolve(&asked.AsOf)
		resolved.Lineage = &asked
	case q.Impact != nil:
		asked := *q.Impact
		resolve(&asked.AsOf)
		resolved.Impact = &asked
	case q.Diff != nil:
		asked := *q.Diff
		resolve(&asked.AsOf, &asked.Before, &asked.After)
		resolved.Diff = &asked
	case q.Search != nil && q.Search.Among != nil:
		asked, among := *q.Search, *q.Search.Among
		resolve(&among.AsOf)
		asked.Among = &among
		resolved.Search = &asked
	}
	return &resolved
}

// millis is a resolved moment, 0 for none.
func millis(text string) int64 {
	at, _ := strconv.ParseInt(text, 10, 64) // at accepts only moments, so only "" is no number
	return at
}

func (w *walk) direction() string { return strings.ToUpper(w.Direction) }

// TestFormat: mistakes in a file of cases are errors, and say where.
func TestFormat(t *testing.T) {
	const head = "names: {raw: urn:li:x, raw.a: $raw/a}\n"
	for _, c := range []struct{ name, text, says string }{
		{"a name that is not defined", head + "load: [{urn: $clean}]", "$clean is not a name"},
		{"an unknown member of a question", head + "cases: [{name: c, ask: [{lineage: {off: $raw}, expect: {total: 1}}]}]", "off"},
		{"a case that asks nothing", head + "cases: [{name: c}]", "asks something"},
		{"a question that expects nothing", head + "cases: [{name: c, ask: [{lineage: {of: $raw}}]}]", "expects something"},
		{"two questions in one", head + "cases: [{name: c, ask: [{lineage: {of: $raw}, impact: {of: $raw}, expect: {total: 1}}]}]", "asks one thing"},
		{"a statement about nothing", head + "load: [{datasetProperties: {}}]", "urn or a moment"},
	} {
		if _, err := parse([]byte(c.text), nil); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %q", c.name, err, c.says)
		}
	}
	f, err := parse([]byte(head+"cases: [{name: c, ask: [{lineage: {of: $raw.a, direction: $raw}, expect: {total: 1}}]}]"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if q := f.Cases[0].Ask[0].Lineage; q.Of != "urn:li:x/a" || q.Direction != "urn:li:x" {
		t.Errorf("names are expanded to %+v", q)
	}
	if text := f.names.shorten("1 urn:li:x/a, 2 urn:li:x"); text != "1 $raw.a, 2 $raw" {
		t.Errorf("names are put back as %q", text)
	}
}
