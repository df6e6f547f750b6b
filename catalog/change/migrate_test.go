package change_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog/change"
)

const migrationStart = "create table shop.orders (id int not null, day date, amount decimal(9,2), note varchar(20));\ncreate table shop.old (x int);\ncreate view shop.days as\nselect day, sum(amount) as total from shop.orders group by day;\n"

// TestMigrations: scripts alter tables that earlier scripts made, and views that read a lost table or column fail, also in
// the file that made the table.
func TestMigrations(t *testing.T) {
	for script, want := range map[string]commit{
		"alter table shop.orders add column who text, drop column if exists amount cascade": {Changes: []string{"columnAdded orders.who", "columnDropped orders.amount"}, Certain: []string{"days"}},
		"alter table shop.orders rename column day to ordered":                              {Changes: []string{"columnRenamed orders.day"}, Certain: []string{"days"}},
		"alter table shop.orders alter column note type varchar(10); alter table shop.orders alter column note set not null, alter id drop not null": {
			Changes: []string{"columnRetyped orders.note", "nullabilityChanged orders.id", "nullabilityChanged orders.note"},
		},
		"alter table shop.orders modify column note varchar(10) not null":               {Changes: []string{"columnRetyped orders.note", "nullabilityChanged orders.note"}},
		"alter table shop.orders add primary key (day)":                                 {Changes: []string{"nullabilityChanged orders.day"}},
		"alter table shop.orders add constraint positive check (amount > 0)":            {},
		"drop table if exists shop.old":                                                 {Changes: []string{"tableRemoved old"}},
		"drop view shop.days":                                                           {Changes: []string{"tableRemoved days"}},
		"alter table shop.orders rename to sales":                                       {Changes: []string{"tableAdded sales", "tableRemoved orders"}, Certain: []string{"days"}},
		"drop table shop.old; create table shop.old (x int)":                            {},
		"create table shop.tmp (x int); drop table shop.tmp":                            {},
		"alter table shop.old rename column x to y; alter table shop.old drop column y": {Changes: []string{"columnDropped old.x"}},
	} {
		base := sqlState(t, map[string]string{"1.sql": migrationStart})
		head := sqlState(t, map[string]string{"1.sql": migrationStart, "2.sql": script})
		r := compared(t, base, head)
		got := said(r)
		got.Changes = sorted(got.Changes)
		if diff := cmp.Diff(want, got); diff != "" || len(r.NotUnderstood) > 0 {
			t.Errorf("%s: %s %+v", script, diff, r.NotUnderstood)
		}
		for i := range r.Changes {
			if c := &r.Changes[i]; c.Column != "" && (c.File != "2.sql" || c.Line != 1 || c.Sure != 1) {
				t.Errorf("%s: %+v", script, c)
			}
		}
	}
}

// TestMigrationUnknown: the result names an unknown action, and a table whose columns are not known.
func TestMigrationUnknown(t *testing.T) {
	for script, want := range map[string]string{
		"alter table shop.orders frobnicate partition x": "2.sql", "alter table shop.elsewhere drop column x": "shop.elsewhere",
	} {
		r := compared(t, sqlState(t, map[string]string{"1.sql": migrationStart}), sqlState(t, map[string]string{"1.sql": migrationStart, "2.sql": script}))
		if len(r.Changes) > 0 || len(r.NotUnderstood) != 1 || !strings.Contains(r.NotUnderstood[0].Name, want) {
			t.Errorf("%s: %+v %+v", script, r.Changes, r.NotUnderstood)
		}
	}
}

// TestMigrationOfCatalog: a script is compared with the catalog, which has the columns of the tables that it alters and drops.
func TestMigrationOfCatalog(t *testing.T) {
	head := sqlState(t, map[string]string{"1.sql": "alter table s.v rename column a to z;\nalter table s.v drop column b; drop table s.gone; drop table s.nowhere"})
	asked := strings.Join(head.URNs(), " ")
	base := change.FromTables(head, func(n *change.Node) *change.Table {
		if !strings.Contains(asked, n.URN()) || n.Name == "s.nowhere" {
			return nil
		}
		return &change.Table{URN: n.URN(), Columns: []change.Column{{Name: "a", Type: "int"}, {Name: "b", Type: "int"}, {Name: "c", Type: "int"}}}
	})
	got := said(compared(t, base, head))
	got.Changes = sorted(got.Changes)
	if diff := cmp.Diff(commit{Changes: []string{"columnDropped v.b", "columnRenamed v.a", "tableRemoved gone"}}, got); diff != "" {
		t.Error(diff)
	}
}
