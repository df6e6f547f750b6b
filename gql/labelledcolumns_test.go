package gql_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/gql"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sample"
)

// TestLabelledColumnsAndWhatTheyAffect: one call returns all columns about persons, with their
// owners and with all entities that each column may affect, also entities that only lineage
// between tables reaches.
func TestLabelledColumnsAndWhatTheyAffect(t *testing.T) {
	c := testcatalog.New(t)
	if _, err := sample.Load(context.Background(), c); err != nil {
		t.Fatal(err)
	}
	type column struct {
		Column struct{ Urn, Name string }
		Labels []struct{ Label struct{ Name string } }
		Owners []struct {
			Owner struct{ Name string }
			Email string
		}
		Impact struct {
			Total int
			Rows  []struct {
				Entity struct{ Urn, Type string }
				Effect string
			}
		}
	}
	h := gql.New(gql.Options{Catalog: c})
	var all []column
	for after := any(nil); ; {
		got := ask(t, h, `query q($after: String) { labelledColumns(input: {labels: ["urn:li:tag:PII"], after: $after, count: 2}) { next columns {
			column { urn name } labels { label { name } } owners { owner { name } email } impact { total rows { entity { urn type } effect } } } } }`, map[string]any{"after": after})
		var answer struct {
			Data struct {
				LabelledColumns *struct {
					Next    *string
					Columns []column
				}
			}
		}
		if err := json.Unmarshal([]byte(got), &answer); err != nil || answer.Data.LabelledColumns == nil {
			t.Fatalf("%s: %v", got, err)
		}
		all = append(all, answer.Data.LabelledColumns.Columns...)
		if answer.Data.LabelledColumns.Next == nil {
			break
		}
		after = *answer.Data.LabelledColumns.Next
	}
	types, effects := map[string]bool{}, map[string]bool{}
	for i := range all {
		one := &all[i]
		u, err := model.ParseURN(one.Column.Urn)
		if err != nil {
			t.Fatal(err)
		}
		impact, err := c.Lineage.Impact(context.Background(), lineage.ImpactRequest{Walk: lineage.WalkQuery{URN: u}})
		if err != nil {
			t.Fatal(err)
		}
		want, got := []string{}, []string{}
		for k := range impact.Entities {
			want = append(want, impact.Entities[k].URN)
		}
		for _, row := range one.Impact.Rows {
			got = append(got, row.Entity.Urn)
			types[row.Entity.Type], effects[row.Effect] = true, true
		}
		if diff := cmp.Diff(want, got); diff != "" || one.Impact.Total != len(want) {
			t.Errorf("%s affects %d (-want +got):\n%s", one.Column.Urn, one.Impact.Total, diff)
		}
		if len(one.Owners) == 0 || one.Owners[0].Email == "" || !slices.ContainsFunc(one.Labels, func(l struct{ Label struct{ Name string } }) bool { return l.Label.Name == "PII" }) {
			t.Errorf("%s: %+v, %+v", one.Column.Urn, one.Labels, one.Owners)
		}
	}
	if len(all) < 3 || !effects["POSSIBLE"] || !effects["CERTAIN"] || len(types) < 2 {
		t.Errorf("%d columns affect %s, %s", len(all), fmt.Sprint(slices.Sorted(maps.Keys(types))), fmt.Sprint(slices.Sorted(maps.Keys(effects))))
	}
}
