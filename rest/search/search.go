package search

import (
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/rest/call"
)

// searchHandlers search entities by words and filters.
type searchHandlers struct{ catalog *services.Services }

// readSearch reads the body of a search.
func readSearch(c *call.Call) (*searchBody, error) {
	var body searchBody
	if err := c.Body(&body); err != nil {
		return nil, err
	}
	body.settle()
	return &body, nil
}

// readSearchOfType reads a search of one entity type.
func readSearchOfType(c *call.Call) (*searchBody, error) {
	body, err := readSearch(c)
	if err == nil && body.Entity == "" {
		err = catalog.Errorf(catalog.Invalid, "parameter entity is required")
	}
	if err != nil {
		return nil, err
	}
	body.Entities = []string{body.Entity}
	return body, nil
}

func (h searchHandlers) search(c *call.Call) error {
	body, err := readSearchOfType(c)
	if err != nil {
		return err
	}
	r := body.request()
	r.AsTyped = body.AsTyped
	found, err := h.catalog.Search.Search(c.Request.Context(), r)
	if err != nil {
		return err
	}
	return c.Answer(answerSearch(c, found, int(*body.Count)))
}

func (h searchHandlers) searchAcross(c *call.Call) error {
	body, err := readSearch(c)
	if err != nil {
		return err
	}
	r := body.request()
	r.AsTyped = body.AsTyped
	return h.answerAcross(c, r)
}

func (h searchHandlers) scrollAcross(c *call.Call) error {
	body, err := readSearch(c)
	if err != nil {
		return err
	}
	r := body.request()
	r.Scroll, r.ScrollID, r.Start = true, body.ScrollID, 0
	return h.answerAcross(c, r)
}

// answerAcross answers a search across several entity types.
func (h searchHandlers) answerAcross(c *call.Call, r search.Request) error {
	found, err := h.catalog.Search.Search(c.Request.Context(), r)
	if err != nil {
		return err
	}
	withEntityFacet(found)
	return c.Answer(answerSearch(c, found, r.Count))
}

// objectHeader is a header that some clients send with every search. They expect objects
// instead of URNs.
const objectHeader = "X-RestLi-Protocol-Version"

func (h searchHandlers) listEntities(c *call.Call) error {
	body, err := readSearchOfType(c)
	if err != nil {
		return err
	}
	r := body.request()
	r.Facets = []string{}
	found, err := h.catalog.Search.Search(c.Request.Context(), r)
	if err != nil {
		return err
	}
	page := read.URNPage{Entities: []string{}, Start: found.Start, Count: len(found.Hits), Total: int64(found.Total)}
	for _, hit := range found.Hits {
		page.Entities = append(page.Entities, hit.URN)
	}
	return c.Answer(page)
}
