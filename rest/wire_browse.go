package rest

import (
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/rest/call"
)

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

// browseAnswer is a page of a browse path. Groups are in the metadata and, for
// newer clients, beside the entities.
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
