package openlineage

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/internal/safely"
)

// Events that come at the same time are merged together: their states are read once, and the aspects that follow
// from them are derived once and written at once. A caller that finds fewer than groupsAtOnce groups on their way takes
// the first waiting event and those behind it of the same caller, and merges them. If a group fails, its events are
// merged one by one, so that each event has an answer of its own.

// groupsAtOnce is how many groups are merged at the same time: one is composed while another one waits for the
// disk or the network. The second one begins if manyWait events wait: two small groups cost more than a larger one.
const (
	groupsAtOnce = 2
	manyWait     = maxGroup
)

// maxGroup is how many events a group has, maxGroupBytes how large they are together. A larger event is a group of
// its own.
const (
	maxGroup      = 64
	maxGroupBytes = 4 << 20
)

// queue has the events that wait for a group.
type queue struct {
	mu      sync.Mutex
	waiting []*taking
	groups  int
	// arrived is signalled when the queue has as many events as a leader waits for, which is awaited; 0 for no leader.
	arrived chan struct{}
	awaited int
}

// The pause of a leader between two groups lasts at most a part of the time that the last group took, and at most
// longestPause.
const (
	pausePart    = 4
	longestPause = 5 * time.Millisecond
)

// pause waits until the queue has a number of events, but not for longer than a time. The callers whose events were
// just answered usually send their next events at once: one larger group costs much less than several small ones.
func (q *queue) pause(events int, most time.Duration) {
	q.mu.Lock()
	if q.awaited > 0 || len(q.waiting) >= events {
		q.mu.Unlock()
		return
	}
	arrived := make(chan struct{})
	q.arrived, q.awaited = arrived, events
	q.mu.Unlock()
	timer := time.NewTimer(min(most, longestPause))
	defer timer.Stop()
	select {
	case <-arrived:
	case <-timer.C:
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.arrived == arrived {
		q.arrived, q.awaited = nil, 0
	}
}

// taking is an event on its way.
type taking struct {
	ctx   context.Context
	event *event
	size  int
	o     catalog.WriteOptions
	// done has the answer.
	done chan error
}

// Take merges one event. The write is durable when Take returns. The same event may be taken any number of
// times. The error is Invalid for a value that is not an event; facets that are not valid are no error.
func (s *Service) Take(ctx context.Context, text json.RawMessage, o catalog.WriteOptions) error {
	return s.TakeAll(ctx, []json.RawMessage{text}, o)[0]
}

// TakeAll is Take for several events. An event that is not taken does not affect the others.
func (s *Service) TakeAll(ctx context.Context, texts []json.RawMessage, o catalog.WriteOptions) []error {
	errs := make([]error, len(texts))
	all := make([]*taking, len(texts))
	for i, text := range texts {
		e, err := parse(text)
		if errs[i] = err; err == nil {
			s.addColumnInputs(e)
			all[i] = &taking{ctx: ctx, event: e, size: len(text), o: o, done: make(chan error, 1)}
		}
	}
	entered := s.queue.enter(all)
	for i, t := range all {
		switch {
		case t == nil:
			continue
		case i >= entered:
			errs[i] = catalog.StoreFailure(graphstore.ErrBusy)
			continue
		}
		s.lead(t)
		select {
		case errs[i] = <-t.done:
		case <-ctx.Done():
			errs[i] = catalog.StoreFailure(ctx.Err())
		}
	}
	return errs
}

// enter appends events, and returns how many of them have found room. nil stands for an item that is no event.
func (q *queue) enter(all []*taking) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, t := range all {
		if t == nil {
			continue
		}
		if len(q.waiting) >= limits.MaxQueuedWrites {
			return i
		}
		q.waiting = append(q.waiting, t)
	}
	if q.awaited > 0 && len(q.waiting) >= q.awaited {
		close(q.arrived)
		q.arrived, q.awaited = nil, 0
	}
	return len(all)
}

// lead merges groups until an event is answered, if others merge few enough groups. Events that wait then are left
// to a goroutine of their own.
func (s *Service) lead(t *taking) {
	if !s.queue.begin() {
		return
	}
	for len(t.done) == 0 {
		group := s.queue.next()
		if group == nil {
			break // another goroutine merges the event
		}
		s.takeGroup(group)
	}
	s.endLead()
}

// endLead ends the turn of a leader. If events wait that no other leader will see, work in the background merges them;
// a server that is stopping merges them before it answers.
func (s *Service) endLead() {
	if !s.queue.end() {
		return
	}
	if err := s.writer.Background("openlineage events", func(context.Context) { s.leadAll() }); err != nil {
		s.leadAll()
	}
}

// leadAll merges groups until no event waits.
func (s *Service) leadAll() {
	if !s.queue.begin() {
		return
	}
	for group := s.queue.next(); group != nil; group = s.queue.next() {
		began := time.Now()
		s.takeGroup(group)
		s.queue.pause(len(group), time.Since(began)/pausePart)
	}
	s.endLead()
}

func (q *queue) begin() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.groups >= groupsAtOnce || q.groups > 0 && len(q.waiting) < manyWait {
		return false
	}
	q.groups++
	return true
}

