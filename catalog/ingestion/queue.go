package ingestion

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

func (c *Claim) check() error {
	if err := checkText("the name of the worker", c.Worker); err != nil {
		return err
	}
	if strings.TrimSpace(c.Worker) == "" {
		return catalog.Errorf(catalog.Invalid, "worker is required: a name of the process that asks, for people who look at its runs")
	}
	if err := catalog.TooMany("executor IDs", len(c.Executors), limits.IngestionExecutors); err != nil {
		return err
	}
	if len(c.Executors) == 0 {
		c.Executors = []string{DefaultExecutor}
	}
	for i, id := range c.Executors {
		c.Executors[i] = executorOr(id)
	}
	return nil
}

// lookPause is how long a waiting claim waits before it looks again: sources become due, leases end, and
// other servers over the store take requests without a signal to this one.
const lookPause = 3 * time.Second

// Await is [Service.Take] that waits for a run as long as patience.
func (s *Service) Await(ctx context.Context, c Claim, patience time.Duration) (*Run, error) {
	if patience < 0 || patience > limits.IngestionWait {
		return nil, catalog.Errorf(catalog.Invalid, "wait must be 0 to %d seconds", int(limits.IngestionWait/time.Second))
	}
	if patience > 0 {
		defer s.waiting.Add(-1)
		if s.waiting.Add(1) > limits.IngestionWaiters {
			return nil, catalog.Errorf(catalog.Busy, "%d executors wait for a run at this server, the limit; ask again without a wait", limits.IngestionWaiters)
		}
	}
	over := time.NewTimer(patience)
	defer over.Stop()
	for {
		changed := s.changed.Wait()
		r, err := s.Take(ctx, c)
		if r != nil || err != nil || patience == 0 {
			return r, err
		}
		look := time.NewTimer(lookPause)
		select {
		case <-changed:
		case <-look.C:
		case <-over.C:
			patience = 0 // the last look
		case <-ctx.Done():
			look.Stop()
			return nil, catalog.StoreFailure(ctx.Err())
		}
		look.Stop()
	}
}

// Take gives the oldest run that waits to an executor, nil if none waits. Before that, it asks for the runs
// of the sources that are due, and ends the runs whose executors were not heard of for the term of a lease.
//
// However many sources there are, Take reads the records of the runs that wait or go on, at most
// limits.IngestionRuns, and of at most firedAtOnce due sources.
func (s *Service) Take(ctx context.Context, c Claim) (*Run, error) {
	if err := s.requireExecutor(ctx); err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	if err := s.fireDue(ctx); err != nil {
		return nil, err
	}
	var waiting []records.Record[run]
	known := map[string]bool{}
	now := s.Now().UnixMilli()
	for r, err := range s.runs.All(ctx, "", "") {
		if err != nil {
			return nil, err
		}
		known[r.Value.URN] = true
		switch {
		case r.Value.Lease != "" && r.Value.Until < now:
			if err := s.lost(ctx, &r); err != nil && !errors.Is(err, records.ErrChanged) {
				return nil, err
			}
		case r.Value.Lease == "" && r.Value.NotBefore <= now:
			waiting = append(waiting, r)
		}
	}
	slices.SortStableFunc(waiting, func(a, b records.Record[run]) int { return int(a.Value.Asked - b.Value.Asked) })
	for i := range waiting {
		if !slices.Contains(c.Executors, waiting[i].Value.Executor) {
			continue
		}
		r, err := s.give(ctx, &waiting[i], &c)
		if r != nil || err != nil && !errors.Is(err, records.ErrChanged) {
			return r, err
		}
	}
	return nil, s.sweep(ctx, known, waiting)
}

// give leases a run to an executor. It returns nil if there is nothing to run, because the run has ended or
// its source is gone.
func (s *Service) give(ctx context.Context, r *records.Record[run], c *Claim) (*Run, error) {
	asked, of, err := s.readyToRun(ctx, r)
	if err != nil || asked == nil {
		return nil, err
	}
	before := r.Value
	to := r.Value
	to.Lease, to.Worker = rand.Text()+"."+r.Name, c.Worker
	to.Started, to.Logged, to.Attempt = s.Now().UnixMilli(), 0, to.Attempt+1
	to.Until = to.Started + LeaseTerm.Milliseconds()
	given := &Run{
		URN: to.URN, Lease: to.Lease, Until: time.UnixMilli(to.Until).UTC(), Task: to.Task, Source: to.Source, Recipe: asked.Args[argRecipe],
		Version: asked.Args[argVersion], Debug: asked.Args[argDebug] == "true", Attempt: to.Attempt,
	}
	if of != nil {
		given.Name, given.Type = of.Name, of.Type
	}
	given.ExtraArgs = extraOf(asked.Args)
	if to.Attempt == 1 {
		to.Retries = retriesOf(given.ExtraArgs)
	}
	whole := context.WithoutCancel(ctx) // a caller who leaves in between must not leave the run without an executor
	revision, err := s.runs.Put(whole, r.Name, to, r.Revision)
	if err != nil {
		return nil, err
	}
	err = s.setResult(whole, &to, catalog.WriteOptions{}, func(value catalog.Tree) {
		clear(value)
		value["status"] = StatusRunning
	})
	if err == nil {
		err = catalog.StoreFailure(ctx.Err())
	}
	if err != nil {
		// The executor does not get the run, which waits again. If that fails too, its lease ends.
		_, back := s.runs.Put(whole, r.Name, before, revision)
		return nil, errors.Join(err, back)
	}
	return given, nil
}

