package openlineage

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/openlineage/naming"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/turns"
	"github.com/headwater-io/headwater/model"
)

// Store is the part of the store that events are compared with.
type Store interface {
	LatestAspects(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error)
	Edges(ctx context.Context, query graphstore.EdgeQuery) (map[string]graphstore.EdgePage, error)
}

// Writer writes the aspects that follow from events.
type Writer interface {
	IngestWhole(ctx context.Context, proposals []write.Proposal, o catalog.WriteOptions) ([]write.BatchItem, error)
	TryWhole(ctx context.Context, proposals []write.Proposal, o catalog.WriteOptions) error
	Background(name string, work func(context.Context)) error
	DeleteValues(ctx context.Context, values graphstore.TimeSeriesRange, actor string) error
}

// Options configure a Service. All options but Names, Spelled, Now, Events and Alone are required; Now is, if
// Spelled is set.
type Options struct {
	Registry *model.Registry
	Store    Store
	Writer   Writer
	Records  *records.Door
	Logger   *slog.Logger
	// Names are the settings of names.
	Names naming.Settings
	// Spelled finds datasets in the search index, nil without one. Now is the clock by which its answers grow old.
	Spelled Spelled
	Now     func() time.Time
	// Events is how many events of a run are kept as they came, 0 for none.
	Events int
	// Alone tells that no other server uses the store: states are then kept in memory.
	Alone bool
}

// Service takes events. It is safe for concurrent use.
type Service struct {
	store   Store
	writer  Writer
	logger  *slog.Logger
	names   *naming.Settings
	dialect model.Dialect
	// actor is the actor of stamps in values.
	actor          string
	runRecords     records.Records[run]
	jobRecords     records.Records[job]
	flowRecords    records.Records[flow]
	datasetRecords records.Records[dataset]
	originRecords  records.Records[origin]
	assertRecords  records.Records[asserted]
	toldRecords    records.Records[told]
	records        *records.Door
	memory         memories
	derived        *derived
	turns          *turns.Turns
	queue          queue
	// keptEvents is how many events of a run are kept as they came.
	keptEvents int
	indexed    *indexed
}

// New makes a Service.
func New(o Options) *Service {
	dialect := o.Registry.Dialects()[0]
	s := &Service{
		store: o.Store, writer: o.Writer, logger: o.Logger, names: &o.Names,
		dialect: dialect, actor: catalog.SystemActor(dialect),
		runRecords:     records.Of[run](o.Records, records.OpenLineageRuns),
		jobRecords:     records.Of[job](o.Records, records.OpenLineageJobs),
		flowRecords:    records.Of[flow](o.Records, records.OpenLineageFlows),
		datasetRecords: records.Of[dataset](o.Records, records.OpenLineageDatasets),
		originRecords:  records.Of[origin](o.Records, records.OpenLineageOrigins),
		assertRecords:  records.Of[asserted](o.Records, records.OpenLineageAssertions),
		toldRecords:    records.Of[told](o.Records, records.OpenLineageEvents),
		keptEvents:     o.Events,
		indexed:        newIndexed(o.Spelled, o.Now),
		records:        o.Records,
		derived:        newDerived(),
		turns:          turns.New(limits.MaxQueuedWrites, limits.MaxQueuedWriteTime),
	}
	if o.Alone {
		s.memory = newMemories()
	}
	return s
}

// rounds bounds how often an event is merged again because others have changed the same states.
const rounds = 20

// repeat runs rounds until the states of one are stored.
func (s *Service) repeat(ctx context.Context, n *names, o catalog.WriteOptions, merge func(*work) error) (map[string]renamed, error) {
	end, err := s.turns.Take(ctx, turns.Alone, n.turns()...)
	if errors.Is(err, turns.ErrBusy) {
		return nil, catalog.StoreFailure(graphstore.ErrBusy)
	}
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	defer end()
	for range rounds {
		w := s.newWork(ctx)
		if err := w.load(n); err != nil {
			return nil, err
		}
		if err := merge(w); err != nil {
			return nil, err
		}
		if err := w.derive(); err != nil {
			return nil, err
		}
		err := w.commit(o)
		if errors.Is(err, records.ErrChanged) || catalog.CodeOf(err) == catalog.Precondition {
			continue
		}
		return w.later, err
	}
	return nil, catalog.Errorf(catalog.Busy, "others keep changing the same run, job or dataset; try again")
}