// end ends the turn of a leader, and reports whether events wait that no other leader will see.
func (q *queue) end() (waits bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.groups--
	return len(q.waiting) > 0
}

// next removes the first waiting event, and those behind it that may be merged with it, from the queue. It returns
// nil if no event waits.
func (q *queue) next() []*taking {
	q.mu.Lock()
	defer q.mu.Unlock()
	var group, others []*taking
	size, datasets := 0, 0
	for i, t := range q.waiting {
		size, datasets = size+t.size, datasets+len(t.event.Inputs)+len(t.event.Outputs)
		switch {
		case len(group) == maxGroup || len(group) > 0 && (size > maxGroupBytes || datasets > limits.OpenLineageDatasets):
			q.waiting = append(others, q.waiting[i:]...)
			return group
		case len(group) > 0 && !group[0].sameCaller(t):
			size, datasets = size-t.size, datasets-len(t.event.Inputs)-len(t.event.Outputs)
			others = append(others, t)
		default:
			group = append(group, t)
		}
	}
	q.waiting = others
	return group
}

// sameCaller reports whether two events may be written in one transaction: with the rights and in the name of one
// caller.
func (t *taking) sameCaller(other *taking) bool {
	a, b := permission.Of(t.ctx), permission.Of(other.ctx)
	if (a == nil) != (b == nil) || a != nil && !a.Same(b) {
		return false
	}
	return requestinfo.CallerOf(t.ctx) == requestinfo.CallerOf(other.ctx) && write.IsOwnWork(t.ctx) == write.IsOwnWork(other.ctx) &&
		t.o.Actor == other.o.Actor && t.o.AwaitIndex == other.o.AwaitIndex && t.o.KeepUnknown == other.o.KeepUnknown &&
		t.o.AddDerived == other.o.AddDerived && t.o.Alongside == nil && other.o.Alongside == nil
}

// takeGroup merges events of one caller and answers them.
func (s *Service) takeGroup(group []*taking) {
	err := safely.Do(func() error { return s.takeTogether(group) })
	for _, t := range group {
		if err != nil && len(group) > 1 {
			t.done <- safely.Do(func() error { return s.takeTogether([]*taking{t}) })
			continue
		}
		t.done <- err
	}
}

func (s *Service) takeTogether(group []*taking) error {
	ctx, o := group[0].ctx, group[0].o
	if len(group) > 1 {
		ctx = context.WithoutCancel(ctx) // if one request ends, the others go on
	}
	events := make([]*event, len(group))
	for i, t := range group {
		events[i] = t.event
	}
	later, err := s.repeat(ctx, s.namesOf(events), o, func(w *work) error { return w.mergeAll(events) })
	if err != nil {
		return err
	}
	return s.writeLater(write.OwnWork(ctx), later, o)
}

// namesOf names the states that events change.
func (s *Service) namesOf(events []*event) *names {
	n := &names{}
	for _, e := range events {
		n.add(e)
	}
	return n
}

// names are the keys of states.
type names struct {
	runs, jobs, datasets []string
	// told are the runs whose own events come.
	told []string
}

// turns are the names as turns on them are taken.
func (n *names) turns() []string {
	all := make([]string, 0, len(n.runs)+len(n.jobs)+len(n.datasets))
	for prefix, list := range map[string][]string{"run/": n.runs, "job/": n.jobs, "dataset/": n.datasets} {
		for _, name := range list {
			all = append(all, prefix+name)
		}
	}
	return all
}

func (n *names) add(e *event) {
	if e.kind == datasetEvent {
		n.addDataset(e.Dataset)
		return
	}
	n.jobs = append(n.jobs, key(e.Job.Namespace, e.Job.Name))
	for i := range e.Inputs {
		n.addDataset(&e.Inputs[i].eventEntity)
	}
	for i := range e.Outputs {
		n.addDataset(&e.Outputs[i].eventEntity)
	}
	if e.kind == runEvent {
		n.runs, n.told = append(n.runs, e.runID()), append(n.told, e.runID())
		if parent := parentIn(e.Run.Facets); parent != nil {
			n.runs = append(n.runs, parent.Run)
			n.jobs = append(n.jobs, keyOfJob(parent.Job))
		}
	}
}

func (n *names) addDataset(of *eventEntity) {
	n.datasets = append(n.datasets, keyOf(of.dataset()))
	for _, i := range identifiersIn(of.Facets["symlinks"]) {
		n.datasets = append(n.datasets, keyOf(i.Dataset))
	}
}

// mergeAll merges events, in their order.
func (w *work) mergeAll(events []*event) error {
	for _, e := range events {
		if err := w.merge(e); err != nil {
			return err
		}
	}
	return nil
}

// load reads the states with some names.
func (w *work) load(n *names) error {
	if err := w.runs.loadAll(w.ctx, n.runs); err != nil {
		return err
	}
	if err := w.loadTold(n.told); err != nil {
		return err
	}
	if err := w.jobs.loadAll(w.ctx, n.jobs); err != nil {
		return err
	}
	return w.datasets.loadAll(w.ctx, n.datasets)
}
