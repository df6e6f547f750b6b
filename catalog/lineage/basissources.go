package lineage

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// These are properties of the nodes of execution requests. Clients state them.
const (
	requestSource  = "ingestionSource"
	requestStatus  = "executionResultStatus"
	requestStarted = "startTimeMs"
	requestAsked   = "requestTimeMs"
)

// finished lists the statuses of runs that have ended; the value is true if the run did not do
// all of its work. A client states UNKNOWN when it ends early because of an error that its
// source did not report.
var finished = map[string]bool{
	"SUCCESS": false, "SUCCEEDED_WITH_WARNINGS": false,
	"FAILURE": true, "TIMEOUT": true, "ABORTED": true, "CANCELLED": true, "UNKNOWN": true,
}

// sourcesOf groups statements by their source; the source of the most entities is first.
func (s *Service) sourcesOf(ctx context.Context, all []basisStatement) ([]BasisSource, error) {
	runs, err := s.sourcesOfRuns(ctx, all)
	if err != nil {
		return nil, err
	}
	pipelines := map[string]string{} // the ingestion source of each pipeline, if a run of the pipeline names it
	for i := range all {
		if source := runs[all[i].run]; source != "" && all[i].pipeline != "" {
			pipelines[all[i].pipeline] = source
		}
	}
	sources, entities := map[BasisSource]*BasisSource{}, map[BasisSource]map[string]bool{}
	for i := range all {
		st := &all[i]
		key := BasisSource{}
		switch source := cmp.Or(runs[st.run], pipelines[st.pipeline]); {
		case source != "":
			key.Source = source
		case st.pipeline != "":
			key.Pipeline = st.pipeline
		case st.run != "":
			key.Run = st.run
		default:
			key.Actor = st.actor
		}
		if sources[key] == nil {
			sources[key], entities[key] = new(BasisSource), map[string]bool{}
			*sources[key] = key
		}
		entities[key][st.asset] = true
		sources[key].LastSeen = max(sources[key].LastSeen, st.seen)
	}
	list := make([]BasisSource, 0, len(sources))
	for key, source := range sources {
		source.Entities = len(entities[key])
		list = append(list, *source)
	}
	slices.SortFunc(list, func(a, b BasisSource) int {
		return cmp.Or(cmp.Compare(b.Entities, a.Entities), cmp.Compare(b.LastSeen, a.LastSeen), cmp.Compare(a.id(), b.id()))
	})
	return list, nil
}

func (b *BasisSource) id() string { return cmp.Or(b.Source, b.Pipeline, b.Run, b.Actor) }

// sourcesOfRuns returns the ingestion source of each run that a client reported.
func (s *Service) sourcesOfRuns(ctx context.Context, all []basisStatement) (map[string]string, error) {
	runs := map[string]string{} // execution request -> run id
	for i := range all {
		if all[i].run == "" {
			continue
		}
		for _, request := range model.RequestsOfRun(s.registry, all[i].run) {
			runs[request] = all[i].run
		}
	}
	sources := map[string]string{}
	for some := range slices.Chunk(slices.Sorted(maps.Keys(runs)), catalog.MaxPage) {
		nodes, err := s.store.Entities(ctx, some)
		if err != nil {
			return nil, catalog.StoreFailure(err)
		}
		for i := range nodes {
			text, _ := nodes[i].Properties[requestSource].(string)
			if source, err := s.registry.ReadURN(text); err == nil {
				sources[runs[nodes[i].URN]] = s.registry.Normal(source).String()
			}
		}
	}
	return sources, nil
}

// withIngestionSources adds the ingestion sources that sources does not list yet.
func (s *Service) withIngestionSources(ctx context.Context, sources []BasisSource) ([]BasisSource, error) {
	urns, _, err := s.store.ListEntities(ctx, model.EntityDataHubIngestionSource, graphstore.Page{Count: limits.BasisIngestionSources})
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	for _, urn := range urns {
		if !slices.ContainsFunc(sources, func(b BasisSource) bool { return b.Source == urn }) {
			sources = append(sources, BasisSource{Source: urn})
		}
	}
	return sources, nil
}

// withFailures sets FailedSince of each ingestion source whose last ended run, as of the
// moment, failed.
func (s *Service) withFailures(ctx context.Context, sources []BasisSource, at int64) ([]BasisSource, error) {
	var urns []string
	for i := range sources {
		if sources[i].Source != "" && len(urns) < limits.BasisIngestionSources {
			urns = append(urns, sources[i].Source)
		}
	}
	if len(urns) == 0 {
		return sources, nil
	}
	requests, err := s.newestRequests(ctx, urns, at)
	if err != nil {
		return nil, err
	}
	last := map[string]FailedRun{} // ingestion source -> its last run that ended
	for some := range slices.Chunk(slices.Sorted(maps.Keys(requests)), catalog.MaxPage) {
		nodes, err := s.store.Entities(ctx, some)
		if err != nil {
			return nil, catalog.StoreFailure(err)
		}
		for i := range nodes {
			run := runOfRequest(&nodes[i])
			if _, ended := finished[run.Status]; !ended || run.At > at {
				continue
			}
			source := requests[nodes[i].URN]
			if known, some := last[source]; !some || cmp.Or(cmp.Compare(run.At, known.At), cmp.Compare(run.Run, known.Run)) > 0 {
				last[source] = run
			}
		}
	}
	for i := range sources {
		if run, some := last[sources[i].Source]; some && finished[run.Status] {
			sources[i].FailedSince = &run
		}
	}
	return sources, nil
}

// newestRequests returns the newest execution requests of ingestion sources, each with its
// source. newestRequests stops after it has read limits.BasisRuns requests.
func (s *Service) newestRequests(ctx context.Context, sources []string, at int64) (map[string]string, error) {
	requests, read := map[string]string{}, 0
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

func (s *Service) addNewestRequests(ctx context.Context, sources []string, at int64, requests map[string]string) (read int, err error) {
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
		for i := range edges[:min(len(edges), newestRuns)] {
			requests[edges[i].Source] = source
		}
	}
	return read, nil
}

// newestRuns is how many of the newest runs of an ingestion source are read: the newest runs
// may not have ended yet. sourcesAtOnce is the number of ingestion sources whose runs are read
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

// nameSources sets the display names of sources.
func (s *Service) nameSources(ctx context.Context, sources []BasisSource) error {
	var urns []string
	for i := range sources {
		urns = append(urns, sources[i].Source, sources[i].Actor)
	}
	urns = slices.DeleteFunc(urns, func(urn string) bool { return urn == "" })
	named := map[string]read.Named{}
	if len(urns) > 0 {
		var err error
		if named, err = s.names.Name(ctx, urns); err != nil {
			return err
		}
	}
	for i := range sources {
		b := &sources[i]
		b.Name = cmp.Or(named[b.Source].Name, named[b.Actor].Name, b.id())
	}
	return nil
}
