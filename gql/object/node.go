// Package object contains the objects of the schema: entities, which read their
// aspects when a query selects them, and the records of those aspects.
//
// The entities that one place of a response names together, such as the hits of a
// search or the owners of those hits, make a [Batch]. Whatever is read for one of
// them is read for all in one call, so that the number of calls to the catalog
// depends on the shape of the query and not on the size of a page.
package object

import (
	"context"
	"reflect"
	"sync"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/model"
)

// Session is the access of one request's objects to the services.
type Session struct {
	Catalog *services.Services
	// Actor is the URN of the request's actor; "" is the system actor.
	Actor string
	// Subject, if set, notes which entities the arguments name.
	Subject *requestinfo.Subject
	// Take, if set, is called with the number of items of each list of the
	// answer. It fails if the answer has too many.
	Take func(items int) error
	// Turns, if set, bounds how many searches run at a time: their results are in
	// memory before they are counted.
	Turns chan struct{}

	// meant are the documents that are meant for the actor, read once.
	documents sync.Once
	meant     []catalog.Criterion
	failed    error
}

// turn runs a search when it is its turn.
func (s *Session) turn(ctx context.Context, search func() (hits int, err error)) error {
	if s.Turns != nil {
		select {
		case s.Turns <- struct{}{}:
			defer func() { <-s.Turns }()
		case <-ctx.Done():
			return catalog.Errorf(catalog.Timeout, "the request took too long: %w", context.Cause(ctx))
		}
	}
	hits, err := search()
	if err != nil {
		return err
	}
	return s.take(hits)
}

// bytesOfField is how many bytes of stored values count as a field of the answer: they
// take as much memory.
const bytesOfField = 100

// take counts the items of a list of the answer.
func (s *Session) take(items int) error {
	if s.Take == nil {
		return nil
	}
	return s.Take(items)
}

// Node is what all entities have in common.
type Node struct {
	URN   string
	Type  EntityType
	key   model.URN
	kind  *kind
	batch *Batch
	// aspects are those that the batch has read.
	aspects map[string]catalog.EnvelopedAspect
}

// IsEntity marks entities for the schema.
func (n *Node) IsEntity() {}

// IsBrowsableEntity marks entities that have browse paths; which types do is
// stated in the schema.
func (n *Node) IsBrowsableEntity() {}

// part returns a part of the URN's key, "" if there are fewer.
func (n *Node) part(i int) string {
	if parts := n.key.Parts(); i < len(parts) {
		return parts[i]
	}
	return ""
}

// entityType is the type's name in the model.
func (n *Node) entityType() string { return n.key.EntityType() }

// Batch contains the entities that a response names at one place.
type Batch struct {
	session *Session
	nodes   []*Node
	byURN   map[string]Entity
	// read fetches aspects, the latest ones unless versions are pinned.
	read func(ctx context.Context, urns []model.URN, aspects []string) (map[string]catalog.EntityResponse, error)

	mu    sync.Mutex
	calls map[any]*call

	// loading guards what was read: loaded and the aspects of the nodes.
	loading sync.Mutex
	// loaded are the names of the aspects that were read.
	loaded map[string]bool
	// columns are the columns of schemas that were read together.
	columns *columnEntities
}

// NewBatch makes an empty batch. All its entities must be added before the
// first field of one is resolved.
func (s *Session) NewBatch() *Batch {
	return &Batch{
		session: s, byURN: map[string]Entity{}, calls: map[any]*call{}, loaded: map[string]bool{}, read: s.Catalog.Entities,
		columns: &columnEntities{session: s},
	}
}

// Entity adds an entity, nil for text that is not a URN and for types that the
// schema does not have. The same URN yields the same entity.
func (b *Batch) Entity(urn string) Entity {
	if e, ok := b.byURN[urn]; ok {
		return e
	}
	u, err := b.session.Catalog.Registry().ReadURN(urn)
	if err != nil {
		return nil
	}
	return b.entity(u)
}

// entity adds an entity, nil for types that the schema does not have.
func (b *Batch) entity(u model.URN) Entity {
	if e, ok := b.byURN[u.String()]; ok { // it may have been spelled otherwise
		return e
	}
	k, ok := kindOf(b.session.Catalog.Registry(), u.EntityType())
	if !ok {
		return nil
	}
	return b.add(u, k)
}

func (b *Batch) add(u model.URN, k *kind) Entity {
	n := &Node{URN: u.String(), Type: k.entityType, key: u, kind: k, batch: b}
	e := k.make(n)
	b.nodes = append(b.nodes, n)
	b.byURN[n.URN] = e
	return e
}

// keysOf are the URNs of nodes.
func keysOf(nodes []*Node) []model.URN {
	keys := make([]model.URN, len(nodes))
	for i, n := range nodes {
		keys[i] = n.key
	}
	return keys
}

// entityAs adds an entity of a known type, nil when it is of another.
func entityAs[T Entity](b *Batch, urn string) (e T) {
	e, _ = b.Entity(urn).(T)
	return e
}

