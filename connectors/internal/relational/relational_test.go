package relational

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/connectors"
	"github.com/headwater-io/headwater/connectors/internal/settings"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testsql"
	"github.com/headwater-io/headwater/sql/lineage"
)

// invented is a database of a test: a driver and a connection.
type invented struct {
	tables   []Table
	listed   int // the number of empty tables that are listed after tables
	broken   error
	profiled []string
	wait     func(ctx context.Context) error
	options  *Profiling
}

func (d *invented) Databases(context.Context) ([]string, error)             { return []string{"shop"}, nil }
func (d *invented) Open(context.Context, string) (Database, error)          { return d, nil }
func (d *invented) Container() string                                       { return "shop" }
func (d *invented) Dataset(schema, table string) string                     { return "shop." + schema + "." + table }
func (d *invented) Dialect() string                                         { return "postgres" }
func (d *invented) Path() []string                                          { return []string{"public"} }
func (d *invented) Schemas(context.Context) ([]string, error)               { return []string{"public"}, nil }
func (d *invented) Procedures(context.Context, string) ([]Procedure, error) { return nil, d.broken }
func (d *invented) Close()                                                  {}

func (d *invented) Tables(context.Context, string, What) iter.Seq2[*Table, error] {
	return func(yield func(*Table, error) bool) {
		for i := range d.tables {
			if !yield(&d.tables[i], nil) {
				return
			}
		}
		for i := range d.listed {
			if !yield(&Table{Schema: "public", Name: fmt.Sprint("t", i), Columns: []Column{{Name: "id", Native: "INTEGER", Kind: "Number"}}}, nil) {
				return
			}
		}
		if d.broken != nil {
			yield(nil, d.broken)
		}
	}
}

func (d *invented) Profile(ctx context.Context, t *Table, columns []*Column, p *Profiling) (*Profile, error) {
	d.profiled, d.options = append(d.profiled, t.Name), p
	if d.wait != nil {
		if err := d.wait(ctx); err != nil {
			return nil, err
		}
	}
	made := &Profile{Rows: 4}
	for _, c := range columns {
		made.Columns = append(made.Columns, ColumnProfile{Name: c.Name, NotNull: 3, Sampled: true, Samples: []string{"1"}})
	}
	return made, nil
}

// proposed are the aspects of a reading by entity and aspect.
func proposed(t *testing.T, d *invented, config map[string]any) (map[string]map[string]any, *connectors.Report, error) {
	t.Helper()
	s := settings.New(config)
	c := Common(s, "postgres", settings.Pattern{})
	c.ReadProcedures(s)
	c.ReadProfiling(s, limits.MaxProfileRows)
	if err := s.Err(); err != nil {
		return nil, nil, err
	}
	report := &connectors.Report{}
	r := &Reading{Config: c, Driver: d, Report: report, SQL: &lineage.Reader{Parser: testsql.Parser()}, Now: time.UnixMilli(1000)}
	aspects := map[string]map[string]any{}
	for p, err := range r.Proposals(t.Context()) {
		if err != nil {
			return aspects, report, err
		}
		var value map[string]any
		if err := json.Unmarshal([]byte(p.Aspect.Value), &value); err != nil {
			t.Fatal(err)
		}
		aspects[p.EntityURN+" "+p.AspectName] = value
	}
	return aspects, report, nil
}

func columns(names ...string) []Column {
	var list []Column
	for _, name := range names {
		list = append(list, Column{Name: name, Native: "INTEGER", Kind: "Number", Class: Whole})
	}
	return list
}

func urn(table string) string {
	return "urn:li:dataset:(urn:li:dataPlatform:postgres,shop." + table + ",PROD)"
}

