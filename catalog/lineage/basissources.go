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

// requestSource is a property of the nodes of execution requests. Clients state it.
const requestSource = "ingestionSource"

// sourcesOf groups statements by their source; the source of the most entities is first.
func (s *Service) sourcesOf(ctx context.Context, all []basisStatement) ([]BasisSource, error) {
	runs, pipelines, err := s.sourcesOfPipelines(ctx, all)
	if err != nil {
		return nil, err
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

// sourcesOfPipelines returns the ingestion sources of the runs of statements, and the ingestion sources that runs of
// the statements' pipelines name.
func (s *Service) sourcesOfPipelines(ctx context.Context, all []basisStatement) (runs, pipelines map[string]string, err error) {
	if runs, err = s.sourcesOfRuns(ctx, all); err != nil {
		return nil, nil, err
	}
	pipelines = map[string]string{}
	for i := range all {
		if source := runs[all[i].run]; source != "" && all[i].pipeline != "" {
			pipelines[all[i].pipeline] = source
		}
	}
	return runs, pipelines, nil
}

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

// planSources sets NextRun of the ingestion sources that have a schedule.
func (s *Service) planSources(ctx context.Context, sources []BasisSource) error {
	var urns []string
	for i := range sources {
		if sources[i].Source != "" {
			urns = append(urns, sources[i].Source)
		}
	}
	if len(urns) == 0 || s.nextRuns == nil {
		return nil
	}
	next, err := s.nextRuns(ctx, urns)
	for i := range sources {
		sources[i].NextRun = next[sources[i].Source]
	}
	return err
}