// readyToRun returns the request of a run that waits, and its source if it has one. It returns nil for a run
// that has ended, that another executor runs, or whose source is gone, and deletes the record where it can.
func (s *Service) readyToRun(ctx context.Context, r *records.Record[run]) (*requestArgs, *info, error) {
	var of *info
	if r.Value.Source != "" {
		var err error
		if of, err = infoOf(ctx, s.Store, r.Value.Source); err != nil {
			return nil, nil, err
		}
		if of == nil {
			return nil, nil, s.end(ctx, r, StatusCancelled, "The run was cancelled: its source was deleted.", catalog.WriteOptions{})
		}
	}
	for range 2 {
		stored, err := latest(ctx, s.Store, r.Value.URN, model.AspectDataHubExecutionRequestInput, model.AspectDataHubExecutionRequestResult)
		if err != nil {
			return nil, nil, err
		}
		result := stored[model.AspectDataHubExecutionRequestResult]
		status := statusOf(result)
		switch input := stored[model.AspectDataHubExecutionRequestInput]; {
		case isEnd(status):
			return nil, nil, s.forgetEnded(ctx, r, result)
		case status != "" && !isOurs(result):
			return nil, nil, nil // an executor that does not ask this server runs it
		case input != nil:
			asked, err := decodeRequest(input)
			return asked, of, err
		case of == nil:
			return nil, nil, s.runs.Delete(ctx, r.Name, r.Revision) // the request was deleted
		}
		// The server was killed after it had recorded the run.
		if err := s.stateInput(ctx, &r.Value, of); err != nil {
			if catalog.CodeOf(err).Transient() {
				return nil, nil, err
			}
			s.Logger.WarnContext(ctx, "a run cannot begin", "run", r.Value.URN, "error", err)
			return nil, nil, s.runs.Delete(ctx, r.Name, r.Revision)
		}
	}
	return nil, nil, nil
}

// end ends a run with a status and a sentence in its report. The record says so first: if this server is
// killed in between, another one finishes the end, and no executor can have the run meanwhile.
func (s *Service) end(ctx context.Context, r *records.Record[run], status, sentence string, o catalog.WriteOptions) error {
	to := r.Value
	to.Ending, to.Until = status, s.Now().Add(LeaseTerm).UnixMilli()
	to.Lease = rand.Text() + "." + r.Name
	return s.finish(ctx, r, &to, s.setEnd(&to, status, adding(sentence), nil), o)
}

// finish records that a run ends, writes its result, and deletes the record.
func (s *Service) finish(ctx context.Context, r *records.Record[run], to *run, change func(catalog.Tree), o catalog.WriteOptions) error {
	revision, err := s.runs.Put(ctx, r.Name, *to, r.Revision)
	if err != nil {
		return err
	}
	if err := s.setResult(ctx, to, o, change); err != nil {
		return err
	}
	if err := s.note(ctx, to, s.ended(to, to.Ending)); err != nil {
		return err
	}
	if err := s.runs.Delete(ctx, r.Name, revision); err != nil && !errors.Is(err, records.ErrChanged) {
		return err
	}
	s.changed.Signal()
	return nil
}

// The pauses before further attempts: the first, and the longest. Each is twice as long as the one before.
const (
	firstRetry   = time.Minute
	longestRetry = time.Hour
)

// retryRun lets a run wait for its next attempt.
func (s *Service) retryRun(ctx context.Context, r *records.Record[run], report func(string) string, structured catalog.Tree, o catalog.WriteOptions) error {
	to := r.Value
	pause := min(firstRetry<<(to.Attempt-1), longestRetry)
	to.Lease, to.Ending, to.Until = "", "", 0
	to.NotBefore = s.Now().Add(pause).UnixMilli()
	next := fmt.Sprintf("Attempt %d of %d begins after %s.", to.Attempt+1, to.Retries+1, shown(to.NotBefore))
	if _, err := s.runs.Put(ctx, r.Name, to, r.Revision); err != nil {
		return err
	}
	return s.setResult(ctx, &to, o, s.setEnd(&to, StatusUpForRetry, func(sofar string) string { return adding(next)(report(sofar)) }, structured))
}
