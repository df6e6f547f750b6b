// Package object contains the objects of the schema: entities, which read their
// aspects when a query selects them, and the records of those aspects.
//
// The entities that one place of a response names together, such as the hits of a search or the
// owners of those hits, make a [Batch]. A read for one entity of a batch is one call that reads
// for all entities of the batch. So the number of calls to the catalog depends on the shape of
// the query and not on the size of a page.
package object

import (
	"cmp"
	"context"
	"reflect"
	"sync"

	"github.com/headwater-io/headwater/access/audit"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/model"
)

// Session is the access of one request's objects to the services.
type Session struct {
	Catalog *services.Services
	// Audit is the audit trail, nil if the server keeps none.
	Audit *audit.Service
	// Actor is the URN of the request's actor; "" is the system actor.
	Actor string
	// Subject, if set, records which entities the arguments name.
	Subject *requestinfo.Subject
	// Take, if set, is called with the number of items of each list of the
	// answer. It fails if the answer has too many.
	Take func(items int) error
	// HasPassword, if set, tells whether a user has a password here.
	HasPassword func(ctx context.Context, user model.URN) (bool, error)
	// Turns, if set, bounds how many searches run at a time, because the results of a search
	// are in memory before they are counted.
	Turns chan struct{}

	// documents guards meant and failed. The criteria meant select the documents that are meant for the actor; they are
	// read once.
	documents sync.Once
	meant     []catalog.Criterion
	failed    error
}

// turn waits for the turn of a search and runs the search.
func (s *Session) turn(ctx context.Context, search func() (hits int, err error)) error {
	if s.Turns != nil {
		select {
		case s.Turns <- struct{}{}:
			defer func() { <-s.Turns }()
		case <-ctx.Done():
			return catalog.StoreFailure(context.Cause(ctx))
		}
	}
	hits, err := search()
	if err != nil {
		return err
	}
	return s.take(hits)
}

// bytesOfField is the number of bytes of stored values that count as one field of the answer,
// because they take as much memory as a field.
const bytesOfField = 100

// take counts the items of a list of the answer.
func (s *Session) take(items int) error {
	if s.Take == nil {
		return nil
	}
	return s.Take(items)
}

// Node has the fields and methods that all entities share.
type Node struct {
	URN   string
	Type  EntityType
	key   model.URN
	kind  *kind
	batch *Batch
	// aspects are the aspects of the entity that the batch has read.
	aspects map[string]catalog.EnvelopedAspect
}

// IsEntity marks entities for the schema.
func (n *Node) IsEntity() {}

// IsBrowsableEntity marks entities that have browse paths. The schema states which types have
// browse paths.
func (n *Node) IsBrowsableEntity() {}

// part returns the part of the URN's key at index i, "" if there are fewer parts.
func (n *Node) part(i int) string {
	if parts := n.key.Parts(); i < len(parts) {
		return parts[i]
	}
	return ""
}

// entityType is the name of the entity's type in the model.
func (n *Node) entityType() string { return n.key.EntityType() }

// Batch contains the entities that a response names at one place.
type Batch struct {
	session *Session
	nodes   []*Node
	byURN   map[string]Entity
	// read fetches aspects: the pinned versions if versions are pinned, or else the latest
	// ones.
	read func(ctx context.Context, urns []model.URN, aspects []string) (map[string]catalog.EntityResponse, error)

	mu    sync.Mutex
	calls map[any]*call

	// loading guards loaded and the aspects of the nodes.
	loading sync.Mutex
	// loaded are the names of the aspects that were read.
	loaded map[string]bool
	// columns are the columns of schemas that were read together.
	columns *columnEntities
}

// NewBatch makes an empty batch. All entities of the batch must be added before a field of one
// of them is resolved.
func (s *Session) NewBatch() *Batch {
	return &Batch{
		session: s, byURN: map[string]Entity{}, calls: map[any]*call{}, loaded: map[string]bool{}, read: s.Catalog.Entities,
		columns: &columnEntities{session: s},
	}
}

// Entity adds an entity. It returns nil for a text that is not a URN and for a type that the
// schema does not have. Two calls with the same URN return the same entity.
func (b *Batch) Entity(urn string) Entity {
	if e, ok := b.byURN[urn]; ok {
		return e
	}
	if u := model.StoredURN(urn); u.EntityType() == catalog.Restricted {
		return b.entity(u)
	}
	u, err := b.session.Catalog.Registry().ReadURN(urn)
	if err != nil {
		return nil
	}
	return b.entity(u)
}

