package rest

import (
	"net/http"

	"github.com/headwater-io/headwater/catalog"
)

func browseEndpoints() []endpoint {
	path := parameter{"path", "string", "slash-delimited, \"\" for the root", false}
	limit := parameter{"limit", "integer", "10 when left out, at most 10000", false}
	return []endpoint{
		{
			method: http.MethodPost, path: "/entities", action: "browse", tag: "Browse",
			summary:    "The groups below a browse path and the entities at it; the groups come first in the paging.",
			parameters: []parameter{path, entityParameter, startParameter, limit, filterParameter},
			example:    example{body: `{"path":"/prod/hive","entity":"dataset","start":0,"limit":10}`},
			handle:     (*call).browse,
		},
		{
			method: http.MethodPost, path: "/entities", action: "browseV2", tag: "Browse",
			summary: "The groups below a browse path v2.",
			parameters: []parameter{
				{"path", "string", "steps, each begun by ␟; \"\" for the root", false},
				entityParameter, startParameter, limit, filterParameter,
				{"input", "string", "count only the entities that this search finds", false},
			},
			example: example{body: `{"path":"","entity":"dataset","start":0,"limit":10}`},
			handle:  (*call).browseV2,
		},
		{
			method: http.MethodPost, path: "/entities", action: "getBrowsePaths", tag: "Browse",
			summary:    "The browse paths of an entity.",
			parameters: []parameter{{"urn", "string", "the entity", true}},
			example:    example{body: `{"urn":"` + exampleTable + `"}`},
			handle:     (*call).browsePaths,
		},
	}
}

type browseBody struct {
	Path   string          `json:"path"`
	Entity string          `json:"entity"`
	Input  string          `json:"input"`
	Start  int             `json:"start"`
	Limit  *int            `json:"limit"`
	Filter *catalog.Filter `json:"filter"`
}

func (c *call) browseRequest() (*browseBody, catalog.BrowseRequest, error) {
	var body browseBody
	if err := c.body(&body); err != nil {
		return nil, catalog.BrowseRequest{}, err
	}
	if body.Limit == nil {
		limit := defaultCount
		body.Limit = &limit
	}
	return &body, catalog.BrowseRequest{
		EntityType: body.Entity, Path: body.Path, Filter: body.Filter, Start: body.Start, Limit: *body.Limit,
	}, nil
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

// browseAnswer is a page of a browse path. Groups are in the metadata, and
// beside the entities for newer clients.
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

func answerBrowse(found *catalog.BrowseResult, limit int, v2 bool) browseAnswer {
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

func (c *call) browse() error {
	body, r, err := c.browseRequest()
	if err != nil {
		return err
	}
	found, err := c.catalog.Browse(c.Request.Context(), r)
	if err != nil {
		return err
	}
	return c.value(answerBrowse(found, *body.Limit, false))
}

func (c *call) browseV2() error {
	body, r, err := c.browseRequest()
	if err != nil {
		return err
	}
	found, err := c.catalog.BrowseV2(c.Request.Context(), r, body.Input)
	if err != nil {
		return err
	}
	return c.value(answerBrowse(found, *body.Limit, true))
}

func (c *call) browsePaths() error {
	var body struct {
		URN string `json:"urn"`
	}
	if err := c.body(&body); err != nil {
		return err
	}
	if body.URN == "" {
		return catalog.Errorf(catalog.Invalid, "parameter urn is required")
	}
	paths, err := c.catalog.BrowsePaths(c.Request.Context(), body.URN)
	if err != nil {
		return err
	}
	return c.value(paths)
}
