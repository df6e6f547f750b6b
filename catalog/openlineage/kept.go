package openlineage

import (
	"context"
	"encoding/json"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/openlineage/naming"
	"github.com/headwater-io/headwater/model"
)

// origin is the name in events of an entity.
type origin struct {
	Job     *naming.JobName `json:"job,omitempty"`
	Dataset *naming.Dataset `json:"dataset,omitempty"`
}

// Kept is what events have told of a run, a job or a dataset, as they told it.
type Kept struct {
	URN string `json:"urn"`
	// Namespace and Name are the name in the events; of a run, RunID is.
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	RunID     string `json:"runId,omitempty"`
	// Facets are the latest facets by their keys.
	Facets map[string]KeptFacet `json:"facets"`
	// Inputs and Outputs are the datasets of a run, with the facets that belong to the run.
	Inputs  []KeptDataset `json:"inputs,omitempty"`
	Outputs []KeptDataset `json:"outputs,omitempty"`
}

// KeptFacet is a facet with the time of the event, and the run, that stated it last.
type KeptFacet struct {
	EventTime string          `json:"eventTime"`
	RunID     string          `json:"runId,omitempty"`
	Facet     json.RawMessage `json:"facet"`
}

// KeptDataset is an input or output of a run.
type KeptDataset struct {
	Namespace string               `json:"namespace"`
	Name      string               `json:"name"`
	Facets    map[string]KeptFacet `json:"facets"`
}

// Kept returns what events have told of a run, a job or a dataset. It fails with NotFound if no event has told
// of the entity, and with Forbidden for callers who may not read every entity: facets name other entities.
func (s *Service) Kept(ctx context.Context, urn model.URN) (*Kept, error) {
	missing := catalog.Errorf(catalog.NotFound, "no OpenLineage event has told of %s", urn)
	if err := catalog.RequireWhole(ctx, "read the facets of OpenLineage events"); err != nil {
		return nil, err
	}
	w := s.newWork(ctx)
	switch urn.EntityType() {
	case model.EntityDataProcessInstance:
		r, exists, err := s.runRecords.Get(ctx, urn.Key())
		if err != nil {
			return nil, err
		}
		if !exists {
			return nil, missing
		}
		return &Kept{
			URN: urn.String(), RunID: urn.Key(), Facets: keptFacets(r.Value.Facets),
			Inputs: keptDatasets(r.Value.Inputs), Outputs: keptDatasets(r.Value.Outputs),
		}, nil
	case model.EntityDataJob, model.EntityDataset:
	default:
		return nil, catalog.Errorf(catalog.Invalid, "OpenLineage events tell of runs (%s), jobs (%s) and datasets (%s), and %s is another entity", model.EntityDataProcessInstance, model.EntityDataJob, model.EntityDataset, urn)
	}
	from, _, err := s.originRecords.Get(ctx, key("", urn.String()))
	switch {
	case err != nil:
		return nil, err
	case from.Value.Job != nil:
		j, err := w.jobs.load(ctx, keyOfJob(*from.Value.Job))
		if err != nil {
			return nil, err
		}
		return &Kept{URN: urn.String(), Namespace: j.value.Name.Namespace, Name: j.value.Name.Name, Facets: keptFacets(j.value.Facets)}, nil
	case from.Value.Dataset != nil:
		known := *from.Value.Dataset
		all, err := w.allFacets(known)
		return &Kept{URN: urn.String(), Namespace: known.Namespace, Name: known.Name, Facets: keptFacets(all)}, err
	}
	return nil, missing
}

func keptFacets(of factSet) map[string]KeptFacet {
	kept := map[string]KeptFacet{}
	for name := range of {
		if value := of.value(name); value != nil {
			f := of[name]
			kept[name] = KeptFacet{EventTime: time.Unix(0, f.At).UTC().Format(time.RFC3339Nano), RunID: f.Run, Facet: value}
		}
	}
	return kept
}

func keptDatasets(of map[string]*runDataset) []KeptDataset {
	var kept []KeptDataset
	for _, d := range sorted(of) {
		all := factSet{}
		all.merge(d.Facets)
		all.merge(d.Facts)
		kept = append(kept, KeptDataset{Namespace: d.Dataset.Namespace, Name: d.Dataset.Name, Facets: keptFacets(all)})
	}
	return kept
}
