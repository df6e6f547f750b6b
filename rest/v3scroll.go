package rest

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// v3ScrollHandlers go through the entities that a search finds.
type v3ScrollHandlers struct{ catalog *services.Services }

// v3Filter is a filter in the form of this interface: the outer list is called
// and, but any of its members may hold.
type v3Filter struct {
	And []struct {
		Criteria []catalog.Criterion `json:"criteria"`
	} `json:"and"`
	catalog.Filter
}

func (f *v3Filter) filter() *catalog.Filter {
	if f == nil {
		return nil
	}
	all := f.Filter
	for _, one := range f.And {
		all.Or = append(all.Or, catalog.Conjunction{And: one.Criteria})
	}
	return &all
}

// v3Scroll is what a scroll asks for: what its scroll id is bound to.
type v3Scroll struct {
	Types   []string
	Query   string
	Filter  *catalog.Filter
	Sort    search.SortCriterion
	Removed bool
}

// pageForm is the form in which a page of a scroll is answered.
type pageForm func(*scrollPage) jsonAppender

func v3Form(p *scrollPage) jsonAppender { return v3Page{p} }

func v2Form(p *scrollPage) jsonAppender { return v2Page{p} }

// list scrolls through the entities of the type in the path.
func (h v3ScrollHandlers) list(form pageForm) func(*call) error {
	return func(c *call) error {
		e, err := c.typePart()
		if err != nil {
			return err
		}
		aspects, err := c.aspectNames(e)
		if err != nil {
			return err
		}
		q := v3Scroll{Types: []string{e.Name}}
		r := &reader{call: c}
		q.Sort.Field = cmp.Or(argument(r, c.param, "sortCriteria"), argument(r, c.param, "sort"))
		q.Sort.Order = argument(r, c.param, "sortOrder")
		if r.err != nil {
			return r.err
		}
		return h.scroll(c, &q, aspects, form)
	}
}

// across scrolls through entities of several types.
func (h v3ScrollHandlers) across(c *call) error {
	var body struct {
		Types   []string               `json:"entities"`
		Aspects *[]string              `json:"aspects"`
		Filter  *v3Filter              `json:"filter"`
		Sort    []search.SortCriterion `json:"sortCriteria"`
	}
	if err := c.optionalBody(&body); err != nil {
		return err
	}
	q := v3Scroll{Types: body.Types, Filter: body.Filter.filter()}
	field, err := c.param("sort")
	if err != nil {
		return err
	}
	if q.Sort.Field = field; len(body.Sort) > 0 {
		q.Sort = body.Sort[0]
	}
	if n := len(body.Sort); n > 2 || n == 2 && body.Sort[1].Field != "urn" {
		return catalog.Errorf(catalog.Invalid, "parameter sortCriteria: entities are sorted by one field, and then by urn")
	}
	aspects := catalog.StoredAspects{None: body.Aspects == nil}
	if body.Aspects != nil {
		aspects.Names = *body.Aspects
	}
	return h.scroll(c, &q, aspects, v3Form)
}

// optionalBody decodes the body if there is one.
func (c *call) optionalBody(into any) error {
	if c.Request.Body == http.NoBody || c.Request.ContentLength == 0 {
		return nil
	}
	return c.body(into)
}

// scroll answers a page of a scroll.
func (h v3ScrollHandlers) scroll(c *call, q *v3Scroll, aspects catalog.StoredAspects, form pageForm) error {
	r := &reader{call: c}
	q.Query, q.Removed = cmp.Or(argument(r, c.param, "query"), "*"), argument(r, c.boolean, "includeSoftDelete")
	q.Sort.Field = cmp.Or(q.Sort.Field, "urn")
	stamps, count, id := argument(r, c.boolean, "systemMetadata"), r.number("count", limits.DefaultSearchPage), argument(r, c.param, "scrollId")
	if r.err != nil {
		return r.err
	}
	if count < 1 {
		return catalog.Errorf(catalog.Invalid, "parameter count must be at least 1")
	}
	if !aspects.None {
		count = min(count, limits.MaxEntityPage)
	}
	place, err := openScroll(q, id)
	if err != nil {
		return err
	}
	empty, err := c.slice()
	if err != nil {
		return err
	}
	if empty {
		return c.json(http.StatusOK, form(&scrollPage{}))
	}
	ctx, _ := search.WithWarnings(c.Request.Context())
	found, err := h.catalog.Search.Search(ctx, search.Request{
		Types: q.Types, Input: q.Query, Filter: q.filter(), Sort: &q.Sort, Count: min(count, limits.MaxIDs), Facets: []string{}, WithoutMatches: true,
		Operators: true, Scroll: true, ScrollID: place,
	})
	if err != nil {
		return err
	}
	urns := make([]model.URN, len(found.Hits))
	for i := range found.Hits {
		urns[i] = model.StoredURN(found.Hits[i].URN)
	}
	stored, err := h.catalog.Stored(ctx, urns, aspects)
	if err != nil {
		return err
	}
	page := scrollPage{scrollID: sealScroll(q, found.ScrollID), total: found.Total, entities: make(v3Entities, len(stored))}
	for i := range stored {
		page.entities[i] = v3Of(&stored[i], stamps)
	}
	return c.json(http.StatusOK, form(&page))
}

// filter returns the filter of the search. Searches hide soft-deleted entities
// unless a criterion names the mark, so one that always holds is added to include
// them.
func (q *v3Scroll) filter() *catalog.Filter {
	if !q.Removed {
		return q.Filter
	}
	always := catalog.Criterion{Field: "removed", Condition: catalog.CondExists}
	conjunctions := q.Filter.Conjunctions()
	if len(conjunctions) == 0 {
		conjunctions = []catalog.Conjunction{{}}
	}
	filter := &catalog.Filter{}
	for _, all := range conjunctions {
		filter.Or = append(filter.Or, catalog.Conjunction{And: append(slices.Clone(all.And), always)})
	}
	return filter
}
