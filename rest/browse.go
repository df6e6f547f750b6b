package rest

import (
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/rest/call"
)

// browseHandlers list what is below a browse path.
type browseHandlers struct{ catalog *services.Services }

// readBrowse reads the body of a browse request.
func readBrowse(c *call.Call) (*browseBody, search.BrowseRequest, error) {
	var body browseBody
	if err := c.Body(&body); err != nil {
		return nil, search.BrowseRequest{}, err
	}
	if body.Limit == nil {
		limit := call.Int(call.DefaultCount)
		body.Limit = &limit
	}
	return &body, search.BrowseRequest{
		EntityType: body.Entity, Path: body.Path, Filter: body.Filter, Start: int(body.Start), Limit: int(*body.Limit),
	}, nil
}

func (h browseHandlers) browse(c *call.Call) error {
	body, r, err := readBrowse(c)
	if err != nil {
		return err
	}
	found, err := h.catalog.Search.Browse(c.Request.Context(), r)
	if err != nil {
		return err
	}
	return c.Answer(answerBrowse(found, int(*body.Limit), false))
}

func (h browseHandlers) browseV2(c *call.Call) error {
	body, r, err := readBrowse(c)
	if err != nil {
		return err
	}
	found, err := h.catalog.Search.BrowseV2(c.Request.Context(), r, body.Input)
	if err != nil {
		return err
	}
	return c.Answer(answerBrowse(found, int(*body.Limit), true))
}

func (h browseHandlers) browsePaths(c *call.Call) error {
	var body struct {
		URN string `json:"urn"`
	}
	if err := c.Body(&body); err != nil {
		return err
	}
	if body.URN == "" {
		return catalog.Errorf(catalog.Invalid, "parameter urn is required")
	}
	u, err := c.URN(body.URN)
	if err != nil {
		return err
	}
	paths, err := h.catalog.Search.BrowsePaths(c.Request.Context(), u)
	if err != nil {
		return err
	}
	return c.Answer(paths)
}
