package feed

import (
	"context"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/changeevents"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

const (
	// newFor is how long an entity is new: until then its owners are not told of the
	// first values of its aspects, which is how it is loaded.
	newFor = 10 * time.Minute
	// putsAtOnce is how many items are written at once: a store commits them together.
	putsAtOnce = 16
)

// Deliver writes what changes of the log mean for anybody to the feeds. It may be given
// the same changes again.
func (s *Service) Deliver(ctx context.Context, changes []catalog.Change) error {
	subscribers, err := s.subscribers(ctx)
	if err != nil {
		return err
	}
	p := &page{s: s, subscribers: subscribers, deleted: map[deletion]bool{}, former: map[deletion][]string{}, outputs: map[deletion][]string{}}
	heads := headsOf(changes)
	s.noteCreated(heads)
	for i := range heads {
		p.noteDeleted(&heads[i])
	}
	for i := range changes {
		if err := p.consider(ctx, &changes[i], &heads[i]); err != nil {
			return err
		}
	}
	if err := p.readOwners(ctx); err != nil {
		return err
	}
	if err := p.leaveOutNew(ctx); err != nil {
		return err
	}
	for _, n := range p.news {
		items, err := p.items(ctx, n)
		if err != nil {
			return err
		}
		if err := s.putAll(ctx, items, n.change.Cursor); err != nil {
			return err
		}
	}
	if len(changes) > 0 {
		s.noteDelivered(changes[len(changes)-1].Cursor)
	}
	return nil
}

func (s *Service) putAll(ctx context.Context, items []*Item, cursor string) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(putsAtOnce)
	for _, item := range items {
		group.Go(func() error {
			if err := s.put(ctx, &storedItem{*item, cursor}); err != nil {
				return err
			}
			return s.noteWritten(ctx, item.Actor)
		})
	}
	return group.Wait()
}

// page is what is known of changes that are delivered together.
type page struct {
	s           *Service
	subscribers map[string][]Subscription
	// deleted are the entities that end with these changes, former the owners that they had,
	// and outputs what they said to be downstream of them.
	deleted map[deletion]bool
	former  map[deletion][]string
	outputs map[deletion][]string
	news    []*news
	owners  map[string][]string
}

// deletion is the end of an entity: it and its ownership are deleted at the same time.
type deletion struct {
	urn  string
	time int64
}

// news is a change with its events.
type news struct {
	change *catalog.Change
	events []changeevents.Event
	// about is the entity whose owners and subscribers are told: the one that changed,
	// or the dataset that an assertion is about.
	about string
	// first: the aspect had no value before. loaded: and the entity is new. unowned:
	// owners are not told.
	first, loaded, unowned bool
	// former are the owners of an entity that is deleted, outputs what it said to be
	// downstream of it.
	former, outputs []string
}

func (n *news) breaking() bool {
	for i := range n.events {
		if n.events[i].Breaks() {
			return true
		}
	}
	return false
}

// isFirst reports whether an aspect had no value before.
func isFirst(c *catalog.Change) bool {
	return c.Kind == catalog.ChangeUpsert && c.Previous == nil && c.PreviousSystem == nil && !c.ValuesPruned
}

func (p *page) noteDeleted(h *catalog.ChangeHead) {
	if entity, known := p.s.registry.Entity(h.EntityType); known && h.Aspect == entity.KeyAspect && h.Kind == catalog.ChangeDelete {
		p.deleted[deletion{h.URN, h.Time}] = true
	}
}

