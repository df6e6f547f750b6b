package edits_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/model"
)

// The URNs that the revisions of these tests name.
const (
	tagA, tagB = "urn:li:tag:a", "urn:li:tag:b"
	revenue    = "urn:li:glossaryTerm:revenue"
	sales      = "urn:li:domain:sales"
	technical  = "urn:li:ownershipType:__system__technical_owner"
)

// newRevised makes the catalog of newAssets with tags, a term and a domain. The source states
// the tag a and a description of the column note.
func newRevised(t *testing.T) *catalogtest.SearchHarness {
	h := newAssets(t)
	for _, tag := range []string{tagA, tagB} {
		h.Say(tag, model.AspectTagProperties, `{"name":"`+tag+`"}`)
	}
	h.Say(revenue, model.AspectGlossaryTermInfo, `{"definition":"money","termSource":"INTERNAL"}`)
	h.Say(sales, model.AspectDomainProperties, `{"name":"Sales"}`)
	schema := h.Value(catalogtest.Table, model.AspectSchemaMetadata, 0)
	h.Say(catalogtest.Table, model.AspectSchemaMetadata, strings.Replace(schema, `"fieldPath":"note"`, `"fieldPath":"note","description":"by the source","globalTags":{"tags":[{"tag":"`+tagA+`"}]}`, 1))
	return h
}

func pointer[T any](v T) *T { return &v }

