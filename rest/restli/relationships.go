package restli

import (
	"net/http"

	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
)

// relationshipHandlers list the neighbours of an entity.
type relationshipHandlers struct{ catalog *services.Services }

func (h relationshipHandlers) relationshipPage(c *call.Call, typesName string, count int64, provenance bool) (read.RelationshipPage, error) {
	q := read.RelationshipQuery{Provenance: provenance}
	var err error
	if q.URN, err = c.URNParam("urn"); err != nil {
		return read.RelationshipPage{}, err
	}
	if q.Direction, err = c.Required("direction"); err != nil {
		return read.RelationshipPage{}, err
	}
	if q.Types, err = c.List(typesName); err != nil {
		return read.RelationshipPage{}, err
	}
	if q.Start, q.Count, err = c.Page(count); err != nil {
		return read.RelationshipPage{}, err
	}
	if q.AsOf, err = c.Moment("asOf"); err != nil {
		return read.RelationshipPage{}, err
	}
	return h.catalog.Relationships(c.Request.Context(), q)
}

func (h relationshipHandlers) relationships(c *call.Call) error {
	provenance, err := c.Boolean("provenance")
	if err != nil {
		return err
	}
	page, err := h.relationshipPage(c, "types", limits.DefaultRelationships, provenance)
	if err != nil {
		return err
	}
	entities := make([]string, len(page.Relationships))
	for i, r := range page.Relationships {
		entities[i] = r.Entity
	}
	return c.JSON(http.StatusOK, struct {
		read.RelationshipPage
		Entities []string `json:"entities"`
	}{page, entities})
}

func (h relationshipHandlers) openAPIRelationships(c *call.Call) error {
	page, err := h.relationshipPage(c, "relationshipTypes", limits.DefaultOpenAPIRelationships, false)
	if err != nil {
		return err
	}
	type relatedEntity struct {
		RelationshipType string `json:"relationshipType"`
		URN              string `json:"urn"`
		Via              string `json:"via,omitempty"`
	}
	entities := make([]relatedEntity, len(page.Relationships))
	for i, r := range page.Relationships {
		entities[i] = relatedEntity{r.Type, r.Entity, r.Via}
	}
	return c.JSON(http.StatusOK, struct {
		Start    int             `json:"start"`
		Count    int             `json:"count"`
		Total    int64           `json:"total"`
		Entities []relatedEntity `json:"entities"`
	}{page.Start, page.Count, page.Total, entities})
}
