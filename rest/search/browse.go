package search

import (
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
)

// browseHandlers list the entities and groups below a browse path.
type browseHandlers struct{ catalog *services.Services }

// readBrowse reads the body of a browse request.
func readBrowse(c *call.Call) (*browseBody, search.BrowseRequest, error) {
	var body browseBody
	if err := c.Body(&body); err != nil {
		return nil, search.BrowseRequest{}, err
	}
	if body.Limit == nil {
		limit := call.Int(limits.DefaultSearchPage)
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

type browseBody struct {
	Path   string          `json:"path"`
	Entity string          `json:"entity"`
	Input  string          `json:"input"`
	Start  call.Int        `json:"start"`
	Limit  *call.Int       `json:"limit"`
	Filter *catalog.Filter `json:"filter"`
}

type browseGroup struct {
	Name         string `json:"name"`
	Count        int    `json:"count"`
	Entity       string `json:"entity,omitempty"`
	HasSubGroups *bool  `json:"hasSubGroups,omitempty"`
}

type browseEntity struct {
	Name string `json:"name"`
	URN  string `json:"urn"`
}

type browseMetadata struct {
	Path             string        `json:"path"`
	Groups           []browseGroup `json:"groups"`
	TotalNumEntities int           `json:"totalNumEntities"`
}

// browseAnswer is a page of a browse path. The groups are in the metadata and, for newer
// clients, also beside the entities.
type browseAnswer struct {
	From        int            `json:"from"`
	PageSize    int            `json:"pageSize"`
	NumEntities int            `json:"numEntities"`
	NumGroups   int            `json:"numGroups"`
	NumElements int            `json:"numElements"`
	Entities    []browseEntity `json:"entities"`
	Groups      []browseGroup  `json:"groups"`
	Metadata    browseMetadata `json:"metadata"`
}

func answerBrowse(found *search.BrowseResult, limit int, v2 bool) browseAnswer {
	a := browseAnswer{
		From: found.Start, PageSize: limit, NumEntities: found.TotalEntities, NumGroups: found.TotalGroups,
		NumElements: found.TotalGroups + found.TotalEntities, Entities: []browseEntity{}, Groups: []browseGroup{},
	}
	for _, group := range found.Groups {
		g := browseGroup{Name: group.Name, Count: group.Count, Entity: group.URN}
		if v2 {
			g.HasSubGroups = &group.HasSubGroups
		}
		a.Groups = append(a.Groups, g)
	}
	for _, hit := range found.Entities {
		a.Entities = append(a.Entities, browseEntity{hit.Name, hit.URN})
	}
	a.Metadata = browseMetadata{Path: found.Path, Groups: a.Groups, TotalNumEntities: found.TotalBelow}
	return a
}