// consider keeps a change that may matter to somebody.
func (p *page) consider(ctx context.Context, c *catalog.Change, head *catalog.ChangeHead) error {
	p.noteOutputs(c)
	if !p.s.matters(head, p.subscribers) {
		return nil
	}
	events, err := p.s.events.Of(ctx, c)
	if err != nil || len(events) == 0 {
		return err
	}
	assertion := c.Aspect == model.AspectAssertionRunEvent
	n := &news{change: c, events: events, about: c.URN, first: head.First && !assertion}
	if at := (deletion{c.URN, c.Time}); p.deleted[at] {
		if c.Aspect == model.AspectOwnership { // told with the deletion of the entity, which follows
			p.former[at] = n.lostOwners()
			return nil
		}
		n.former, n.outputs = p.former[at], p.outputs[at]
	}
	if assertee := events[0].Assertee(); assertion && assertee != "" {
		n.about = assertee
	}
	n.unowned = p.s.isSeries(c.Aspect) && !n.breaking()
	if n.unowned && len(p.subscribers[n.about]) == 0 {
		return nil
	}
	p.news = append(p.news, n)
	return nil
}

func (s *Service) isSeries(aspect string) bool {
	a, known := s.registry.Aspect(aspect)
	return known && a.TimeSeries
}

// readOwners reads the owners of what the changes are about. Those of a deleted entity are in
// the log.
func (p *page) readOwners(ctx context.Context) error {
	p.owners = map[string][]string{}
	var urns []string
	for _, n := range p.news {
		urns = append(append(urns, n.about), n.outputs...)
	}
	if len(urns) == 0 {
		return nil
	}
	found, err := p.s.store.Edges(ctx, graphstore.EdgeQuery{
		URNs: distinct(urns), Direction: graphstore.Outgoing, Types: []string{model.RelationshipOwnedBy}, Page: graphstore.Page{Count: limits.MaxFeedOwners},
	})
	if err != nil {
		return catalog.StoreFailure(err)
	}
	for urn, edges := range found {
		for i := range edges.Edges {
			p.owners[urn] = append(p.owners[urn], edges.Edges[i].Destination)
		}
	}
	return nil
}

// leaveOutNew notes the first values of aspects of entities that are new, of which owners
// are not told, and leaves out what then nobody is told of.
func (p *page) leaveOutNew(ctx context.Context) error {
	began, err := p.beginnings(ctx)
	if err != nil {
		return err
	}
	var worthTelling []*news
	for _, n := range p.news {
		if at, known := began[n.about]; n.first && known && n.change.Time-at < newFor.Milliseconds() {
			n.loaded, n.unowned = true, true
		}
		told := !n.unowned && len(p.owners[n.about]) > 0 || len(p.subscribers[n.about]) > 0
		if told || !n.loaded && n.breaking() || len(n.lostOwners()) > 0 {
			worthTelling = append(worthTelling, n)
		}
	}
	p.news = worthTelling
	return nil
}

// beginnings are when entities began whose aspects have a first value that somebody may be
// told of.
func (p *page) beginnings(ctx context.Context) (map[string]int64, error) {
	keys := map[string]string{}
	var names []string
	for _, n := range p.news {
		entity, known := p.s.registry.Entity(n.change.EntityType)
		if known && n.first && !n.unowned && (len(p.owners[n.about]) > 0 || n.breaking()) {
			keys[n.about] = entity.KeyAspect
			names = append(names, entity.KeyAspect)
		}
	}
	began := map[string]int64{}
	if len(keys) == 0 {
		return began, nil
	}
	stored, err := p.s.store.LatestAspects(ctx, slices.Sorted(maps.Keys(keys)), distinct(names))
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	for urn, aspects := range stored {
		for i := range aspects {
			if aspects[i].Name == keys[urn] {
				began[urn] = aspects[i].CreatedOn
			}
		}
	}
	return began, nil
}

// lostOwners are those who are owners no more, at most limits.MaxFeedOwners.
func (n *news) lostOwners() []string {
	lost := slices.Clone(n.former)
	for i := range n.events {
		e := &n.events[i]
		if e.Category == changeevents.CategoryOwner && e.Operation == changeevents.OperationRemove && len(lost) < limits.MaxFeedOwners {
			lost = append(lost, e.Modifier)
		}
	}
	return lost
}

func distinct(list []string) []string { return slices.Compact(slices.Sorted(slices.Values(list))) }
