package openlineage

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/openlineage/naming"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// work is one round of merging events: the states that it has loaded, and what follows from them.
type work struct {
	*Service
	ctx      context.Context
	runs     held[run]
	jobs     held[job]
	flows    held[flow]
	datasets held[dataset]
	urns     held[origin]

	proposals []write.Proposal
	forgotten []graphstore.TimeSeriesRange
	// later are the jobs whose names, or the names of whose datasets, have changed: they are written again.
	later map[string]renamed
}

// renamed is a job that is written again, with its former URN.
type renamed struct {
	name   naming.JobName
	former string
}

func (s *Service) newWork(ctx context.Context) *work {
	return &work{
		Service: s, ctx: ctx, later: map[string]renamed{},
		runs: newHeld[run](s.runRecords), jobs: newHeld[job](s.jobRecords),
		flows: newHeld[flow](s.flowRecords), datasets: newHeld[dataset](s.datasetRecords),
		urns: newHeld[origin](s.originRecords),
	}
}

// held has the states of one kind that a round has loaded.
type held[T any] struct {
	records records.Records[T]
	loaded  map[string]*state[T]
}

// state is a stored state, as it was and as it is to be.
type state[T any] struct {
	value    *T
	before   []byte
	revision string
	// touched: what follows from the state is written.
	touched bool
}

func newHeld[T any](r records.Records[T]) held[T] { return held[T]{r, map[string]*state[T]{}} }

// load returns a state, which is empty if there is none.
func (h *held[T]) load(ctx context.Context, name string) (*state[T], error) {
	if known := h.loaded[name]; known != nil {
		return known, nil
	}
	record, exists, err := h.records.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	s := &state[T]{value: &record.Value, revision: record.Revision}
	if exists {
		if s.before, err = json.Marshal(s.value); err != nil {
			return nil, err
		}
	}
	h.loaded[name] = s
	return s, nil
}

// touch is load for a state from which entities are written.
func (h *held[T]) touch(ctx context.Context, name string) (*T, error) {
	s, err := h.load(ctx, name)
	if err != nil {
		return nil, err
	}
	s.touched = true
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

// store calls add with a function for each state, which stores the state if it has changed. The function fails
// with [records.ErrChanged] if others have changed the state.
func (h *held[T]) store(ctx context.Context, add func(func() error)) {
	for name, s := range h.loaded {
		if s.touched {
			add(func() error { return h.storeOne(ctx, name, s) })
		}
	}
}

func (h *held[T]) storeOne(ctx context.Context, name string, s *state[T]) error {
	now, err := json.Marshal(s.value)
	if err != nil || bytes.Equal(now, s.before) {
		return err
	}
	if s.revision, err = h.records.Put(ctx, name, *s.value, s.revision); err != nil {
		return err
	}
	s.before = now
	return nil
}

// about is the entity that a value is about, and the run that stated the value, "" for none.
type about struct {
	urn model.URN
	run string
}

// source marks the values that this package has written.
const source = "openlineage"

func (of about) system() *catalog.SystemMetadata {
	return &catalog.SystemMetadata{RunID: of.run, Properties: map[string]string{"appSource": source}}
}

// put adds a value of an aspect that only this package writes.
func (w *work) put(of about, aspect string, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		w.logger.Error("a value of OpenLineage has no JSON", "aspect", aspect, "error", err)
		return
	}
	w.proposals = append(w.proposals, write.Proposal{
		EntityType: of.urn.EntityType(), EntityURN: of.urn.String(), ChangeType: write.Upsert, AspectName: aspect,
		Aspect: &write.GenericAspect{Value: text, ContentType: "application/json"}, System: of.system(),
	})
}

// series adds a value of a time series, and notes its time. A value of the same identity replaces it.
func (w *work) series(of about, aspect string, at int64, id string, value catalog.Tree, shown map[string]int64) {
	value["timestampMillis"], value["messageId"] = at, id
	w.put(of, aspect, value)
	shown[of.urn.String()+" "+aspect+" "+id] = at
}

// forget deletes the values of time series whose time has changed.
func (w *work) forget(former, shown map[string]int64) {
	for _, name := range slices.Sorted(maps.Keys(former)) {
		if at := former[name]; at != shown[name] {
			of := strings.SplitN(name, " ", 3) // the URN, the aspect and the identity
			w.forgotten = append(w.forgotten, graphstore.TimeSeriesRange{URN: of[0], Aspect: of[1], From: at, To: at})
		}
	}
}

