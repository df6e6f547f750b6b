package main

import (
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestOracle compares a small random catalog and, if there are any, the files of metadata,
// on the embedded store and index. docs/oracle.md describes the comparisons. It then
// falsifies the mirror: every comparison must notice this.
func TestOracle(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a server, which -short leaves out")
	}
	o, err := parse([]string{"-entities", "500", "-sample", "40", "-model", "../model/tables"})
	if err != nil {
		t.Fatal(err)
	}
	o.binary = filepath.Join(t.TempDir(), "headwater")
	readSources(t)
	build := exec.Command("go", "build", "-o", o.binary, "../cmd/headwater")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	o.log = t.Logf
	r, done, err := open(o)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	if err := r.fill(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	tallies, err := r.compare(t.Context(), o)
	t.Logf("\n%s", table(tallies))
	if err != nil {
		t.Fatal(err)
	}
	const series = "time-series values" // only the files have time series
	for _, tally := range tallies {
		if tally.wrong > 0 {
			t.Errorf("%s: %d of %d disagree", tally.name, tally.wrong, tally.compared)
		}
		if tally.compared == 0 && tally.name != series {
			t.Errorf("%s: nothing was compared", tally.name)
		}
	}
	r.falsify()
	tallies, err = r.compare(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, tally := range tallies {
		if tally.wrong == 0 && tally.name != series {
			t.Errorf("%s: a server that says something else is not noticed", tally.name)
		}
	}
}

// falsify adds data to the mirror that was never sent.
func (r *checker) falsify() {
	upstream := "urn:li:dataset:(urn:li:dataPlatform:hive,never.sent,PROD)"
	for _, urn := range r.made["dataset"] {
		put := func(aspect string, value any) { r.mirror.apply(op{upsert, urn, aspect, value}) }
		put("datasetProperties", object{"name": "orders never sent", "description": "orders customers id"})
		put("upstreamLineage", object{
			"upstreams":           []any{object{"dataset": upstream}},
			"fineGrainedLineages": []any{object{"upstreams": []any{columnOf(upstream, "a")}, "downstreams": []any{columnOf(urn, "b")}}},
		})
		put("globalTags", object{"tags": []any{object{"tag": "urn:li:tag:never"}}})
		put("browsePaths", object{"paths": []any{"/never/sent"}})
	}
}

// TestWords compares the words of texts with docs/search.md.
func TestWords(t *testing.T) {
	for text, expected := range map[string][]string{
		"prod_db.fct_users_created": {"prod", "db", "fct", "user", "created"},
		"fctUsersCreated":           {"fct", "user", "created"},
		"HTTPServer":                {"http", "server"},
		"ebfab24":                   {"ebfab", "24"},
		"x2y":                       {"x2y"},
		"Salaries, boxes; status":   {"salary", "box", "status"},
		"Données Straße":            {"donnee", "strasse"},
		"日本":                        {"日", "本"},
	} {
		if found := typed(text); !slices.Equal(found, expected) {
			t.Errorf("%q has the words %q, not %q", text, found, expected)
		}
	}
}

// TestWordsOnTheWay: every beginning of a name finds the name.
func TestWordsOnTheWay(t *testing.T) {
	for _, name := range []string{"salaries", "ebfab2024", "aB12cdef", "HTTPServers", "fctUsersCreated", "addresses"} {
		d := &document{words: newVocabulary()}
		d.text(name)
		d.words.sort()
		for end := 1; end <= len(name); end++ {
			if must, _ := d.finds(typed(name[:end]), false); !must {
				t.Errorf("%q does not find %q", name[:end], name)
			}
		}
		if must, _ := d.finds(typed(name[:len(name)-3]), true); must {
			t.Errorf("%q in quotes finds %q", name[:len(name)-3], name)
		}
	}
}

// readSources reads the folders of the module. So Go does not take a result of this test
// from its cache after a source of the binary has changed.
func readSources(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && path != ".." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "bin" || d.Name() == "data") {
			return filepath.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