// TestRevise: each part of a revision is written to the aspect of its kind, together with the
// other parts. A dry run has the same answer and writes nothing. A repeated revision changes
// nothing and makes no version.
func TestRevise(t *testing.T) {
	table := catalogtest.URN(catalogtest.Table)
	ada := edits.StatedOwner{Owner: catalogtest.Ada, Type: "TECHNICAL_OWNER", TypeURN: technical}
	for _, c := range []struct {
		name          string
		revision      edits.Revision
		before, after edits.Stated
		stored        map[string]string // a part of the text of each aspect, by aspect
	}{
		{
			"everything of an entity",
			edits.Revision{
				Resource: edits.Resource{URN: table}, Domain: pointer(catalogtest.URN(sales)), Description: pointer("orders"),
				Add: edits.Marks{Tags: catalogtest.URNs(tagA, tagB), Terms: catalogtest.URNs(revenue), Owners: []edits.NewOwner{{URN: catalogtest.URN(catalogtest.Ada), Type: "TECHNICAL_OWNER"}}},
			},
			edits.Stated{Tags: []string{}, Terms: []string{}, Owners: []edits.StatedOwner{}, Domains: []string{}, Description: pointer("")},
			edits.Stated{Tags: []string{tagA, tagB}, Terms: []string{revenue}, Owners: []edits.StatedOwner{ada}, Domains: []string{sales}, Description: pointer("orders")},
			map[string]string{
				model.AspectGlobalTags: tagB, model.AspectGlossaryTerms: revenue, model.AspectOwnership: technical, model.AspectDomains: sales,
				model.AspectEditableDatasetProperties: `"description":"orders"`,
			},
		},
		{
			"one for another",
			edits.Revision{Resource: edits.Resource{URN: table}, Add: edits.Marks{Tags: catalogtest.URNs(tagB)}, Remove: edits.Marks{Tags: catalogtest.URNs(tagA)}},
			edits.Stated{Tags: []string{tagA}},
			edits.Stated{Tags: []string{tagB}},
			map[string]string{model.AspectGlobalTags: `{"tags":[{"tag":"` + tagB + `"}]}`},
		},
		{
			"an owner of another kind stays",
			edits.Revision{Resource: edits.Resource{URN: table}, Remove: edits.Marks{Owners: []edits.NewOwner{{URN: catalogtest.URN(catalogtest.Ada), Type: "BUSINESS_OWNER"}}}},
			edits.Stated{Owners: []edits.StatedOwner{{Owner: catalogtest.Ada, Type: "TECHNICAL_OWNER", TypeURN: technical}, {Owner: catalogtest.Ada, Type: "BUSINESS_OWNER"}}},
			edits.Stated{Owners: []edits.StatedOwner{{Owner: catalogtest.Ada, Type: "TECHNICAL_OWNER", TypeURN: technical}}},
			map[string]string{model.AspectOwnership: technical},
		},
		{
			"all kinds of an owner, the domain and the description",
			edits.Revision{Resource: edits.Resource{URN: table}, Domain: &model.URN{}, Description: pointer(""), Remove: edits.Marks{Owners: []edits.NewOwner{{URN: catalogtest.URN(catalogtest.Ada)}}}},
			edits.Stated{Owners: []edits.StatedOwner{{Owner: catalogtest.Ada, Type: "TECHNICAL_OWNER", TypeURN: technical}, {Owner: catalogtest.Ada, Type: "BUSINESS_OWNER"}}, Domains: []string{sales}, Description: pointer("old")},
			edits.Stated{Owners: []edits.StatedOwner{}, Domains: []string{}, Description: pointer("")},
			map[string]string{model.AspectOwnership: `"owners":[]`, model.AspectDomains: `"domains":[]`},
		},
		{
			"a column by its URN",
			edits.Revision{Resource: edits.Resource{URN: catalogtest.URN(idColumn)}, Description: pointer("the key"), Add: edits.Marks{Tags: catalogtest.URNs(tagA), Terms: catalogtest.URNs(revenue)}},
			edits.Stated{Tags: []string{}, Terms: []string{}, Description: pointer("")},
			edits.Stated{Tags: []string{tagA}, Terms: []string{revenue}, Description: pointer("the key")},
			map[string]string{model.AspectEditableSchemaMetadata: `"description":"the key"`},
		},
		{
			"the definition of a term is emptied",
			edits.Revision{Resource: edits.Resource{URN: catalogtest.URN(revenue)}, Description: pointer("")},
			edits.Stated{Description: pointer("money")},
			edits.Stated{Description: pointer("")},
			map[string]string{model.AspectGlossaryTermInfo: `"definition":""`},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, ctx := newRevised(t), context.Background()
			if len(c.before.Tags) > 0 {
				h.Say(catalogtest.Table, model.AspectGlobalTags, `{"tags":[{"tag":"`+tagA+`"}]}`)
			}
			if len(c.before.Owners) > 0 {
				h.Say(catalogtest.Table, model.AspectOwnership, `{"owners":[{"owner":"`+catalogtest.Ada+`","type":"TECHNICAL_OWNER","typeUrn":"`+technical+`"},{"owner":"`+catalogtest.Ada+`","type":"BUSINESS_OWNER"}],"lastModified":`+catalogtest.Stamp+`}`)
			}
			if len(c.before.Domains) > 0 {
				h.Say(catalogtest.Table, model.AspectDomains, `{"domains":["`+sales+`"]}`)
				h.Say(catalogtest.Table, model.AspectEditableDatasetProperties, `{"description":"old"}`)
			}
			state, logged := h.State(), len(h.Logged())
			dry := c.revision
			dry.DryRun = true
			for _, r := range []edits.Revision{dry, c.revision} {
				done, err := h.Edits.Revise(ctx, r, catalog.WriteOptions{Actor: catalogtest.Ada})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff([]any{true, r.DryRun, c.before, c.after}, []any{done.Changed, done.DryRun, done.Before, done.After}); diff != "" {
					t.Errorf("dry run %t (-want +got):\n%s", r.DryRun, diff)
				}
				if r.DryRun && (h.State() != state || len(h.Logged()) != logged) {
					t.Error("a dry run wrote something")
				}
			}
			holder := c.revision.URN
			if of, _, ok := model.ColumnOf(holder); ok {
				holder = of
			}
			for aspect, part := range c.stored {
				if text := h.Value(holder.String(), aspect, 0); !strings.Contains(text, part) {
					t.Errorf("%s is %s", aspect, text)
				}
			}
			for _, change := range h.Logged()[logged:] {
				if change.Actor != catalogtest.Ada {
					t.Errorf("%s of %s by %s", change.Aspect, change.URN, change.Actor)
				}
			}
			versions := len(h.Logged())
			done, err := h.Edits.Revise(ctx, c.revision, catalog.WriteOptions{Actor: catalogtest.Ada})
			if err != nil || done.Changed || cmp.Diff(done.Before, done.After) != "" {
				t.Errorf("a repeated revision: %+v, %v", done, err)
			}
			for _, change := range h.Logged()[versions:] {
				if change.Kind == catalog.ChangeUpsert {
					t.Errorf("a repeated revision wrote %s", change.Aspect)
				}
			}
		})
	}
}

