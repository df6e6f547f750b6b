package lineage

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/overlay"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
)

// lineageHandlers serve walks, differences and impact.
type lineageHandlers struct{ catalog *services.Services }

// readWalk reads the parameters that lineage requests share.
func readWalk(r *call.Reader, prefix, otherwise string) lineage.WalkQuery {
	q := lineage.WalkQuery{
		URN: call.Argument(r, r.URNTail, prefix), Direction: strings.ToUpper(call.Argument(r, r.Text, "direction")), MaxHops: r.Number("hops", 0), Reach: r.Number("reach", 0),
	}
	if q.Direction == "" {
		q.Direction = otherwise
	}
	return q
}

func readFilter(r *call.Reader) lineage.Filter {
	return lineage.Filter{
		Types: call.Argument(r, r.List, "types"), Platforms: call.Argument(r, r.List, "platforms"), Owners: call.Argument(r, r.List, "owners"),
		Tags: call.Argument(r, r.List, "tags"), Terms: call.Argument(r, r.List, "terms"), Domains: call.Argument(r, r.List, "domains"),
	}
}

// readForm reads the parameter that selects the form of an answer.
func readForm(r *call.Reader) string {
	form := call.Argument(r, r.Text, "form")
	if r.Err == nil {
		r.Err = lineage.CheckForm(form)
	}
	return form
}

// overlaid is a body with an overlay.
type overlaid struct {
	Overlay []json.RawMessage `json:"overlay"`
}

// overlayOf reads the overlay in the body of a request. A body without an overlay is an error: its sender would believe
// that the answer takes an overlay into account.
func overlayOf(c *call.Call) (overlaid, error) {
	var body overlaid
	if err := c.Body(&body); err != nil {
		return body, err
	}
	if body.Overlay == nil {
		return body, catalog.Errorf(catalog.Invalid, "the body has no overlay, a list of proposals")
	}
	return body, nil
}

func (h lineageHandlers) compareOver(c *call.Call) error {
	body, err := overlayOf(c)
	if err != nil {
		return err
	}
	r := &call.Reader{Call: c}
	request := overlay.CompareRequest{Hops: r.Number("hops", 1)}
	urn := call.Argument(r, c.Text, "urn")
	if r.Err != nil {
		return r.Err
	}
	if urn != "" {
		if request.URN, err = c.URN(urn); err != nil {
			return err
		}
	}
	found, err := h.catalog.Overlays.Compare(c.Request.Context(), body.Overlay, request)
	if err != nil {
		return h.catalog.Search.WithNearest(c.Request.Context(), err)
	}
	return c.JSON(http.StatusOK, found)
}

// lineage answers over the catalog, and lineageOver over the overlay in the body.
func (h lineageHandlers) lineage(c *call.Call) error { return h.answerLineage(c, h.catalog.Lineage.Of) }

func (h lineageHandlers) lineageOver(c *call.Call) error {
	body, err := overlayOf(c)
	if err != nil {
		return err
	}
	return h.answerLineage(c, func(ctx context.Context, r lineage.Request) (*lineage.Result, error) {
		return h.catalog.Overlays.Of(ctx, body.Overlay, r)
	})
}

func (h lineageHandlers) answerLineage(c *call.Call, of func(context.Context, lineage.Request) (*lineage.Result, error)) error {
	r := &call.Reader{Call: c}
	request := lineage.Request{
		Walk: readWalk(r, "/lineage", lineage.Upstream), Filter: readFilter(r), Removed: call.Argument(r, c.Text, "removed"),
		Start: r.Number("start", 0), Count: r.Number("count", limits.DefaultRelationships), Paths: r.Number("paths", limits.DefaultPaths), Edges: call.Argument(r, c.Boolean, "edges"),
		Basis: call.Argument(r, c.Boolean, "basis"),
	}
	form := readForm(r)
	request.Walk.Columns, request.Walk.AsOf = call.Argument(r, c.Boolean, "columns"), call.Argument(r, c.Moment, "asOf")
	request.Walk.MergeSiblings = call.Argument(r, c.Boolean, "mergeSiblings")
	request.Walk.From, request.Walk.To = call.Argument(r, c.Moment, "startTimeMillis"), call.Argument(r, c.Moment, "endTimeMillis")
	if r.Err != nil {
		return r.Err
	}
	page, err := of(c.Request.Context(), request)
	if err != nil {
		return h.catalog.Search.WithNearest(c.Request.Context(), err)
	}
	if form == lineage.FormCompact {
		compact, err := page.Compact()
		if err != nil {
			return err
		}
		return c.JSON(http.StatusOK, compact)
	}
	return c.JSON(http.StatusOK, page)
}

