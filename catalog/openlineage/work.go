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

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/openlineage/naming"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/shorthash"
	"github.com/headwater-io/headwater/model"
)

// work is one round of merging events: the states that it has loaded, and the aspects that follow from them.
type work struct {
	*Service
	ctx      context.Context
	runs     held[run]
	jobs     held[job]
	flows    held[flow]
	datasets held[dataset]
	urns     held[origin]
	asserted held[asserted]
	told     held[told]
	// named are the URNs of names by themselves.
	named map[naming.Dataset]model.URN
	// datasetURNs are the URNs that the round has found, once its events are merged.
	datasetURNs map[naming.Dataset]model.URN
	// proposed has the places of the values of versioned aspects among the proposals.
	proposed map[graphstore.AspectKey]int
	// stored has the latest versions that the round has read, by the entity.
	stored map[string]map[string]*graphstore.Aspect

	proposals []write.Proposal
	forgotten []graphstore.TimeSeriesRange
	dropped   []dropped
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
		Service: s, ctx: ctx, later: map[string]renamed{}, named: map[naming.Dataset]model.URN{}, datasetURNs: map[naming.Dataset]model.URN{}, proposed: map[graphstore.AspectKey]int{}, stored: map[string]map[string]*graphstore.Aspect{},
		runs: newHeld(s.runRecords, s.memory.runs, (*run).clone), jobs: newHeld(s.jobRecords, s.memory.jobs, (*job).clone),
		flows: newHeld(s.flowRecords, s.memory.flows, (*flow).clone), datasets: newHeld(s.datasetRecords, s.memory.datasets, (*dataset).clone),
		urns:     newHeld(s.originRecords, s.memory.urns, (*origin).clone),
		asserted: newHeld(s.assertRecords, s.memory.asserted, (*asserted).clone), told: newHeld(s.toldRecords, s.memory.told, (*told).clone),
	}
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

// put adds a value of an aspect that only this package writes, unless it is the latest one.
func (w *work) put(of about, aspect string, value any) error {
	text, err := jsontree.Encode(value)
	if err != nil {
		return err
	}
	return w.putText(of, aspect, text)
}

func (w *work) putText(of about, aspect string, text json.RawMessage) error {
	key := graphstore.AspectKey{URN: of.urn.String(), Name: aspect}
	if at, known := w.proposed[key]; known { // another state has the same entity
		w.proposals[at].Aspect.Value, w.proposals[at].System = text, of.system()
		return nil
	}
	latest, err := w.latest(of.urn, aspect)
	if err != nil || latest != nil && bytes.Equal(text, latest.Value) {
		return err
	}
	w.proposed[key] = len(w.proposals)
	w.propose(of, aspect, text)
	return nil
}

func (w *work) propose(of about, aspect string, text json.RawMessage) {
	w.proposals = append(w.proposals, write.Proposal{
		EntityType: of.urn.EntityType(), EntityURN: of.urn.String(), ChangeType: write.Upsert, AspectName: aspect,
		Aspect: &write.GenericAspect{Value: text, ContentType: "application/json"}, System: of.system(),
	})
}

// shown is a value of a time series that a run has stored: its time in milliseconds since 1970, and, if it is a value of the
// run itself, a hash of its text.
type shown struct {
	At  int64  `json:"at"`
	Sum string `json:"sum,omitempty"`
}

// UnmarshalJSON also reads the number that earlier releases stored.
func (s *shown) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] != '{' {
		return json.Unmarshal(text, &s.At)
	}
	type plain shown
	return json.Unmarshal(text, (*plain)(s))
}

// showing is the values of time series that follow from the state of a run: those that were stored before, and those that
// follow now.
type showing struct{ before, now map[string]shown }

// series adds a value of a time series, and notes it. A value of the same identity replaces it. A value of the run itself
// that was stored before is not added again; the values of other entities may have been deleted with their entities.
func (w *work) series(of about, aspect string, at int64, id string, value catalog.Tree, in showing) error {
	value["timestampMillis"], value["messageId"] = at, id
	text, err := jsontree.Encode(value)
	if err != nil {
		return err
	}
	name, one := of.urn.String()+" "+aspect+" "+id, shown{At: at}
	if of.urn.EntityType() == model.EntityDataProcessInstance {
		one.Sum = shorthash.Of(text)
	}
	if one.Sum == "" || in.before[name] != one {
		w.propose(of, aspect, text)
	}
	in.now[name] = one
	return nil
}

