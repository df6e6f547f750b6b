package rest

import "github.com/headwater-io/headwater/catalog"

// lineageSearchHandlers search among what is up- or downstream.
type lineageSearchHandlers struct{ catalog *catalog.Catalog }

func (h lineageSearchHandlers) searchAcrossLineage(c *call) error { return h.lineageSearch(c, false) }

func (h lineageSearchHandlers) scrollAcrossLineage(c *call) error { return h.lineageSearch(c, true) }

func (h lineageSearchHandlers) lineageSearch(c *call, scroll bool) error {
	var body lineageSearchBody
	if err := c.body(&body); err != nil {
		return err
	}
	body.settle()
	request := catalog.LineageSearchRequest{
		SearchRequest: body.request(),
		Walk: catalog.WalkQuery{
			URN: body.URN, Direction: body.Direction, MaxHops: body.MaxHops, From: body.StartTimeMillis, To: body.EndTimeMillis, AsOf: body.AsOf,
		},
	}
	if scroll {
		request.Scroll, request.ScrollID, request.Start = true, body.ScrollID, 0
	}
	found, err := h.catalog.SearchLineage(c.Request.Context(), request)
	if err != nil {
		return err
	}
	result := &catalog.SearchResult{Start: found.Start, Total: found.Total, Facets: found.Facets, ScrollID: found.ScrollID}
	type entity struct {
		searchEntity
		Degree int        `json:"degree"`
		Paths  [][]string `json:"paths"`
	}
	entities := make([]entity, len(found.Hits))
	for i, hit := range found.Hits {
		result.Hits = append(result.Hits, hit.SearchHit)
		entities[i] = entity{searchEntity{hit.URN, hit.MatchedFields}, hit.Degree, hit.Paths}
	}
	withEntityFacet(result)
	answer := answerSearch(c, result, *body.Count)
	answer.Entities = entities
	return c.value(struct {
		searchAnswer
		Partial bool   `json:"partial"`
		Reason  string `json:"reason,omitempty"`
	}{answer, found.Partial, found.Reason})
}