func (h lineageHandlers) lineageDiff(c *call.Call) error {
	r := &call.Reader{Call: c}
	request := lineage.DiffRequest{
		Walk: readWalk(r, "/lineage-diff", lineage.Upstream), Before: call.Argument(r, c.Moment, "before"), After: call.Argument(r, c.Moment, "after"),
	}
	request.Walk.Columns = call.Argument(r, c.Boolean, "columns")
	request.Walk.WithoutRemoved = call.Argument(r, c.Text, "removed") == lineage.RemovedStop
	if r.Err != nil {
		return r.Err
	}
	diff, err := h.catalog.Lineage.Diff(c.Request.Context(), request)
	if err != nil {
		return h.catalog.Search.WithNearest(c.Request.Context(), err)
	}
	return c.JSON(http.StatusOK, diff)
}

// impact answers over the catalog, and impactOver over the overlay in the body.
func (h lineageHandlers) impact(c *call.Call) error {
	return h.answerImpact(c, h.catalog.Lineage.Impact)
}

func (h lineageHandlers) impactOver(c *call.Call) error {
	body, err := overlayOf(c)
	if err != nil {
		return err
	}
	return h.answerImpact(c, func(ctx context.Context, r lineage.ImpactRequest) (*lineage.Impact, error) {
		return h.catalog.Overlays.Impact(ctx, body.Overlay, r)
	})
}

func (h lineageHandlers) answerImpact(c *call.Call, of func(context.Context, lineage.ImpactRequest) (*lineage.Impact, error)) error {
	r := &call.Reader{Call: c}
	request := lineage.ImpactRequest{Walk: readWalk(r, "/impact", lineage.Downstream), Filter: readFilter(r), Removed: call.Argument(r, c.Text, "removed")}
	request.Walk.AsOf = call.Argument(r, c.Moment, "asOf")
	request.Change, request.Only = call.Argument(r, c.Text, "change"), call.Argument(r, c.Text, "only")
	request.Start, request.Count = r.Number("start", 0), r.Number("count", 0)
	column, format, form := call.Argument(r, c.Text, "column"), call.Argument(r, c.Text, "format"), readForm(r)
	if r.Err != nil {
		return r.Err
	}
	if column != "" {
		built, err := lineage.ColumnOf(request.Walk.URN, column)
		if err != nil {
			return err
		}
		if request.Walk.URN, err = c.URN(built.String()); err != nil {
			return err
		}
	}
	if format != "" && format != "json" && format != "csv" {
		return catalog.Errorf(catalog.Invalid, "parameter format is json or csv, not %q", format)
	}
	impact, err := of(c.Request.Context(), request)
	if err != nil {
		return h.catalog.Search.WithNearest(c.Request.Context(), err)
	}
	if format == "csv" {
		return answerImpactTable(c, impact)
	}
	if form == lineage.FormCompact {
		return c.JSON(http.StatusOK, impact.Compact())
	}
	return c.JSON(http.StatusOK, impact)
}

// maxPathsShown bounds the paths of the legacy form.
const maxPathsShown = 10

func (h lineageHandlers) getLineage(c *call.Call) error {
	body := struct {
		URN       string   `json:"urn"`
		Direction string   `json:"direction"`
		Start     call.Int `json:"start"`
		Count     call.Int `json:"count"`
		MaxHops   call.Int `json:"maxHops"`
	}{Count: limits.DefaultRelationships, MaxHops: 1}
	if err := c.Body(&body); err != nil {
		return err
	}
	u, err := c.URN(body.URN)
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
	return c.Answer(map[string]any{
		"start": body.Start, "count": body.Count, "total": page.Total, "relationships": related,
		"partial": page.Partial, "reason": page.Reason,
	})
}
