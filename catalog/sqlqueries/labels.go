package sqlqueries

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/catalog/suggest"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// label adds tags, terms and deprecations to tables, and tags and terms to columns.
func (b *builder) label(ctx context.Context) error {
	personal, partial, err := b.service.Lineage.PersonalLabels(ctx)
	switch {
	case errors.Is(err, catalog.ErrNoIndex):
		b.lacks("which labels are of personal data is not known: " + catalog.MessageOf(err))
	case err != nil:
		return err
	case partial != "":
		b.lacks(partial)
	}
	b.personal = make(map[string]bool, len(personal))
	for _, urn := range personal {
		b.personal[urn] = true
	}
	own, err := b.ownLabels(ctx)
	if err != nil {
		return err
	}
	for i := range b.answer.Tables {
		t := &b.answer.Tables[i]
		d := b.found.stored[t.Name]
		if d == nil {
			continue
		}
		if err := b.labelTable(t, d); err != nil {
			return catalog.Errorf(catalog.Internal, "the aspects of %s: %w", t.URN, err)
		}
		for k := range t.Columns {
			c := &t.Columns[k]
			if of := d.column(c.Name); of != nil {
				b.add(&c.Labels, of.Tags, of.Terms)
			}
			for _, value := range own[c.URN] {
				tags, terms, err := labelsIn(value)
				if err != nil {
					return catalog.Errorf(catalog.Internal, "the labels of %s: %w", c.URN, err)
				}
				b.add(&c.Labels, tags, terms)
			}
			if !c.Personal {
				c.NameSays = string(suggest.KindOf(c.Name))
			}
		}
	}
	return nil
}

// labelTable adds the labels and the deprecation of a table.
func (b *builder) labelTable(t *Table, d *stored) error {
	for _, name := range []string{model.AspectGlobalTags, model.AspectGlossaryTerms} {
		tags, terms, err := labelsIn(d.values[name])
		if err != nil {
			return err
		}
		b.add(&t.Labels, tags, terms)
	}
	if value := d.values[model.AspectDeprecation]; value != nil {
		tree, err := catalog.TreeOf(value)
		if err != nil {
			return err
		}
		if t.Deprecated = tree["deprecated"] == true; t.Deprecated {
			t.Note = jsontree.Text(tree, "note")
		}
	}
	return nil
}

// labelsIn returns the labels of a globalTags or of a glossaryTerms.
func labelsIn(value json.RawMessage) (tags, terms []string, err error) {
	if value == nil {
		return nil, nil, nil
	}
	tree, err := catalog.TreeOf(value)
	if err != nil {
		return nil, nil, err
	}
	for _, item := range jsontree.Items(tree, "tags") {
		tags = append(tags, jsontree.Text(item, "tag"))
	}
	for _, item := range jsontree.Items(tree, "terms") {
		terms = append(terms, jsontree.Text(item, "urn"))
	}
	return tags, terms, nil
}

// add adds labels, each once.
func (b *builder) add(to *Labels, tags, terms []string) {
	for _, list := range []struct {
		to   *[]Named
		urns []string
	}{{&to.Tags, tags}, {&to.Terms, terms}} {
		for _, urn := range list.urns {
			urn = b.service.naming.Spelled(urn)
			if !slices.ContainsFunc(*list.to, func(n Named) bool { return n.URN == urn }) {
				*list.to = append(*list.to, Named{URN: urn})
			}
			to.Personal = to.Personal || b.personal[urn]
		}
	}
}

// ownLabels returns the aspects with the labels that the entities of columns have themselves.
func (b *builder) ownLabels(ctx context.Context) (map[string][]json.RawMessage, error) {
	var urns []string
	for i := range b.answer.Tables {
		for _, c := range b.answer.Tables[i].Columns {
			if c.URN != "" {
				urns = append(urns, c.URN)
			}
		}
	}
	own := map[string][]json.RawMessage{}
	for some := range slices.Chunk(urns, limits.MaxIDs) {
		values, err := b.labelsOfEntities(ctx, some)
		if err != nil {
			return nil, err
		}
		for urn, aspects := range values {
			for i := range aspects {
				own[urn] = append(own[urn], aspects[i].Value)
			}
		}
	}
	return own, nil
}

