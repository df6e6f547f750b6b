package rest

import (
	"net/http"

	"github.com/headwater-io/headwater/catalog"
)

// Parameters that searches share.
var (
	inputParameter  = parameter{"input", "string", "words, <field>:<value>, a URN, or * for everything", false}
	filterParameter = parameter{"filter", "object", "{or:[{and:[{field, value, values, condition, negated}]}]}", false}
	sortParameter   = parameter{"sort", "object", "{field, order}: order is ASCENDING or DESCENDING", false}
	startParameter  = parameter{"start", "integer", "0 when left out", false}
	facetsParameter = parameter{"facets", "array", "the fields to count; those of the model when left out, none when empty", false}
	countParameter  = parameter{"count", "integer", "10 when left out, at most 10000", false}
	entityParameter = parameter{"entity", "string", "the entity type", true}
	typesParameter  = parameter{"entities", "array", "entity types; all when left out", false}
)

func searchEndpoints() []endpoint {
	return []endpoint{
		{
			method: http.MethodPost, path: "/entities", action: "search", tag: "Search",
			summary:    "Entities of a type by words and filters, with facets.",
			parameters: []parameter{inputParameter, entityParameter, startParameter, countParameter, filterParameter, sortParameter, facetsParameter},
			example:    example{body: `{"input":"orders","entity":"dataset","start":0,"count":10,"filter":{"or":[{"and":[{"field":"origin","value":"PROD","condition":"EQUAL"}]}]}}`},
			handle:     (*call).search,
		},
		{
			method: http.MethodPost, path: "/entities", action: "searchAcrossEntities", tag: "Search",
			summary:    "Entities of several types by words and filters, with facets.",
			parameters: []parameter{inputParameter, typesParameter, startParameter, countParameter, filterParameter, sortParameter, facetsParameter},
			example:    example{body: `{"input":"*","entities":["dataset","corpuser"],"start":0,"count":10}`},
			handle:     (*call).searchAcross,
		},
		{
			method: http.MethodPost, path: "/entities", action: "scrollAcrossEntities", tag: "Search",
			summary: "All entities that a search finds, page by page: each answer has the scrollId to go on with.",
			parameters: []parameter{
				inputParameter, typesParameter, countParameter, filterParameter, sortParameter, facetsParameter,
				{"scrollId", "string", "from the answer before", false},
			},
			example: example{body: `{"input":"*","count":100}`},
			handle:  (*call).scrollAcross,
		},
		{
			method: http.MethodPost, path: "/entities", action: "filter", tag: "Search",
			summary:    "Entities of a type by filters, with facets.",
			parameters: []parameter{entityParameter, filterParameter, startParameter, countParameter, sortParameter, facetsParameter},
			example:    example{body: `{"entity":"dataset","filter":{"or":[{"and":[{"field":"platform","value":"urn:li:dataPlatform:hive","condition":"EQUAL"}]}]},"start":0,"count":10}`},
			handle:     (*call).search,
		},
		{
			method: http.MethodPost, path: "/entities", action: "list", tag: "Search",
			summary:    "The URNs of entities of a type that are not soft-deleted, by filters.",
			parameters: []parameter{entityParameter, filterParameter, startParameter, countParameter, sortParameter},
			example:    example{body: `{"entity":"dataset","start":0,"count":10}`},
			handle:     (*call).listEntities,
		},
		{
			method: http.MethodPost, path: "/entities", action: "getTotalEntityCount", tag: "Search",
			summary:    "How many entities of a type there are, soft-deleted ones not counted.",
			parameters: []parameter{entityParameter},
			example:    example{body: `{"entity":"dataset"}`},
			handle:     (*call).countEntities,
		},
		{
			method: http.MethodPost, path: "/entities", action: "batchGetTotalEntityCount", tag: "Search",
			summary:    "How many entities of each of some types there are.",
			parameters: []parameter{typesParameter},
			example:    example{body: `{"entities":["dataset","chart"]}`},
			handle:     (*call).countEntitiesOf,
		},
		{
			method: http.MethodPost, path: "/entities", action: "autocomplete", tag: "Search",
			summary: "Names that go on from what was typed.",
			parameters: []parameter{
				{"query", "string", "what was typed so far", true},
				entityParameter,
				{"limit", "integer", "10 when left out", false},
				{"start", "integer", "taken, and not heeded", false},
				{"field", "string", "complete this field alone", false},
				filterParameter,
			},
			example: example{body: `{"query":"ord","entity":"dataset","limit":10,"start":0}`},
			handle:  (*call).autocomplete,
		},
	}
}

// searchBody is the body of every search.
type searchBody struct {
	Input    string                 `json:"input"`
	Entity   string                 `json:"entity"`
	Entities []string               `json:"entities"`
	Start    int                    `json:"start"`
	Count    *int                   `json:"count"`
	Filter   *catalog.Filter        `json:"filter"`
	Sort     *catalog.SortCriterion `json:"sort"`
	ScrollID string                 `json:"scrollId"`
	Facets   []string               `json:"facets"`
}

// defaultCount is the size of a page when none is asked for.
const defaultCount = 10

func (c *call) searchBody() (*searchBody, error) {
	var body searchBody
	if err := c.body(&body); err != nil {
		return nil, err
	}
	body.settle()
	return &body, nil
}

// settle fills in what was left out.
func (b *searchBody) settle() {
	if b.Count == nil {
		count := defaultCount
		b.Count = &count
	}
}

// searchOne reads a search of the one entity type.
func (c *call) searchOne() (*searchBody, error) {
	body, err := c.searchBody()
	if err == nil && body.Entity == "" {
		err = catalog.Errorf(catalog.Invalid, "parameter entity is required")
	}
	if err != nil {
		return nil, err
	}
	body.Entities = []string{body.Entity}
	return body, nil
}

