package relational

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/connectors"
	"github.com/headwater-io/headwater/connectors/internal/settings"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testsql"
	"github.com/headwater-io/headwater/sql/lineage"
)

// counting is an invented database that counts statements and commits.
type counting struct {
	invented
	statements []Counted
	failure    error
	committed  *time.Time
	slow       error
}

func (d *counting) Open(context.Context, string) (Database, error) { return d, nil }
func (d *counting) Statements(context.Context, *Usage) ([]Counted, error) {
	return d.statements, d.failure
}
func (d *counting) Committed(context.Context, *Table) (*time.Time, error)       { return d.committed, d.slow }
func (*counting) Last(context.Context, string, string) (json.RawMessage, error) { return nil, nil }

// read reads the database at a moment, with the memory.
func (d *counting) read(t *testing.T, memory *connectors.Memory, config map[string]any) (map[string]map[string]any, *connectors.Report) {
	t.Helper()
	s := settings.New(config)
	c := Common(s, "postgres", settings.Pattern{})
	c.ReadUsage(s)
	report := &connectors.Report{}
	r := &Reading{Config: c, Driver: d, Report: report, SQL: &lineage.Reader{Parser: testsql.Parser()}, Now: time.UnixMilli(1_000_000_000_000), Memory: memory}
	aspects := map[string]map[string]any{}
	for p, err := range r.Proposals(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		var value map[string]any
		if err := json.Unmarshal([]byte(p.Aspect.Value), &value); err != nil {
			t.Fatal(err)
		}
		aspects[p.EntityURN+" "+p.AspectName] = value
	}
	return aspects, report
}

var withUsage = map[string]any{"include_usage_statistics": true}

// TestUsageOfStatements: statements that cannot be read, and those of other tables, are not in the usage; views count as
// tables; a recipe without view lineage has usage, too.
func TestUsageOfStatements(t *testing.T) {
	since := time.UnixMilli(1_000_000_000_000).UTC().Truncate(24 * time.Hour)
	d := &counting{statements: []Counted{
		{ID: "1", Text: "SELECT id FROM orders WHERE id = $1", User: "ann", Calls: 3, Since: since},
		{ID: "2", Text: "SELECT ((( FROM", User: "ann", Calls: 3, Since: since},
		{ID: "3", Text: "SELECT x FROM elsewhere", User: "ann", Calls: 3, Since: since},
		{ID: "4", Text: "INSERT INTO people SELECT id FROM orders", User: "bob", Calls: 1, Since: since},
		{ID: "5", Text: "SELECT id FROM orders LIMIT $1", User: "bob", Calls: 9, Since: since.Add(-1)},
	}}
	d.tables = []Table{{Schema: "public", Name: "orders", Columns: columns("id")}, {Schema: "public", Name: "people", Columns: columns("id")}}
	for _, lineages := range []bool{true, false} {
		config := map[string]any{"include_usage_statistics": true, "include_view_lineage": lineages}
		aspects, report := d.read(t, &connectors.Memory{Checkpoints: d}, config)
		usage := aspects[urn("public.orders")+" datasetUsageStatistics"]
		if usage["totalSqlQueries"] != 4.0 || usage["uniqueUserCount"] != 2.0 || usage["timestampMillis"] != float64(since.UnixMilli()) {
			t.Errorf("the usage is %v", usage)
		}
		if aspects[urn("public.people")+" upstreamLineage"] != nil || aspects[urn("public.people")+" operation"] != nil {
			t.Error("what follows from statements beside usage is stated")
		}
		if report.Scanned["statement"] != 5 || report.Scanned["statement not understood"] == 0 {
			t.Errorf("the report counts %v", report.Scanned)
		}
	}
}

// TestUsageIsNotThere: a database that does not count says why, and all else is read.
func TestUsageIsNotThere(t *testing.T) {
	for name, c := range map[string]struct {
		failure error
		memory  bool
		warns   string
		fails   string
	}{
		"off":       {&NotCountedError{"it is off"}, true, "it is off", ""},
		"broken":    {errors.New("no connection"), true, "", "no connection"},
		"no memory": {nil, false, "pipeline_name", ""},
	} {
		d := &counting{failure: c.failure}
		d.tables = []Table{{Schema: "public", Name: "orders", Columns: columns("id")}}
		var memory *connectors.Memory
		if c.memory {
			memory = &connectors.Memory{Checkpoints: d}
		}
		aspects, report := d.read(t, memory, withUsage)
		if aspects[urn("public.orders")+" status"] == nil || !strings.Contains(fmt.Sprint(report.Warnings), c.warns) || !strings.Contains(fmt.Sprint(report.Failures), c.fails) || (c.fails == "") != (len(report.Failures) == 0) {
			t.Errorf("%s: %v, %v", name, report.Warnings, report.Failures)
		}
	}
}

