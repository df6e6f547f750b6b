package ingestion

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// LeaseTerm is how long a lease lasts after an executor got or renewed it, and RenewalPause how often executors renew
// their leases. Take calls lost for each run whose lease has ended.
const (
	LeaseTerm    = 60 * time.Second
	RenewalPause = 15 * time.Second
)

// extraOf returns the arguments of a request that its source has set.
func extraOf(args map[string]string) map[string]string {
	extra := maps.Clone(args)
	for _, name := range []string{argRecipe, argVersion, argDebug} {
		delete(extra, name)
	}
	if len(extra) == 0 {
		return nil
	}
	return extra
}

// retriesOf returns how many further attempts the arguments of a source allow.
func retriesOf(args map[string]string) int {
	n, err := strconv.Atoi(args[retriesArg])
	if err != nil {
		return 0
	}
	return min(max(n, 0), limits.IngestionRetries)
}

// held returns the record of the run that an executor has. It fails with Gone if the run has ended, or if its
// lease has ended and another executor may have the run.
func (s *Service) held(ctx context.Context, lease string) (*records.Record[run], error) {
	if lease == "" {
		return nil, catalog.Errorf(catalog.Invalid, "lease is required: that of the run, as the claim answered it")
	}
	_, name, _ := strings.Cut(lease, ".")
	if !strings.HasPrefix(name, ofSource("")) && !strings.HasPrefix(name, ofTest("")) {
		return nil, catalog.Errorf(catalog.Invalid, "the lease is not one that a claim has answered")
	}
	found, exists, err := s.runs.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	if !exists || found.Value.Lease != lease {
		return nil, catalog.Errorf(catalog.Gone, "the run has ended, or its lease has ended and the run was given up or given to another executor; stop it")
	}
	return &found, nil
}

// lost ends a run whose lease has ended, or lets it wait for another attempt.
func (s *Service) lost(ctx context.Context, r *records.Record[run]) error {
	stored, err := latest(ctx, s.Store, r.Value.URN, model.AspectDataHubExecutionRequestResult)
	if err != nil {
		return err
	}
	if result := stored[model.AspectDataHubExecutionRequestResult]; isEnd(statusOf(result)) {
		return s.forgetEnded(ctx, r, result)
	}
	silent := fmt.Sprintf("The executor %s has not been heard of since %s.", r.Value.Worker, shown(r.Value.Until-LeaseTerm.Milliseconds()))
	switch {
	case r.Value.Ending != "":
		return s.end(ctx, r, r.Value.Ending, "The rest of the log is lost, because the server was stopped when the run ended.", catalog.WriteOptions{})
	case r.Value.Cancel:
		return s.end(ctx, r, StatusCancelled, silent, catalog.WriteOptions{})
	case r.Value.Attempt <= r.Value.Retries:
		return s.retryRun(ctx, r, adding(silent), nil, catalog.WriteOptions{})
	}
	return s.end(ctx, r, StatusFailure, silent, catalog.WriteOptions{})
}

// logPause is how often the log of a run that goes on is stored, at most.
const logPause = 10 * time.Second

// Renew renews the lease of a run, and stores the end of its log.
func (s *Service) Renew(ctx context.Context, p Progress) (*Renewed, error) {
	if err := s.requireExecutor(ctx); err != nil {
		return nil, err
	}
	for {
		r, err := s.held(ctx, p.Lease)
		if err != nil {
			return nil, err
		}
		now := s.Now()
		to := r.Value
		to.Until = now.Add(LeaseTerm).UnixMilli()
		logs := p.Log != "" && now.UnixMilli()-to.Logged >= logPause.Milliseconds()
		if logs {
			to.Logged = now.UnixMilli()
		}
		if _, err := s.runs.Put(ctx, r.Name, to, r.Revision); err != nil {
			if errors.Is(err, records.ErrChanged) {
				continue
			}
			return nil, err
		}
		if logs {
			err = s.setResult(ctx, &to, catalog.WriteOptions{}, func(value catalog.Tree) {
				value["status"] = StatusRunning
				value["report"] = ending(strings.ToValidUTF8(p.Log, "\uFFFD"), limits.IngestionProgress)
			})
		}
		return &Renewed{Until: time.UnixMilli(to.Until).UTC(), Cancel: to.Cancel}, err
	}
}

// outcomes are the statuses with which an executor may end a run.
var outcomes = []string{StatusSuccess, StatusFailure, StatusCancelled, StatusTimeout}

// End ends a run, or lets it wait for its next attempt if the outcome asks for one and the source allows it.
// An executor may repeat it until it succeeds or fails with Gone.
func (s *Service) End(ctx context.Context, o Outcome) error {
	if err := s.requireExecutor(ctx); err != nil {
		return err
	}
	if !slices.Contains(outcomes, o.Status) {
		return catalog.Errorf(catalog.Invalid, "status must be one of %s, and not %q", strings.Join(outcomes, ", "), o.Status)
	}
	if err := checkText("reportType", o.ReportType); err != nil {
		return err
	}
	for {
		r, err := s.held(ctx, o.Lease)
		if err != nil {
			return err
		}
		structured, leftOut := o.structured(r.Value.Task)
		report := func(string) string { return o.Log }
		if leftOut != "" {
			report = func(string) string { return adding(leftOut)(bounded(o.Log)) }
		}
		if o.Retry && (o.Status == StatusFailure || o.Status == StatusTimeout) && !r.Value.Cancel && r.Value.Attempt <= r.Value.Retries {
			err = s.retryRun(ctx, r, report, structured, catalog.WriteOptions{})
		} else {
			to := r.Value
			to.Ending, to.Until = o.Status, s.Now().Add(LeaseTerm).UnixMilli()
			err = s.finish(ctx, r, &to, s.setEnd(&to, o.Status, report, structured), catalog.WriteOptions{})
		}
		if !errors.Is(err, records.ErrChanged) {
			return err
		}
	}
}
