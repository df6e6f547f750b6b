package change_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog/change"
	"github.com/headwater-io/headwater/internal/limits"
)

var postgres = change.Names{Dialect: "postgres", Platform: "postgres", URN: func(table string) string { return "urn:li:dataset:(urn:li:dataPlatform:postgres," + table + ",PROD)" }}

// sqlState returns the state of files, by their names.
func sqlState(t *testing.T, texts map[string]string) *change.State {
	t.Helper()
	var list []change.File
	for name, text := range texts {
		list = append(list, change.File{Name: name, Text: text})
	}
	slices.SortFunc(list, func(a, b change.File) int { return strings.Compare(a.Name, b.Name) })
	s, err := change.FromSQL(t.Context(), sqlReader(t), list, postgres, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func compared(t *testing.T, base, head *change.State) *change.Result {
	t.Helper()
	r, err := change.Compare(t.Context(), sqlReader(t), base, head, change.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestSQLFiles: files of SQL are compared, whatever their order; statements that fail have their lines.
func TestSQLFiles(t *testing.T) {
	base := map[string]string{
		"a.sql": "create view shop.board as select day, total from shop.days;\n",
		"b.sql": "create table shop.orders (id int not null, day date, amount decimal(9,2), note varchar(20));\n\ncreate view shop.days as\nselect day,\n  sum(amount) as total\nfrom shop.orders group by day;\n",
		"c.sql": "insert into shop.log (what)\nselect note\nfrom shop.orders;\n",
	}
	head := map[string]string{
		"a.sql": base["a.sql"], "c.sql": base["c.sql"],
		"b.sql": "create table shop.orders (id bigint, day date, price decimal(9,2), note varchar(10));\n\ncreate view shop.days as\nselect day,\n  sum(amount) as total\nfrom shop.orders group by day;\n",
	}
	r := compared(t, sqlState(t, base), sqlState(t, head))
	got := said(r)
	want := commit{
		Changes: []string{"columnRenamed orders.amount", "columnRetyped orders.id", "columnRetyped orders.note", "nullabilityChanged orders.id"},
		Certain: []string{"days"}, Behind: []string{"board"}, Possible: []string{"sql:1"},
	}
	got.Changes = sorted(got.Changes)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for i := range r.Changes {
		if c := &r.Changes[i]; c.Kind == change.ColumnRetyped && c.Narrowed != (c.Column == "note") {
			t.Errorf("%+v", c)
		}
	}
	if at := &r.Certain[0]; at.File != "b.sql" || at.Line != 5 || at.URN != "urn:li:dataset:(urn:li:dataPlatform:postgres,shop.days,PROD)" {
		t.Errorf("%+v", at)
	}
}

// TestRemovedTable: readers of a removed table fail.
func TestRemovedTable(t *testing.T) {
	base := map[string]string{"a.sql": "create table s.t (x int); create view s.v as select x from s.t;"}
	head := map[string]string{"a.sql": "create view s.v as select x from s.t;"}
	if diff := cmp.Diff(commit{Changes: []string{"tableRemoved t"}, Certain: []string{"v"}}, said(compared(t, sqlState(t, base), sqlState(t, head)))); diff != "" {
		t.Error(diff)
	}
}

// TestLineageLost: a column that is a constant now has lost its sources.
func TestLineageLost(t *testing.T) {
	base := map[string]string{"a.sql": "create table s.t (x int, y int); create view s.v as select x + y as z, x from s.t; create view s.w as select z from s.v"}
	head := map[string]string{"a.sql": "create table s.t (x int, y int); create view s.v as select 0 as z, x from s.t; create view s.w as select z from s.v"}
	if diff := cmp.Diff(commit{Changes: []string{"lineageLost v.z"}, Possible: []string{"w"}}, said(compared(t, sqlState(t, base), sqlState(t, head)))); diff != "" {
		t.Error(diff)
	}
}

// TestUnknownStar: behind * of a table whose columns are not known, and behind SQL that is not understood, effects are
// possible only.
func TestUnknownStar(t *testing.T) {
	views := "; create view s.v as select * from s.t, s.unknown; create view s.w as select from from s.t"
	base := map[string]string{"a.sql": "create table s.t (x int, y int)" + views}
	head := map[string]string{"a.sql": "create table s.t (x int)" + views}
	r := compared(t, sqlState(t, base), sqlState(t, head))
	got := said(r)
	if len(got.Certain) != 0 || !slices.Contains(got.Possible, "v") || len(r.NotUnderstood) == 0 {
		t.Errorf("%+v %+v", got, r.NotUnderstood)
	}
}

func schema(t *testing.T, text string) *change.State {
	t.Helper()
	s, err := change.FromSchema(strings.NewReader(text), postgres)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSchemas: lists of tables are compared; a rename is as sure as its reasons.
func TestSchemas(t *testing.T) {
	base := schema(t, `{"s.a": {"id": "int not null", "total": "decimal(9,2)", "note": "text"}, "s.gone": {"x": "int"}}`)
	head := schema(t, `{"s.a": {"id": "int", "total_amount": "decimal(9,2)", "note": "text"}, "s.new": {"x": "int"}}`)
	r := compared(t, base, head)
	got := said(r)
	got.Changes = sorted(got.Changes)
	if diff := cmp.Diff(commit{Changes: []string{"columnRenamed a.total", "nullabilityChanged a.id", "tableAdded new", "tableRemoved gone"}}, got); diff != "" {
		t.Error(diff)
	}
	for i := range r.Changes {
		if c := &r.Changes[i]; c.Kind == change.ColumnRenamed && (c.Sure != 0.8 || c.NewName != "total_amount") {
			t.Errorf("%+v", c)
		}
	}
	for text, want := range map[string]string{`[]`: "an object is expected", `{"a": {"x": 3}}`: `table "a": the type of "x" must be a text`, `{"a"`: "the schema must be"} {
		if _, err := change.FromSchema(strings.NewReader(text), postgres); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := change.FromSchema(strings.NewReader(strings.Repeat(" ", limits.MaxSQLScriptBytes+1)), postgres); err == nil {
		t.Error("a schema that is too large is read")
	}
}

// TestFromTables: the catalog is the base; only the tables of the head are compared.
func TestFromTables(t *testing.T) {
	head := sqlState(t, map[string]string{"a.sql": "create view s.v as select 1 as a, 2 as c; create view s.x as select 1 as y"})
	base := change.FromTables(head, func(n *change.Node) *change.Table {
		if n.Name != "s.v" {
			return nil
		}
		return &change.Table{URN: n.URN(), Columns: []change.Column{{Name: "A", Type: "int"}, {Name: "b", Type: "int"}}}
	})
	got := said(compared(t, base, head))
	got.Changes = sorted(got.Changes)
	if diff := cmp.Diff(commit{Changes: []string{"columnRenamed v.b", "tableAdded x"}}, got); diff != "" {
		t.Error(diff)
	}
}

// TestHeader: the first line of a seed names its columns.
func TestHeader(t *testing.T) {
	for text, want := range map[string][]string{
		"a,b\n1,2": {"a", "b"}, "\ufeffa, \"b,\"\"c\"\"\" \r\n1": {"a", `b,"c"`}, "": nil, "one": {"one"}, "a,\n": {"a", ""},
	} {
		if diff := cmp.Diff(want, change.Header([]byte(text))); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

// TestIsPersonal: words of the names of labels count, and parts of words do not.
func TestIsPersonal(t *testing.T) {
	for label, want := range map[string]bool{"pii": true, "urn:li:tag:PII": true, "urn:li:glossaryTerm:Classification.Personal": true, "dbt:gdpr-2": true, "philosophy": false, "urn:li:tag:graphics": false, "": false} {
		if change.IsPersonal(label) != want {
			t.Errorf("%q", label)
		}
	}
}