// entity adds an entity. It returns nil for a type that the schema does not have.
func (b *Batch) entity(u model.URN) Entity {
	if e, ok := b.byURN[u.String()]; ok { // the same URN was added in another spelling
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

// keysOf returns the URNs of nodes.
func keysOf(nodes []*Node) []model.URN {
	keys := make([]model.URN, len(nodes))
	for i, n := range nodes {
		keys[i] = n.key
	}
	return keys
}

// entityAs adds an entity of the type T. It returns nil if the URN is of another type.
func entityAs[T Entity](b *Batch, urn string) (e T) {
	e, _ = b.Entity(urn).(T)
	return e
}

// entitiesAs adds entities of the type T, and leaves out entities of other types.
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

// batched returns the result for one node of a read that fetch makes for the whole batch of the
// node. The key identifies the read; fetch runs once for each key.
func batched[T any](n *Node, key any, fetch func(nodes []*Node) (map[*Node]T, error)) (T, error) {
	found, err := n.call(key, func(nodes []*Node) (any, error) { return fetch(nodes) })
	values, _ := found.(map[*Node]T)
	return values[n], err
}

// call does the work of batched, in code that all types share.
func (n *Node) call(key any, fetch func(nodes []*Node) (any, error)) (any, error) {
	b := n.batch
	b.mu.Lock()
	c, ok := b.calls[key]
	if !ok {
		c = &call{err: catalog.Errorf(catalog.Internal, "reading %v did not finish", key)}
		b.calls[key] = c
	}
	b.mu.Unlock()
	c.once.Do(func() { c.values, c.err = fetch(b.nodes) })
	return c.values, c.err
}

// related returns the entity whose URN follows from the URN or key of a node. The related
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

// completer is a record with members that are not stored: entities made from URNs, or members
// that depend on the entity of the aspect.
type completer interface {
	complete(owner *Node, below *Batch)
}

type aspectKey struct {
	name   string
	record reflect.Type
}

// decoded is a record, or the error of decoding it. A value that does not fit the schema fails
// only for its own entity.
type decoded[T any] struct {
	record *T
	err    error
}

// decodedAspect is a pointer to the record of an aspect, or the error of decoding it.
type decodedAspect struct {
	record any
	err    error
}

// aspect reads an aspect into a record of the schema. It returns nil when the entity does not
// have the aspect.
func aspect[T any](ctx context.Context, n *Node, name string) (*T, error) {
	found, err := n.record(ctx, aspectKey{name, reflect.TypeFor[T]()}, func() any { return new(T) })
	record, _ := found.(*T)
	return record, err
}

// record does the work of aspect, in code that all types share. It returns nil without the aspect.
func (n *Node) record(ctx context.Context, key aspectKey, empty func() any) (any, error) {
	d, err := batched(n, key, func(nodes []*Node) (map[*Node]decodedAspect, error) {
		if err := n.batch.load(ctx, key.name); err != nil {
			return nil, err
		}
		below := n.batch.session.NewBatch()
		records := make(map[*Node]decodedAspect, len(nodes))
		for _, owner := range nodes {
			if stored, ok := owner.stored(key.name); ok {
				record := empty()
				records[owner] = decodedAspect{record, decode(owner, below, stored, record)}
			}
		}
		return records, nil
	})
	if err = cmp.Or(err, d.err); err != nil {
		return nil, err
	}
	return d.record, nil
}

// stated reads an aspect into a record of the schema. It returns an empty record when the
// entity does not have the aspect.
func stated[T any](ctx context.Context, n *Node, name string) (*T, error) {
	record, err := aspect[T](ctx, n, name)
	if record == nil {
		record = new(T)
	}
	return record, err
}

func decode(owner *Node, below *Batch, stored catalog.EnvelopedAspect, record any) error {
	if err := decodeInto(owner, stored.Name, stored.Value, record); err != nil {
		return catalog.Errorf(catalog.Internal, "the aspect %s of %s is not what the schema expects: %w", stored.Name, owner.URN, err)
	}
	if c, ok := record.(completer); ok {
		c.complete(owner, below)
	}
	return nil
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

// stored returns an aspect of the node that the batch has read.
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