// TestReviseRefuses: a revision that names an entity that does not exist, or a part that it
// cannot change, writes nothing, whatever its other parts are. A dry run of it is refused as
// well.
func TestReviseRefuses(t *testing.T) {
	h, ctx := newRevised(t), context.Background()
	table := edits.Resource{URN: catalogtest.URN(catalogtest.Table)}
	tags := edits.Marks{Tags: catalogtest.URNs(tagA)}
	many := edits.Marks{Tags: make([]model.URN, write.MaxEdits+1)}
	for i := range many.Tags {
		many.Tags[i] = catalogtest.URN(tagA)
	}
	owner := func(o edits.NewOwner) edits.Marks { return edits.Marks{Tags: tags.Tags, Owners: []edits.NewOwner{o}} }
	before := h.State()
	for _, c := range []struct {
		name     string
		revision edits.Revision
		code     catalog.Code
		says     string
	}{
		{"an entity", edits.Revision{Resource: edits.Resource{URN: catalogtest.URN(absentTable)}, Add: tags}, catalog.NotFound, "does not exist"},
		{"a column", edits.Revision{Resource: edits.Resource{URN: table.URN, Field: "nte"}, Add: tags}, catalog.NotFound, "did you mean note"},
		{"a column of what has none", edits.Revision{Resource: edits.Resource{URN: catalogtest.URN(secondTable), Field: "id"}, Add: tags}, catalog.NotFound, "has no column"},
		{"a column by URN", edits.Revision{Resource: edits.Resource{URN: catalogtest.URN(noColumn)}, Add: tags}, catalog.NotFound, "did you mean id"},
		{"a tag", edits.Revision{Resource: table, Add: edits.Marks{Tags: catalogtest.URNs(tagA, "urn:li:tag:none")}}, catalog.NotFound, "urn:li:tag:none"},
		{"a term that is a tag", edits.Revision{Resource: table, Add: edits.Marks{Terms: catalogtest.URNs(tagA)}}, catalog.Invalid, "is not a glossaryTerm"},
		{"an owner", edits.Revision{Resource: table, Add: owner(edits.NewOwner{URN: catalogtest.URN("urn:li:corpuser:none")})}, catalog.NotFound, "corpuser:none"},
		{"an owner that is a tag", edits.Revision{Resource: table, Add: owner(edits.NewOwner{URN: catalogtest.URN(tagA)})}, catalog.Invalid, "cannot be an owner"},
		{"a kind of ownership", edits.Revision{Resource: table, Remove: owner(edits.NewOwner{URN: catalogtest.URN(catalogtest.Ada), Type: "TECHNICAL"})}, catalog.Invalid, "no kind of ownership"},
		{"a kind by its URN", edits.Revision{Resource: table, Add: owner(edits.NewOwner{URN: catalogtest.URN(catalogtest.Ada), TypeURN: catalogtest.URN("urn:li:ownershipType:none")})}, catalog.NotFound, "ownershipType:none"},
		{"a domain", edits.Revision{Resource: table, Add: tags, Domain: pointer(catalogtest.URN("urn:li:domain:none"))}, catalog.NotFound, "domain:none"},
		{"owners of a column", edits.Revision{Resource: edits.Resource{URN: table.URN, Field: "id"}, Add: owner(edits.NewOwner{URN: catalogtest.URN(catalogtest.Ada)})}, catalog.Invalid, "a column has no owners"},
		{"a tag of a tag", edits.Revision{Resource: edits.Resource{URN: catalogtest.URN(tagB)}, Add: tags}, catalog.Invalid, "Unknown aspect"},
		{"the description of a user", edits.Revision{Resource: edits.Resource{URN: catalogtest.URN(catalogtest.Ada)}, Description: pointer("tall")}, catalog.Invalid, "cannot be set"},
		{"both ways", edits.Revision{Resource: table, Add: tags, Remove: tags}, catalog.Invalid, "to be added and to be removed"},
		{"nothing", edits.Revision{Resource: table}, catalog.Invalid, "nothing to change"},
		{"too much", edits.Revision{Resource: table, Add: many}, catalog.Invalid, "at most 1000"},
	} {
		for _, dryRun := range []bool{true, false} {
			c.revision.DryRun = dryRun
			_, err := h.Edits.Revise(ctx, c.revision, catalog.WriteOptions{})
			if catalog.CodeOf(err) != c.code || !strings.Contains(catalog.MessageOf(err), c.says) || h.State() != before {
				t.Errorf("%s, dry run %t: %v", c.name, dryRun, err)
			}
		}
	}
	h.SetReadOnly(true)
	if _, err := h.Edits.Revise(ctx, edits.Revision{Resource: table, Add: tags}, catalog.WriteOptions{}); catalog.CodeOf(err) != catalog.Forbidden {
		t.Errorf("read-only: %v", err)
	}
	if done, err := h.Edits.Revise(ctx, edits.Revision{Resource: table, Add: tags, DryRun: true}, catalog.WriteOptions{}); err != nil || !done.Changed || h.State() != before {
		t.Errorf("read-only, a dry run: %+v %v", done, err)
	}
}

