// Package tracking counts how often people open the pages of entities, and which words they
// search for, from the events of web pages, so that the most used entities and queries can be
// shown. The package stores numbers by day, and nothing about who looked or searched.
package tracking

import (
	"context"
	"errors"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// These are the types of events that are counted.
const (
	// ViewEvent tells that the page of an entity was opened.
	ViewEvent = "EntityViewEvent"
	// SearchEvent tells that results of a search were shown.
	SearchEvent = "SearchResultsViewEvent"
)

// FlushEvery is the time for which events are counted in memory before the counts are stored. A
// server that is killed loses the counts of this time.
const FlushEvery = 10 * time.Second

// Event is an event that a web page sends. Other members are ignored.
type Event struct {
	Type string `json:"type"`
	// EntityURN is the viewed entity of a ViewEvent.
	EntityURN string `json:"entityUrn"`
	// Query, Total and Page belong to a SearchEvent: the words, the number of results, and the
	// page of results, counted from 1.
	Query string  `json:"query"`
	Total float64 `json:"total"`
	Page  float64 `json:"page"`
}

// typeName matches a valid name of a type of events.
var typeName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,99}$`)

// Entities tells which entities are stored.
type Entities interface {
	Stored(ctx context.Context, urns []model.URN, aspects catalog.StoredAspects) ([]catalog.StoredEntity, error)
}

// Server parses URNs, and tells whether the server is read-only.
type Server interface {
	ParseURN(text string) (model.URN, model.Dialect, error)
	ReadOnly() bool
}

// Options configure a Service.
type Options struct {
	Records  *records.Door
	Server   Server
	Entities Entities
	Now      func() time.Time
	Logger   *slog.Logger
}

// Service counts views and searches. Service is safe for concurrent use.
type Service struct {
	Options
	views, searches *tally
}

// New makes the service.
func New(o Options) *Service {
	return &Service{Options: o, views: newTally(records.Views, o), searches: newTally(records.Searches, o)}
}

// Track counts an event if it is a view or a search. Track never waits for the store. Track
// does not count events beyond limits.TrackedViews before the next flush, nor any event while
// the server is read-only.
func (s *Service) Track(e Event) error {
	if !typeName.MatchString(e.Type) {
		return catalog.Errorf(catalog.Invalid, "type %s is not the name of a type of events", e.Type)
	}
	switch e.Type {
	case ViewEvent:
		u, _, err := s.Server.ParseURN(e.EntityURN)
		if err != nil {
			return catalog.Errorf(catalog.Invalid, "entityUrn of the event: %w", err)
		}
		s.count(s.views, u.String())
	case SearchEvent:
		if words := wordsOf(e.Query); words != "" && e.Total > 0 && e.Page <= 1 {
			s.count(s.searches, words)
		}
	}
	return nil
}

func (s *Service) count(t *tally, name string) {
	if !s.Server.ReadOnly() {
		t.add(name)
	}
}

// wordsOf returns the text under which a query is counted: its words in lower case. wordsOf
// returns "" for a query that is not counted: a search for everything, a query longer than
// limits.TrackedQuery, and one with characters that cannot be shown.
func wordsOf(query string) string {
	words := strings.ToLower(strings.Join(strings.Fields(query), " "))
	hidden := func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }
	if words == "*" || len(words) > limits.TrackedQuery || strings.ContainsFunc(words, hidden) {
		return ""
	}
	return words
}

// Run stores the counts every FlushEvery until the context ends, and then once more.
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
		s.Logger.WarnContext(ctx, "views and searches are not stored yet", "error", err)
	}
}

// Flush stores the counts. Counts that cannot be stored wait for the next flush.
func (s *Service) Flush(ctx context.Context) error {
	if err := errors.Join(s.views.flush(ctx), s.searches.flush(ctx)); err != nil {
		return catalog.StoreFailure(err)
	}
	return nil
}

// Viewed is an entity with the number of its views in the last limits.ViewDays.
type Viewed struct {
	URN   string
	Views int64
}

// Most returns up to limit entities with the most views in the last limits.ViewDays. Most
// leaves out entities that do not exist or are soft-deleted.
func (s *Service) Most(ctx context.Context, limit int) ([]Viewed, error) {
	sums, err := sumOf(ctx, s.views, limit)
	if err != nil {
		return nil, err
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

// Searched is a query with the number of its searches in the last limits.ViewDays.
type Searched struct {
	Query    string
	Searches int64
}

// MostSearched returns up to limit queries, in lower case, with the most searches in the last
// limits.ViewDays. Each query found something when it was counted.
// A caller who may not read every entity gets none.
func (s *Service) MostSearched(ctx context.Context, limit int) ([]Searched, error) {
	if !permission.SeesWhole(ctx) {
		return []Searched{}, nil // the words of others could name hidden entities
	}
	sums, err := sumOf(ctx, s.searches, limit)
	if err != nil {
		return nil, err
	}
	most := []Searched{}
	for _, query := range sums.most(limit) {
		most = append(most, Searched{query, sums[query]})
	}
	return most, nil
}

func sumOf(ctx context.Context, t *tally, limit int) (counts, error) {
	if limit < 1 || limit > limits.MaxPopular {
		return nil, catalog.Errorf(catalog.Invalid, "limit must be between 1 and %d", limits.MaxPopular)
	}
	sums, err := t.sum(ctx)
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	return sums, nil
}

// visible reports which of the entities exist and are not soft-deleted.
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
