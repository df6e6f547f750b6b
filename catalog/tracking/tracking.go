// Package tracking counts how often people look at entities, as web pages tell it, so that what
// is used most can be shown. It keeps numbers of views by day, and nothing of who looked.
package tracking

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// ViewEvent is the type of the events that tell of a view of an entity.
const ViewEvent = "EntityViewEvent"

// prefix is that of the names of records: views/<day>. Each has the views of a day in UTC, by
// URN.
const prefix = "views/"

// FlushEvery is how long views are counted in memory before they are stored. A server that is
// killed loses so many.
const FlushEvery = 10 * time.Second

// fresh is how long the views of stored days are not read again.
const fresh = time.Minute

// Event is what a page tells. Other members are not read.
type Event struct {
	Type      string `json:"type"`
	EntityURN string `json:"entityUrn"`
}

// typeName is the name of a type of events.
var typeName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,99}$`)

// Entities tells which entities are stored.
type Entities interface {
	Stored(ctx context.Context, urns []model.URN, aspects catalog.StoredAspects) ([]catalog.StoredEntity, error)
}

// Catalog reads the names of entities, and says whether the server is read-only.
type Catalog interface {
	ParseURN(text string) (model.URN, model.Dialect, error)
	ReadOnly() bool
}

// Options are what the service needs.
type Options struct {
	Records  graphstore.Records
	Catalog  Catalog
	Entities Entities
	Now      func() time.Time
	Logger   *slog.Logger
}

// views are the numbers of views by URN.
type views map[string]int64

// Service counts views. It is safe for concurrent use.
type Service struct {
	Options

	mu      sync.Mutex
	pending map[string]views // by day
	counted int              // of pending

	sums   views
	summed time.Time
}

// New makes the service.
func New(o Options) *Service { return &Service{Options: o, pending: map[string]views{}} }

func (s *Service) day(before int) string {
	return s.Now().UTC().AddDate(0, 0, -before).Format(time.DateOnly)
}

// Track counts an event if it tells of a view. It never waits for the store. What comes beyond
// limits.TrackedViews until the next flush, or while the server is read-only, is not counted.
func (s *Service) Track(e Event) error {
	if !typeName.MatchString(e.Type) {
		return catalog.Errorf(catalog.Invalid, "type %s is not the name of a type of events", e.Type)
	}
	if e.Type != ViewEvent {
		return nil
	}
	u, _, err := s.Catalog.ParseURN(e.EntityURN)
	if err != nil {
		return catalog.Errorf(catalog.Invalid, "entityUrn of the event: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.counted >= limits.TrackedViews || s.Catalog.ReadOnly() {
		return nil
	}
	today := s.day(0)
	if s.pending[today] == nil {
		s.pending[today] = views{}
	}
	s.pending[today][u.String()]++
	s.counted++
	return nil
}

// Run stores what was counted until the context ends, and then once more.
func (s *Service) Run(ctx context.Context) {
	ticks := time.NewTicker(FlushEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ticks.C:
			s.flushed(ctx)
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), FlushEvery)
			defer cancel()
			s.flushed(last)
			return
		}
	}
}

func (s *Service) flushed(ctx context.Context) {
	if err := s.Flush(ctx); err != nil {
		s.Logger.WarnContext(ctx, "views of entities are not stored yet", "error", err)
	}
}

// Flush stores what was counted. What cannot be stored stays counted.
func (s *Service) Flush(ctx context.Context) error {
	s.mu.Lock()
	taken := s.pending
	s.pending, s.counted = map[string]views{}, 0
	s.mu.Unlock()
	if len(taken) == 0 {
		return nil
	}
	for day, seen := range taken {
		if err := s.store(ctx, day, seen); err != nil {
			s.giveBack(taken)
			return catalog.StoreFailure(err)
		}
		delete(taken, day)
	}
	s.mu.Lock()
	s.sums = nil // it lacks what was stored
	s.mu.Unlock()
	return nil
}

// giveBack counts again what could not be stored.
func (s *Service) giveBack(taken map[string]views) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for day, seen := range taken {
		if s.pending[day] == nil {
			s.pending[day] = views{}
		}
		s.pending[day].add(seen)
		for _, n := range seen {
			s.counted += int(n)
		}
	}
}

func (v views) add(other views) {
	for urn, n := range other {
		v[urn] += n
	}
}

// most returns the URNs with most views, at most n.
func (v views) most(n int) []string {
	urns := slices.SortedFunc(maps.Keys(v), func(a, b string) int { return cmp.Or(cmp.Compare(v[b], v[a]), cmp.Compare(a, b)) })
	return urns[:min(n, len(urns))]
}

// store adds views to those of a day. Other servers may do the same.
func (s *Service) store(ctx context.Context, day string, seen views) error {
	for {
		record, found, err := s.Records.Record(ctx, prefix+day)
		if err != nil {
			return err
		}
		sum := views{}
		if found {
			if err := json.Unmarshal(record.Value, &sum); err != nil {
				return err
			}
		}
		sum.add(seen)
		kept := views{}
		for _, urn := range sum.most(limits.ViewedEntities) {
			kept[urn] = sum[urn]
		}
		value, err := json.Marshal(kept)
		if err != nil {
			return err
		}
		_, err = s.Records.PutRecord(ctx, prefix+day, value, record.Revision)
		switch {
		case errors.Is(err, graphstore.ErrRecordChanged):
			continue
		case err != nil || found:
			return err
		}
		return s.prune(ctx)
	}
}

// prune deletes the days before limits.ViewDays.
func (s *Service) prune(ctx context.Context) error {
	days, err := s.Records.ListRecords(ctx, prefix, "", 2*limits.ViewDays)
	for i := range days {
		if err == nil && days[i].Name < prefix+s.day(limits.ViewDays-1) {
			if err = s.Records.DeleteRecord(ctx, days[i].Name, days[i].Revision); errors.Is(err, graphstore.ErrRecordChanged) {
				err = nil // another server has pruned it
			}
		}
	}
	return err
}

// Viewed is an entity with its views in limits.ViewDays.
type Viewed struct {
	URN   string
	Views int64
}

// Most returns up to limit entities with most views in the last limits.ViewDays, without those
// that do not exist or are soft-deleted.
func (s *Service) Most(ctx context.Context, limit int) ([]Viewed, error) {
	if limit < 1 || limit > limits.MaxPopular {
		return nil, catalog.Errorf(catalog.Invalid, "limit must be between 1 and %d", limits.MaxPopular)
	}
	sums, err := s.sum(ctx)
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	most := []Viewed{}
	for candidates := range slices.Chunk(sums.most(limits.ViewedEntities), 2*limits.MaxPopular) {
		visible, err := s.visible(ctx, candidates)
		if err != nil {
			return nil, err
		}
		for _, urn := range candidates {
			if visible[urn] && len(most) < limit {
				most = append(most, Viewed{urn, sums[urn]})
			}
		}
		if len(most) == limit {
			break
		}
	}
	return most, nil
}

// sum adds the days up, with what is not stored yet.
func (s *Service) sum(ctx context.Context) (views, error) {
	s.mu.Lock()
	sums, known := s.sums, s.sums != nil && s.Now().Sub(s.summed) < fresh
	s.mu.Unlock()
	if !known {
		days, err := s.Records.ListRecords(ctx, prefix, "", 2*limits.ViewDays)
		if err != nil {
			return nil, err
		}
		sums = views{}
		for i := range days {
			var of views
			if days[i].Name < prefix+s.day(limits.ViewDays-1) {
				continue
			}
			if err := json.Unmarshal(days[i].Value, &of); err != nil {
				return nil, err
			}
			sums.add(of)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !known {
		s.sums, s.summed = sums, s.Now()
	}
	all := maps.Clone(sums)
	for _, seen := range s.pending {
		all.add(seen)
	}
	return all, nil
}

// visible reports which entities exist and are not soft-deleted.
func (s *Service) visible(ctx context.Context, urns []string) (map[string]bool, error) {
	read := make([]model.URN, len(urns))
	for i := range urns {
		read[i] = model.StoredURN(urns[i])
	}
	stored, err := s.Entities.Stored(ctx, read, catalog.StoredAspects{None: true})
	if err != nil {
		return nil, err
	}
	visible := map[string]bool{}
	for i := range stored {
		visible[stored[i].URN] = !stored[i].Removed
	}
	return visible, nil
}
