package object

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// SearchColumns finds columns of datasets.
func (s *Session) SearchColumns(ctx context.Context, input SearchColumnsInput) (*FoundColumns, error) {
	r := lineage.ColumnsRequest{
		Words: optional.Or(input.Query, ""), Personal: optional.Or(input.Personal, false), Types: input.Types,
		Start: optional.Or(input.Start, 0), Count: optional.Or(input.Count, limits.DefaultFoundColumns),
	}
	for _, list := range []struct {
		texts []string
		urns  *[]model.URN
	}{{input.Labels, &r.Labels}, {input.Datasets, &r.Datasets}, {input.Platforms, &r.Platforms}, {input.Owners, &r.Owners}, {input.Domains, &r.Domains}} {
		urns, err := s.URNs(list.texts)
		if err != nil {
			return nil, err
		}
		*list.urns = urns
	}
	var found *lineage.FoundColumns
	err := s.turn(ctx, func() (hits int, err error) {
		if found, err = s.Catalog.Lineage.FindColumns(ctx, r); err != nil {
			return 0, err
		}
		return len(found.Columns), nil
	})
	if err != nil {
		return nil, s.withNearest(ctx, err)
	}
	items := 0
	for i := range found.Columns {
		c := &found.Columns[i]
		items += len(c.Column.Tags) + len(c.Column.Terms) + len(c.Owners) + len(c.Domains) + len(c.Column.Description)/bytesOfField
	}
	if err := s.take(items); err != nil {
		return nil, err
	}
	refs := s.NewRefs()
	page := &FoundColumns{
		Start: found.Start, Count: r.Count, Total: found.Total, Datasets: found.Datasets, Columns: make([]*FoundColumn, len(found.Columns)),
		Facets: s.Facets(found.Facets), Personal: refsOf(refs, found.Personal), Partial: found.Partial, Reason: given(found.Reason),
	}
	for i := range found.Columns {
		page.Columns[i] = foundColumn(&found.Columns[i], refs)
	}
	return page, refs.Read(ctx)
}

func foundColumn(c *lineage.FoundColumn, refs *Refs) *FoundColumn {
	column := &FoundColumn{
		Column: refs.Of(c.URN), Dataset: refs.Of(c.Dataset), DatasetPath: c.DatasetPath, NativeDataType: given(c.Column.NativeType), Description: given(c.Column.Description),
		Labels: []*ColumnLabel{}, Owners: make([]*ColumnOwner, len(c.Owners)), Domains: refsOf(refs, c.Domains), Downstreams: c.Downstreams,
	}
	for _, label := range slices.Concat(c.Column.Tags, c.Column.Terms) {
		column.Labels = append(column.Labels, &ColumnLabel{Label: refs.Of(label), Edited: slices.Contains(c.Column.Edited, label)})
	}
	for i := range c.Owners {
		column.Owners[i] = &ColumnOwner{Owner: refs.Of(c.Owners[i].URN), Email: given(c.Owners[i].Email)}
	}
	return column
}

func refsOf(refs *Refs, urns []string) []*EntityRef {
	all := make([]*EntityRef, len(urns))
	for i, urn := range urns {
		all[i] = refs.Of(urn)
	}
	return all
}
