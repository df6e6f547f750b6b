package history

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// AspectVersion is a value that an aspect has or had, or a time when the aspect was absent.
type AspectVersion struct {
	// Version is the number by which the value can be read: 0 for the latest. Version is NotStored
	// if the value cannot be read.
	Version int64
	// Number counts the versions from 1. The latest version will keep its Number when it is
	// archived. Number is 0 if Version is NotStored.
	Number int64
	// Value is nil if the aspect was absent.
	Value json.RawMessage
	// Written is when the value became the latest, epoch milliseconds, 0 if that is unknown. Actor
	// and Run wrote it; both are "" if unknown.
	Written    int64
	Actor, Run string
	// RolledBackAt is when the value was rolled back, epoch milliseconds, 0 if it was not.
	// RolledBackBy is the actor of the rollback.
	RolledBackAt int64
	RolledBackBy string
}

// NotStored is the Version of a value that was rolled back or removed, so that no number stands
// for it.
const NotStored = -1

// Versions returns a page of the kept values of an aspect, the newest first: stored versions,
// rolled-back versions, and times when the aspect was absent. Versions also returns the number
// of all kept values. A page ends early when its values reach limits.MaxHistoryBytes.
func (s *Service) Versions(ctx context.Context, u model.URN, aspect string, start, count int) ([]AspectVersion, int, error) {
	entity, ok := s.registry.Entity(u.EntityType())
	if !ok {
		return nil, 0, catalog.Errorf(catalog.Invalid, "unknown entity type %s", u.EntityType())
	}
	spec, ok := s.registry.Aspect(aspect)
	switch {
	case !ok || !entity.Has(aspect):
		return nil, 0, catalog.Errorf(catalog.Invalid, "Unknown aspect %s for entity %s", aspect, entity.Name)
	case spec.TimeSeries:
		return nil, 0, catalog.Errorf(catalog.Invalid, "%s is a time series, its values have no versions", aspect)
	case start < 0 || count < 0 || count > limits.MaxHistoryCount:
		return nil, 0, catalog.Errorf(catalog.Invalid, "a page of versions must begin at 0 or later and have at most %d of them", limits.MaxHistoryCount)
	}
	key := graphstore.AspectKey{URN: u.String(), Name: aspect}
	versions, err := s.storedVersions(ctx, key)
	if err != nil {
		return nil, 0, catalog.StoreFailure(err)
	}
	gone, err := s.rolledBackVersions(ctx, u)
	if err != nil {
		return nil, 0, err
	}
	slices.Reverse(versions)
	all := versionsOf(versions, gone[aspect])
	slices.Reverse(all)
	page := all[min(start, len(all)):]
	page = page[:min(count, len(page))]
	size := 0
	for i := range page {
		if isUnread(page[i].Value) {
			found, ok, err := s.store.AspectVersion(ctx, key, page[i].Version)
			if err != nil {
				return nil, 0, catalog.StoreFailure(err)
			}
			if !ok { // the version was deleted after the list was read
				return page[:i], len(all), nil
			}
			page[i].Value = found.Value
		}
		if size += len(page[i].Value); size > limits.MaxHistoryBytes && i > 0 {
			return page[:i], len(all), nil
		}
	}
	return page, len(all), nil
}

// isUnread reports whether storedVersions left out a value.
func isUnread(value json.RawMessage) bool { return value != nil && len(value) == 0 }

// storedVersions returns the newest versions of an aspect. To bound memory, storedVersions
// keeps the values of the newest versions only, up to about twice limits.MaxHistoryBytes; other
// values are empty.
func (s *Service) storedVersions(ctx context.Context, key graphstore.AspectKey) ([]graphstore.Aspect, error) {
	var versions []graphstore.Aspect
	for at, held := 0, 0; at < limits.MaxHistoryVersions; {
		page := graphstore.Page{Start: at, Count: limits.MaxHistoryVersions - at, Bytes: limits.MaxHistoryBytes}
		found, err := s.store.AspectVersions(ctx, key, page)
		if err != nil {
			return nil, err
		}
		read := 0
		for i := range found {
			v := &found[i]
			read += len(v.Value)
			if n := len(versions); n > 0 && v.Seq >= versions[n-1].Seq {
				continue // the version was read before: a write in between has moved the version to this page
			}
			if held+read > 2*limits.MaxHistoryBytes {
				v.Value = json.RawMessage{}
			}
			versions = append(versions, *v)
		}
		at, held = at+len(found), held+read
		if read < page.Bytes {
			break
		}
	}
	return versions, nil
}

// versionsOf lists the stored and rolled-back versions of an aspect, and the times when the
// aspect was absent, the oldest first.
func versionsOf(versions []graphstore.Aspect, gone []catalog.RolledBackVersion) []AspectVersion {
	bySeq := make(map[int64]*graphstore.Aspect, len(versions))
	for i := range versions {
		bySeq[versions[i].Seq] = &versions[i]
	}
	var all []AspectVersion
	absent := func() bool { return len(all) == 0 || all[len(all)-1].Value == nil }
	for _, p := range pastValues(versions, gone) {
		switch {
		case p.undone && p.value == nil:
			if !absent() {
				all = append(all, AspectVersion{Version: NotStored, Written: p.at, Actor: p.actor})
			}
		case p.undone: // the restored version is listed at the time of its write
		case p.gone != nil:
			all = append(all, AspectVersion{
				Version: NotStored, Value: p.value, Written: p.at, Actor: p.actor, Run: p.run, RolledBackAt: p.gone.At, RolledBackBy: p.gone.By,
			})
		default:
			v := bySeq[p.seq]
			if !absent() && catalog.StartsAgain(v) {
				all = append(all, AspectVersion{Version: NotStored})
			}
			all = append(all, AspectVersion{Version: v.Version, Number: v.Seq, Value: v.Value, Written: v.CreatedOn, Actor: v.CreatedBy, Run: v.System.RunID})
		}
	}
	if n := len(versions); n > 0 && versions[n-1].Version != graphstore.LatestVersion && !absent() {
		all = append(all, AspectVersion{Version: NotStored})
	}
	return all
}