// TestWhatChangesRestOn: each time of a change says what it rests on.
func TestWhatChangesRestOn(t *testing.T) {
	now := time.UnixMilli(1_000_000_000_000)
	earlier, hour := now.Add(-2*time.Hour), now.Add(-time.Hour)
	five, six := int64(5), int64(6)
	state := func(counter int64) *connectors.Memory {
		m := &connectors.Memory{Checkpoints: &fixed{fmt.Sprintf(`{"state":{"serde":"utf-8","payload":"{\"at\":%d,\"changes\":{\"shop.public.orders\":%d}}"}}`, hour.UnixMilli(), counter)}}
		return m
	}
	for name, c := range map[string]struct {
		table     Table
		memory    *connectors.Memory
		committed *time.Time
		slow      error
		at        time.Time
		basis     string
	}{
		"the database says it": {Table{Updated: &earlier}, nil, nil, nil, earlier, ""},
		"no counters":          {Table{}, state(5), &earlier, nil, time.Time{}, ""},
		"a view":               {Table{Changes: &six, View: true}, state(5), &earlier, nil, time.Time{}, ""},
		"counted more":         {Table{Changes: &six}, state(5), nil, nil, now, basisCounters},
		"counted the same":     {Table{Changes: &five}, state(5), &now, nil, time.Time{}, ""},
		"a newer row":          {Table{Changes: &six}, state(5), &now, nil, now, basisCommit},
		"deleted rows":         {Table{Changes: &six}, state(5), &earlier, nil, now, basisCounters},
		"the first run":        {Table{Changes: &six}, &connectors.Memory{Checkpoints: &fixed{}}, &earlier, nil, earlier, basisCommit},
		"no state, no commits": {Table{Changes: &six}, nil, nil, nil, time.Time{}, ""},
		"commits that fail":    {Table{Changes: &six}, state(5), nil, errors.New("no"), now, basisCounters},
	} {
		d := &counting{committed: c.committed, slow: c.slow}
		c.table.Schema, c.table.Name, c.table.Columns = "public", "orders", columns("id")
		d.tables = []Table{c.table}
		aspects, report := d.read(t, c.memory, nil)
		stated := aspects[urn("public.orders")+" operation"]
		if c.at.IsZero() {
			if stated != nil {
				t.Errorf("%s: %v", name, stated)
			}
			continue
		}
		properties, _ := stated["customProperties"].(map[string]any)
		basis, _ := properties["basis"].(string)
		if stated["lastUpdatedTimestamp"] != float64(c.at.UnixMilli()) || basis != c.basis || (c.slow != nil) != (len(report.Warnings) == 1) {
			t.Errorf("%s: %v, %v", name, stated, report.Warnings)
		}
		if after := properties["after"] != nil; after != (basis == basisCounters) {
			t.Errorf("%s: %v", name, properties)
		}
	}
}

// fixed is a last checkpoint.
type fixed struct{ value string }

func (f *fixed) Last(context.Context, string, string) (json.RawMessage, error) {
	if f.value == "" {
		return nil, nil
	}
	return json.RawMessage(f.value), nil
}

// TestLimitsOfUsage: limits.MaxCountedStatements is the most that a recipe may ask for. Of longer statements than
// limits.MaxSQLBytes, nothing is stated.
func TestLimitsOfUsage(t *testing.T) {
	for n, good := range map[int]bool{limits.MaxCountedStatements: true, limits.MaxCountedStatements + 1: false} {
		s := settings.New(map[string]any{"max_queries_to_extract": n})
		if Common(s, "postgres", settings.Pattern{}).ReadUsage(s); (s.Err() == nil) != good {
			t.Errorf("%d statements: %v", n, s.Err())
		}
	}
	d := &counting{statements: []Counted{{ID: "1", Text: "SELECT " + strings.Repeat("1 ", limits.MaxSQLBytes), Calls: 1, Since: time.UnixMilli(1_000_000_000_000)}}}
	if _, report := d.read(t, &connectors.Memory{Checkpoints: d}, withUsage); !slices.ContainsFunc(report.Warnings, func(w string) bool { return strings.Contains(w, "1 statements of shop are left out") }) {
		t.Errorf("%v", report.Warnings)
	}
}
