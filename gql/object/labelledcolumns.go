package object

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/optional"
)

// LabelledColumn is a column that has one of the requested labels.
type LabelledColumn struct {
	Column, Dataset *EntityRef
	NativeDataType  *string
	Description     *string
	Labels          []*ColumnLabel
	Owners          []*ColumnOwner
	session         *Session
}

// LabelledColumns returns the columns that have one of the requested tags and terms.
func (s *Session) LabelledColumns(ctx context.Context, input LabelledColumnsInput) (*LabelledColumns, error) {
	labels, err := s.URNs(input.Labels)
	if err != nil {
		return nil, err
	}
	found, err := s.Catalog.Lineage.LabelledColumns(ctx, lineage.LabelledRequest{
		Labels: labels, After: optional.Or(input.After, ""), Count: optional.Or(input.Count, limits.DefaultLabelledColumns),
	})
	if err != nil {
		return nil, s.withNearest(ctx, err)
	}
	items := len(found.Columns)
	for i := range found.Columns {
		c := &found.Columns[i]
		items += len(c.Column.Tags) + len(c.Column.Terms) + len(c.Owners) + len(c.Column.Description)/bytesOfField
	}
	if err := s.take(items); err != nil {
		return nil, err
	}
	refs := s.NewRefs()
	page := &LabelledColumns{
		Columns: make([]*LabelledColumn, len(found.Columns)), Next: given(found.Next), Partial: found.Partial, Reason: given(found.Reason),
	}
	for i := range found.Columns {
		page.Columns[i] = s.labelledColumn(&found.Columns[i], refs)
	}
	return page, refs.Read(ctx)
}

func (s *Session) labelledColumn(c *lineage.LabelledColumn, refs *Refs) *LabelledColumn {
	column := &LabelledColumn{
		Column: refs.Of(c.URN), Dataset: refs.Of(c.Dataset), NativeDataType: given(c.Column.NativeType), Description: given(c.Column.Description),
		Labels: []*ColumnLabel{}, Owners: make([]*ColumnOwner, len(c.Owners)), session: s,
	}
	for _, label := range slices.Concat(c.Column.Tags, c.Column.Terms) {
		column.Labels = append(column.Labels, &ColumnLabel{Label: refs.Of(label), Edited: slices.Contains(c.Column.Edited, label)})
	}
	for i := range c.Owners {
		column.Owners[i] = &ColumnOwner{Owner: refs.Of(c.Owners[i].URN), Email: given(c.Owners[i].Email)}
	}
	return column
}

// Impact lists the entities that depend on the column. Each column of a page makes a walk of
// its own, for which it waits for a turn.
func (c *LabelledColumn) Impact(ctx context.Context, hops, start, count *int) (impact *Impact, err error) {
	err = c.session.turn(ctx, func() (int, error) {
		impact, err = c.session.Impact(ctx, ImpactInput{Urn: c.Column.URN, Hops: hops, Start: start, Count: count})
		return 0, err
	})
	return impact, err
}
