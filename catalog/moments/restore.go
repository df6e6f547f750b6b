package moments

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// RestoreRequest asks to give an entity, or a part of it, a former state again.
type RestoreRequest struct {
	URN model.URN
	// AsOf is the moment, epoch milliseconds. Version is instead the number of a version of the only
	// aspect; nil for a restoration by moment.
	AsOf    int64
	Version *int64
	// Aspects are the aspects to restore; without any, all that the entity has or had.
	Aspects []string
	// The members below select a part. Column is the path of a column, of which the statements of
	// people are restored. Member is a member of the only aspect or of the column. Label is a tag, a
	// term, an owner or a domain.
	Column, Member string
	Label          model.URN
	// DryRun: nothing is written.
	DryRun bool
}

// Restored is the result of a restoration.
type Restored struct {
	URN     string `json:"urn"`
	AsOf    int64  `json:"asOf,omitempty"`
	DryRun  bool   `json:"dryRun"`
	Changed bool   `json:"changed"`
	// Aspects are the aspects that change, by name.
	Aspects []RestoredAspect `json:"aspects"`
	// Skipped are the aspects that a restoration of several leaves unchanged, because their former value is
	// not known for sure.
	Skipped []SkippedAspect `json:"skipped"`
}

// RestoredAspect is an aspect before and after a restoration. The value of an aspect that does not exist is
// absent.
type RestoredAspect struct {
	Name string `json:"name"`
	// Operation is one of the operations of timelines.
	Operation string          `json:"operation"`
	Before    json.RawMessage `json:"before,omitempty"`
	After     json.RawMessage `json:"after,omitempty"`
}

// SkippedAspect is an aspect that was not restored.
type SkippedAspect struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// former has the former values of aspects.
type former struct {
	// values has the values; an aspect that did not exist is absent.
	values       map[string]json.RawMessage
	unsure, lost []string
}

// Restore gives an entity, or a part of it, a former state again: in one transaction, completely or not at
// all. Restore fails with NotFound if nothing is stored of the entity, with Gone if the value of the only
// aspect of a request is not kept any more, and with Precondition if another caller writes the entity
// meanwhile.
func (s *Service) Restore(ctx context.Context, r RestoreRequest, o catalog.WriteOptions) (*Restored, error) {
	if err := s.writer.RequireWritableUnless(ctx, r.DryRun); err != nil {
		return nil, err
	}
	part, err := s.settle(&r)
	if err != nil {
		return nil, err
	}
	// The answer contains only values that the caller may see. Hidden parts are restored too, because a
	// restoration without them would remove them.
	toldWas, err := s.seen.former(ctx, &r)
	if err != nil {
		return nil, err
	}
	was, err := s.whole.former(ctx, &r)
	if err != nil {
		return nil, err
	}
	toldNow, err := s.seen.latest(ctx, r.URN)
	if err != nil {
		return nil, err
	}
	now, err := s.whole.latest(ctx, r.URN)
	if err != nil {
		return nil, err
	}
	done := &Restored{URN: r.URN.String(), AsOf: r.AsOf, DryRun: r.DryRun, Aspects: []RestoredAspect{}, Skipped: []SkippedAspect{}}
	var proposals []write.Proposal
	for _, name := range s.wanted(&r, was, now) {
		if why := was.doubt(name); why != "" {
			if len(r.Aspects) == 1 {
				return nil, catalog.Errorf(catalog.Gone, "%s of %s cannot be restored: %s", name, r.URN, why)
			}
			done.Skipped = append(done.Skipped, SkippedAspect{name, why})
			continue
		}
		p, changed, err := s.restore(r.URN, name, now[name], was.values[name], part)
		if err != nil {
			return nil, err
		}
		if changed != nil {
			if changed.Before, changed.After, err = told(toldNow[name], toldWas.values[name], part); err != nil {
				return nil, err
			}
			proposals, done.Aspects = append(proposals, *p), append(done.Aspects, *changed)
		}
	}
	if done.Changed = len(proposals) > 0; r.DryRun {
		err = s.writer.TryWhole(ctx, proposals, o)
	} else {
		_, err = s.writer.IngestWhole(ctx, proposals, o)
	}
	if err != nil {
		return nil, err
	}
	return done, nil
}

