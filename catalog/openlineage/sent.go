package openlineage

import (
	"context"
	"encoding/json"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/openlineage/naming"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// origin is the name in events of an entity.
type origin struct {
	Job     *naming.JobName `json:"job,omitempty"`
	Dataset *naming.Dataset `json:"dataset,omitempty"`
	// Names are all names of a dataset that lead to the entity by themselves; Dataset is the first name.
	Names map[string]naming.Dataset `json:"names,omitempty"`
	// Made: the dataset did not exist before. Removed: it was removed softly because no name led to it any more. Given is
	// the members that were written into aspects that others write too.
	Made    bool                `json:"made,omitempty"`
	Removed bool                `json:"removed,omitempty"`
	Given   map[string][]string `json:"given,omitempty"`
}

// Sent is the facets and events of a run, a job or a dataset, as producers sent them.
type Sent struct {
	URN string `json:"urn"`
	// Namespace and Name are the name in the events; of a run, RunID is.
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	RunID     string `json:"runId,omitempty"`
	// Facets are the latest facets by their keys.
	Facets map[string]SentFacet `json:"facets"`
	// Inputs and Outputs are the datasets of a run, with the facets that belong to the run.
	Inputs  []SentDataset `json:"inputs,omitempty"`
	Outputs []SentDataset `json:"outputs,omitempty"`
	// Events are the latest events of a run as they came, the latest first; OlderDropped tells that there were more.
	Events       []SentEvent `json:"events,omitempty"`
	OlderDropped bool        `json:"olderDropped,omitempty"`
}

// SentFacet is a facet with the time of the event, and the run, that stated it last.
type SentFacet struct {
	EventTime string          `json:"eventTime"`
	RunID     string          `json:"runId,omitempty"`
	Facet     json.RawMessage `json:"facet"`
}

// SentDataset is an input or output of a run.
type SentDataset struct {
	Namespace string               `json:"namespace"`
	Name      string               `json:"name"`
	Facets    map[string]SentFacet `json:"facets"`
}

// SentAbout returns the facets and events of a run, a job or a dataset: nothing of one that other sources have told of. It
// fails with NotFound if the catalog does not know the entity, and with Forbidden for callers who may not read every entity: facets name other entities.
func (s *Service) SentAbout(ctx context.Context, urn model.URN) (*Sent, error) {
	if err := permission.RequireWhole(ctx, "read the facets of OpenLineage events"); err != nil {
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
			return s.untold(ctx, urn)
		}
		events, dropped, err := s.sentEventsOf(ctx, urn.Key())
		return &Sent{
			URN: urn.String(), RunID: urn.Key(), Facets: sentFacets(r.Value.Facets),
			Inputs: sentDatasets(r.Value.Inputs), Outputs: sentDatasets(r.Value.Outputs), Events: events, OlderDropped: dropped,
		}, err
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
		return &Sent{URN: urn.String(), Namespace: j.value.Name.Namespace, Name: j.value.Name.Name, Facets: sentFacets(j.value.Facets)}, nil
	case from.Value.Dataset != nil:
		known := *from.Value.Dataset
		all, err := w.allFacets(known)
		return &Sent{URN: urn.String(), Namespace: known.Namespace, Name: known.Name, Facets: sentFacets(all)}, err
	}
	return s.untold(ctx, urn)
}

// untold is the answer for an entity of which no event has told.
func (s *Service) untold(ctx context.Context, urn model.URN) (*Sent, error) {
	stored, err := s.store.LatestAspects(ctx, []string{urn.String()}, []string{urn.EntityType() + "Key"})
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	if len(stored) == 0 {
		return nil, catalog.Errorf(catalog.NotFound, "no OpenLineage event has told of %s", urn)
	}
	return &Sent{URN: urn.String(), Facets: map[string]SentFacet{}}, nil
}

func sentFacets(of factSet) map[string]SentFacet {
	sent := map[string]SentFacet{}
	for name := range of {
		if value := of.value(name); value != nil {
			f := of[name]
			sent[name] = SentFacet{EventTime: time.Unix(0, f.At).UTC().Format(time.RFC3339Nano), RunID: f.Run, Facet: value}
		}
	}
	return sent
}

func sentDatasets(of map[string]*runDataset) []SentDataset {
	var sent []SentDataset
	for _, d := range sorted(of) {
		all := factSet{}
		all.merge(d.Facets)
		all.merge(d.Facts)
		sent = append(sent, SentDataset{Namespace: d.Dataset.Namespace, Name: d.Dataset.Name, Facets: sentFacets(all)})
	}
	return sent
}

// Name is how events name a job or a dataset.
type Name struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// Settings are the settings of names. They must not be changed.
func (s *Service) Settings() *naming.Settings { return s.names }

// fewNames is how many names are read one by one.
const fewNames = 50

// NamesOf returns how events name jobs and datasets, by the texts of their URNs. Entities that no event has named
// are absent. NamesOf does not check the caller's privileges: callers ask only for entities that they have read.
func (s *Service) NamesOf(ctx context.Context, urns []string) (map[string]Name, error) {
	found := make(map[string]Name, len(urns))
	read, whole := map[string]origin{}, false
	if len(urns) > fewNames {
		var err error
		if read, whole, err = s.firstOrigins(ctx); err != nil {
			return nil, err
		}
	}
	for _, urn := range urns {
		from, known := read[key("", urn)]
		if !known && !whole {
			record, _, err := s.originRecords.Get(ctx, key("", urn))
			if err != nil {
				return nil, err
			}
			from = record.Value
		}
		switch {
		case from.Dataset != nil:
			found[urn] = Name(*from.Dataset)
		case from.Job != nil:
			found[urn] = Name(*from.Job)
		}
	}
	return found, nil
}

// firstOrigins reads as many origins as lists have entities, and reports whether these are all: one page of a
// store is much cheaper than its records one by one.
func (s *Service) firstOrigins(ctx context.Context) (found map[string]origin, whole bool, err error) {
	found = map[string]origin{}
	after, size := "", 1000
	for len(found) < limits.MarquezListed {
		var page []records.Record[origin]
		if page, err = s.originRecords.Page(ctx, "", after, size); err != nil {
			return nil, false, err
		}
		for _, record := range page {
			found[record.Name], after = record.Value, record.Name
		}
		if len(page) < size {
			return found, true, nil
		}
	}
	return found, false, nil
}

// DatasetURN returns the URN of the dataset that a name means, also if no event has used the name. It is the zero
// URN if the name means no entity.
func (s *Service) DatasetURN(ctx context.Context, d naming.Dataset) (model.URN, error) {
	if d.Name == "" {
		return model.URN{}, nil
	}
	return s.newWork(ctx).urnOf(d)
}

// JobURN returns the URN of the job that events have named so, the zero URN if none has.
func (s *Service) JobURN(ctx context.Context, name naming.JobName) (model.URN, error) {
	w := s.newWork(ctx)
	known, err := w.jobs.load(ctx, keyOfJob(name))
	if err != nil || known.before == nil || name.Name == "" {
		return model.URN{}, err
	}
	n, err := w.jobNamed(name)
	return n.job, err
}