func (b *builder) labelsOfEntities(ctx context.Context, urns []string) (map[string][]graphstore.Aspect, error) {
	names := []string{model.AspectGlobalTags, model.AspectGlossaryTerms}
	if b.question.AsOf == 0 {
		values, err := b.service.Store.LatestAspects(ctx, urns, names)
		return values, catalog.StoreFailure(err)
	}
	nodes, err := b.service.Store.Entities(ctx, urns)
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	var existing []string
	for i := range nodes {
		if nodes[i].Exists {
			existing = append(existing, nodes[i].URN)
		}
	}
	past, err := b.service.Past.AspectsAt(ctx, existing, b.question.AsOf, names)
	if err != nil {
		return nil, err
	}
	values := make(map[string][]graphstore.Aspect, len(past))
	for urn, p := range past {
		values[urn] = p.Values
	}
	return values, nil
}

// own adds the owners of tables.
func (b *builder) own(ctx context.Context) error {
	var urns []string
	seen := map[string]bool{}
	for i := range b.answer.Tables {
		t := &b.answer.Tables[i]
		d := b.found.stored[t.Name]
		if d == nil || d.values[model.AspectOwnership] == nil {
			continue
		}
		tree, err := catalog.TreeOf(d.values[model.AspectOwnership])
		if err != nil {
			return catalog.Errorf(catalog.Internal, "the owners of %s: %w", t.URN, err)
		}
		for _, item := range jsontree.Items(tree, "owners") {
			urn := b.service.naming.Spelled(jsontree.Text(item, "owner"))
			if slices.ContainsFunc(t.Owners, func(o Owner) bool { return o.URN == urn }) {
				continue
			}
			t.Owners = append(t.Owners, Owner{Named: Named{URN: urn}})
			if !seen[urn] {
				seen[urn], urns = true, append(urns, urn)
			}
		}
	}
	named, err := b.service.Lineage.NameOwners(ctx, urns)
	if err != nil {
		return err
	}
	known := make(map[string]Owner, len(named))
	for _, o := range named {
		known[o.URN] = Owner{Named{o.URN, o.Name}, o.Email}
	}
	for i := range b.answer.Tables {
		for k := range b.answer.Tables[i].Owners {
			o := &b.answer.Tables[i].Owners[k]
			*o = known[o.URN]
		}
	}
	return nil
}

// nameLabels adds the names of tags and terms.
func (b *builder) nameLabels(ctx context.Context) error {
	var lists []*Labels
	var urns []string
	for i := range b.answer.Tables {
		t := &b.answer.Tables[i]
		lists = append(lists, &t.Labels)
		for k := range t.Columns {
			lists = append(lists, &t.Columns[k].Labels)
		}
	}
	seen := map[string]bool{}
	for _, l := range lists {
		for _, label := range slices.Concat(l.Tags, l.Terms) {
			if !seen[label.URN] {
				seen[label.URN], urns = true, append(urns, label.URN)
			}
		}
	}
	named, err := b.service.Names.Name(ctx, urns)
	if err != nil {
		return err
	}
	for _, l := range lists {
		for _, labels := range [][]Named{l.Tags, l.Terms} {
			for i := range labels {
				if labels[i].Name = named[labels[i].URN].Name; labels[i].Name == "" {
					labels[i].Name = labels[i].URN
				}
			}
		}
	}
	return nil
}

// near adds the nearest names to tables that the catalog does not have.
func (b *builder) near(ctx context.Context) error {
	looked := 0
	for i := range b.answer.Tables {
		t := &b.answer.Tables[i]
		if t.State != StateUnknown {
			continue
		}
		u, err := b.service.Registry.ReadURN(b.question.place.URN(t.Name))
		if err != nil {
			continue // no dataset can have this name
		}
		if looked++; looked > limits.MaxSQLNearest {
			b.lacks(fmt.Sprintf("the nearest names are looked for of %d tables", limits.MaxSQLNearest))
			return nil
		}
		var near *search.NameError
		if !errors.As(b.service.Search.WithNearest(ctx, catalog.NotStored(u, "%s is not in the catalog")), &near) {
			continue
		}
		for _, c := range near.Candidates {
			t.Nearest = append(t.Nearest, Named{c.URN.String(), c.Name})
		}
	}
	return nil
}
