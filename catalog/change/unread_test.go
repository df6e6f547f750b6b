package change_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog/change"
	"github.com/headwater-io/headwater/model"
)

// unusedOf lists the tables and columns that nobody reads any more.
func unusedOf(r *change.Result) []string {
	found := []string{}
	for i := range r.Unused {
		u := &r.Unused[i]
		found = append(found, u.Table+"."+u.Column+" read by "+u.Was)
	}
	return found
}

// TestUnused: a column that somebody read, and nobody reads after the change, is told; a column that may still be read is not.
func TestUnused(t *testing.T) {
	const tables = "create table s.t (x int, y int, z int); create table s.u (x int);"
	for _, one := range []struct {
		base, head string
		want       []string
	}{
		{tables + "create view s.v as select x, y from s.t", tables + "create view s.v as select x from s.t", []string{"s.t.y read by s.v"}},
		{tables + "create view s.v as select x from s.t where y > 0", tables + "create view s.v as select x from s.t", []string{"s.t.y read by s.v"}},
		{tables + "create view s.v as select x from s.t where y > 0", tables + "create view s.v as select x from s.t where z > 0", []string{"s.t.y read by s.v"}},
		{tables + "create view s.v as select x, y from s.t; create view s.w as select y from s.t", tables + "create view s.v as select x from s.t; create view s.w as select y from s.t", []string{}},
		{tables + "create view s.v as select t.x from s.t join s.u on t.x = u.x", tables + "create view s.v as select x from s.t", []string{"s.u. read by s.v"}},
		{tables + "create view s.v as select * from s.t", tables + "create view s.v as select x from s.t", []string{"s.t.y read by s.v", "s.t.z read by s.v"}},
		{tables + "create view s.v as select x, y from s.t", tables + "create view s.v as select * from s.t", []string{}},
		{tables + "create view s.v as select x, y from s.t", tables + "create view s.v as select x from s.t; insert into s.u select y from s.t", []string{}},
		{tables + "create view s.v as select x, y from s.t", "create table s.t (x int, z int); create table s.u (x int); create view s.v as select x from s.t", []string{}},
		{tables + "create view s.v as select x, y from s.t", tables + "create view s.v as select x, y from s.t", []string{}},
	} {
		r := compared(t, sqlState(t, map[string]string{"a.sql": one.base}), sqlState(t, map[string]string{"a.sql": one.head}))
		if diff := cmp.Diff(one.want, unusedOf(r)); diff != "" {
			t.Errorf("%s\n%s\n%s", one.base, one.head, diff)
		}
	}
}

// around is a catalog with a reader of one column, with forms and with structured properties.
type around struct {
	change.Catalog
	reads, kind string
}

func (a around) Readers(_ context.Context, _, column, _ string) ([]change.Affected, error) {
	if column != a.reads {
		return nil, nil
	}
	return []change.Affected{{Impact: change.Impact{URN: "urn:li:" + a.kind + ":x", Name: "x", Type: a.kind}, Effect: change.Certain}}, nil
}

func (around) Behind(context.Context, string, bool) ([]change.Affected, error)      { return nil, nil }
func (around) Details(context.Context, []string) (map[string]change.Details, error) { return nil, nil }
func (around) Attached(_ context.Context, urn, column string) (change.Attached, error) {
	return change.Attached{
		Forms:      []change.AttachedTo{{URN: "urn:li:form:f", Name: "Review of " + column}},
		Properties: []change.AttachedTo{{URN: "urn:li:structuredProperty:p", Name: "Retention"}},
	}, nil
}

// TestUnusedBeyond: a column that somebody beyond the project reads is not unused; an assertion is not a reader.
func TestUnusedBeyond(t *testing.T) {
	base := map[string]string{"a.sql": "create table s.t (x int, y int, z int); create view s.v as select x, y, z from s.t"}
	head := map[string]string{"a.sql": "create table s.t (x int, y int, z int); create view s.v as select x from s.t"}
	for kind, want := range map[string][]string{
		model.EntityDashboard: {"s.t.z read by s.v"},
		model.EntityAssertion: {"s.t.y read by s.v", "s.t.z read by s.v"},
	} {
		b, h := sqlState(t, base), sqlState(t, head)
		r := compared(t, b, h)
		if _, err := r.Beyond(t.Context(), b, h, around{reads: "y", kind: kind}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, unusedOf(r)); diff != "" {
			t.Errorf("%s: %s", kind, diff)
		}
		if r.Unused[0].Why != "nobody reads it any more, in the project and beyond" {
			t.Errorf("%+v", r.Unused[0])
		}
	}
}

// TestAttached: forms and structured properties of a column that is dropped, and of a table that is removed, are hurt once.
func TestAttached(t *testing.T) {
	base := map[string]string{"a.sql": "create table s.t (x int, y int); create table s.u (x int)"}
	head := map[string]string{"a.sql": "create table s.t (x bigint)"}
	b, h := sqlState(t, base), sqlState(t, head)
	r := compared(t, b, h)
	if _, err := r.Beyond(t.Context(), b, h, around{}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, list := range [][]change.Hurt{r.Forms, r.Properties} {
		for _, hurt := range list {
			got = append(got, hurt.Name+"/"+hurt.Table+"."+hurt.Column+"/"+hurt.Effect+"/"+hurt.Why)
		}
	}
	want := []string{
		"Review of /s.u./certain/it is about s.u, which the change removes", "Review of y/s.t.y/certain/it is about y, which the change drops",
		"Retention/s.u./certain/s.u has a value of it, and the change removes it", "Retention/s.t.y/certain/y has a value of it, and the change drops it",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
