package restli

import (
	"net/http"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/rest/call"
	"github.com/headwater-io/headwater/rest/stored"
)

// aspectHandlers read single aspects and their time series.
type aspectHandlers struct{ catalog *services.Services }

func (h aspectHandlers) versionedAspect(c *call.Call) error {
	urn, err := c.URNTail("/aspects")
	if err != nil {
		return err
	}
	name, err := c.Required("aspect")
	if err != nil {
		return err
	}
	version, err := c.Integer("version", 0)
	if err != nil {
		return err
	}
	found, err := h.catalog.Aspect(c.Request.Context(), urn, name, version)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, stored.Aspect(found))
}

func (h aspectHandlers) timeSeries(c *call.Call) error {
	var body struct {
		URN    string          `json:"urn"`
		Entity string          `json:"entity"`
		Aspect string          `json:"aspect"`
		Start  *call.Int64     `json:"startTimeMillis"`
		End    *call.Int64     `json:"endTimeMillis"`
		Limit  *call.Int       `json:"limit"`
		Latest call.Bool       `json:"latestValue"`
		Filter *catalog.Filter `json:"filter"`
		Sort   *struct {
			Field string `json:"field"`
			Order string `json:"order"`
		} `json:"sort"`
	}
	if err := c.Body(&body); err != nil {
		return err
	}
	for _, p := range []struct{ name, value string }{{"urn", body.URN}, {"entity", body.Entity}, {"aspect", body.Aspect}} {
		if p.value == "" {
			return catalog.Errorf(catalog.Invalid, "parameter %s is required", p.name)
		}
	}
	urn, err := c.URN(body.URN)
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
	return c.Answer(found)
}

func (h aspectHandlers) countAspects(c *call.Call) error {
	var body struct {
		Aspect  string `json:"aspect"`
		URNLike string `json:"urnLike"`
	}
	if err := c.Body(&body); err != nil {
		return err
	}
	if body.Aspect == "" {
		return catalog.Errorf(catalog.Invalid, "parameter aspect is required")
	}
	n, err := h.catalog.CountAspects(c.Request.Context(), body.Aspect, body.URNLike)
	if err != nil {
		return err
	}
	return c.Answer(n)
}
