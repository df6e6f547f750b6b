package lineage_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

const (
	personal, other = "urn:li:tag:personal", "urn:li:tag:other"
	address         = "urn:li:glossaryTerm:address"
)

// labelsOf returns the tags and terms of a column as members of its JSON object.
func labelsOf(labels ...string) string {
	var tags, terms []string
	for _, label := range labels {
		if strings.HasPrefix(label, "urn:li:tag:") {
			tags = append(tags, fmt.Sprintf(`{"tag":%q}`, label))
		} else {
			terms = append(terms, fmt.Sprintf(`{"urn":%q}`, label))
		}
	}
	return fmt.Sprintf(`"globalTags":{"tags":[%s]},"glossaryTerms":{"terms":[%s],"auditStamp":{"time":0,"actor":"urn:li:corpuser:ada"}}`, strings.Join(tags, ","), strings.Join(terms, ","))
}

// schemaWith returns a schema whose columns have labels, editsWith the labels that people added
// to columns.
func schemaWith(columns map[string][]string) string {
	var fields []string
	for path, labels := range columns {
		fields = append(fields, fmt.Sprintf(`{"fieldPath":%q,"nativeDataType":"text","type":{"type":{"com.linkedin.schema.StringType":{}}},%s}`, path, labelsOf(labels...)))
	}
	return `{"schemaName":"t","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[` + strings.Join(fields, ",") + `]}`
}

func editsWith(columns map[string][]string) string {
	var fields []string
	for path, labels := range columns {
		fields = append(fields, fmt.Sprintf(`{"fieldPath":%q,"description":"edited",%s}`, path, labelsOf(labels...)))
	}
	return `{"editableSchemaFieldInfo":[` + strings.Join(fields, ",") + `]}`
}

// TestLabelledColumns: columns with a tag or a term are found whether a source states the label
// or people added it. They come with the owners of their dataset, in pages of any size.
func TestLabelledColumns(t *testing.T) {
	catalogtest.EmptyStores(t, func(t *testing.T, store graphstore.Store) {
		s, ctx := services.New(services.Options{Store: store}), context.Background()
		table := func(n int) string { return catalogtest.Dataset("hive", fmt.Sprintf("labelled.t%d", n), "PROD") }
		say := func(urn, aspect, value string) {
			t.Helper()
			if _, err := s.Ingest(ctx, write.Proposal{
				EntityType: catalogtest.URN(urn).EntityType(), EntityURN: urn, AspectName: aspect,
				Aspect: &write.GenericAspect{Value: []byte(value), ContentType: "application/json"},
			}, catalog.WriteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		type columns = map[string][]string
		say(table(1), model.AspectSchemaMetadata, schemaWith(columns{"mail": {personal}, "name": {}, "street": {address, other}, "zip": {}}))
		say(table(1), model.AspectEditableSchemaMetadata, editsWith(columns{"mail": {personal, other}, "name": {personal}, "gone": {personal}}))
		say(table(1), model.AspectOwnership, `{"owners":[{"owner":"urn:li:corpuser:ada","type":"TECHNICAL_OWNER"},{"owner":"urn:li:corpGroup:team","type":"BUSINESS_OWNER"}]}`)
		say(table(2), model.AspectSchemaMetadata, schemaWith(columns{"b": {}, "a": {}}))
		say(table(2), model.AspectEditableSchemaMetadata, editsWith(columns{"b": {address}, "a": {personal}}))
		say(table(3), model.AspectEditableSchemaMetadata, editsWith(columns{"unknown": {personal}})) // no schema is stored
		say(table(4), model.AspectSchemaMetadata, schemaWith(columns{"mail": {personal}}))
		say(table(4), model.AspectStatus, `{"removed":true}`)
		say(table(5), model.AspectSchemaMetadata, schemaWith(columns{"mail": {other}}))
		say(table(5), model.AspectGlobalTags, fmt.Sprintf(`{"tags":[{"tag":%q}]}`, personal)) // a tag of the table, not of its column
		say("urn:li:corpuser:ada", "corpUserInfo", `{"active":true,"displayName":"Ada Wren","email":"ada@example.com"}`)
		say("urn:li:corpGroup:team", "corpGroupInfo", `{"displayName":"The Team","email":"team@example.com","admins":[],"members":[],"groups":[]}`)

		shown := func(c *lineage.LabelledColumn) string {
			text := strings.TrimPrefix(model.StoredURN(c.Dataset).Parts()[1], "labelled.") + "." + c.Column.Path + ":"
			for _, label := range slices.Concat(c.Column.Tags, c.Column.Terms) {
				text += " " + label[strings.LastIndexByte(label, ':')+1:]
				if slices.Contains(c.Column.Edited, label) {
					text += "+"
				}
			}
			for _, owner := range c.Owners {
				text += ", " + owner.Name + " " + owner.Email
			}
			return text
		}
		const owned = ", Ada Wren ada@example.com, The Team team@example.com"
		for _, c := range []struct{ labels, want []string }{
			{[]string{personal}, []string{"t1.mail: personal other+" + owned, "t1.name: personal+" + owned, "t2.a: personal+", "t3.unknown: personal+"}},
			{[]string{address}, []string{"t1.street: other address" + owned, "t2.b: address+"}},
			{[]string{personal, address, personal}, []string{"t1.mail: personal other+" + owned, "t1.name: personal+" + owned, "t1.street: other address" + owned, "t2.a: personal+", "t2.b: address+", "t3.unknown: personal+"}},
		} {
			for count := 1; count <= 7; count++ {
				var got []string
				for after, calls := "", 0; calls <= 7; calls++ {
					page, err := s.Lineage.LabelledColumns(ctx, lineage.LabelledRequest{Labels: catalogtest.URNs(c.labels...), After: after, Count: count})
					if err != nil || page.Partial || len(page.Columns) > count {
						t.Fatalf("%v: %+v, %v", c.labels, page, err)
					}
					for i := range page.Columns {
						if column := &page.Columns[i]; column.URN == catalogtest.ColumnOf(column.Dataset, column.Column.Path) {
							got = append(got, shown(column))
						}
					}
					if after = page.Next; after == "" {
						break
					}
				}
				for i := range got { // owners have no order
					if a, b, ok := strings.Cut(got[i], ", The Team team@example.com"); ok {
						got[i] = a + b + ", The Team team@example.com"
					}
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("%v, %d at a time (-want +got):\n%s", c.labels, count, diff)
				}
			}
		}
		for says, r := range map[string]lineage.LabelledRequest{
			"at least one":       {Count: 1},
			"1 to 200":           {Labels: catalogtest.URNs(personal), Count: limits.MaxLabelledColumns + 1},
			"columns, not 0":     {Labels: catalogtest.URNs(personal)},
			"nothing is known":   {Labels: catalogtest.URNs("urn:li:tag:nobody"), Count: 1},
			"corpuser":           {Labels: catalogtest.URNs("urn:li:corpuser:ada"), Count: 1},
			"labels":             {Labels: slices.Repeat(catalogtest.URNs(personal), limits.MaxColumnLabels+1), Count: 1},
			"of the page before": {Labels: catalogtest.URNs(personal), Count: 1, After: "nonsense"},
		} {
			if _, err := s.Lineage.LabelledColumns(ctx, r); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%v, want %q", err, says)
			}
		}
	})
}
