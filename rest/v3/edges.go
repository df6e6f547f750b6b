package v3

import (
	"encoding/json"
	"net/http"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/rest/call"
)

// edgeHandlers list the edges of the graph.
type edgeHandlers struct{ catalog *services.Services }

// edgeEnd is an end of an edge.
type edgeEnd struct {
	URN        string `json:"urn"`
	EntityType string `json:"entityType"`
}

func edgeEndOf(urn string) edgeEnd { return edgeEnd{urn, model.StoredURN(urn).EntityType()} }

// edgeAnswer is an edge. Upstream and Downstream are set for edges of lineage.
type edgeAnswer struct {
	Type        string  `json:"relationshipType"`
	Source      edgeEnd `json:"source"`
	Destination edgeEnd `json:"destination"`
	Upstream    string  `json:"upstream,omitempty"`
	Downstream  string  `json:"downstream,omitempty"`
}

// edgePage is a page of edges.
type edgePage struct {
	ScrollID *string      `json:"scrollId"`
	Results  []edgeAnswer `json:"results"`
}

// edgeScroll has the question and the page of a scroll of edges.
type edgeScroll struct {
	What      string
	Types     []string
	Direction string
	Removed   bool
	Body      any
	Sources   []string
	Ends      []string

	count int
	place read.EdgePlace
	empty bool
}

// allEdges is the name of the scroll that can also filter edges by the types of their
// sources and destinations.
const allEdges = "relationships"

// readEdgeScroll reads the parameters of a scroll of edges, and its body into body.
func readEdgeScroll(c *call.Call, what string, body any) (*edgeScroll, error) {
	r := &call.Reader{Call: c}
	q := &edgeScroll{
		What: what, Body: body, Types: call.Argument(r, c.List, "relationshipTypes"), Direction: call.Argument(r, c.Text, "direction"), Removed: call.Argument(r, c.Boolean, "includeSoftDelete"),
		count: r.Number("count", limits.DefaultSearchPage),
	}
	if what == allEdges {
		q.Sources, q.Ends = call.Argument(r, c.List, "sourceTypes"), call.Argument(r, c.List, "destinationTypes")
	}
	id := call.Argument(r, c.Text, "scrollId")
	if r.Err != nil {
		return nil, r.Err
	}
	if q.count < 1 {
		return nil, catalog.Errorf(catalog.Invalid, "parameter count must be at least 1")
	}
	if err := readOptionalBody(c, body); err != nil {
		return nil, err
	}
	place, err := openScroll(q, id)
	if err != nil {
		return nil, err
	}
	if place != "" {
		if err := json.Unmarshal([]byte(place), &q.place); err != nil {
			return nil, catalog.Errorf(catalog.Invalid, "parameter scrollId: it is not one of this server")
		}
	}
	q.empty, err = readSlice(c)
	return q, err
}

// answer answers with a page of edges. next is the place at which the next page begins, nil
// after the last page.
func (q *edgeScroll) answer(c *call.Call, edges []edgeAnswer, next *read.EdgePlace) error {
	page := edgePage{Results: edges}
	if next != nil {
		place, _ := json.Marshal(next) // a place has only texts and numbers, so encoding cannot fail
		id := sealScroll(q, string(place))
		page.ScrollID = &id
	}
	return c.JSON(http.StatusOK, page)
}

func (h edgeHandlers) relationships(c *call.Call) error {
	var body struct {
		Source      *filterBody `json:"sourceFilter"`
		Destination *filterBody `json:"destinationFilter"`
		Edge        *filterBody `json:"edgeFilter"`
	}
	q, err := readEdgeScroll(c, allEdges, &body)
	if err != nil {
		return err
	}
	if q.empty {
		return q.answer(c, []edgeAnswer{}, nil)
	}
	// The scroll id is bound to q.Types and the other lists as the caller spelled them, so
	// they are not replaced by the catalog's spelling.
	found, err := h.catalog.ScrollRelationships(c.Request.Context(), read.RelationshipScroll{
		Types: q.Types, SourceTypes: q.Sources, DestinationTypes: q.Ends, Direction: q.Direction,
		Source: body.Source.filter(), Destination: body.Destination.filter(), Edge: body.Edge.filter(),
		Removed: q.Removed, Count: q.count, After: q.place,
	})
	if err != nil {
		return err
	}
	edges := make([]edgeAnswer, len(found.Edges))
	for i := range found.Edges {
		e := &found.Edges[i]
		edges[i] = edgeAnswer{Type: e.Type, Source: edgeEndOf(e.Source), Destination: edgeEndOf(e.Destination)}
	}
	return q.answer(c, edges, found.Next)
}

func (h edgeHandlers) lineage(c *call.Call) error {
	var body struct {
		URNs []string `json:"urns"`
	}
	q, err := readEdgeScroll(c, "lineage", &body)
	if err != nil {
		return err
	}
	if q.empty {
		return q.answer(c, []edgeAnswer{}, nil)
	}
	if err := catalog.CheckIDs(body.URNs); err != nil {
		return err
	}
	urns, err := c.URNList(body.URNs)
	if err != nil {
		return err
	}
	found, next, err := h.catalog.Lineage.Scroll(c.Request.Context(), lineage.ScrollQuery{
		URNs: urns, Direction: q.Direction, Types: q.Types, Removed: q.Removed, Count: q.count, After: q.place,
	})
	if err != nil {
		return err
	}
	edges := make([]edgeAnswer, len(found))
	for i := range found {
		e := &found[i]
		edges[i] = edgeAnswer{Type: e.Type, Source: edgeEndOf(e.Source), Destination: edgeEndOf(e.Destination), Upstream: e.Upstream, Downstream: e.Downstream}
	}
	return q.answer(c, edges, next)
}