// A name without a schema is looked up in the search path, then in the schema of the view.
func TestViewsFollowFromTheirColumns(t *testing.T) {
	d := &invented{tables: []Table{
		{Schema: "public", Name: "orders", Columns: columns("id", "Total")},
		{Schema: "hr", Name: "v", View: true, Definition: `SELECT id AS a, sum("Total") FROM orders GROUP BY id`, Columns: columns("one", "two")},
		{Schema: "hr", Name: "odd", View: true, Definition: `SELECT ((( FROM`, Columns: columns("x"), Sources: []Name{{"public", "orders"}}},
		{Schema: "hr", Name: "gone", View: true, Fault: errors.New("its table is gone")},
	}}
	aspects, report, err := proposed(t, d, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(aspects[urn("hr.v")+" upstreamLineage"])
	for _, want := range []string{`"dataset":"` + urn("public.orders"), `(` + urn("public.orders") + `,Total)`, `(` + urn("hr.v") + `,two)`, `"DIRECT:AGGREGATION"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %s", text, want)
		}
	}
	if text, _ := json.Marshal(aspects[urn("hr.odd")+" upstreamLineage"]); !strings.Contains(string(text), urn("public.orders")) {
		t.Errorf("a view that is not understood has the lineage %s", text)
	}
	if told := strings.Join(report.Warnings, "\n"); !strings.Contains(told, "shop.hr.gone cannot be read: its table is gone") || aspects[urn("hr.gone")+" status"] != nil {
		t.Errorf("a view that cannot be read: %s", told)
	}
}

// The edge of limits.MaxConnectorSQLBytes: a longer definition is not parsed.
func TestLongDefinitionsHaveTheirTablesOnly(t *testing.T) {
	for _, more := range []int{0, 1} {
		query := "SELECT id FROM orders"
		code := query + strings.Repeat(" ", limits.MaxConnectorSQLBytes-len(query)+more)
		d := &invented{tables: []Table{
			{Schema: "public", Name: "orders", Columns: columns("id")},
			{Schema: "public", Name: "v", View: true, Definition: code, Columns: columns("id"), Sources: []Name{{"public", "orders"}}},
		}}
		aspects, _, err := proposed(t, d, nil)
		if err != nil {
			t.Fatal(err)
		}
		value := aspects[urn("public.v")+" upstreamLineage"]
		if _, fine := value["fineGrainedLineages"]; value == nil || fine != (more == 0) {
			t.Errorf("%d bytes more: %v", more, value)
		}
	}
}

func TestPatternsAndFailuresAreReported(t *testing.T) {
	d := &invented{tables: []Table{{Schema: "public", Name: "tmp_x", Columns: columns("a")}, {Schema: "public", Name: "empty"}}, broken: errors.New("gone away")}
	_, report, err := proposed(t, d, map[string]any{"table_pattern": map[string]any{"deny": []any{`shop\.public\.tmp_`}}})
	if err != nil || len(report.Filtered) != 1 || len(report.Failures) != 1 || report.Scanned["table"] != 2 || !strings.Contains(strings.Join(report.Warnings, " "), "shop.public.empty has no columns") {
		t.Errorf("%+v %v", report, err)
	}
}

func TestASourceMayHaveTooManyTables(t *testing.T) {
	if testing.Short() {
		t.Skip("many tables")
	}
	for _, more := range []int{0, 1} {
		_, _, err := proposed(t, &invented{listed: limits.MaxConnectorTables + more}, map[string]any{"include_view_lineage": false, "table_pattern": map[string]any{"deny": []any{".*"}}})
		if (err != nil) != (more == 1) {
			t.Errorf("%d more: %v", more, err)
		}
	}
}

// The edges of limits.MaxProfileRows, MaxProfileSamples and ProfileStatementSeconds.
func TestProfilesHaveABudget(t *testing.T) {
	rows := func(n int64) *int64 { return &n }
	d := &invented{tables: []Table{
		{Schema: "public", Name: "most", Columns: columns("a"), Rows: rows(limits.MaxProfileRows)},
		{Schema: "public", Name: "large", Columns: columns("a"), Rows: rows(limits.MaxProfileRows + 1), Bytes: rows(5)},
	}}
	profiling := map[string]any{"enabled": true, "field_sample_values_limit": limits.MaxProfileSamples}
	aspects, report, err := proposed(t, d, map[string]any{"profiling": profiling})
	if err != nil || strings.Join(d.profiled, " ") != "most" || d.options.StatementSeconds != limits.ProfileStatementSeconds || len(report.Warnings) != 1 {
		t.Errorf("%v %v %v", d.profiled, report, err)
	}
	if value := aspects[urn("public.large")+" datasetProfile"]; value["rowCount"] != float64(limits.MaxProfileRows+1) || value["fieldProfiles"] != nil || value["sizeInBytes"] != 5.0 {
		t.Errorf("the profile of a large table is %v", value)
	}
	if text, _ := json.Marshal(aspects[urn("public.most")+" datasetProfile"]["fieldProfiles"]); string(text) != `[{"fieldPath":"a","nullCount":1,"nullProportion":0.25,"sampleValues":["1"]}]` {
		t.Errorf("%s", text)
	}
	profiling["field_sample_values_limit"] = limits.MaxProfileSamples + 1
	if _, _, err := proposed(t, d, map[string]any{"profiling": profiling}); err == nil || !strings.Contains(err.Error(), "profiling.field_sample_values_limit") {
		t.Error(err)
	}
}

// The edge of limits.ProfileSeconds: the profiles of a run have a time together.
func TestProfilesHaveATimeTogether(t *testing.T) {
	report := &connectors.Report{}
	config := &Config{Platform: "postgres", Env: "PROD", Profiling: Profiling{Enabled: true}}
	d := &invented{tables: []Table{{Schema: "public", Name: "a"}, {Schema: "public", Name: "b"}}}
	var until time.Duration
	d.wait = func(ctx context.Context) error {
		end, _ := ctx.Deadline()
		until = time.Until(end)
		return errors.New("canceled")
	}
	p := newProfiler(&Reading{Config: config, Driver: d, Report: report})
	if err := p.database(t.Context(), d); err != nil || until > limits.ProfileSeconds*time.Second || until < limits.ProfileSeconds*time.Second-time.Minute {
		t.Errorf("%v %v", until, err)
	}
	p.until = time.Now().Add(-time.Second)
	if err := p.database(t.Context(), d); err != nil || len(d.profiled) != 2 {
		t.Errorf("%v after the time, %v", d.profiled, err)
	}
	if p.finish(); !strings.Contains(report.Warnings[len(report.Warnings)-1], "2 tables have no new profile") {
		t.Error(report.Warnings)
	}
}

func TestNumbersAreSpelledAsByTheClient(t *testing.T) {
	for given, want := range map[string]string{"5": "5.0", "1e20": "100000000000000000000.0", "0.1": "0.1", "NaN": "nan", "Infinity": "inf", "-Infinity": "-inf", "$5": "$5"} {
		if got := Float(given); got != want {
			t.Errorf("%s is %s, not %s", given, got, want)
		}
	}
	if m := Middle([]any{int64(1), "2"}, 4); m == nil || *m != "1.5" {
		t.Error("the median of an even number of values")
	}
	if m := Middle([]any{int64(1), 2.0}, 3); m == nil || *m != "2.0" {
		t.Error("the median of an odd number of values")
	}
	if Middle(nil, 0) != nil || Middle([]any{"x"}, 1) != nil {
		t.Error("the median of no numbers")
	}
	if got := Spelled([]byte{1, 'a'}); got != `b'\x01a'` {
		t.Error(got)
	}
}
