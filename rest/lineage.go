package rest

import (
	"net/http"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/limits"
)

// lineageHandlers answer what is up- and downstream, and what depends on it.
type lineageHandlers struct{ catalog *services.Services }

// walk reads the parameters that lineage requests share.
func (r *reader) walk(prefix, otherwise string) lineage.WalkQuery {
	q := lineage.WalkQuery{
		URN: argument(r, r.urnTail, prefix), Direction: strings.ToUpper(argument(r, r.param, "direction")), MaxHops: r.number("hops", 0), Reach: r.number("reach", 0),
	}
	if q.Direction == "" {
		q.Direction = otherwise
	}
	return q
}

func (r *reader) filter() lineage.Filter {
	return lineage.Filter{
		Types: argument(r, r.list, "types"), Platforms: argument(r, r.list, "platforms"), Owners: argument(r, r.list, "owners"),
		Tags: argument(r, r.list, "tags"), Terms: argument(r, r.list, "terms"), Domains: argument(r, r.list, "domains"),
	}
}

// form reads the form of an answer.
func (r *reader) form() string {
	form := argument(r, r.param, "form")
	if r.err == nil {
		r.err = lineage.CheckForm(form)
	}
	return form
}

func (h lineageHandlers) lineage(c *call) error {
	r := &reader{call: c}
	request := lineage.Request{
		Walk: r.walk("/lineage", lineage.Upstream), Filter: r.filter(), Removed: argument(r, c.param, "removed"),
		Start: r.number("start", 0), Count: r.number("count", limits.DefaultRelationships), Paths: r.number("paths", limits.DefaultPaths), Edges: argument(r, c.boolean, "edges"),
		Basis: argument(r, c.boolean, "basis"),
	}
	form := r.form()
	request.Walk.Columns, request.Walk.AsOf = argument(r, c.boolean, "columns"), argument(r, c.moment, "asOf")
	request.Walk.MergeSiblings = argument(r, c.boolean, "mergeSiblings")
	request.Walk.From, request.Walk.To = argument(r, c.moment, "startTimeMillis"), argument(r, c.moment, "endTimeMillis")
	if r.err != nil {
		return r.err
	}
	page, err := h.catalog.Lineage.Of(c.Request.Context(), request)
	if err != nil {
		return h.catalog.Search.WithNearest(c.Request.Context(), err)
	}
	if form == lineage.FormCompact {
		compact, err := page.Compact()
		if err != nil {
			return err
		}
		return c.json(http.StatusOK, compact)
	}
	return c.json(http.StatusOK, page)
}

func (h lineageHandlers) lineageDiff(c *call) error {
	r := &reader{call: c}
	request := lineage.DiffRequest{
		Walk: r.walk("/lineage-diff", lineage.Upstream), Before: argument(r, c.moment, "before"), After: argument(r, c.moment, "after"),
	}
	request.Walk.Columns = argument(r, c.boolean, "columns")
	request.Walk.WithoutRemoved = argument(r, c.param, "removed") == lineage.RemovedStop
	if r.err != nil {
		return r.err
	}
	diff, err := h.catalog.Lineage.Diff(c.Request.Context(), request)
	if err != nil {
		return h.catalog.Search.WithNearest(c.Request.Context(), err)
	}
	return c.json(http.StatusOK, diff)
}

func (h lineageHandlers) impact(c *call) error {
	r := &reader{call: c}
	request := lineage.ImpactRequest{Walk: r.walk("/impact", lineage.Downstream), Filter: r.filter(), Removed: argument(r, c.param, "removed")}
	request.Walk.AsOf = argument(r, c.moment, "asOf")
	request.Change, request.Only = argument(r, c.param, "change"), argument(r, c.param, "only")
	request.Start, request.Count = r.number("start", 0), r.number("count", 0)
	column, format, form := argument(r, c.param, "column"), argument(r, c.param, "format"), r.form()
	if r.err != nil {
		return r.err
	}
	if column != "" {
		built, err := lineage.ColumnOf(request.Walk.URN, column)
		if err != nil {
			return err
		}
		if request.Walk.URN, err = c.urn(built.String()); err != nil {
			return err
		}
	}
	if format != "" && format != "json" && format != "csv" {
		return catalog.Errorf(catalog.Invalid, "parameter format is json or csv, not %q", format)
	}
	impact, err := h.catalog.Lineage.Impact(c.Request.Context(), request)
	if err != nil {
		return h.catalog.Search.WithNearest(c.Request.Context(), err)
	}
	if format == "csv" {
		return answerImpactTable(c, impact)
	}
	if form == lineage.FormCompact {
		return c.json(http.StatusOK, impact.Compact())
	}
	return c.json(http.StatusOK, impact)
}

// maxPathsShown bounds the paths of the legacy form.
const maxPathsShown = 10

func (h lineageHandlers) getLineage(c *call) error {
	body := struct {
		URN       string  `json:"urn"`
		Direction string  `json:"direction"`
		Start     wireInt `json:"start"`
		Count     wireInt `json:"count"`
		MaxHops   wireInt `json:"maxHops"`
	}{Count: limits.DefaultRelationships, MaxHops: 1}
	if err := c.body(&body); err != nil {
		return err
	}
	u, err := c.urn(body.URN)
	if err != nil {
		return err
	}
	page, err := h.catalog.Lineage.Of(c.Request.Context(), lineage.Request{
		Walk:    lineage.WalkQuery{URN: u, Direction: body.Direction, MaxHops: int(body.MaxHops)},
		Removed: lineage.RemovedShow, Start: int(body.Start), Count: int(body.Count), Paths: maxPathsShown,
	})
	if catalog.CodeOf(err) == catalog.NotFound {
		page, err = &lineage.Result{}, nil // an unknown entity has no relationships
	}
	if err != nil {
		return err
	}
	related := make([]lineageRelationship, len(page.Entities))
	for i := range page.Entities {
		related[i] = relatedBy(&page.Entities[i])
	}
	return c.value(map[string]any{
		"start": body.Start, "count": body.Count, "total": page.Total, "relationships": related,
		"partial": page.Partial, "reason": page.Reason,
	})
}
