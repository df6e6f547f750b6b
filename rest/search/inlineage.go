package search

import (
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/rest/call"
)

// lineageSearchHandlers search among the upstream or downstream entities of an entity.
type lineageSearchHandlers struct{ catalog *services.Services }

func (h lineageSearchHandlers) searchAcrossLineage(c *call.Call) error {
	return h.lineageSearch(c, false)
}

func (h lineageSearchHandlers) scrollAcrossLineage(c *call.Call) error {
	return h.lineageSearch(c, true)
}

func (h lineageSearchHandlers) lineageSearch(c *call.Call, scroll bool) error {
	var body lineageSearchBody
	if err := c.Body(&body); err != nil {
		return err
	}
	body.settle()
	u, err := c.URN(body.URN)
	if err != nil {
		return err
	}
	request := lineage.SearchRequest{
		Request: body.request(),
		Walk: lineage.WalkQuery{
			URN: u, Direction: body.Direction, MaxHops: int(body.MaxHops), From: int64(body.StartTimeMillis), To: int64(body.EndTimeMillis), AsOf: int64(body.AsOf),
		},
	}
	if scroll {
		request.Scroll, request.ScrollID, request.Start = true, body.ScrollID, 0
	}
	found, err := h.catalog.Lineage.Search(c.Request.Context(), request)
	if err != nil {
		return err
	}
	result := &search.Result{Start: found.Start, Total: found.Total, Facets: found.Facets, ScrollID: found.ScrollID}
	type entity struct {
		searchEntity
		Degree int        `json:"degree"`
		Paths  [][]string `json:"paths"`
	}
	entities := make([]entity, len(found.Hits))
	for i, hit := range found.Hits {
		result.Hits = append(result.Hits, hit.Hit)
		entities[i] = entity{searchEntity{hit.URN, searchMatch{MatchedFields: hit.MatchedFields}}, hit.Degree, hit.Paths}
	}
	withEntityFacet(result)
	answer := answerSearch(c, result, int(*body.Count))
	answer.Entities = entities
	return c.Answer(struct {
		searchAnswer
		Partial bool   `json:"partial"`
		Reason  string `json:"reason,omitempty"`
	}{answer, found.Partial, found.Reason})
}

// lineageSearchBody is the body of searches in lineage.
type lineageSearchBody struct {
	searchBody
	URN             string     `json:"urn"`
	Direction       string     `json:"direction"`
	MaxHops         call.Int   `json:"maxHops"`
	StartTimeMillis call.Int64 `json:"startTimeMillis"`
	EndTimeMillis   call.Int64 `json:"endTimeMillis"`
	AsOf            call.Int64 `json:"asOf"`
}
