package object

import (
	"context"

	"github.com/headwater-io/headwater/access/manage"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/catalog/moments"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/internal/optional"
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
	// AsOf is nil for now. The members below are as in the schema.
	AsOf          *int64
	Recorded      bool
	FirstRecorded *int64
	LatestValues  []*StoredAspect
	Unsure, Lost  []string

	node    *Node
	aspects []catalog.EnvelopedAspect
}

// Relationships are the entity's neighbours.
func (d *EntityDetails) Relationships(ctx context.Context, input RelationshipsInput) (*EntityRelationshipsResult, error) {
	return d.node.relationshipsAt(ctx, input, optional.Or(d.AsOf, 0))
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

// Columns are the columns of the entity's schema.
func (d *EntityDetails) Columns(ctx context.Context) ([]*EntityColumn, error) {
	found, err := moments.ColumnsIn(d.aspects)
	if err != nil {
		return nil, err
	}
	s := d.node.batch.session
	if err := s.take(len(found)); err != nil {
		return nil, err
	}
	refs, columns := s.NewRefs(), make([]*EntityColumn, len(found))
	refs.asOf = optional.Or(d.AsOf, 0)
	for i := range found {
		c := &found[i]
		columns[i] = &EntityColumn{FieldPath: c.Path, NativeType: given(c.NativeType), Nullable: c.Nullable, Key: c.Key, Description: given(c.Description)}
		if columns[i].Tags, err = refs.Many(c.Tags); err != nil {
			return nil, err
		}
		if columns[i].Terms, err = refs.Many(c.Terms); err != nil {
			return nil, err
		}
	}
	return columns, refs.Read(ctx)
}

// Details reads an entity of any type at a moment; nil is now.
func (s *Session) Details(ctx context.Context, u model.URN, asOf *int64) (*EntityDetails, error) {
	if asOf == nil {
		found, err := s.Catalog.Moments.Now(ctx, u)
		return s.details(ctx, u, found, nil, err)
	}
	found, err := s.Catalog.Moments.At(ctx, u, *asOf)
	return s.details(ctx, u, found, asOf, err)
}

func (s *Session) details(ctx context.Context, u model.URN, found *moments.Entity, asOf *int64, err error) (*EntityDetails, error) {
	if err != nil {
		return nil, s.withNearest(ctx, err)
	}
	refs := s.NewRefs()
	refs.asOf = optional.Or(asOf, 0)
	d := &EntityDetails{
		Ref: refs.Of(found.URN), Description: given(found.Description), SubTypes: found.SubTypes, TimeSeries: found.TimeSeries, HasLineage: found.HasLineage,
		AsOf: asOf, Recorded: found.Recorded, FirstRecorded: moment(found.FirstRecorded), Unsure: found.Unsure, Lost: found.Lost,
		node: s.nodeOf(u), aspects: found.Aspects,
	}
	d.EntityType = d.Ref.EntityType
	if d.Refs, err = refs.Many(found.Names); err != nil {
		return nil, err
	}
	d.Aspects, d.LatestValues = refs.aspects(found.Aspects), refs.aspects(found.Series)
	return d, refs.Read(ctx)
}

// aspects adds the actors of aspects.
func (r *Refs) aspects(found []catalog.EnvelopedAspect) []*StoredAspect {
	aspects := make([]*StoredAspect, len(found))
	for i := range found {
		a := &found[i]
		aspects[i] = &StoredAspect{Name: a.Name, Version: a.Version, Number: a.Number(), Value: string(a.Value), Written: &a.Created.Time, Actor: r.Of(a.Created.Actor)}
		if a.System != nil {
			aspects[i].Run = runOf(a.System.RunID)
		}
	}
	return aspects
}

// Since returns the changes of an entity between two moments.
func (s *Session) Since(ctx context.Context, r moments.SinceRequest) (*ChangesSince, error) {
	found, err := s.Catalog.Moments.Since(ctx, r)
	if err != nil {
		return nil, s.withNearest(ctx, err)
	}
	refs := s.NewRefs()
	since := &ChangesSince{
		From: found.From, FirstRecorded: found.FirstRecorded, Aspects: make([]*AspectDifference, len(found.Aspects)),
		Start: found.Start, Total: found.Total, Partial: found.Partial, Reason: given(found.Reason),
	}
	for i, a := range found.Aspects {
		since.Aspects[i] = &AspectDifference{Name: a.Name, Operation: ChangeOperationType(a.Operation), Told: a.Told, Unsure: a.Unsure}
	}
	if since.Changes, err = refs.changes(found.Changes.Changes); err != nil {
		return nil, err
	}
	return since, refs.Read(ctx)
}

// Restore gives an entity, or a part of it, a former state again.
func (s *Session) Restore(ctx context.Context, r moments.RestoreRequest, o catalog.WriteOptions) (*Restored, error) {
	done, err := s.Catalog.Moments.Restore(ctx, r, o)
	if err != nil {
		return nil, s.withNearest(ctx, err)
	}
	answer, bytes := &Restored{DryRun: done.DryRun, Changed: done.Changed, Aspects: []*RestoredAspect{}, Skipped: []*SkippedAspect{}}, 0
	for _, a := range done.Aspects {
		bytes += len(a.Before) + len(a.After)
		answer.Aspects = append(answer.Aspects, &RestoredAspect{Name: a.Name, Operation: ChangeOperationType(a.Operation), Before: jsonText(a.Before), After: jsonText(a.After)})
	}
	for _, a := range done.Skipped {
		answer.Skipped = append(answer.Skipped, &SkippedAspect{Name: a.Name, Why: a.Why})
	}
	return answer, s.take(len(done.Aspects) + len(done.Skipped) + bytes/bytesOfField)
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
