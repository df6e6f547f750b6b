package openlineage

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/recent"
)

// held has the states of one kind that a round has loaded.
type held[T any] struct {
	records records.Records[T]
	// clone copies a state. Changes of the copy leave the state as it is.
	clone  func(*T) *T
	memory *memory[T]
	loaded map[string]*state[T]
}

// state is a stored state, as it was and as it is to be. before is nil if there is no stored one.
type state[T any] struct {
	value    *T
	before   []byte
	revision string
	// touched: the aspects that follow from the state are written, and the value belongs to the round alone.
	touched bool
}

func newHeld[T any](r records.Records[T], m *memory[T], clone func(*T) *T) held[T] {
	return held[T]{r, clone, m, map[string]*state[T]{}}
}

// load returns a state, which is empty if there is none. The caller must not change it.
func (h *held[T]) load(ctx context.Context, name string) (*state[T], error) {
	if known := h.loaded[name]; known != nil {
		return known, nil
	}
	if s := h.memory.get(name); s != nil {
		h.loaded[name] = s
		return s, nil
	}
	record, exists, err := h.records.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	return h.found(name, record, exists), nil
}

func (h *held[T]) found(name string, record records.Record[T], exists bool) *state[T] {
	s := &state[T]{value: &record.Value, revision: record.Revision}
	if exists {
		s.before = []byte(record.Text)
		h.memory.put(name, s)
		s.value = h.clone(s.value)
	}
	h.loaded[name] = s
	return s
}

// loadAll loads states with one question to the store.
func (h *held[T]) loadAll(ctx context.Context, names []string) error {
	var missing []string
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		if h.loaded[name] != nil {
			continue
		}
		if s := h.memory.get(name); s != nil {
			h.loaded[name] = s
		} else {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	found, err := h.records.Named(ctx, missing)
	if err != nil {
		return err
	}
	for _, name := range missing {
		record, exists := found[name]
		h.found(name, record, exists)
	}
	return nil
}

// touch is load for a state from which entities are written. The caller may change it.
func (h *held[T]) touch(ctx context.Context, name string) (*T, error) {
	s, err := h.load(ctx, name)
	if err != nil {
		return nil, err
	}
	if !s.touched {
		s.touched, s.value = true, h.clone(s.value)
	}
	return s.value, nil
}

// touched returns the names of the states from which entities are written, in order.
func (h *held[T]) touchedNames() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(h.loaded)) {
		if h.loaded[name].touched {
			names = append(names, name)
		}
	}
	return names
}

// puts are states to store. Each function of done is called with the new revision of a state, or with "" if the
// states are not stored.
type puts struct {
	records []graphstore.Record
	done    []func(revision string)
}

// add adds the states that have changed, and the states from which an aspect is written: if such a
// state has changed meanwhile, the writer of the aspect begins again.
func (h *held[T]) add(p *puts, writes func(name string, value *T) bool) error {
	for name, s := range h.loaded {
		if !s.touched {
			continue
		}
		now, err := jsontree.Marshal(s.value)
		if err != nil {
			return err
		}
		if bytes.Equal(now, s.before) && !writes(name, s.value) {
			continue
		}
		p.records = append(p.records, h.records.Replacing(name, now, s.revision))
		p.done = append(p.done, func(revision string) {
			h.memory.forget(name)
			if revision != "" {
				h.memory.put(name, &state[T]{value: s.value, before: now, revision: revision})
			}
		})
	}
	return nil
}

// memory keeps states that were stored or read last, for servers that no other server shares the store with. The
// values are never changed. A nil memory keeps nothing.
type memory[T any] struct {
	mu     sync.Mutex
	states *recent.Map[string, *state[T]]
}

// stateSize is about how many bytes a state takes in memory besides its text and the values that were read from the text.
const stateSize = 500

func newMemory[T any](bytes int) *memory[T] {
	return &memory[T]{states: recent.NewWeighed[string](bytes, func(s *state[T]) int { return 2*len(s.before) + stateSize })}
}

// get returns a copy of a state whose value is shared, nil if the state is not kept.
func (m *memory[T]) get(name string) *state[T] {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.states.Get(name)
	if !ok {
		return nil
	}
	return &state[T]{value: s.value, before: s.before, revision: s.revision}
}

func (m *memory[T]) put(name string, s *state[T]) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.states.Put(name, &state[T]{value: s.value, before: s.before, revision: s.revision})
}

func (m *memory[T]) forget(name string) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.states.Forget(name)
}

// memories are the memories of all kinds of states.
type memories struct {
	runs     *memory[run]
	jobs     *memory[job]
	flows    *memory[flow]
	datasets *memory[dataset]
	urns     *memory[origin]
	asserted *memory[asserted]
	told     *memory[told]
}

func newMemories() memories {
	const small, large = 2 << 20, 4 << 20
	return memories{newMemory[run](large), newMemory[job](large), newMemory[flow](small), newMemory[dataset](large), newMemory[origin](small), newMemory[asserted](small), newMemory[told](small)}
}

// The copies share values that are never changed in place: texts, facts and names.

func (r *run) clone() *run {
	c := *r
	c.Facets, c.Shown, c.Jobs = maps.Clone(r.Facets), maps.Clone(r.Shown), maps.Clone(r.Jobs)
	c.Inputs, c.Outputs = cloneEach(r.Inputs, (*runDataset).clone), cloneEach(r.Outputs, (*runDataset).clone)
	return &c
}

func (d *runDataset) clone() *runDataset {
	return &runDataset{Dataset: d.Dataset, Since: d.Since, Facets: maps.Clone(d.Facets), Facts: maps.Clone(d.Facts)}
}

func (j *job) clone() *job {
	c := *j
	c.Facets, c.OfRuns = maps.Clone(j.Facets), maps.Clone(j.OfRuns)
	c.Inputs, c.Outputs = cloneEach(j.Inputs, (*jobDataset).clone), cloneEach(j.Outputs, (*jobDataset).clone)
	return &c
}

func (d *jobDataset) clone() *jobDataset {
	c := *d
	return &c
}

func (d *dataset) clone() *dataset {
	c := *d
	c.Facets, c.Names, c.Jobs = maps.Clone(d.Facets), maps.Clone(d.Names), maps.Clone(d.Jobs)
	return &c
}

func (f *flow) clone() *flow {
	c := *f
	c.Facets, c.Jobs = maps.Clone(f.Facets), maps.Clone(f.Jobs)
	return &c
}

func (o *origin) clone() *origin {
	c := *o
	c.Names = maps.Clone(o.Names)
	return &c
}

func (a *asserted) clone() *asserted {
	c := *a
	return &c
}

func cloneEach[V any](of map[string]*V, clone func(*V) *V) map[string]*V {
	if of == nil {
		return nil
	}
	copies := make(map[string]*V, len(of))
	for name, value := range of {
		copies[name] = clone(value)
	}
	return copies
}
