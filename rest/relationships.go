package rest

import (
	"net/http"

	"github.com/headwater-io/headwater/catalog"
)

// openAPIRelationshipCount is the page size of the OpenAPI twin.
const openAPIRelationshipCount = 200

func relationshipEndpoints() []endpoint {
	common := []parameter{
		{"urn", "string", "the entity, percent-encoded", true},
		{"direction", "string", "OUTGOING: the entity is the source of the edges; INCOMING: it is their destination", true},
		{"start", "integer", "0 when left out", false},
		momentParameter,
	}
	return []endpoint{
		{
			method: http.MethodGet, path: "/relationships", tag: "Relationships",
			summary: "The neighbours of an entity.",
			parameters: append([]parameter{
				{"types", "list", "relationship names: A, A,B, List(A,B) or repeated; all when left out", false},
				{"count", "integer", "100 when left out, at most 10000", false},
			}, common...),
			example: example{query: "direction=INCOMING&urn=urn%3Ali%3Acorpuser%3Aada&types=OwnedBy"},
			handle:  (*call).relationships,
		},
		{
			method: http.MethodGet, path: "/openapi/relationships/v1", tag: "Relationships",
			summary: "The neighbours of an entity, in the form of the OpenAPI surface.",
			parameters: append([]parameter{
				{"relationshipTypes", "list", "relationship names, the parameter repeated; all when left out", false},
				{"count", "integer", "200 when left out, at most 10000; the answer's count is the number returned", false},
			}, common...),
			example: example{query: "direction=OUTGOING&urn=" + exampleTableEncoded + "&relationshipTypes=OwnedBy"},
			handle:  (*call).openAPIRelationships,
		},
	}
}

func (c *call) relationshipPage(typesName string, count int64) (catalog.RelationshipPage, error) {
	var (
		q   catalog.RelationshipQuery
		err error
	)
	if q.URN, err = c.required("urn"); err != nil {
		return catalog.RelationshipPage{}, err
	}
	if q.Direction, err = c.required("direction"); err != nil {
		return catalog.RelationshipPage{}, err
	}
	if q.Types, err = c.list(typesName); err != nil {
		return catalog.RelationshipPage{}, err
	}
	if q.Start, q.Count, err = c.page(count); err != nil {
		return catalog.RelationshipPage{}, err
	}
	if q.AsOf, err = c.moment("asOf"); err != nil {
		return catalog.RelationshipPage{}, err
	}
	return c.catalog.Relationships(c.Request.Context(), q)
}

func (c *call) relationships() error {
	page, err := c.relationshipPage("types", catalog.DefaultRelationshipCount)
	if err != nil {
		return err
	}
	entities := make([]string, len(page.Relationships))
	for i, r := range page.Relationships {
		entities[i] = r.Entity
	}
	return c.json(http.StatusOK, struct {
		catalog.RelationshipPage
		Entities []string `json:"entities"`
	}{page, entities})
}

func (c *call) openAPIRelationships() error {
	page, err := c.relationshipPage("relationshipTypes", openAPIRelationshipCount)
	if err != nil {
		return err
	}
	type relatedEntity struct {
		RelationshipType string `json:"relationshipType"`
		URN              string `json:"urn"`
	}
	entities := make([]relatedEntity, len(page.Relationships))
	for i, r := range page.Relationships {
		entities[i] = relatedEntity{r.Type, r.Entity}
	}
	return c.json(http.StatusOK, struct {
		Start    int             `json:"start"`
		Count    int             `json:"count"`
		Total    int64           `json:"total"`
		Entities []relatedEntity `json:"entities"`
	}{page.Start, page.Count, page.Total, entities})
}