// forget deletes the values of time series of a run whose time has changed.
func (w *work) forget(run string, in showing) {
	for _, name := range slices.Sorted(maps.Keys(in.before)) {
		if at := in.before[name].At; at != in.now[name].At {
			of := strings.SplitN(name, " ", 3) // the URN, the aspect and the identity
			w.forgotten = append(w.forgotten, graphstore.TimeSeriesRange{URN: of[0], Aspect: of[1], From: at, To: at, RunID: run})
		}
	}
}

// putIfOurs adds a value of an aspect that other sources may have written: such a value stays.
func (w *work) putIfOurs(of about, aspect string, value catalog.Tree) error {
	text, err := jsontree.Encode(value)
	if err != nil {
		return err
	}
	return w.putTextIfOurs(of, aspect, text)
}

// dropped is an aspect that is deleted because a facet no longer states it.
type dropped struct {
	// rewrite would leave the aspect as it is: a caller who may write rewrite may delete the aspect.
	rewrite, deletion write.Proposal
}

// dropIfOurs deletes an aspect that a facet stated before, unless another source has written it.
func (w *work) dropIfOurs(of about, aspect string) error {
	latest, err := w.latest(of.urn, aspect)
	if err != nil || latest == nil || latest.System.Properties["appSource"] != source {
		return err
	}
	rewrite := write.Proposal{
		EntityType: of.urn.EntityType(), EntityURN: of.urn.String(), ChangeType: write.Upsert, AspectName: aspect,
		Aspect: &write.GenericAspect{Value: latest.Value, ContentType: "application/json"}, System: of.system(),
		Headers: map[string]string{write.IfVersionMatch: strconv.FormatInt(latest.Seq, 10)},
	}
	deletion := rewrite
	deletion.ChangeType, deletion.Aspect = write.Delete, nil
	w.dropped = append(w.dropped, dropped{rewrite, deletion})
	return nil
}

func (w *work) putTextIfOurs(of about, aspect string, text json.RawMessage) error {
	latest, err := w.latest(of.urn, aspect)
	if err != nil {
		return err
	}
	if latest != nil && latest.System.Properties["appSource"] != source {
		return nil
	}
	last := len(w.proposals)
	if err := w.putText(of, aspect, text); err != nil || len(w.proposals) == last {
		return err
	}
	version := int64(-1)
	if latest != nil {
		version = latest.Seq
	}
	w.proposals[last].Headers = map[string]string{write.IfVersionMatch: strconv.FormatInt(version, 10)}
	return nil
}

// aspectsOf are the aspects that the package compares, by the type of the entity.
var aspectsOf = map[string][]string{
	model.EntityDataset: {
		model.AspectDatasetKey, model.AspectStatus, model.AspectDatasetProperties, model.AspectSchemaMetadata, model.AspectSubTypes,
		model.AspectOwnership, model.AspectGlobalTags, model.AspectUpstreamLineage,
	},
	model.EntityDataJob: {
		model.AspectStatus, model.AspectDataJobInfo, model.AspectDataJobInputOutput, model.AspectOwnership, model.AspectGlobalTags,
	},
	model.EntityDataFlow: {model.AspectStatus, model.AspectDataFlowInfo},
	model.EntityDataProcessInstance: {
		model.AspectDataProcessInstanceProperties, model.AspectDataProcessInstanceRelationships,
		model.AspectDataProcessInstanceInput, model.AspectDataProcessInstanceOutput,
	},
	model.EntityAssertion: {model.AspectStatus, model.AspectAssertionInfo},
}

// latest returns the latest version of an aspect, nil if there is none. A round reads each entity once.
func (w *work) latest(urn model.URN, aspect string) (*graphstore.Aspect, error) {
	name := urn.String()
	known, ok := w.stored[name]
	if !ok {
		found, err := w.store.LatestAspects(w.ctx, []string{name}, aspectsOf[urn.EntityType()])
		if err != nil {
			return nil, catalog.StoreFailure(err)
		}
		known = byName(found[name])
		w.stored[name] = known
	}
	return known[aspect], nil
}

