package rest

import (
	"net/http"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/catalog/services"
)

// aspectHandlers read single aspects and their time series.
type aspectHandlers struct{ catalog *services.Services }

func (h aspectHandlers) versionedAspect(c *call) error {
	urn, err := c.urnTail("/aspects")
	if err != nil {
		return err
	}
	name, err := c.required("aspect")
	if err != nil {
		return err
	}
	version, err := c.integer("version", 0)
	if err != nil {
		return err
	}
	found, err := h.catalog.Aspect(c.Request.Context(), urn, name, version)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, aspectAnswer(found))
}

func (h aspectHandlers) timeSeries(c *call) error {
	var body struct {
		URN    string          `json:"urn"`
		Entity string          `json:"entity"`
		Aspect string          `json:"aspect"`
		Start  *wireInt64      `json:"startTimeMillis"`
		End    *wireInt64      `json:"endTimeMillis"`
		Limit  *wireInt        `json:"limit"`
		Latest wireBool        `json:"latestValue"`
		Filter *catalog.Filter `json:"filter"`
		Sort   *struct {
			Field string `json:"field"`
			Order string `json:"order"`
		} `json:"sort"`
	}
	if err := c.body(&body); err != nil {
		return err
	}
	for _, p := range []struct{ name, value string }{{"urn", body.URN}, {"entity", body.Entity}, {"aspect", body.Aspect}} {
		if p.value == "" {
			return catalog.Errorf(catalog.Invalid, "parameter %s is required", p.name)
		}
	}
	urn, err := c.urn(body.URN)
	if err != nil {
		return err
	}
	request := read.TimeSeriesRequest{
		URN: urn, Entity: body.Entity, Aspect: body.Aspect, Start: (*int64)(body.Start), End: (*int64)(body.End),
		Limit: (*int)(body.Limit), Latest: bool(body.Latest), Filter: body.Filter,
	}
	if body.Sort != nil {
		switch body.Sort.Order {
		case "ASCENDING", "DESCENDING":
			request.Sort = &read.Sort{Field: body.Sort.Field, Descending: body.Sort.Order == "DESCENDING"}
		default:
			return catalog.Errorf(catalog.Invalid, "parameter sort: order must be ASCENDING or DESCENDING, not %q", body.Sort.Order)
		}
	}
	found, err := h.catalog.TimeSeries(c.Request.Context(), request)
	if err != nil {
		return err
	}
	return c.value(found)
}

func (h aspectHandlers) countAspects(c *call) error {
	var body struct {
		Aspect  string `json:"aspect"`
		URNLike string `json:"urnLike"`
	}
	if err := c.body(&body); err != nil {
		return err
	}
	if body.Aspect == "" {
		return catalog.Errorf(catalog.Invalid, "parameter aspect is required")
	}
	n, err := h.catalog.CountAspects(c.Request.Context(), body.Aspect, body.URNLike)
	if err != nil {
		return err
	}
	return c.value(n)
}
