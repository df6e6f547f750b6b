package marquez

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// SearchRequest asks for datasets and jobs.
type SearchRequest struct {
	// Text are the words to search for.
	Text string
	// Filter is DATASET or JOB; "" asks for both.
	Filter string
	// Sort is name or update_at in any letter case; "" means name.
	Sort string
	// Namespace, if not "", has all results.
	Namespace string
	Limit     int
}

// SearchResult is a dataset or job that was found.
type SearchResult struct {
	Type      string  `json:"type"`
	Name      string  `json:"name"`
	UpdatedAt *string `json:"updatedAt"`
	Namespace string  `json:"namespace"`
	NodeID    string  `json:"nodeId"`
}

// SearchResults are the hits of a search.
type SearchResults struct {
	TotalCount int            `json:"totalCount"`
	Results    []SearchResult `json:"results"`
}

// Search searches datasets and jobs as the search of the catalog does: by names, descriptions and columns. The most
// relevant results are returned, sorted as the request asks.
func (s *Service) Search(ctx context.Context, r SearchRequest) (*SearchResults, error) {
	if err := (Page{Limit: r.Limit}).check(); err != nil {
		return nil, err
	}
	types, err := typesOf(r.Filter)
	if err != nil {
		return nil, err
	}
	order := strings.ToLower(cmp.Or(r.Sort, "name"))
	if order != "name" && order != "update_at" {
		return nil, catalog.Errorf(catalog.Invalid, "sort must be name or update_at, not %q", r.Sort)
	}
	count := r.Limit
	if r.Namespace != "" { // the namespace is no field of the index
		count = limits.MarquezListed
	}
	found, err := s.search.Search(ctx, search.Request{Types: types, Input: r.Text, Count: count, WithoutMatches: true})
	if err != nil {
		return nil, err
	}
	urns := make([]string, len(found.Hits))
	for i := range found.Hits {
		urns[i] = found.Hits[i].URN
	}
	names, err := s.named(ctx, urns)
	if err != nil {
		return nil, err
	}
	urns = slices.DeleteFunc(urns, func(urn string) bool {
		id, ok := names[urn]
		return !ok || r.Namespace != "" && id.Namespace != r.Namespace
	})
	urns = urns[:min(len(urns), r.Limit)]
	values, err := s.aspectsOf(ctx, urns, model.AspectDatasetKey, model.AspectDatasetProperties, model.AspectSchemaMetadata, model.AspectDataJobKey, model.AspectDataJobInfo, model.AspectDataJobInputOutput)
	if err != nil {
		return nil, err
	}
	answer := &SearchResults{TotalCount: len(urns), Results: []SearchResult{}}
	for _, urn := range urns {
		id := names[urn]
		result := SearchResult{Type: "DATASET", Name: id.Name, Namespace: id.Namespace, UpdatedAt: moment(values[urn].ended), NodeID: nodeID(datasetKind, id)}
		if !isDataset(urn) {
			result.Type, result.NodeID = "JOB", nodeID(jobKind, id)
		}
		answer.Results = append(answer.Results, result)
	}
	slices.SortStableFunc(answer.Results, func(a, b SearchResult) int {
		if order == "update_at" {
			return cmp.Compare(optional.Or(b.UpdatedAt, ""), optional.Or(a.UpdatedAt, ""))
		}
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Namespace, b.Namespace))
	})
	return answer, nil
}

func typesOf(filter string) ([]string, error) {
	switch strings.ToUpper(filter) {
	case "":
		return []string{model.EntityDataset, model.EntityDataJob}, nil
	case "DATASET":
		return []string{model.EntityDataset}, nil
	case "JOB":
		return []string{model.EntityDataJob}, nil
	}
	return nil, catalog.Errorf(catalog.Invalid, "filter must be DATASET or JOB, not %q", filter)
}