// putIfOurs adds a value of an aspect that other sources may have written: such a value stays.
func (w *work) putIfOurs(of about, aspect string, value catalog.Tree) error {
	latest, err := w.latest(of.urn, aspect)
	if err != nil {
		return err
	}
	if latest != nil && latest.System.Properties["appSource"] != source {
		return nil
	}
	w.put(of, aspect, value)
	version := int64(-1)
	if latest != nil {
		version = latest.Seq
	}
	w.proposals[len(w.proposals)-1].Headers = map[string]string{write.IfVersionMatch: strconv.FormatInt(version, 10)}
	return nil
}

// latest reads the latest version of an aspect, nil if there is none.
func (w *work) latest(urn model.URN, aspect string) (*graphstore.Aspect, error) {
	found, err := w.store.LatestAspects(w.ctx, []string{urn.String()}, []string{aspect})
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	if of := found[urn.String()]; len(of) > 0 {
		return &of[0], nil
	}
	return nil, nil
}

// stamp is a time in a value. Who wrote the value is told by its version.
func (w *work) stamp(nanos int64) catalog.Tree {
	return catalog.Tree{"time": millis(nanos), "actor": w.actor}
}

// derive adds what follows from the touched states.
func (w *work) derive() error {
	if err := w.writeDatasets(); err != nil {
		return err
	}
	for _, name := range w.jobs.touchedNames() {
		if err := w.writeJob(w.jobs.loaded[name].value); err != nil {
			return err
		}
	}
	for _, name := range w.flows.touchedNames() {
		if err := w.writeFlow(w.flows.loaded[name].value); err != nil {
			return err
		}
	}
	for _, id := range w.runs.touchedNames() {
		if err := w.writeRun(id, w.runs.loaded[id].value); err != nil {
			return err
		}
	}
	return nil
}

// commit writes what follows from the states, and then the states. Whoever stores a state has written what
// follows from it before; so, if two servers merge at the same time, the one that stores later has read what
// the other one has stored, or begins again.
func (w *work) commit(o catalog.WriteOptions) error {
	parts := chunks(w.proposals)
	if len(w.forgotten) > 0 { // nothing is deleted for a caller who may not write
		for _, part := range parts {
			if err := w.writer.TryWhole(w.ctx, part, o); err != nil {
				return err
			}
		}
	}
	for _, values := range w.forgotten {
		if err := w.writer.DeleteValues(w.ctx, values, o.Actor); err != nil {
			return err
		}
	}
	for _, part := range parts {
		if _, err := w.writer.IngestWhole(w.ctx, part, o); err != nil {
			return err
		}
	}
	return w.storeStates()
}

// statesAtOnce is how many states of an event are stored at once. The embedded store commits waiting writes
// together, so that the states wait for the disk once and not one after another.
const statesAtOnce = 16

func (w *work) storeStates() error {
	var steps []func() error
	add := func(step func() error) { steps = append(steps, step) }
	w.runs.store(w.ctx, add)
	w.jobs.store(w.ctx, add)
	w.flows.store(w.ctx, add)
	w.datasets.store(w.ctx, add)
	w.urns.store(w.ctx, add)
	errs := make([]error, len(steps))
	var group errgroup.Group
	group.SetLimit(statesAtOnce)
	for i, step := range steps {
		group.Go(func() error {
			errs[i] = step()
			return nil
		})
	}
	_ = group.Wait() // all errors are in errs
	return errors.Join(errs...)
}

// chunks parts proposals into batches that may be written whole. Between two of them the graph has only a part
// of what follows from an event; the event is answered after the last one.
func chunks(proposals []write.Proposal) [][]write.Proposal {
	var parts [][]write.Proposal
	from, size := 0, 0
	for i := range proposals {
		n := len(proposals[i].Aspect.Value)
		if i > from && (i-from >= limits.MaxWholeBatch || size+n > limits.MaxWholeBatchBytes) {
			parts = append(parts, proposals[from:i])
			from, size = i, 0
		}
		size += n
	}
	if from < len(proposals) {
		parts = append(parts, proposals[from:])
	}
	return parts
}