// told returns the values of an aspect before and after a restoration as the caller sees them.
func told(now *graphstore.Aspect, was json.RawMessage, part part) (before, after json.RawMessage, err error) {
	if now != nil {
		before = now.Value
	}
	after, err = part.restored(before, was)
	return before, after, err
}

// view is a store with its past, either as a caller sees it or complete.
type view struct {
	store Store
	past  Past
}

// latest returns the present aspects of an entity by name.
func (v view) latest(ctx context.Context, u model.URN) (map[string]*graphstore.Aspect, error) {
	found, err := v.store.LatestAspects(ctx, []string{u.String()}, nil)
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	aspects := found[u.String()]
	now := make(map[string]*graphstore.Aspect, len(aspects))
	for i := range aspects {
		now[aspects[i].Name] = &aspects[i]
	}
	return now, nil
}

// former reads the former values of the aspects of a request.
func (v view) former(ctx context.Context, r *RestoreRequest) (*former, error) {
	past, err := v.past.State(ctx, r.URN, orNow(r.AsOf), r.Aspects)
	if err != nil {
		return nil, err
	}
	if !past.Recorded() {
		return nil, catalog.Errorf(catalog.Invalid, "%s was not recorded yet at that moment; there is nothing to restore", r.URN)
	}
	was := &former{values: map[string]json.RawMessage{}, unsure: past.Unsure, lost: past.Lost}
	for name := range past.Aspects {
		was.values[name] = past.Aspects[name].Value
	}
	if r.Version == nil {
		return was, nil
	}
	a, ok, err := v.store.AspectVersion(ctx, graphstore.AspectKey{URN: r.URN.String(), Name: r.Aspects[0]}, *r.Version)
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	if !ok {
		return nil, catalog.Errorf(catalog.NotFound, "%s of %s has no version %d", r.Aspects[0], r.URN, *r.Version)
	}
	return &former{values: map[string]json.RawMessage{a.Name: a.Value}}, nil
}

// doubt returns the reason why the value of an aspect is not known for sure, "" if it is known.
func (f *former) doubt(name string) string {
	switch {
	case slices.Contains(f.lost, name):
		return "the version of that moment is not kept any more"
	case slices.Contains(f.unsure, name):
		return "it was removed at an unknown time, which may be before that moment"
	}
	return ""
}

// wanted returns the names of the aspects that are restored. A key never changes.
func (s *Service) wanted(r *RestoreRequest, was *former, now map[string]*graphstore.Aspect) []string {
	names := map[string]bool{}
	for _, name := range was.lost {
		names[name] = true
	}
	for name := range was.values {
		names[name] = true
	}
	for name := range now {
		names[name] = true
	}
	for _, name := range sortedKeys(names) {
		spec, known := s.registry.Aspect(name)
		if len(r.Aspects) > 0 && !slices.Contains(r.Aspects, name) || known && spec.IsKey {
			delete(names, name)
		}
	}
	return sortedKeys(names)
}

// restore makes the proposal that restores a part of an aspect. It returns nil if the aspect has
// this part already.
func (s *Service) restore(u model.URN, name string, now *graphstore.Aspect, was json.RawMessage, part part) (*write.Proposal, *RestoredAspect, error) {
	var before json.RawMessage
	seq := int64(-1)
	if now != nil {
		before, seq = now.Value, now.Seq
	}
	after, err := part.restored(before, was)
	if err != nil {
		return nil, nil, err
	}
	same, err := sameValues(before, after)
	if err != nil || same {
		return nil, nil, err
	}
	p := &write.Proposal{
		EntityType: u.EntityType(), EntityURN: u.String(), AspectName: name, ChangeType: write.Upsert,
		System:  &catalog.SystemMetadata{Properties: write.UserInterface},
		Headers: map[string]string{write.IfVersionMatch: strconv.FormatInt(seq, 10)},
	}
	changed := &RestoredAspect{Name: name, Operation: history.OperationModify, Before: before, After: after}
	switch {
	case before == nil:
		changed.Operation = history.OperationAdd
	case after == nil:
		changed.Operation, p.ChangeType = history.OperationRemove, write.Delete
	}
	if after != nil {
		p.Aspect = &write.GenericAspect{Value: after, ContentType: "application/json"}
	}
	return p, changed, nil
}