// readAhead reads the latest versions of the entities of jobs and of runs that were known before, with one question
// to the store. New runs have none.
func (w *work) readAhead() error {
	names := map[string]bool{}
	var urns []string
	note := func(urn model.URN, aspects []string) {
		urns = append(urns, urn.String())
		for _, name := range aspects {
			names[name] = true
		}
	}
	for _, name := range w.jobs.touchedNames() {
		if s := w.jobs.loaded[name]; s.before != nil {
			n, err := w.jobNamed(s.value.Name)
			if err != nil {
				return err
			}
			note(n.job, aspectsOf[model.EntityDataJob])
		}
	}
	for _, id := range w.runs.touchedNames() {
		urn, err := naming.RunURN(id)
		switch {
		case err != nil:
			return err
		case w.runs.loaded[id].before == nil:
			w.stored[urn.String()] = nil
		default:
			note(urn, aspectsOf[model.EntityDataProcessInstance])
		}
	}
	if len(urns) == 0 {
		return nil
	}
	found, err := w.store.LatestAspects(w.ctx, urns, slices.Sorted(maps.Keys(names)))
	if err != nil {
		return catalog.StoreFailure(err)
	}
	for _, urn := range urns {
		w.stored[urn] = byName(found[urn])
	}
	return nil
}

func byName(aspects []graphstore.Aspect) map[string]*graphstore.Aspect {
	found := make(map[string]*graphstore.Aspect, len(aspects))
	for i := range aspects {
		found[aspects[i].Name] = &aspects[i]
	}
	return found
}

// stamp returns an audit stamp with the time of an event.
func (w *work) stamp(nanos int64) catalog.Tree {
	return catalog.Tree{"time": millis(nanos), "actor": w.actor}
}

// derive adds the aspects that follow from the touched states.
func (w *work) derive() error {
	if err := w.readAhead(); err != nil {
		return err
	}
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
	return w.markAssertions()
}

// commit writes the aspects that follow from the states, and then the states. A state is stored after the
// aspects that follow from it; so, if two servers merge at the same time, the server that stores later has
// read the state that the other one stored, or begins again.
func (w *work) commit(o catalog.WriteOptions) error {
	parts := chunks(w.proposals)
	if len(w.forgotten)+len(w.dropped) > 0 {
		if err := w.deleteFormer(parts, o); err != nil {
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

// deleteFormer deletes the aspects that the events no longer state. A caller who may write the aspects that follow
// from the events needs no privilege to delete them: in another order of the events, nothing would be deleted.
// Nothing is deleted for a caller who may not write.
func (w *work) deleteFormer(parts [][]write.Proposal, o catalog.WriteOptions) error {
	rewrite := make([]write.Proposal, len(w.dropped))
	deletions := make([]write.Proposal, len(w.dropped))
	for i := range w.dropped {
		rewrite[i], deletions[i] = w.dropped[i].rewrite, w.dropped[i].deletion
	}
	rewrites := chunks(rewrite)
	for _, part := range slices.Concat(parts, rewrites) {
		if err := w.writer.TryWhole(w.ctx, part, o); err != nil {
			return err
		}
	}
	decided := permission.Decided(w.ctx)
	for _, values := range w.forgotten {
		if err := w.writer.DeleteValues(decided, values, o.Actor); err != nil {
			return err
		}
	}
	for _, part := range rewrites { // the deletions are in the same order, in parts of the same length
		if _, err := w.writer.IngestWhole(decided, deletions[:len(part)], o); err != nil {
			return err
		}
		deletions = deletions[len(part):]
	}
	return nil
}

// storeStates stores the states that have changed, all of them or none. It fails with [records.ErrChanged] if
// others have changed one of them.
func (w *work) storeStates() error {
	var p puts
	written, origins := map[string]bool{}, map[string]bool{}
	for i := range w.proposals {
		urn := w.proposals[i].EntityURN
		written[urn], origins[key("", urn)] = true, true
	}
	for i := range w.dropped {
		urn := w.dropped[i].deletion.EntityURN
		written[urn], origins[key("", urn)] = true, true
	}
	if err := errors.Join(
		w.runs.add(&p, func(id string, _ *run) bool {
			urn, err := naming.RunURN(id)
			return err == nil && written[urn.String()]
		}),
		w.jobs.add(&p, func(_ string, j *job) bool { return written[j.URN] }),
		w.flows.add(&p, func(_ string, f *flow) bool { return written[f.URN] }),
		w.datasets.add(&p, func(_ string, d *dataset) bool { return written[d.URN] }),
		w.urns.add(&p, func(name string, _ *origin) bool { return origins[name] }),
		w.asserted.add(&p, func(_ string, a *asserted) bool { return written[a.URN] }),
		w.told.add(&p, func(string, *told) bool { return false }),
	); err != nil {
		return err
	}
	revisions, err := w.records.PutAll(w.ctx, p.records)
	for i, done := range p.done {
		if err != nil {
			done("")
			continue
		}
		done(revisions[i])
	}
	return err
}

// chunks parts proposals into batches that may be written whole. Between two of them the graph has only a part
// of the aspects that follow from an event; the event is answered after the last one.
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
