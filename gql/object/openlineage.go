package object

import (
	"context"
	"maps"
	"slices"

	"github.com/headwater-io/headwater/catalog/openlineage"
)

// OpenLineage returns the facts of OpenLineage events about a run, a job or a dataset.
func (s *Session) OpenLineage(ctx context.Context, urn string) (*OpenLineageTold, error) {
	u, err := s.URN(urn)
	if err != nil {
		return nil, err
	}
	kept, err := s.Catalog.OpenLineage.Kept(ctx, u)
	if err != nil {
		return nil, err
	}
	items := len(kept.Facets) + len(kept.Events)
	for _, d := range slices.Concat(kept.Inputs, kept.Outputs) {
		items += 1 + len(d.Facets)
	}
	if err := s.take(items); err != nil {
		return nil, err
	}
	told := &OpenLineageTold{
		Urn: kept.URN, Namespace: given(kept.Namespace), Name: given(kept.Name), RunID: given(kept.RunID), OlderDropped: kept.OlderDropped,
		Facets: openLineageFacets(kept.Facets), Inputs: openLineageDatasets(kept.Inputs), Outputs: openLineageDatasets(kept.Outputs), Events: make([]*OpenLineageEvent, len(kept.Events)),
	}
	for i := range kept.Events {
		e := &kept.Events[i]
		told.Events[i] = &OpenLineageEvent{EventTime: e.EventTime, EventType: given(e.EventType), Bytes: e.Bytes, Event: given(string(e.Event))}
	}
	return told, nil
}

func openLineageFacets(of map[string]openlineage.KeptFacet) []*OpenLineageFacet {
	facets := make([]*OpenLineageFacet, 0, len(of))
	for _, name := range slices.Sorted(maps.Keys(of)) {
		f := of[name]
		facets = append(facets, &OpenLineageFacet{Name: name, EventTime: f.EventTime, RunID: given(f.RunID), Facet: string(f.Facet)})
	}
	return facets
}

func openLineageDatasets(of []openlineage.KeptDataset) []*OpenLineageDataset {
	datasets := make([]*OpenLineageDataset, len(of))
	for i := range of {
		datasets[i] = &OpenLineageDataset{Namespace: of[i].Namespace, Name: of[i].Name, Facets: openLineageFacets(of[i].Facets)}
	}
	return datasets
}
