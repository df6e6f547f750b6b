package ingestion

import (
	"context"
	"errors"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

const (
	// sweepPause is the time between two looks around of one server, sweptAtOnce how many sources and
	// requests one look reads.
	sweepPause  = 10 * time.Second
	sweptAtOnce = 100
	// settled is the age of a request from which on a missing record means that the record was deleted, and
	// not that it is still to be written.
	settled = 2 * time.Minute
	// longestWait is how long a run waits for an executor.
	longestWait = 7 * 24 * time.Hour
)

// sweep looks for sources and runs that have no record: schedules of sources that others have written, requests whose
// records are gone, runs that other executors have ended. known are the URNs of the runs with a record.
func (s *Service) sweep(ctx context.Context, known map[string]bool, waiting []records.Record[run]) error {
	now := s.Now()
	s.sweeps.mu.Lock()
	if now.Sub(s.sweeps.last) < sweepPause {
		s.sweeps.mu.Unlock()
		return nil
	}
	s.sweeps.last = now
	sources, requests := s.sweeps.sources, s.sweeps.requests
	s.sweeps.sources, s.sweeps.requests = sources+sweptAtOnce, requests+sweptAtOnce
	s.sweeps.mu.Unlock()
	n, err := s.sweepSources(ctx, sources)
	if err != nil {
		return err
	}
	m, err := s.sweepRequests(ctx, requests, known)
	if err != nil {
		return err
	}
	s.sweeps.mu.Lock()
	if n < sweptAtOnce {
		s.sweeps.sources = 0
	}
	if m < sweptAtOnce {
		s.sweeps.requests = 0
	}
	s.sweeps.mu.Unlock()
	return s.sweepWaiting(ctx, waiting)
}

// sweepSources plans sources as their aspects say, and returns how many it has read.
func (s *Service) sweepSources(ctx context.Context, start int) (int, error) {
	urns, stored, err := s.listed(ctx, model.EntityDataHubIngestionSource, start, model.AspectDataHubIngestionSourceInfo)
	if err != nil {
		return 0, err
	}
	for _, urn := range urns {
		for i := range stored[urn] {
			of, err := decodeInfo(urn, stored[urn][i].Value)
			if err != nil {
				return 0, err
			}
			if err := s.plan(ctx, urn, of.Schedule); err != nil {
				return 0, err
			}
		}
	}
	return len(urns), nil
}

func (s *Service) listed(ctx context.Context, entityType string, start int, aspects ...string) ([]string, map[string][]graphstore.Aspect, error) {
	urns, _, err := s.Store.ListEntities(ctx, entityType, graphstore.Page{Start: start, Count: sweptAtOnce})
	if err != nil || len(urns) == 0 {
		return nil, nil, catalog.StoreFailure(err)
	}
	stored, err := s.Store.LatestAspects(ctx, urns, aspects)
	return urns, stored, catalog.StoreFailure(err)
}

// sweepRequests ends runs that this room says go on, but that have no record, as after an import. It returns how
// many requests it has read.
func (s *Service) sweepRequests(ctx context.Context, start int, known map[string]bool) (int, error) {
	urns, stored, err := s.listed(ctx, model.EntityDataHubExecutionRequest, start, model.AspectDataHubExecutionRequestInput, model.AspectDataHubExecutionRequestResult)
	if err != nil {
		return 0, err
	}
	for _, urn := range urns {
		var input, result *graphstore.Aspect
		for i := range stored[urn] {
			if a := &stored[urn][i]; a.Name == model.AspectDataHubExecutionRequestInput {
				input = a
			} else {
				result = a
			}
		}
		if known[urn] || input == nil || !isOurs(result) || isEnd(statusOf(result)) || s.Now().UnixMilli()-result.CreatedOn < settled.Milliseconds() {
			continue
		}
		if err := s.endUnrecorded(ctx, urn, input); err != nil {
			return 0, err
		}
	}
	return len(urns), nil
}

// endUnrecorded ends a run without a record.
func (s *Service) endUnrecorded(ctx context.Context, urn string, input *graphstore.Aspect) error {
	asked, err := decodeRequest(input)
	if err != nil {
		return err
	}
	r := run{URN: urn, Source: asked.Source.IngestionSource, Task: asked.Task}
	found, exists, err := s.runs.Get(ctx, r.record()) // the record may be newer than the reading of all records
	if err != nil || exists && found.Value.URN == urn {
		return err
	}
	return s.setResult(ctx, &r, catalog.WriteOptions{}, s.setEnd(&r, StatusFailure, adding("The run was given up: the server has no record of it, as after a restore from a backup."), nil))
}

// sweepWaiting looks at the runs that wait for long: an executor that does not ask this server may have ended
// them, or there is no executor for them.
func (s *Service) sweepWaiting(ctx context.Context, waiting []records.Record[run]) error {
	looked := 0
	for i := range waiting {
		r, age := &waiting[i], s.Now().UnixMilli()-waiting[i].Value.Asked
		if age < settled.Milliseconds() || looked >= sweptAtOnce {
			continue
		}
		looked++
		gone, err := s.endedElsewhere(ctx, r)
		if err == nil && !gone && age > longestWait.Milliseconds() {
			err = s.end(ctx, r, StatusAborted, "No executor "+r.Value.Executor+" has taken the run for a week.", catalog.WriteOptions{})
		}
		if err != nil && !errors.Is(err, records.ErrChanged) {
			return err
		}
	}
	return nil
}
