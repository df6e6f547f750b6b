package feed

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/changeevents"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/safely"
	"github.com/headwater-io/headwater/model"
)

const (
	// newFor is the time for which an entity counts as new. Within it, the first values of its
	// aspects count as its loading, and its owners are not told of them.
	newFor = 10 * time.Minute
	// putsAtOnce is the number of items that are written at once, so that a store can commit them
	// together.
	putsAtOnce = 16
)

// Deliver writes to the feeds the items that follow from changes of the log. Deliver may safely
// be called again with the same changes.
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
	return safely.Each(ctx, len(items), putsAtOnce, func(ctx context.Context, i int) error {
		if err := s.replace(ctx, items[i], cursor); err != nil {
			return err
		}
		return s.noteWritten(ctx, items[i].Actor)
	})
}

// page is the state of the delivery of several changes.
type page struct {
	s           *Service
	subscribers map[string][]Subscription
	// deleted has the entities that these changes delete. For each deleted entity, former has its
	// owners, and outputs has the entities that the deleted entity stated to be downstream of
	// itself.
	deleted map[deletion]bool
	former  map[deletion][]string
	outputs map[deletion][]string
	news    []*news
	owners  map[string][]string
}

// deletion identifies the end of an entity: the entity and its ownership are deleted at the
// same time.
type deletion struct {
	urn  string
	time int64
}

// news is a change with its events.
type news struct {
	change *catalog.Change
	events []changeevents.Event
	// about is the entity whose owners and subscribers are told: the changed entity or, for an
	// assertion, its dataset.
	about string
	// first tells that the aspect had no value before. loaded tells that, in addition, the entity
	// is new. unowned tells that owners are not told of the change.
	first, loaded, unowned bool
	// former has the owners of a deleted entity, outputs the entities that it stated to be
	// downstream of itself.
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

// consider adds a change to the news if it may matter to any actor.
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
		if c.Aspect == model.AspectOwnership { // reported with the deletion of the entity, which follows in the log
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

// readOwners reads the owners of the entities that the changes are about. The owners of a
// deleted entity come from the log.
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

// leaveOutNew marks first values of aspects of new entities as unowned. leaveOutNew removes the
// news of which no actor is then told.
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

// beginnings returns, for entities with first values of which an actor may be told, the time at
// which the entity began.
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

// lostOwners returns the actors who are no longer owners, at most limits.MaxFeedOwners.
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
