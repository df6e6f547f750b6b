package v3

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/rest/call"
	"github.com/headwater-io/headwater/rest/stored"
)

// scrollHandlers list the entities that a search finds, page by page.
type scrollHandlers struct{ catalog *services.Services }

// filterBody is a filter in the form of this interface. The outer list is called "and", but
// its members are alternatives.
type filterBody struct {
	And []struct {
		Criteria []catalog.Criterion `json:"criteria"`
	} `json:"and"`
	catalog.Filter
}

func (f *filterBody) filter() *catalog.Filter {
	if f == nil {
		return nil
	}
	all := f.Filter
	for _, one := range f.And {
		all.Or = append(all.Or, catalog.Conjunction{And: one.Criteria})
	}
	return &all
}

// scrollQuestion is the question of a scroll. The scroll id is bound to it.
type scrollQuestion struct {
	Types   []string
	Query   string
	Filter  *catalog.Filter
	Sort    search.SortCriterion
	Removed bool
}

// pageForm returns a page of a scroll in one form of the interface.
type pageForm func(*scrollPage) stored.Appender

func v3Form(p *scrollPage) stored.Appender { return v3Page{p} }

func v2Form(p *scrollPage) stored.Appender { return v2Page{p} }

// list answers scrolls through the entities of the type in the path.
func (h scrollHandlers) list(form pageForm) func(*call.Call) error {
	return func(c *call.Call) error {
		e, err := c.TypePart()
		if err != nil {
			return err
		}
		aspects, err := readAspectNames(c, e)
		if err != nil {
			return err
		}
		q := scrollQuestion{Types: []string{e.Name}}
		r := &call.Reader{Call: c}
		q.Sort.Field = cmp.Or(call.Argument(r, c.Text, "sortCriteria"), call.Argument(r, c.Text, "sort"))
		q.Sort.Order = call.Argument(r, c.Text, "sortOrder")
		if r.Err != nil {
			return r.Err
		}
		return h.scroll(c, &q, aspects, form)
	}
}

// across answers scrolls through entities of several types.
func (h scrollHandlers) across(c *call.Call) error {
	var body struct {
		Types   []string               `json:"entities"`
		Aspects *[]string              `json:"aspects"`
		Filter  *filterBody            `json:"filter"`
		Sort    []search.SortCriterion `json:"sortCriteria"`
	}
	if err := readOptionalBody(c, &body); err != nil {
		return err
	}
	q := scrollQuestion{Types: body.Types, Filter: body.Filter.filter()}
	field, err := c.Text("sort")
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

// readOptionalBody decodes the body, if the request has one.
func readOptionalBody(c *call.Call, into any) error {
	if c.Request.Body == http.NoBody || c.Request.ContentLength == 0 {
		return nil
	}
	return c.Body(into)
}

// scroll answers with one page of a scroll.
func (h scrollHandlers) scroll(c *call.Call, q *scrollQuestion, aspects catalog.StoredAspects, form pageForm) error {
	r := &call.Reader{Call: c}
	q.Query, q.Removed = cmp.Or(call.Argument(r, c.Text, "query"), "*"), call.Argument(r, c.Boolean, "includeSoftDelete")
	q.Sort.Field = cmp.Or(q.Sort.Field, "urn")
	stamps, count, id := call.Argument(r, c.Boolean, "systemMetadata"), r.Number("count", limits.DefaultSearchPage), call.Argument(r, c.Text, "scrollId")
	if r.Err != nil {
		return r.Err
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
	empty, err := readSlice(c)
	if err != nil {
		return err
	}
	if empty {
		return c.JSON(http.StatusOK, form(&scrollPage{}))
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
	page := scrollPage{scrollID: sealScroll(q, found.ScrollID), total: found.Total, entities: make(entityList, len(stored))}
	for i := range stored {
		page.entities[i] = answerOf(&stored[i], stamps)
	}
	return c.JSON(http.StatusOK, form(&page))
}

// filter returns the filter of the search. Searches hide soft-deleted entities unless a
// criterion names the field removed. To include these entities, filter adds a criterion on
// this field that always holds.
func (q *scrollQuestion) filter() *catalog.Filter {
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
