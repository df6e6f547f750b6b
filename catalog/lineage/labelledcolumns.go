package lineage

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// LabelledRequest asks for the columns that have a tag or a term.
type LabelledRequest struct {
	// Labels are tags and glossary terms; a column that has any of them is found.
	Labels []model.URN
	// After is the Next of the page before; empty for the first page.
	After string
	// Count bounds the columns of a page.
	Count int
}

// LabelledColumn is a column of a dataset that has one of the labels.
type LabelledColumn struct {
	URN, Dataset string
	Column       statements.Column
	// Owners are the owners of the dataset. Their Count is not set.
	Owners []ImpactOwner
}

// LabelledColumns is a page of columns, ordered by the URN of the dataset and the path.
type LabelledColumns struct {
	Columns []LabelledColumn
	// Next is the place at which the next page begins, "" after the last page.
	Next string
	// Partial tells that more datasets have such columns than were read; Reason says why.
	Partial bool
	Reason  string
}

// columnLabels are the relationships between a dataset and the labels of its columns.
var columnLabels = []string{
	model.RelationshipSchemaFieldTaggedWith, model.RelationshipEditableSchemaFieldTaggedWith,
	model.RelationshipSchemaFieldWithGlossaryTerm, model.RelationshipEditableSchemaFieldWithGlossaryTerm,
}