// TestReviseNotes: a revision of a column names the statements that it cannot remove, because
// the source makes them.
func TestReviseNotes(t *testing.T) {
	h := newRevised(t)
	r := edits.Revision{Resource: edits.Resource{URN: catalogtest.URN(catalogtest.Table), Field: "note"}, Description: pointer(""), Remove: edits.Marks{Tags: catalogtest.URNs(tagA, tagB)}}
	done, err := h.Edits.Revise(context.Background(), r, catalog.WriteOptions{})
	if err != nil || done.Changed || len(done.Notes) != 2 || !strings.Contains(done.Notes[0], tagA) || !strings.Contains(done.Notes[1], "description") {
		t.Errorf("%+v %v", done, err)
	}
	r.Field = "id"
	if done, err = h.Edits.Revise(context.Background(), r, catalog.WriteOptions{}); err != nil || done.Changed || len(done.Notes) > 0 {
		t.Errorf("%+v %v", done, err)
	}
}

// TestNothingToRemove: the removal of a domain or description that an entity does not have
// writes no aspect. To add an owner who is already an owner makes no version.
func TestNothingToRemove(t *testing.T) {
	h, ctx := newRevised(t), context.Background()
	table := catalogtest.URNs(catalogtest.Table)
	before := len(h.Logged())
	err := errors.Join(
		h.Edits.SetDomain(ctx, model.URN{}, table, catalog.WriteOptions{}),
		h.Edits.RemoveLabels(ctx, edits.TagLabel, catalogtest.URNs(tagA), []edits.Resource{{URN: table[0]}}, catalog.WriteOptions{}),
		h.Edits.RemoveOwners(ctx, catalogtest.URNs(catalogtest.Ada), model.URN{}, table, catalog.WriteOptions{}),
	)
	if err != nil || len(h.Logged()) != before {
		t.Errorf("%v, %d changes", err, len(h.Logged())-before)
	}
	owner := []edits.NewOwner{{URN: catalogtest.URN(catalogtest.Ada), Type: "TECHNICAL_OWNER"}}
	for range 2 {
		if err := h.Edits.AddOwners(ctx, owner, table, catalog.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if value := h.Value(catalogtest.Table, model.AspectOwnership, 1); value != "" {
		t.Errorf("an owner who is one already made a version: %s", value)
	}
}
