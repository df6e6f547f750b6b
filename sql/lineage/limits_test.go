package lineage_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/sql/lineage"
)

func TestLimits(t *testing.T) {
	settings := lineage.Settings{Dialect: "postgres", Tables: tables}
	for _, c := range []struct {
		name, script, refusal string
	}{
		{"bytes", "select 1 --" + strings.Repeat("x", limits.MaxSQLScriptBytes-11), ""},
		{"more bytes", "select 1 --" + strings.Repeat("x", limits.MaxSQLScriptBytes-10), "bytes; at most"},
		{"more statements", strings.Repeat("x;", limits.MaxSQLStatements+1), "statements; at most"},
	} {
		_, err := reader.Read(t.Context(), c.script, settings)
		if refused := err != nil; refused != (c.refusal != "") || refused && !strings.Contains(err.Error(), c.refusal) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	var names []string
	for i := range limits.MaxSQLProblems + 1 {
		names = append(names, fmt.Sprintf("unknown%d", i))
	}
	for given, want := range map[int]int{limits.MaxSQLProblems: limits.MaxSQLProblems, limits.MaxSQLProblems + 1: limits.MaxSQLProblems} {
		statements, err := reader.Read(t.Context(), "select "+strings.Join(names[:given], ", ")+" from items", settings)
		if err != nil || len(statements[0].NotUnderstood) != want {
			t.Errorf("%d unknown names: %v, %v", given, statements, err)
		}
	}
}

// TestExplosion reads a statement whose columns double with each of its queries.
func TestExplosion(t *testing.T) {
	script := "with q0 as (select * from orders)"
	for i := range 40 {
		script += fmt.Sprintf(", q%d as (select a.*, b.* from q%d a, q%d b)", i+1, i, i)
	}
	statements, err := reader.Read(t.Context(), script+" select * from q40", lineage.Settings{Dialect: "postgres", Tables: tables})
	if err != nil || len(statements) != 1 || len(statements[0].Columns) != 0 || statements[0].NotUnderstood[0].Why != "the statement has too many columns" {
		t.Fatalf("got %v, %v; limits.MaxSQLSteps is %d", statements, err, limits.MaxSQLSteps)
	}
}

func TestWhatIsNotUnderstood(t *testing.T) {
	for _, c := range []struct{ sql, kind, line, why string }{
		{"select 1;\n\nselect {{ a }} from\n{{ ref('b') }}", "template", "select {{ a }} from", "it is a template, which must be filled in first"},
		{"select 1;\nselect from from", "select", "select from from", ""},
		{"select 1;\ngrant select on a to b", "grant", "grant select on a to b", "statements of this kind are not read for lineage"},
		{"select 1; -- first\n/* second */ select\n nothing from items", "select", "nothing", "no table has a column of this name"},
		{"select 1;\nselect * from unknown", "select", "*", "the columns of unknown are not known"},
	} {
		statements, err := reader.Read(t.Context(), c.sql, lineage.Settings{Dialect: "postgres", Tables: tables})
		if err != nil || len(statements) != 2 || len(statements[1].NotUnderstood) != 1 {
			t.Errorf("%s: %v, %v", c.sql, statements, err)
			continue
		}
		got := statements[1].NotUnderstood[0]
		if statements[1].Kind != c.kind || got.Text != c.line || c.why != "" && got.Why != c.why || got.Line < 2 {
			t.Errorf("%s: %+v", c.sql, statements[1])
		}
	}
	if _, err := reader.Read(t.Context(), "select 1", lineage.Settings{Dialect: "klingon"}); err == nil || !strings.Contains(err.Error(), "klingon") {
		t.Errorf("unknown dialect: %v", err)
	}
}

func TestScripts(t *testing.T) {
	script := `create function f() returns int as $$ select 1; select 2 $$ language sql;
create procedure p() begin update a set b = 1; if x then select 1; end if; end;
select ';' as "a;b" from t -- ; not here
; /* ; */ select 2`
	statements, err := reader.Read(t.Context(), script, lineage.Settings{Dialect: "postgres"})
	if err != nil || len(statements) != 4 {
		t.Fatalf("got %+v, %v", statements, err)
	}
	if statements[2].Columns[0].Output != "a;b" || statements[2].Line != 3 || statements[3].Line != 4 {
		t.Errorf("got %+v", statements[2:])
	}
}
