package lineage

import (
	"cmp"
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// These are properties of the nodes of execution requests. Clients state them.
const (
	requestStatus  = "executionResultStatus"
	requestStarted = "startTimeMs"
	requestAsked   = "requestTimeMs"
)

// withFailures sets FailedSince of each ingestion source whose last ended run, as of the moment, failed. past tells
// that the moment is before now: the records of sources tell nothing of the past.
func (s *Service) withFailures(ctx context.Context, sources []BasisSource, at int64, past bool) ([]BasisSource, error) {
	var urns []string
	for i := range sources {
		if sources[i].Source != "" && len(urns) < limits.BasisIngestionSources {
			urns = append(urns, sources[i].Source)
		}
	}
	failing, err := s.failing(ctx, urns, at, past)
	if err != nil {
		return nil, err
	}
	for i := range sources {
		sources[i].FailedSince = failing[sources[i].Source]
	}
	return sources, nil
}

// Failing returns the ingestion sources whose last run failed, each with the first run that failed after its last good
// one.
func (s *Service) Failing(ctx context.Context, sources []string) (map[string]*FailedRun, error) {
	return s.failing(ctx, sources, s.now().UnixMilli(), false)
}

// failing reads the records of the sources that a server's executors run, and the execution requests of the others,
// which clients have reported.
func (s *Service) failing(ctx context.Context, sources []string, at int64, past bool) (map[string]*FailedRun, error) {
	failing := map[string]*FailedRun{}
	if len(sources) == 0 {
		return failing, nil
	}
	known := map[string]SourceRuns{}
	if s.runs != nil && !past {
		var err error
		if known, err = s.runs(ctx, sources); err != nil {
			return nil, err
		}
	}
	var others []string
	for _, source := range sources {
		runs, recorded := known[source]
		if runs.Failing != nil {
			failing[source] = runs.Failing
		}
		if !recorded || len(runs.Good) == 0 { // runs of before the record, as in an imported catalog, may be good
			others = append(others, source)
		}
	}
	requests, err := s.newestRequests(ctx, others, at)
	if err != nil {
		return nil, err
	}
	for from := 0; len(requests) > 0; from += newestRuns {
		if requests, err = s.lookBack(ctx, requests, from, at, failing); err != nil {
			return nil, err
		}
	}
	return failing, nil
}

// lookBack reads the next runs of sources, newest first, and sets since when they fail. It returns the sources of which
// no good run was found yet.
func (s *Service) lookBack(ctx context.Context, requests map[string][]string, from int, at int64, failing map[string]*FailedRun) (map[string][]string, error) {
	var read []string
	for _, urns := range requests {
		read = append(read, urns[min(from, len(urns)):min(from+newestRuns, len(urns))]...)
	}
	slices.Sort(read)
	runs := map[string]FailedRun{}
	for some := range slices.Chunk(read, catalog.MaxPage) {
		nodes, err := s.store.Entities(ctx, some)
		if err != nil {
			return nil, catalog.StoreFailure(err)
		}
		for i := range nodes {
			run := runOfRequest(&nodes[i])
			if _, ended := model.ExecutionEnded(run.Status); ended && run.At <= at {
				runs[nodes[i].URN] = run
			}
		}
	}
	rest := map[string][]string{}
	for source, urns := range requests {
		var some []FailedRun
		for _, urn := range urns[min(from, len(urns)):min(from+newestRuns, len(urns))] {
			if run, ended := runs[urn]; ended {
				some = append(some, run)
			}
		}
		slices.SortFunc(some, func(a, b FailedRun) int { return cmp.Or(cmp.Compare(b.At, a.At), cmp.Compare(b.Run, a.Run)) })
		good := slices.IndexFunc(some, func(run FailedRun) bool { good, _ := model.ExecutionEnded(run.Status); return good })
		if good < 0 {
			good = len(some)
			if len(urns) > from+newestRuns {
				rest[source] = urns
			}
		}
		failing[source] = failing[source].before(some[:good])
		if failing[source] == nil {
			delete(failing, source)
		}
	}
	return rest, nil
}

// before adds older runs, the newest first, all of which failed.
func (f *FailedRun) before(older []FailedRun) *FailedRun {
	for _, run := range older {
		switch {
		case f == nil:
			run.Runs, run.LastAt = 1, run.At
			f = &run
		case run.At < f.At || run.At == f.At && run.Run < f.Run:
			run.Runs, run.LastAt = f.Runs+1, f.LastAt
			f = &run
		}
	}
	return f
}

// newestRequests returns the newest execution requests of ingestion sources, the newest of each first, at most
// limits.FailingRuns of each. newestRequests stops after it has read limits.BasisRuns requests.
func (s *Service) newestRequests(ctx context.Context, sources []string, at int64) (map[string][]string, error) {
	requests, read := map[string][]string{}, 0
	for some := range slices.Chunk(sources, sourcesAtOnce) {
		n, err := s.addNewestRequests(ctx, some, at, requests)
		if err != nil {
			return nil, err
		}
		if read += n; read >= limits.BasisRuns {
			break
		}
	}
	return requests, nil
}

func (s *Service) addNewestRequests(ctx context.Context, sources []string, at int64, requests map[string][]string) (read int, err error) {
	query := graphstore.EdgeQuery{
		URNs: sources, Direction: graphstore.Incoming, Types: []string{model.RelationshipIngestionSource}, Page: graphstore.Page{Count: limits.BasisRuns},
	}
	found, err := s.store.Edges(ctx, query)
	if err != nil {
		return 0, catalog.StoreFailure(err)
	}
	for _, source := range sources {
		edges := found[source].Edges
		if more := int(found[source].Total) - len(edges); more > 0 { // the name of a run begins with its time, so that the last names are the newest runs
			query.URNs, query.Start = []string{source}, max(len(edges), int(found[source].Total)-limits.BasisRuns)
			rest, err := s.store.Edges(ctx, query)
			if err != nil {
				return 0, catalog.StoreFailure(err)
			}
			edges = append(edges, rest[source].Edges...)
		}
		read += len(edges)
		edges = slices.DeleteFunc(edges, func(e graphstore.Edge) bool { return e.Since > at })
		slices.SortFunc(edges, func(a, b graphstore.Edge) int {
			return cmp.Or(cmp.Compare(b.Since, a.Since), cmp.Compare(b.Source, a.Source))
		})
		for i := range edges[:min(len(edges), limits.FailingRuns)] {
			requests[source] = append(requests[source], edges[i].Source)
		}
	}
	return read, nil
}

// newestRuns is how many of the runs of an ingestion source are read at once, the newest first:
// the newest runs may not have ended yet. sourcesAtOnce is the number of ingestion sources whose runs are read
// at once.
const (
	newestRuns    = 10
	sourcesAtOnce = 10
)

// runOfRequest reads the node of an execution request.
func runOfRequest(node *graphstore.Entity) FailedRun {
	run := FailedRun{Run: model.StoredURN(node.URN).Key()}
	run.Status, _ = node.Properties[requestStatus].(string)
	run.At = cmp.Or(millisIn(node.Properties[requestStarted]), millisIn(node.Properties[requestAsked]))
	return run
}

// millisIn returns a numeric property of a node. Stores return such a number in different Go
// types.
func millisIn(property any) int64 {
	switch n := property.(type) {
	case int64:
		return n
	case float64:
		return int64(n)
	}
	return 0
}
