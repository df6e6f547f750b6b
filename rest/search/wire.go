package search

import (
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
)

// searchBody is the body of every search.
type searchBody struct {
	Input    string                `json:"input"`
	Entity   string                `json:"entity"`
	Entities []string              `json:"entities"`
	Start    call.Int              `json:"start"`
	Count    *call.Int             `json:"count"`
	Filter   *catalog.Filter       `json:"filter"`
	Sort     *search.SortCriterion `json:"sort"`
	ScrollID string                `json:"scrollId"`
	Facets   []string              `json:"facets"`
	AsTyped  bool                  `json:"asTyped"`
}

// settle sets the defaults of absent members.
func (b *searchBody) settle() {
	if b.Count == nil {
		count := call.Int(limits.DefaultSearchPage)
		b.Count = &count
	}
}

func (b *searchBody) request() search.Request {
	return search.Request{Types: b.Entities, Input: b.Input, Filter: b.Filter, Sort: b.Sort, Start: int(b.Start), Count: int(*b.Count), Facets: b.Facets}
}

// searchAnswer is a page of search results. Entities is a list of URNs, or a list of
// objects for clients that send objectHeader.
type searchAnswer struct {
	NumEntities int            `json:"numEntities"`
	PageSize    int            `json:"pageSize"`
	From        int            `json:"from"`
	Entities    any            `json:"entities"`
	Metadata    searchMetadata `json:"metadata"`
	ScrollID    string         `json:"scrollId,omitempty"`
	// Typed tells how a search as people type read its input.
	Typed *typedWords `json:"typed,omitempty"`
}

// typedWords are the members of [search.TypedWords].
type typedWords struct {
	Words   []string `json:"words"`
	Kinds   []string `json:"kinds,omitempty"`
	Without []string `json:"without,omitempty"`
	All     int      `json:"all"`
}

type searchMetadata struct {
	URNs            []string        `json:"urns"`
	Matches         []searchMatch   `json:"matches"`
	ResultMetadatas []facetMetadata `json:"searchResultMetadatas"`
	Aggregations    []aggregation   `json:"aggregations"`
}

type searchMatch struct {
	MatchedFields []search.MatchedField `json:"matchedFields"`
	// Missing are the words of a search as people type that the entity does not have.
	Missing []string `json:"missing,omitempty"`
}

type searchEntity struct {
	Entity string `json:"entity"`
	searchMatch
}

type facetMetadata struct {
	Name         string         `json:"name"`
	Aggregations map[string]int `json:"aggregations"`
}

type aggregation struct {
	facetMetadata
	DisplayName  string        `json:"displayName"`
	FilterValues []filterValue `json:"filterValues"`
}

type filterValue struct {
	Value      string `json:"value"`
	FacetCount int    `json:"facetCount"`
}

func answerSearch(c *call.Call, found *search.Result, count int) searchAnswer {
	a := searchAnswer{
		NumEntities: found.Total, PageSize: count, From: found.Start, ScrollID: found.ScrollID,
		Metadata: searchMetadata{URNs: []string{}, Matches: []searchMatch{}, ResultMetadatas: []facetMetadata{}, Aggregations: []aggregation{}},
	}
	objects := make([]searchEntity, len(found.Hits))
	for i, hit := range found.Hits {
		match := searchMatch{hit.MatchedFields, hit.Missing}
		objects[i] = searchEntity{hit.URN, match}
		a.Metadata.URNs = append(a.Metadata.URNs, hit.URN)
		a.Metadata.Matches = append(a.Metadata.Matches, match)
	}
	if a.Entities = a.Metadata.URNs; c.GetHeader(objectHeader) != "" {
		a.Entities = objects
	}
	if said := found.Typed; said != nil {
		a.Typed = &typedWords{said.Words, said.Kinds, said.Without, said.All}
	}
	for _, facet := range found.Facets {
		m := facetMetadata{Name: facet.Field, Aggregations: map[string]int{}}
		values := make([]filterValue, len(facet.Counts))
		for i, n := range facet.Counts {
			m.Aggregations[n.Value] = n.Docs
			values[i] = filterValue{n.Value, n.Docs}
		}
		a.Metadata.ResultMetadatas = append(a.Metadata.ResultMetadatas, m)
		a.Metadata.Aggregations = append(a.Metadata.Aggregations, aggregation{m, facet.DisplayName, values})
	}
	return a
}

// withEntityFacet repeats the facet of entity types under the name that searches across
// types use.
func withEntityFacet(found *search.Result) {
	for _, facet := range found.Facets {
		if facet.Field == "_entityType" {
			facet.Field = "entity"
			found.Facets = append(found.Facets, facet)
			return
		}
	}
}