func (b *searchBody) request() catalog.SearchRequest {
	return catalog.SearchRequest{Types: b.Entities, Input: b.Input, Filter: b.Filter, Sort: b.Sort, Start: b.Start, Count: *b.Count, Facets: b.Facets}
}

func (c *call) search() error {
	body, err := c.searchOne()
	if err != nil {
		return err
	}
	found, err := c.catalog.Search(c.Request.Context(), body.request())
	if err != nil {
		return err
	}
	return c.value(c.searchAnswer(found, *body.Count))
}

func (c *call) searchAcross() error {
	body, err := c.searchBody()
	if err != nil {
		return err
	}
	return c.answerAcross(body.request())
}

func (c *call) scrollAcross() error {
	body, err := c.searchBody()
	if err != nil {
		return err
	}
	r := body.request()
	r.Scroll, r.ScrollID, r.Start = true, body.ScrollID, 0
	return c.answerAcross(r)
}

// answerAcross answers a search in several entity types.
func (c *call) answerAcross(r catalog.SearchRequest) error {
	found, err := c.catalog.Search(c.Request.Context(), r)
	if err != nil {
		return err
	}
	withEntityFacet(found)
	return c.value(c.searchAnswer(found, r.Count))
}

// withEntityFacet repeats the facet of entity types under the name that
// searches across types have for it.
func withEntityFacet(found *catalog.SearchResult) {
	for _, facet := range found.Facets {
		if facet.Field == "_entityType" {
			facet.Field = "entity"
			found.Facets = append(found.Facets, facet)
			return
		}
	}
}

// searchAnswer is a page of entities found. Entities is a list of URNs, or of
// objects for the clients that send the version header with searches.
type searchAnswer struct {
	NumEntities int            `json:"numEntities"`
	PageSize    int            `json:"pageSize"`
	From        int            `json:"from"`
	Entities    any            `json:"entities"`
	Metadata    searchMetadata `json:"metadata"`
	ScrollID    string         `json:"scrollId,omitempty"`
}

type searchMetadata struct {
	URNs            []string        `json:"urns"`
	Matches         []searchMatch   `json:"matches"`
	ResultMetadatas []facetMetadata `json:"searchResultMetadatas"`
	Aggregations    []aggregation   `json:"aggregations"`
}

type searchMatch struct {
	MatchedFields []catalog.MatchedField `json:"matchedFields"`
}

type searchEntity struct {
	Entity        string                 `json:"entity"`
	MatchedFields []catalog.MatchedField `json:"matchedFields"`
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

// objectHeader is sent with every search by clients that need objects.
const objectHeader = "X-RestLi-Protocol-Version"

func (c *call) searchAnswer(found *catalog.SearchResult, count int) searchAnswer {
	a := searchAnswer{
		NumEntities: found.Total, PageSize: count, From: found.Start, ScrollID: found.ScrollID,
		Metadata: searchMetadata{URNs: []string{}, Matches: []searchMatch{}, ResultMetadatas: []facetMetadata{}, Aggregations: []aggregation{}},
	}
	objects := make([]searchEntity, len(found.Hits))
	for i, hit := range found.Hits {
		objects[i] = searchEntity{hit.URN, hit.MatchedFields}
		a.Metadata.URNs = append(a.Metadata.URNs, hit.URN)
		a.Metadata.Matches = append(a.Metadata.Matches, searchMatch{hit.MatchedFields})
	}
	if a.Entities = a.Metadata.URNs; c.GetHeader(objectHeader) != "" {
		a.Entities = objects
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

func (c *call) listEntities() error {
	body, err := c.searchOne()
	if err != nil {
		return err
	}
	r := body.request()
	r.Facets = []string{}
	found, err := c.catalog.Search(c.Request.Context(), r)
	if err != nil {
		return err
	}
	page := catalog.URNPage{Entities: []string{}, Start: found.Start, Count: len(found.Hits), Total: int64(found.Total)}
	for _, hit := range found.Hits {
		page.Entities = append(page.Entities, hit.URN)
	}
	return c.value(page)
}

func (c *call) countEntities() error {
	body, err := c.searchOne()
	if err != nil {
		return err
	}
	counts, err := c.catalog.CountEntities(c.Request.Context(), body.Entities)
	if err != nil {
		return err
	}
	for _, n := range counts { // of the one type
		return c.value(n)
	}
	return c.value(0)
}

func (c *call) countEntitiesOf() error {
	body, err := c.searchBody()
	if err != nil {
		return err
	}
	counts, err := c.catalog.CountEntities(c.Request.Context(), body.Entities)
	if err != nil {
		return err
	}
	return c.value(counts)
}

func (c *call) autocomplete() error {
	body := struct {
		Query  *string         `json:"query"`
		Entity string          `json:"entity"`
		Field  string          `json:"field"`
		Limit  int             `json:"limit"`
		Filter *catalog.Filter `json:"filter"`
	}{Limit: defaultCount}
	if err := c.body(&body); err != nil {
		return err
	}
	if body.Query == nil || body.Entity == "" {
		return catalog.Errorf(catalog.Invalid, "parameters query and entity are required")
	}
	found, err := c.catalog.Autocomplete(c.Request.Context(), catalog.AutocompleteRequest{
		Types: []string{body.Entity}, Query: *body.Query, Field: body.Field, Filter: body.Filter, Limit: body.Limit,
	})
	if err != nil {
		return err
	}
	type entity struct {
		URN string `json:"urn"`
	}
	entities := make([]entity, len(found.Hits))
	for i, hit := range found.Hits {
		entities[i] = entity{hit.URN}
	}
	return c.value(map[string]any{"query": *body.Query, "suggestions": found.Texts, "entities": entities})
}