// merge merges an event into the states that it concerns.
func (w *work) merge(e *event) error {
	if e.kind == datasetEvent {
		return w.mergeDataset(e.Dataset, e, nil)
	}
	name := naming.JobName{Namespace: e.Job.Namespace, Name: e.Job.Name}
	j, err := w.jobs.touch(w.ctx, keyOfJob(name))
	if err != nil {
		return err
	}
	j.Name = name
	j.merge(e)
	for _, side := range [][]eventInOut{e.Inputs, e.Outputs} {
		for i := range side {
			if err := w.mergeDataset(&side[i].eventEntity, e, &name); err != nil {
				return err
			}
		}
	}
	if e.kind == jobEvent {
		return nil
	}
	r, err := w.runs.touch(w.ctx, e.runID())
	if err != nil {
		return err
	}
	r.merge(e)
	for k := range r.Jobs { // their edges may have an earlier time now
		if _, err := w.jobs.touch(w.ctx, k); err != nil {
			return err
		}
	}
	if err := w.mergeTold(e); err != nil {
		return err
	}
	return w.mergeParent(e)
}

func (w *work) mergeDataset(of *eventEntity, e *event, user *naming.JobName) error {
	d, err := w.datasets.touch(w.ctx, keyOf(of.dataset()))
	if err != nil {
		return err
	}
	d.Name = of.dataset()
	d.merge(of.Facets, e)
	if user != nil {
		d.use(*user)
	}
	return w.alias(of.dataset(), of.Facets, e)
}

// mergeParent notes the run and the job that a run names as its parents, which may never tell of themselves.
func (w *work) mergeParent(e *event) error {
	parent := parentIn(e.Run.Facets)
	if parent == nil {
		return nil
	}
	j, err := w.jobs.touch(w.ctx, keyOfJob(parent.Job))
	if err != nil {
		return err
	}
	j.Name = parent.Job
	j.Producer.put(e.at, e.Producer)
	j.Integration.put(e.at, read[jobType](e.Job.Facets["jobType"]).Integration)
	j.Engine.put(e.at, read[processingEngine](e.Run.Facets["processing_engine"]).Name)
	if parent.Run == "" || parent.Run == e.runID() {
		return nil
	}
	r, err := w.runs.touch(w.ctx, parent.Run)
	if err != nil {
		return err
	}
	if r.Child == nil || lessJob(parent.Job, *r.Child) {
		r.Child = &parent.Job
	}
	r.Named = earlier(r.Named, e.at)
	return nil
}

// writeLater writes jobs again whose names, or the names of whose datasets, have changed, and their runs. That is
// the work of the server: the caller who told a name may have no rights on the jobs.
func (s *Service) writeLater(ctx context.Context, jobs map[string]renamed, o catalog.WriteOptions) error {
	for _, k := range slices.Sorted(maps.Keys(jobs)) {
		job := jobs[k]
		if _, err := s.repeat(ctx, &names{jobs: []string{k}}, o, func(w *work) error {
			if known, err := w.jobs.load(w.ctx, k); err != nil || known.before == nil { // deleted meanwhile
				return err
			}
			_, err := w.jobs.touch(w.ctx, k)
			return err
		}); err != nil {
			return err
		}
		if err := s.writeRunsOf(ctx, job, o); err != nil {
			return err
		}
	}
	return nil
}

// writeRunsOf writes the runs of a job again, including the runs under its former URN.
func (s *Service) writeRunsOf(ctx context.Context, of renamed, o catalog.WriteOptions) error {
	record, _, err := s.jobRecords.Get(ctx, keyOfJob(of.name))
	if err != nil {
		return err
	}
	for _, urn := range []string{of.former, record.Value.URN} {
		if urn == "" {
			continue
		}
		runs, err := s.runsOf(ctx, urn)
		if err != nil {
			return err
		}
		for _, id := range runs {
			if _, err := s.repeat(ctx, &names{runs: []string{id}}, o, func(w *work) error {
				if known, err := w.runs.load(w.ctx, id); err != nil || known.before == nil {
					return err
				}
				_, err := w.runs.touch(w.ctx, id)
				return err
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

// runsOf returns the runs of which a job is the template, as far as events have told of them.
func (s *Service) runsOf(ctx context.Context, job string) ([]string, error) {
	pages, err := s.store.Edges(ctx, graphstore.EdgeQuery{
		URNs: []string{job}, Direction: graphstore.Incoming, Types: []string{model.RelationshipInstanceOf}, Page: graphstore.Page{Count: limits.OpenLineageRenamed},
	})
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	var runs []string
	for _, edge := range pages[job].Edges {
		urn, err := model.ParseURN(edge.Source)
		if err != nil {
			continue
		}
		if _, known, err := s.runRecords.Get(ctx, urn.Key()); err != nil {
			return nil, err
		} else if known {
			runs = append(runs, urn.Key())
		}
	}
	return runs, nil
}
