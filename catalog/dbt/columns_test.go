package dbt_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog/dbt"
	"github.com/headwater-io/headwater/internal/testing/testleaks"
	"github.com/headwater-io/headwater/internal/testing/testsql"
	"github.com/headwater-io/headwater/sql/lineage"
	"github.com/headwater-io/headwater/sql/parser"
)

func TestMain(m *testing.M) { testleaks.Main(m) }

// sqlReader returns a reader with the compiled parser that all tests of the project share.
func sqlReader(t *testing.T) *lineage.Reader {
	t.Helper()
	reader := &lineage.Reader{Parser: parser.New(testsql.Cache())}
	t.Cleanup(func() {
		if err := reader.Parser.Close(); err != nil {
			t.Error(err)
		}
	})
	return reader
}

// columnsOf returns the lineage of columns that proposals state of a dataset, in few words.
func columnsOf(t *testing.T, project *dbt.Project, urn string) []string {
	t.Helper()
	proposals, _ := project.Proposals(dbt.Settings{Platform: "duckdb", Env: "PROD", Now: now})
	entries, _ := aspect(t, proposals, urn, "upstreamLineage")["fineGrainedLineages"].([]any)
	short := func(urns any) string {
		var names []string
		for _, one := range urns.([]any) {
			text := strings.TrimSuffix(fmt.Sprint(one), ")")
			dataset, column, _ := strings.Cut(text[strings.LastIndex(text, "orchard."):], ",PROD),")
			platform := "duckdb"
			if strings.Contains(text, "dataPlatform:dbt,") {
				platform = "dbt"
			}
			names = append(names, platform+":"+dataset+"."+column)
		}
		return strings.Join(names, "+")
	}
	var found []string
	for _, e := range entries {
		entry := e.(map[string]any)
		to := short(entry["downstreams"])
		found = append(found, to[strings.LastIndex(to, ".")+1:]+"<"+short(entry["upstreams"]))
	}
	return found
}

func TestColumns(t *testing.T) {
	project := read(t, artifacts(t, "v12"))
	notes, err := project.ReadColumns(t.Context(), sqlReader(t), project.Adapter)
	if err != nil || len(notes) != 0 {
		t.Fatal(notes, err)
	}
	for table, want := range map[string][]string{
		"main.stg_picks": {
			"id<dbt:orchard.field.raw_picks.id", "tree<dbt:orchard.field.raw_picks.tree", "kilos<dbt:orchard.field.raw_picks.kilos",
			"picked_at<dbt:orchard.field.raw_picks.picked_at",
		},
		"main.picks_by_day": {"day<duckdb:orchard.main.stg_picks.picked_at", "kilos<duckdb:orchard.main.stg_picks.kilos"},
		// The columns of an ephemeral model follow from its own code.
		"main.harvest":       {"tree<dbt:orchard.main.kept.tree", "planted<duckdb:orchard.main.trees.planted", "kilos<dbt:orchard.main.kept.kilos"},
		"main.trees_history": {"tree<duckdb:orchard.main.trees.tree", "planted<duckdb:orchard.main.trees.planted"},
	} {
		got := columnsOf(t, project, "urn:li:dataset:(urn:li:dataPlatform:dbt,orchard."+table+",PROD)")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", table, diff)
		}
	}
}

// TestColumnsOfATableTwice: a source that is the table of a model, and of which the catalog tells nothing, does not hide
// the columns of the model.
func TestColumnsOfATableTwice(t *testing.T) {
	project := read(t, artifacts(t, "v12"))
	source := *project.Nodes["source.orchard.field.raw_picks"]
	twice := *project.Nodes["model.orchard.stg_picks"]
	source.ID, source.Name, source.Schema, source.Columns = "source.orchard.own.stg_picks", twice.Name, twice.Schema, nil
	project.Nodes[source.ID] = &source
	if _, err := project.ReadColumns(t.Context(), sqlReader(t), project.Adapter); err != nil {
		t.Fatal(err)
	}
	project.InferColumns()
	var names []string
	for _, c := range project.Nodes["model.orchard.kept"].Columns {
		names = append(names, c.Name+" "+c.Type)
	}
	if diff := cmp.Diff([]string{"id INTEGER", "tree VARCHAR", "kilos DECIMAL(9,2)", "picked_at TIMESTAMP"}, names); diff != "" {
		t.Error(diff)
	}
	want := []string{"id<duckdb:orchard.main.stg_picks.id", "tree<duckdb:orchard.main.stg_picks.tree", "kilos<duckdb:orchard.main.stg_picks.kilos", "picked_at<duckdb:orchard.main.stg_picks.picked_at"}
	if diff := cmp.Diff(want, columnsOf(t, project, "urn:li:dataset:(urn:li:dataPlatform:dbt,orchard.main.kept,PROD)")); diff != "" {
		t.Error(diff)
	}
}

// TestColumnsNotUnderstood: code that is not SQL is told, and does not keep the other models from being read.
func TestColumnsNotUnderstood(t *testing.T) {
	project := read(t, artifacts(t, "v12"))
	project.Nodes["model.orchard.stg_picks"].CompiledCode = "select from from"
	notes, err := project.ReadColumns(t.Context(), sqlReader(t), project.Adapter)
	if err != nil || len(notes) != 1 || !strings.HasPrefix(notes[0], "the compiled code of model.orchard.stg_picks, line 1, is not understood: select from from") {
		t.Errorf("%v %v", notes, err)
	}
	if got := columnsOf(t, project, "urn:li:dataset:(urn:li:dataPlatform:dbt,orchard.main.picks_by_day,PROD)"); len(got) != 2 {
		t.Errorf("columns of picks_by_day: %v", got)
	}
}

type failing struct{ err error }

func (f failing) Read(context.Context, string, lineage.Settings) ([]lineage.Statement, error) {
	return nil, f.err
}

func TestColumnsReaderFails(t *testing.T) {
	broken := errors.New("broken")
	project := read(t, artifacts(t, "v12"))
	if _, err := project.ReadColumns(t.Context(), failing{broken}, "duckdb"); !errors.Is(err, broken) || !strings.Contains(err.Error(), "the compiled code of model.") {
		t.Errorf("got %v", err)
	}
	if got := columnsOf(t, project, "urn:li:dataset:(urn:li:dataPlatform:dbt,orchard.main.harvest,PROD)"); len(got) != 0 {
		t.Errorf("columns without a reader: %v", got)
	}
}
