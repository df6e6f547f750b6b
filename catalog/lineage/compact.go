package lineage

import (
	"encoding/json"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/nearest"
)

// These are the forms of an answer.
const (
	// FormWhole repeats each edge in each path that it is on.
	FormWhole = "whole"
	// FormCompact lists each edge and each URN once.
	FormCompact = "compact"
)

// CheckForm checks the name of a form. An empty one means FormWhole.
func CheckForm(form string) error {
	if form == "" || form == FormWhole || form == FormCompact {
		return nil
	}
	return catalog.Errorf(catalog.Invalid, "there is no form %q%s", form, nearest.Among(form, []string{FormWhole, FormCompact}, "forms"))
}

// CompactResult is a Result that lists each URN and each edge once. Where a Result has a URN,
// CompactResult has a number: the index of the URN in URNs.
type CompactResult struct {
	*Result
	URNs     []string        `json:"urns"`
	Entities []CompactEntity `json:"entities"`
	// Edges lists the edges of the paths and the edges between the entities of the page. Within
	// has the indexes in Edges of the edges between the entities of the page, if the request asked
	// for them.
	Edges  []CompactEdge `json:"edges,omitempty"`
	Within []int         `json:"within,omitempty"`
	// Statements lists the details of edges.
	Statements []CompactStatement `json:"statements,omitempty"`
}

// CompactEntity is an Entity. Each of its paths is a list of indexes in Edges.
type CompactEntity struct {
	Entity
	URN      int     `json:"urn"`
	Platform *int    `json:"platform,omitempty"`
	Parent   *int    `json:"entity,omitempty"`
	Paths    [][]int `json:"paths,omitempty"`
}

// CompactEdge is a Link. Its Statement is the index of its details in Statements.
type CompactEdge struct {
	Upstream   int   `json:"upstream"`
	Downstream int   `json:"downstream"`
	StatedBy   []int `json:"statedBy"`
	Statement  int   `json:"statement"`
}

// CompactStatement has the details of a Link without its ends and without StatedBy. Many edges
// share one CompactStatement.
type CompactStatement struct {
	Link
	Upstream   string   `json:"upstream,omitempty"`
	Downstream string   `json:"downstream,omitempty"`
	StatedBy   []string `json:"statedBy,omitempty"`
}

// CompactImpact is an Impact that lists each URN of its entities once.
type CompactImpact struct {
	*Impact
	URNs     []string           `json:"urns"`
	Entities []CompactImpactRow `json:"entities"`
}

// CompactImpactRow is an ImpactedEntity with indexes instead of URNs.
type CompactImpactRow struct {
	ImpactedEntity
	URN      int   `json:"urn"`
	Platform *int  `json:"platform,omitempty"`
	Parent   *int  `json:"entity,omitempty"`
	Owners   []int `json:"owners"`
	Behind   *int  `json:"behind,omitempty"`
}

// places lists texts, each once, and knows the index of each.
type places struct {
	at   map[string]int
	list []string
}

func (p *places) of(text string) int {
	at, known := p.at[text]
	if !known {
		at = len(p.list)
		p.at[text], p.list = at, append(p.list, text)
	}
	return at
}

// given returns the index of a text, or nil for an empty text.
func (p *places) given(text string) *int {
	if text == "" {
		return nil
	}
	at := p.of(text)
	return &at
}

func (p *places) all(texts []string) []int {
	list := make([]int, len(texts))
	for i, text := range texts {
		list[i] = p.of(text)
	}
	return list
}

// compacting is the state of Result.Compact.
type compacting struct {
	urns, statements, links places
	// placed has the index of each edge, by the address of the Link: paths share edges.
	placed map[*Link]int
	result *CompactResult
}

func newPlaces() places { return places{at: map[string]int{}, list: []string{}} }

// Compact returns the answer in the compact form.
func (r *Result) Compact() (*CompactResult, error) {
	c := &compacting{newPlaces(), newPlaces(), newPlaces(), map[*Link]int{}, &CompactResult{Result: r, Entities: make([]CompactEntity, len(r.Entities))}}
	for i := range r.Entities {
		e := &r.Entities[i]
		entity := CompactEntity{Entity: *e, URN: c.urns.of(e.URN), Platform: c.urns.given(e.Platform), Parent: c.urns.given(e.Entity)}
		for _, path := range e.Paths {
			edges := []int{}
			for k := range path {
				if path[k].Edge == nil {
					continue
				}
				at, err := c.edge(path[k].Edge)
				if err != nil {
					return nil, err
				}
				edges = append(edges, at)
			}
			entity.Paths = append(entity.Paths, edges)
		}
		c.result.Entities[i] = entity
	}
	for i := range r.Edges {
		at, err := c.edge(&r.Edges[i])
		if err != nil {
			return nil, err
		}
		c.result.Within = append(c.result.Within, at)
	}
	c.result.URNs = c.urns.list
	return c.result, nil
}

// edge returns the index of an edge in Edges, and adds the edge if it is new.
func (c *compacting) edge(e *Link) (int, error) {
	if at, placed := c.placed[e]; placed {
		return at, nil
	}
	rest := CompactStatement{Link: *e}
	rest.Link.StatedBy = nil
	text, err := json.Marshal(rest)
	if err != nil {
		return 0, catalog.Errorf(catalog.Internal, "the edge from %s to %s: %w", e.Upstream, e.Downstream, err)
	}
	statement := c.statements.of(string(text))
	if statement == len(c.result.Statements) {
		c.result.Statements = append(c.result.Statements, rest)
	}
	edge := CompactEdge{Upstream: c.urns.of(e.Upstream), Downstream: c.urns.of(e.Downstream), StatedBy: c.urns.all(e.StatedBy), Statement: statement}
	text, err = json.Marshal(edge)
	at := c.links.of(string(text))
	if at == len(c.result.Edges) {
		c.result.Edges = append(c.result.Edges, edge)
	}
	c.placed[e] = at
	return at, err
}

// Compact returns the impact in the compact form.
func (i *Impact) Compact() *CompactImpact {
	urns := newPlaces()
	rows := make([]CompactImpactRow, len(i.Entities))
	for k := range i.Entities {
		e := &i.Entities[k]
		rows[k] = CompactImpactRow{
			ImpactedEntity: *e, URN: urns.of(e.URN), Platform: urns.given(e.Platform), Parent: urns.given(e.Entity.Entity),
			Owners: urns.all(e.Owners), Behind: urns.given(e.Behind),
		}
	}
	return &CompactImpact{Impact: i, URNs: urns.list, Entities: rows}
}
