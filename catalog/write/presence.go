package write

import (
	"context"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// kind is a kind of things that most catalogs have none of, and that many answers would have to ask for.
type kind int

// The kinds.
const (
	// ingestionSources are entities that tell how metadata is ingested.
	ingestionSources kind = iota
	// derivedLineage are the aspects with the lineage that a server has read from SQL.
	derivedLineage
	kinds
)

// These bound how long a server relies on its knowledge of a kind.
const (
	// noneFor is how long a server that shares its store with others relies on the absence of a kind. A server that writes
	// the first of a kind holds its answer back for so long.
	noneFor = 400 * time.Millisecond
	// someFor is how long a server does not look again at a kind that was there.
	someFor = 10 * time.Minute
	// lookPatience bounds a look at the store. A kind that takes longer to find counts as there, for slowFor.
	lookPatience = 100 * time.Millisecond
	slowFor      = 10 * time.Second
)

// A presence knows the kinds of which the catalog has nothing, so that an answer need not ask the store for them. It
// hears of the writes of its own server before they are committed. Where other servers may write too, it looks at the
// store again after a moment. The reasons are in docs/decisions/0111-what-a-catalog-lacks.md.
type presence struct {
	store   graphstore.Store
	now     func() time.Time
	alone   bool
	looking singleflight.Group

	mu     sync.Mutex
	states [kinds]known
}

// known is the knowledge of one kind.
type known struct {
	some bool
	// until is when the knowledge ends. The zero time is before the first look.
	until time.Time
	// writes counts the writes of the kind. The result of a look is dropped if a write came during the look.
	writes int
}

// mayHave reports whether the catalog may have something of a kind. It is false only if the catalog has nothing of it.
func (p *presence) mayHave(ctx context.Context, kind kind) bool {
	if state := p.state(kind); p.now().Before(state.until) {
		return state.some
	}
	some, _, _ := p.looking.Do(string(rune('0'+kind)), func() (any, error) { return p.look(context.WithoutCancel(ctx), kind), nil })
	return some.(bool)
}

func (p *presence) state(kind kind) known {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.states[kind]
}

// look asks the store for a kind.
func (p *presence) look(ctx context.Context, kind kind) bool {
	ctx, cancel := context.WithTimeout(ctx, lookPatience)
	defer cancel()
	began, before := p.now(), p.state(kind)
	if began.Before(before.until) { // another caller has just looked
		return before.some
	}
	n, err := p.count(ctx, kind)
	slow := ctx.Err() != nil
	if err != nil && !slow {
		return true // the question that follows reports the error
	}
	found := known{some: n > 0 || slow, until: began.Add(someFor)}
	switch {
	case slow:
		found.until = began.Add(slowFor)
	case found.some:
	case p.alone:
		found.until = began.AddDate(100, 0, 0) // valid until this server writes something of the kind
	default:
		found.until = began.Add(noneFor)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.states[kind].writes != before.writes {
		return true
	}
	found.writes = before.writes
	p.states[kind] = found
	return found.some
}

func (p *presence) count(ctx context.Context, kind kind) (n int64, err error) {
	if kind == derivedLineage {
		return p.store.CountAspects(ctx, model.AspectDerivedLineage, "")
	}
	_, n, err = p.store.ListEntities(ctx, model.EntityDataHubIngestionSource, graphstore.Page{})
	return n, err
}

// write records that a transaction is about to write a kind. It reports whether this server did not know of any before.
func (p *presence) write(kind kind) (first bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	state := &p.states[kind]
	first = !state.some
	*state = known{some: true, until: p.now().Add(someFor), writes: state.writes + 1}
	return first
}

// presentStore answers questions for kinds that are absent, and passes the others on.
type presentStore struct {
	graphstore.Store
	presence *presence
}

// ListEntities lists the entities of a type.
func (s *presentStore) ListEntities(ctx context.Context, entityType string, page graphstore.Page) ([]string, int64, error) {
	if entityType == model.EntityDataHubIngestionSource && !s.presence.mayHave(ctx, ingestionSources) {
		return []string{}, 0, nil
	}
	return s.Store.ListEntities(ctx, entityType, page)
}

// LatestAspects reads latest versions.
func (s *presentStore) LatestAspects(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error) {
	if len(names) == 1 && names[0] == model.AspectDerivedLineage && !s.presence.mayHave(ctx, derivedLineage) {
		return map[string][]graphstore.Aspect{}, nil
	}
	return s.Store.LatestAspects(ctx, urns, names)
}

// watchedStore tells a presence of the writes to a store.
type watchedStore struct {
	graphstore.Store
	presence *presence
}

// Update runs a transaction. If it wrote the first of a kind, other servers may rely on the absence of the kind for a
// moment longer, and Update waits until they do not.
func (s *watchedStore) Update(ctx context.Context, urns []string, fn func(tx graphstore.Tx) error) error {
	first := false
	err := s.Store.Update(ctx, urns, func(tx graphstore.Tx) error { return fn(&watchedTx{tx, s.presence, &first}) })
	if err == nil && first && !s.presence.alone {
		select {
		case <-time.After(noneFor):
		case <-ctx.Done():
		}
	}
	return err
}

type watchedTx struct {
	graphstore.Tx
	presence *presence
	// first is set when the transaction writes the first of a kind.
	first *bool
}

// Write tells of the kinds that a batch writes.
func (tx *watchedTx) Write(b graphstore.Batch) error {
	for k, writes := range [kinds]bool{
		ingestionSources: slices.ContainsFunc(b.Nodes, func(n graphstore.NodeUpdate) bool {
			return n.Exists && n.Type == model.EntityDataHubIngestionSource
		}),
		derivedLineage: slices.ContainsFunc(b.PutVersions, func(a graphstore.Aspect) bool { return a.Name == model.AspectDerivedLineage }) ||
			slices.ContainsFunc(b.Restore, func(v graphstore.VersionKey) bool { return v.Key.Name == model.AspectDerivedLineage }),
	} {
		if writes && tx.presence.write(kind(k)) {
			*tx.first = true
		}
	}
	return tx.Tx.Write(b)
}
