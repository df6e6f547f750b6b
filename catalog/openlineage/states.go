package openlineage

import (
	"context"

	"github.com/headwater-io/headwater/catalog/openlineage/naming"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

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
// are absent. NamesOf does not look at what the caller may see: callers ask only for entities that they have read.
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
