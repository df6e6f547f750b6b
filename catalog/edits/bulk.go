package edits

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Bulk changes many entities alike.
type Bulk struct {
	URNs []model.URN
	// Change is the change of each entity. Its Resource and DryRun are not used.
	Change Revision
	// Deprecation, if it is set, deprecates the entities or ends their deprecation.
	Deprecation *Deprecation
	// DryRun: nothing is written.
	DryRun bool
}

// Changed is the result of a bulk change for one entity.
type Changed struct {
	URN model.URN
	// Changed: the entity changes. Refused says why the entity stays as it is although the bulk would
	// change it; nil if nothing refuses it.
	Changed bool
	Refused error
	Before  Stated
	After   Stated
	// Made are the versions of aspects that the bulk made. An aspect that somebody else wrote at the
	// same time is absent.
	Made []MadeVersion
}

// MadeVersion is the number of a version of an aspect.
type MadeVersion struct {
	Aspect string
	Number int64
}

// ChangeMany changes entities alike. A refusal of one entity does not refuse the others: the outcome
// names its reason. The changes of the others are written in one transaction, all of them or none. If the
// caller may change none of the entities, ChangeMany fails with Forbidden.
func (s *Service) ChangeMany(ctx context.Context, b *Bulk, o catalog.WriteOptions) ([]Changed, error) {
	if err := s.writer.RequireWritableUnless(ctx, b.DryRun); err != nil {
		return nil, err
	}
	if err := s.checkBulk(ctx, b); err != nil {
		return nil, err
	}
	urns := catalog.Distinct(b.URNs)
	done, all := make([]Changed, len(urns)), []write.Edit{}
	for i, u := range urns {
		done[i].URN = u
		edits, err := s.try(ctx, b, &done[i], o)
		if err != nil {
			return nil, err
		}
		if done[i].Changed {
			all = append(all, edits...)
		}
	}
	if err := allForbidden(done); err != nil {
		return nil, err
	}
	if b.DryRun || len(all) == 0 {
		return done, nil
	}
	before, err := s.versions(ctx, all)
	if err != nil {
		return nil, err
	}
	if _, err := s.writer.EditOrTry(ctx, all, false, o); err != nil {
		return nil, err
	}
	after, err := s.versions(ctx, all)
	if err != nil {
		return nil, err
	}
	for i := range done {
		for _, e := range all {
			at := graphstore.AspectKey{URN: e.URN.String(), Name: e.Aspect}
			if e.URN == done[i].URN && after[at].follows(before[at]) {
				done[i].Made = append(done[i].Made, MadeVersion{e.Aspect, after[at].Seq})
			}
		}
	}
	return done, nil
}

// allForbidden returns the refusal of a bulk of which the caller may change nothing.
func allForbidden(done []Changed) error {
	for i := range done {
		if catalog.CodeOf(done[i].Refused) != catalog.Forbidden {
			return nil
		}
	}
	return done[0].Refused
}

// checkBulk fails if a bulk is invalid for every entity.
func (s *Service) checkBulk(ctx context.Context, b *Bulk) error {
	if len(b.URNs) == 0 {
		return catalog.Errorf(catalog.Invalid, "a bulk change needs entities")
	}
	if err := catalog.TooMany("entities", len(b.URNs), limits.MaxBulkEntities); err != nil {
		return err
	}
	b.Change.Resource = Resource{URN: b.URNs[0]}
	revision := b.Change
	if b.Deprecation != nil && revision.empty() {
		return nil
	}
	named, err := s.checkRevision(&b.Change)
	if err != nil {
		return err
	}
	return s.writer.RequireExisting(ctx, catalog.Distinct(named[1:])...)
}

// empty reports whether a revision changes nothing.
func (r *Revision) empty() bool {
	return len(r.Add.Tags)+len(r.Remove.Tags)+len(r.Add.Terms)+len(r.Remove.Terms)+len(r.Add.Owners)+len(r.Remove.Owners) == 0 && r.Domain == nil && r.Description == nil
}

// try returns the edits of one entity, and notes the changes that they would make, or the refusal.
func (s *Service) try(ctx context.Context, b *Bulk, one *Changed, o catalog.WriteOptions) ([]write.Edit, error) {
	if _, _, column := model.ColumnOf(one.URN); column {
		one.Refused = catalog.Errorf(catalog.Invalid, "%s is a column; a bulk change is of entities", one.URN)
		return nil, nil
	}
	revision, states := b.Change, Revised{}
	revision.Resource = Resource{URN: one.URN}
	edits, err := s.revisionEdits(&revision, &states)
	if err == nil {
		if d := b.Deprecation; d != nil {
			edits = append(edits, deprecationEdit(one.URN, *d))
		}
		one.Changed, err = s.writer.EditOrTry(ctx, edits, true, o)
	}
	if err != nil {
		switch catalog.CodeOf(err) {
		case catalog.Forbidden, catalog.Invalid, catalog.NotFound, catalog.Conflict, catalog.Precondition:
			one.Refused, one.Changed = err, false
			return nil, nil
		}
		return nil, err
	}
	one.Before, one.After = states.Before, states.After
	return edits, nil
}

// deprecationEdit deprecates an entity, or ends its deprecation. An entity that is so already does not change.
func deprecationEdit(u model.URN, d Deprecation) write.Edit {
	edit := write.Replace(u, model.AspectDeprecation, func(by catalog.AuditStamp) catalog.Tree { return d.tree(by) })
	replace := edit.Change
	edit.Change = func(value catalog.Tree, by catalog.AuditStamp) error {
		if was, _ := value["deprecated"].(bool); !was && !d.Deprecated {
			return nil
		}
		return replace(value, by)
	}
	return edit
}

// version is the latest version of an aspect: its number, 0 if the aspect is absent, and whether the
// aspect started with it although it has earlier versions.
type version struct {
	Seq    int64
	Starts bool
}

// follows reports whether a version came right after the version before.
func (v version) follows(before version) bool {
	return v.Seq == before.Seq+1 || before.Seq == 0 && v.Starts
}

// versions returns the latest versions of the aspects that edits change.
func (s *Service) versions(ctx context.Context, edits []write.Edit) (map[graphstore.AspectKey]version, error) {
	var urns, names []string
	for _, e := range edits {
		urns, names = append(urns, e.URN.String()), append(names, e.Aspect)
	}
	slices.Sort(urns)
	slices.Sort(names)
	found, err := s.store.LatestAspects(ctx, slices.Compact(urns), slices.Compact(names))
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	latest := map[graphstore.AspectKey]version{}
	for urn, aspects := range found {
		for i := range aspects {
			latest[graphstore.AspectKey{URN: urn, Name: aspects[i].Name}] = version{aspects[i].Seq, catalog.StartsAgain(&aspects[i])}
		}
	}
	return latest, nil
}