// LabelledColumns returns the columns that have any of the labels, whether an ingestion source
// states the label or people added it. Soft-deleted datasets are left out. LabelledColumns
// fails with NotFound if nothing is known of a label.
func (s *Service) LabelledColumns(ctx context.Context, r LabelledRequest) (*LabelledColumns, error) {
	from, err := s.checkLabelled(&r)
	if err != nil {
		return nil, err
	}
	leave, err := s.enterWalk(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	page := &LabelledColumns{}
	datasets, err := s.labelledDatasets(ctx, r.Labels, page)
	if err != nil {
		return nil, err
	}
	at, _ := slices.BinarySearch(datasets, from.dataset)
	for some := range slices.Chunk(datasets[at:], aspectsAtOnce) {
		found, err := s.labelledIn(ctx, some, r.Labels, from)
		if err != nil {
			return nil, err
		}
		if page.Columns = append(page.Columns, found...); len(page.Columns) > r.Count {
			page.Columns = page.Columns[:r.Count]
			page.Next = page.Columns[r.Count-1].URN
			break
		}
	}
	return page, s.ownLabelled(ctx, page.Columns)
}

// columnPlace is the last column before a page.
type columnPlace struct{ dataset, path string }

// checkLabelled checks a request and returns the place at which the page begins.
func (s *Service) checkLabelled(r *LabelledRequest) (columnPlace, error) {
	if len(r.Labels) == 0 {
		return columnPlace{}, catalog.Errorf(catalog.Invalid, "name at least one tag or glossary term")
	}
	if err := catalog.TooMany("labels", len(r.Labels), limits.MaxColumnLabels); err != nil {
		return columnPlace{}, err
	}
	for _, label := range r.Labels {
		if err := catalog.RequireType(label, model.EntityTag, model.EntityGlossaryTerm); err != nil {
			return columnPlace{}, err
		}
	}
	if r.Count < 1 || r.Count > limits.MaxLabelledColumns {
		return columnPlace{}, catalog.Errorf(catalog.Invalid, "a page has 1 to %d columns, not %d", limits.MaxLabelledColumns, r.Count)
	}
	if r.After == "" {
		return columnPlace{}, nil
	}
	u, err := s.registry.ReadURN(r.After)
	if err != nil || u.EntityType() != model.EntitySchemaField {
		return columnPlace{}, catalog.Errorf(catalog.Invalid, "after is the value next of the page before, not %q", r.After)
	}
	return columnPlace{assetOfURN(u), columnPathOf(u)}, nil
}

// labelledDatasets returns the datasets that have columns with the labels, ordered by URN.
func (s *Service) labelledDatasets(ctx context.Context, labels []model.URN, page *LabelledColumns) ([]string, error) {
	datasets := map[string]bool{}
	for _, label := range labels {
		urn := label.String()
		found, err := s.store.Edges(ctx, graphstore.EdgeQuery{
			URNs: []string{urn}, Direction: graphstore.Incoming, Types: columnLabels, Page: graphstore.Page{Count: limits.MaxLabelEdges},
		})
		if err != nil {
			return nil, catalog.StoreFailure(err)
		}
		edges := found[urn]
		if len(edges.Edges) == 0 {
			if err := s.requireKnown(ctx, label); err != nil {
				return nil, err
			}
		}
		if edges.Total > int64(len(edges.Edges)) {
			page.Partial = true
			page.Reason = fmt.Sprintf("columns of more datasets have %s than are looked at, %d", label, limits.MaxLabelEdges)
		}
		for i := range edges.Edges {
			if source := edges.Edges[i].Source; typeOf(source) == model.EntityDataset {
				datasets[source] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(datasets)), nil
}

// labelledIn returns the columns of datasets that have one of the labels and come after the
// place.
func (s *Service) labelledIn(ctx context.Context, datasets []string, labels []model.URN, from columnPlace) ([]LabelledColumn, error) {
	nodes, err := s.store.Entities(ctx, datasets)
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	removed := map[string]bool{}
	for i := range nodes {
		removed[nodes[i].URN] = nodes[i].Removed
	}
	stored, err := s.store.LatestAspects(ctx, datasets, []string{model.AspectSchemaMetadata, model.AspectEditableSchemaMetadata})
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	wanted := map[string]bool{}
	for _, label := range labels {
		wanted[label.String()] = true
	}
	var all []LabelledColumn
	for _, dataset := range datasets {
		if removed[dataset] {
			continue
		}
		columns, err := s.labelledOf(dataset, stored[dataset])
		if err != nil {
			return nil, err
		}
		for _, c := range columns {
			has := func(label string) bool { return wanted[label] }
			if dataset == from.dataset && c.Column.Path <= from.path || !slices.ContainsFunc(c.Column.Tags, has) && !slices.ContainsFunc(c.Column.Terms, has) {
				continue
			}
			all = append(all, c)
		}
	}
	return all, nil
}

// labelledOf returns the columns of a dataset by path, with their labels spelled as in the
// graph.
func (s *Service) labelledOf(dataset string, aspects []graphstore.Aspect) ([]LabelledColumn, error) {
	values := map[string]json.RawMessage{}
	for i := range aspects {
		values[aspects[i].Name] = aspects[i].Value
	}
	known, err := statements.DescribedColumns(values[model.AspectSchemaMetadata], values[model.AspectEditableSchemaMetadata])
	if err != nil {
		return nil, catalog.Errorf(catalog.Internal, "the columns of %s: %w", dataset, err)
	}
	of := model.StoredURN(dataset)
	columns := make([]LabelledColumn, 0, len(known))
	for i := range known {
		c := LabelledColumn{Dataset: dataset, Column: known[i]}
		for _, list := range []*[]string{&c.Column.Tags, &c.Column.Terms, &c.Column.Edited} {
			for k, label := range *list {
				if u, err := s.registry.ReadURN(label); err == nil {
					(*list)[k] = u.String()
				}
			}
		}
		u, err := ColumnOf(of, c.Column.Path)
		if err != nil {
			continue // no URN can have this path
		}
		c.URN = u.String()
		columns = append(columns, c)
	}
	slices.SortFunc(columns, func(a, b LabelledColumn) int { return cmp.Compare(a.Column.Path, b.Column.Path) })
	return columns, nil
}

// ownLabelled sets the owners of the datasets.
func (s *Service) ownLabelled(ctx context.Context, columns []LabelledColumn) error {
	reached := make([]Reached, len(columns))
	for i := range columns {
		reached[i].URN = columns[i].Dataset
	}
	owners, err := s.endsOf(ctx, reached, model.RelationshipOwnedBy, 0)
	if err != nil {
		return err
	}
	owned := counter{}
	for _, urns := range owners {
		owned.addOwners(urns)
	}
	named, err := s.nameOwners(ctx, owned.groups())
	if err != nil {
		return err
	}
	known := make(map[string]ImpactOwner, len(named))
	for _, owner := range named {
		owner.Count = 0
		known[owner.URN] = owner
	}
	for i := range columns {
		for _, urn := range owners[columns[i].Dataset] {
			columns[i].Owners = append(columns[i].Owners, known[urn])
		}
	}
	return nil
}
