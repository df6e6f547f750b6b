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
	sent, err := s.Catalog.OpenLineage.SentAbout(ctx, u)
	if err != nil {
		return nil, err
	}
	items := len(sent.Facets) + len(sent.Events)
	for _, d := range slices.Concat(sent.Inputs, sent.Outputs) {
		items += 1 + len(d.Facets)
	}
	if err := s.take(items); err != nil {
		return nil, err
	}
	told := &OpenLineageTold{
		Urn: sent.URN, Namespace: given(sent.Namespace), Name: given(sent.Name), RunID: given(sent.RunID), OlderDropped: sent.OlderDropped,
		Facets: openLineageFacets(sent.Facets), Inputs: openLineageDatasets(sent.Inputs), Outputs: openLineageDatasets(sent.Outputs), Events: make([]*OpenLineageEvent, len(sent.Events)),
	}
	for i := range sent.Events {
		e := &sent.Events[i]
		told.Events[i] = &OpenLineageEvent{EventTime: e.EventTime, EventType: given(e.EventType), Bytes: e.Bytes, Event: given(string(e.Event))}
	}
	return told, nil
}

func openLineageFacets(of map[string]openlineage.SentFacet) []*OpenLineageFacet {
	facets := make([]*OpenLineageFacet, 0, len(of))
	for _, name := range slices.Sorted(maps.Keys(of)) {
		f := of[name]
		facets = append(facets, &OpenLineageFacet{Name: name, EventTime: f.EventTime, RunID: given(f.RunID), Facet: string(f.Facet)})
	}
	return facets
}

func openLineageDatasets(of []openlineage.SentDataset) []*OpenLineageDataset {
	datasets := make([]*OpenLineageDataset, len(of))
	for i := range of {
		datasets[i] = &OpenLineageDataset{Namespace: of[i].Namespace, Name: of[i].Name, Facets: openLineageFacets(of[i].Facets)}
	}
	return datasets
}
