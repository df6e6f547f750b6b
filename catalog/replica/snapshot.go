package replica

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/transfer"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// A log whose beginning was deleted does not contain all that is stored. So a replica that
// reads the log from the beginning first gets a snapshot: all entities, ordered by URN, in
// their state when their page is made. Then the log is read from its end at the beginning of
// the snapshot, so that it contains all changes that were made during the snapshot.

// snapshotPrefix begins the cursors within a snapshot. No cursor of a store begins with it.
const snapshotPrefix = "snapshot."

// snapshotPlace is a cursor within a snapshot.
type snapshotPlace struct {
	// Then is the cursor in the log after the snapshot.
	Then string `json:"then"`
	// After is the last entity that was read, "" at the beginning.
	After string `json:"after,omitempty"`
}

func (p *snapshotPlace) String() string {
	text, _ := json.Marshal(p) // strings always encode
	return snapshotPrefix + base64.RawURLEncoding.EncodeToString(text)
}

// placeIn parses a cursor within a snapshot. placeIn returns nil for a cursor of the log.
func placeIn(cursor string) (*snapshotPlace, error) {
	text, is := strings.CutPrefix(cursor, snapshotPrefix)
	if !is {
		return nil, nil
	}
	var place snapshotPlace
	decoded, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		err = json.Unmarshal(decoded, &place)
	}
	if err != nil {
		return nil, catalog.StoreFailure(errors.Join(graphstore.ErrBadCursor, err))
	}
	return &place, nil
}

// beginSnapshot returns the first page of a snapshot, which has no entities. The replica saves
// the cursor of this page before the replica has any entity. A replica that loses its cursor
// and begins anew must have no entity, because a later snapshot does not contain the deletions
// in between.
func (s *Service) beginSnapshot(ctx context.Context) (*Page, error) {
	end, err := s.store.EndCursor(ctx)
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	lag, err := s.store.Lag(ctx, "")
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	return &Page{Format: Format, Model: s.model, Next: (&snapshotPlace{Then: end}).String(), Lag: max(lag, 1)}, nil
}

// snapshotPage returns the entities after a place, up to limit.
func (s *Service) snapshotPage(ctx context.Context, place *snapshotPlace, limit int) (*Page, error) {
	if limit < 1 || limit > catalog.MaxChanges {
		return nil, catalog.Errorf(catalog.Invalid, "limit must be 1 to %d", catalog.MaxChanges)
	}
	lag, err := s.store.Lag(ctx, place.Then) // also checks that the log still has this cursor
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	now, err := s.store.NewestTime(ctx)
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	leave, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	for {
		urns, err := s.store.ScanEntities(ctx, place.After, limit)
		if err != nil {
			return nil, catalog.StoreFailure(err)
		}
		p := &pageBuilder{store: s.store, registry: s.registry, room: limits.MaxReplicaPageBytes, entities: map[string]*wanted{}}
		fits, err := p.buildWhole(ctx, urns, now, len(urns) <= 1)
		if err != nil {
			return nil, catalog.StoreFailure(err)
		}
		if !fits {
			limit = len(urns) / 2
			continue
		}
		p.page.Format, p.page.Model, p.page.Time = Format, s.model, now
		p.page.Lag = lag + int64(max(len(urns), 1))
		if len(urns) > 0 {
			p.page.Next = (&snapshotPlace{Then: place.Then, After: urns[len(urns)-1]}).String()
			return &p.page, nil
		}
		p.page.Next = place.Then
		return &p.page, catalog.StoreFailure(p.addRollbacks(ctx))
	}
}

// buildWhole makes a page with the whole states of entities, and reports whether it fits. With
// must, buildWhole makes the page in any case.
func (p *pageBuilder) buildWhole(ctx context.Context, urns []string, now int64, must bool) (fits bool, err error) {
	for _, urn := range urns {
		p.want(urn).whole = true
	}
	if fits, err := p.addAll(ctx, must); err != nil || !fits {
		return false, err
	}
	for i := range p.page.Entities {
		e := &p.page.Entities[i]
		entityType := model.StoredURN(e.URN).EntityType()
		if entity, known := p.registry.Entity(entityType); known && len(e.State.Versions) > 0 {
			whole := Change{Time: now, Actor: e.State.Versions[0].CreatedBy, Kind: graphstore.ChangeNote, URN: e.URN, EntityType: entityType, Aspect: entity.KeyAspect, Seq: 1}
			p.page.Changes = append(p.page.Changes, whole) // a replica of this replica needs the change
		}
		for k := range e.State.Versions {
			if v := &e.State.Versions[k]; v.Latest {
				p.page.Changes = append(p.page.Changes, firstChange(e.URN, entityType, v, now))
			}
		}
	}
	return true, nil
}

// firstChange returns a change by which followers of the replica learn of a version whose
// change is no longer in the log. The time of the change is not before the time of the version.
// Otherwise the followers would mistake the version for another version.
func firstChange(urn, entityType string, v *transfer.ExportVersion, now int64) Change {
	return Change{
		Time: max(now, v.CreatedOn), Actor: v.CreatedBy, Kind: graphstore.ChangeUpsert,
		URN: urn, EntityType: entityType, Aspect: v.Aspect, Seq: v.Seq,
	}
}

// addRollbacks adds the records of rollbacks, which belong to an entity that does not exist.
func (p *pageBuilder) addRollbacks(ctx context.Context) error {
	series, err := seriesAfter(ctx, p.store, write.RollbacksURN, catalog.RollbacksSeries, nil)
	if err != nil || len(series.Values) == 0 {
		return err
	}
	first := &series.Values[0] // this value creates the node
	p.page.Entities = append(p.page.Entities, Entity{URN: write.RollbacksURN, Values: series.Values[:1]})
	p.page.Changes = append(p.page.Changes, Change{
		Time: p.page.Time, Actor: first.CreatedBy, Kind: graphstore.ChangeNote, URN: write.RollbacksURN, EntityType: model.EntityDataHubUpgrade,
		Aspect: catalog.RollbacksSeries, TimeSeriesTime: first.Timestamp, TimeSeriesKey: first.Key,
	})
	p.page.Series = append(p.page.Series, *series)
	return nil
}
