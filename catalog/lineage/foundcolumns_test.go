package lineage_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/model"
)

// TestFindColumns: a column is found by its labels wherever they are stated, in the schema, by
// people and on the entity of the column, by its words and type, and by the facts of its dataset.
func TestFindColumns(t *testing.T) {
	for name, open := range map[string]func(testing.TB) *catalogtest.SearchHarness{
		"embedded": catalogtest.NewSearchHarness, "neo4j and typesense": catalogtest.NewServersHarness,
	} {
		t.Run(name, func(t *testing.T) { findColumns(t, open(t)) })
	}
}

func findColumns(t *testing.T, h *catalogtest.SearchHarness) {
	type columns = map[string][]string
	table := func(n int) string { return catalogtest.Dataset("hive", fmt.Sprintf("found.t%d", n), "PROD") }
	h.Say(table(1), model.AspectSchemaMetadata, schemaWith(columns{"mail": {personal}, "name": {}, "deep.mail": {}}))
	h.Say(table(1), model.AspectEditableSchemaMetadata, editsWith(columns{"name": {other}}))
	h.Say(table(1), model.AspectOwnership, `{"owners":[{"owner":"urn:li:corpuser:ada","type":"TECHNICAL_OWNER"}]}`)
	h.Say(table(2), model.AspectSchemaMetadata, schemaWith(columns{"phone": {}, "mailing": {}}))
	h.Say(table(2), model.AspectDomains, `{"domains":["urn:li:domain:inner"]}`)
	h.Say("urn:li:domain:outer", model.AspectDomainProperties, `{"name":"outer"}`)
	h.Say("urn:li:domain:inner", model.AspectDomainProperties, `{"name":"inner","parentDomain":"urn:li:domain:outer"}`)
	h.Say(catalogtest.ColumnOf(table(2), "phone"), model.AspectGlobalTags, `{"tags":[{"tag":"urn:li:tag:personal"}]}`)
	h.Say(table(3), model.AspectSchemaMetadata, schemaWith(columns{"mail": {personal}}))
	h.Say(table(3), model.AspectStatus, `{"removed":true}`)
	h.Say("urn:li:glossaryNode:group", model.AspectGlossaryNodeInfo, `{"name":"Personal data","definition":""}`)
	h.Say(address, model.AspectGlossaryTermInfo, `{"name":"Address","definition":"","termSource":"INTERNAL","parentNode":"urn:li:glossaryNode:group"}`)
	h.Say(table(4), model.AspectSchemaMetadata, schemaWith(columns{"street": {address}}))
	h.Say(personal, model.AspectTagProperties, `{"name":"personal"}`)
	h.Await()
	for name, c := range map[string]struct {
		r    lineage.ColumnsRequest
		want []string
	}{
		"a tag in all places":      {lineage.ColumnsRequest{Labels: catalogtest.URNs(personal)}, []string{"t1 mail", "t2 phone"}},
		"a tag that people added":  {lineage.ColumnsRequest{Labels: catalogtest.URNs(other)}, []string{"t1 name"}},
		"personal data":            {lineage.ColumnsRequest{Personal: true}, []string{"t1 mail", "t2 phone", "t4 street"}},
		"personal and a label":     {lineage.ColumnsRequest{Personal: true, Labels: catalogtest.URNs(address)}, []string{"t4 street"}},
		"a name before others":     {lineage.ColumnsRequest{Words: "mail"}, []string{"t1 deep.mail", "t1 mail", "t2 mailing"}},
		"what people wrote":        {lineage.ColumnsRequest{Words: "edited"}, []string{"t1 name"}},
		"an owner":                 {lineage.ColumnsRequest{Words: "mail", Owners: catalogtest.URNs("urn:li:corpuser:ada")}, []string{"t1 deep.mail", "t1 mail"}},
		"a domain around":          {lineage.ColumnsRequest{Domains: catalogtest.URNs("urn:li:domain:outer")}, []string{"t2 mailing", "t2 phone"}},
		"a domain and a tag":       {lineage.ColumnsRequest{Domains: catalogtest.URNs("urn:li:domain:outer"), Labels: catalogtest.URNs(personal)}, []string{"t2 phone"}},
		"a type":                   {lineage.ColumnsRequest{Words: "phone", Types: []string{"TEXT"}}, []string{"t2 phone"}},
		"another type":             {lineage.ColumnsRequest{Words: "phone", Types: []string{"int"}}, nil},
		"a dataset":                {lineage.ColumnsRequest{Datasets: catalogtest.URNs(table(4))}, []string{"t4 street"}},
		"signs of other languages": {lineage.ColumnsRequest{Words: `mail" OR (x:*`}, nil},
		"the second page":          {lineage.ColumnsRequest{Words: "mail", Start: 2}, []string{"t2 mailing"}},
	} {
		c.r.Count = 10
		found, err := h.Lineage.FindColumns(t.Context(), c.r)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []string
		for i := range found.Columns {
			one := &found.Columns[i]
			got = append(got, strings.TrimPrefix(one.DatasetPath, "found.")+" "+one.Column.Path)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if c.r.Start == 0 && found.Total != len(got) || found.Partial {
			t.Errorf("%s: %d columns of %d, partial %t", name, len(got), found.Total, found.Partial)
		}
	}
	found, err := h.Lineage.FindColumns(t.Context(), lineage.ColumnsRequest{Labels: catalogtest.URNs(personal), Count: 10})
	if err != nil || len(found.Columns) != 2 {
		t.Fatal(found, err)
	}
	if own := found.Columns[1].Column; !slices.Equal(own.Tags, []string{personal}) || !slices.Equal(own.Edited, []string{personal}) {
		t.Errorf("the tag of the column's entity: %+v", own)
	}
	if owners := found.Columns[0].Owners; len(owners) != 1 || owners[0].URN != "urn:li:corpuser:ada" {
		t.Errorf("the owners of the table: %+v", owners)
	}
}
