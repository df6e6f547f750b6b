package object

import (
	"context"

	"github.com/headwater-io/headwater/access/manage"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/model"
)

// EntityDetails is all stored metadata of an entity of any type.
type EntityDetails struct {
	Ref         *EntityRef
	EntityType  EntityType
	Description *string
	SubTypes    []string
	Aspects     []*StoredAspect
	TimeSeries  []string
	Refs        []*EntityRef
	HasLineage  bool
	node        *Node
}

// Relationships are the entity's neighbours.
func (d *EntityDetails) Relationships(ctx context.Context, input RelationshipsInput) (*EntityRelationshipsResult, error) {
	return d.node.Relationships(ctx, input)
}

// Edits are the edits that the request's actor may make of the entity.
func (d *EntityDetails) Edits(ctx context.Context) ([]*EntityEdit, error) {
	found := manage.EditsOf(ctx, d.node.batch.session.Catalog.Refusals, d.node.key)
	edits := make([]*EntityEdit, len(found))
	for i := range found {
		edits[i] = &EntityEdit{Kind: EntityEditKind(found[i].Kind), Allowed: found[i].Allowed, Privileges: found[i].Privileges}
	}
	return edits, nil
}

// Details reads an entity of any type.
func (s *Session) Details(ctx context.Context, u model.URN) (*EntityDetails, error) {
	found, err := s.Catalog.Details(ctx, u)
	if err != nil {
		return nil, s.withNearest(ctx, err)
	}
	refs := s.NewRefs()
	d := &EntityDetails{
		Ref: refs.Of(found.URN), Description: given(found.Description), SubTypes: found.SubTypes, TimeSeries: found.TimeSeries, HasLineage: found.HasLineage,
		Aspects: make([]*StoredAspect, len(found.Aspects)), node: s.nodeOf(u),
	}
	d.EntityType = d.Ref.EntityType
	if d.Refs, err = refs.Many(found.Names); err != nil {
		return nil, err
	}
	for i := range found.Aspects {
		a := &found.Aspects[i]
		d.Aspects[i] = &StoredAspect{
			Name: a.Name, Version: a.Version, Number: a.Number(), Value: string(a.Value), Written: &a.Created.Time, Actor: refs.Of(a.Created.Actor), Run: runOf(a.System.RunID),
		}
	}
	return d, refs.Read(ctx)
}

// withNearest adds to an error about an unknown entity the nearest names of known entities.
func (s *Session) withNearest(ctx context.Context, err error) error {
	return s.Catalog.Search.WithNearest(ctx, err)
}

// nodeOf is an entity of any type, alone in its batch. The schema need not have the type.
func (s *Session) nodeOf(u model.URN) *Node {
	batch := s.NewBatch()
	n := &Node{URN: u.String(), key: u, batch: batch}
	batch.nodes = []*Node{n}
	return n
}

// runOf is the id of a run, nil for a write that names no run.
func runOf(id string) *string {
	if id == catalog.NoRunID {
		return nil
	}
	return given(id)
}

// moment is a time, nil for 0, which stands for an unknown time.
func moment(millis int64) *int64 {
	if millis == 0 {
		return nil
	}
	return &millis
}

// jsonText is a value as text, nil for an empty value.
func jsonText(value []byte) *string { return given(string(value)) }

// Versions are the versions of an aspect.
func (s *Session) Versions(ctx context.Context, u model.URN, aspect string, start, count int) (*AspectHistory, error) {
	found, total, err := s.Catalog.History.Versions(ctx, u, aspect, start, count)
	if err != nil {
		return nil, err
	}
	bytes := 0
	for i := range found {
		bytes += len(found[i].Value)
	}
	if err := s.take(bytes / bytesOfField); err != nil {
		return nil, err
	}
	refs, answer := s.NewRefs(), &AspectHistory{Total: total, Versions: make([]*AspectVersion, len(found))}
	for i := range found {
		v := &found[i]
		answer.Versions[i] = &AspectVersion{
			Version: v.Version, Number: v.Number, Value: jsonText(v.Value), Written: moment(v.Written), Actor: refs.Of(v.Actor), Run: runOf(v.Run),
			RolledBackAt: moment(v.RolledBackAt), RolledBackBy: refs.Of(v.RolledBackBy),
		}
	}
	return answer, refs.Read(ctx)
}

// SeriesValues are values of a time series, the newest first.
func (s *Session) SeriesValues(ctx context.Context, r read.TimeSeriesRequest) ([]*TimeSeriesEntry, error) {
	values, err := s.Catalog.SeriesValues(ctx, r)
	if err != nil {
		return nil, err
	}
	entries, bytes := make([]*TimeSeriesEntry, len(values)), 0
	for i := range values {
		bytes += len(values[i].Value)
		entries[i] = &TimeSeriesEntry{Time: values[i].Time, Value: string(values[i].Value)}
	}
	return entries, s.take(bytes / bytesOfField)
}

// Recent are the newest changes of the catalog.
func (s *Session) Recent(ctx context.Context, changes []history.RecentChange) (*RecentChanges, error) {
	refs, answer := s.NewRefs(), &RecentChanges{Changes: make([]*CatalogChange, len(changes))}
	for i := range changes {
		c := &changes[i]
		answer.Changes[i] = &CatalogChange{
			Entity: refs.Of(c.URN), Time: c.Time, Actor: refs.Of(c.Actor), Run: given(c.Run), Kind: string(c.Kind), Aspects: c.Aspects, Entities: c.Entities,
		}
	}
	return answer, refs.Read(ctx)
}

// Suggestions are names that continue a typed text.
func (s *Session) Suggestions(ctx context.Context, found []search.Suggestion) ([]*Suggestion, error) {
	refs, list := s.NewRefs(), make([]*Suggestion, len(found))
	for i := range found {
		list[i] = &Suggestion{Kind: SuggestionKind(found[i].Kind), Entity: refs.Of(found[i].URN), Column: given(found[i].Column), Text: found[i].Text}
	}
	return list, refs.Read(ctx)
}