// entitiesAs adds entities, leaving out those of other types.
func entitiesAs[T Entity](b *Batch, urns []string) []T {
	entities := make([]T, 0, len(urns))
	for _, urn := range urns {
		if e, ok := b.Entity(urn).(T); ok {
			entities = append(entities, e)
		}
	}
	return entities
}

// call is a read for a whole batch.
type call struct {
	once   sync.Once
	values any
	err    error
}

// batched returns a node's share of what fetch reads for its whole batch. The key
// identifies what is read; fetch runs once for each key.
func batched[T any](n *Node, key any, fetch func(nodes []*Node) (map[*Node]T, error)) (T, error) {
	b := n.batch
	b.mu.Lock()
	c, ok := b.calls[key]
	if !ok {
		c = &call{err: catalog.Errorf(catalog.Internal, "reading %v did not finish", key)}
		b.calls[key] = c
	}
	b.mu.Unlock()
	c.once.Do(func() { c.values, c.err = fetch(b.nodes) })
	values, _ := c.values.(map[*Node]T)
	return values[n], c.err
}

// related returns the entity whose URN follows from a node's own. The related
// entities of a batch make the next batch.
func related[T Entity](n *Node, key any, urnOf func(*Node) string) (T, error) {
	return batched(n, key, func(nodes []*Node) (map[*Node]T, error) {
		below, entities := n.batch.session.NewBatch(), make(map[*Node]T, len(nodes))
		for _, node := range nodes {
			entities[node] = entityAs[T](below, urnOf(node))
		}
		return entities, nil
	})
}

// completer is a record with more than the stored members: entities made from
// URNs, or members that depend on the entity of the aspect.
type completer interface {
	complete(owner *Node, below *Batch)
}

type aspectKey struct {
	name   string
	record reflect.Type
}

// decoded is a record, or the error of reading it: a value that the schema does
// not expect fails only for its own entity.
type decoded[T any] struct {
	record *T
	err    error
}

// aspect reads an aspect into a record of the schema, nil when there is none.
func aspect[T any](ctx context.Context, n *Node, name string) (*T, error) {
	d, err := batched(n, aspectKey{name, reflect.TypeFor[T]()}, func(nodes []*Node) (map[*Node]decoded[T], error) {
		if err := n.batch.load(ctx, name); err != nil {
			return nil, err
		}
		below := n.batch.session.NewBatch()
		records := make(map[*Node]decoded[T], len(nodes))
		for _, owner := range nodes {
			if stored, ok := owner.stored(name); ok {
				records[owner] = decode[T](owner, below, stored)
			}
		}
		return records, nil
	})
	if err != nil {
		return nil, err
	}
	return d.record, d.err
}

// stated reads an aspect, an empty record when there is none.
func stated[T any](ctx context.Context, n *Node, name string) (*T, error) {
	record, err := aspect[T](ctx, n, name)
	if record == nil {
		record = new(T)
	}
	return record, err
}

func decode[T any](owner *Node, below *Batch, stored catalog.EnvelopedAspect) decoded[T] {
	record := new(T)
	if err := decodeInto(owner, stored.Name, stored.Value, record); err != nil {
		return decoded[T]{err: catalog.Errorf(catalog.Internal, "the aspect %s of %s is not what the schema expects: %w", stored.Name, owner.URN, err)}
	}
	if c, ok := any(record).(completer); ok {
		c.complete(owner, below)
	}
	return decoded[T]{record: record}
}

// load reads an aspect of the batch's entities, together with the other aspects
// that the query selects at this place.
func (b *Batch) load(ctx context.Context, names ...string) error {
	b.loading.Lock()
	defer b.loading.Unlock()
	var missing []string
	want := func(name string) {
		if !b.loaded[name] {
			b.loaded[name] = true
			missing = append(missing, name)
		}
	}
	for _, name := range names {
		want(name)
	}
	if len(missing) == 0 {
		return nil
	}
	for _, field := range siblingFields(ctx) {
		for _, k := range b.kinds() {
			for _, name := range k.aspectsOf(field) {
				want(name)
			}
		}
	}
	found, err := b.read(ctx, keysOf(b.nodes), missing)
	if err != nil {
		for _, name := range missing {
			delete(b.loaded, name)
		}
		return err
	}
	for _, n := range b.nodes {
		if n.aspects == nil {
			n.aspects = map[string]catalog.EnvelopedAspect{}
		}
		for name, a := range found[n.URN].Aspects {
			n.aspects[name] = a
		}
	}
	return nil
}

// stored returns an aspect that the batch has read.
func (n *Node) stored(name string) (catalog.EnvelopedAspect, bool) {
	n.batch.loading.Lock()
	defer n.batch.loading.Unlock()
	a, ok := n.aspects[name]
	return a, ok
}

func (b *Batch) kinds() []*kind {
	seen := map[*kind]bool{}
	var kinds []*kind
	for _, n := range b.nodes {
		if !seen[n.kind] {
			seen[n.kind] = true
			kinds = append(kinds, n.kind)
		}
	}
	return kinds
}
