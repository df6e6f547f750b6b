package v3

import (
	"encoding/json"
	"net/http"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
)

// seriesScrollHandlers list the values of a time series of all entities.
type seriesScrollHandlers struct{ catalog *services.Services }

// seriesScroll is the question of a scroll. The scroll id is bound to it.
type seriesScroll struct {
	Entity, Aspect string
	Start, End     *int64
}

// seriesRow is a time-series value with its entity.
type seriesRow struct {
	Time      int64                   `json:"timestampMillis"`
	URN       string                  `json:"urn"`
	Event     json.RawMessage         `json:"event"`
	MessageID string                  `json:"messageId,omitempty"`
	System    *catalog.SystemMetadata `json:"systemMetadata,omitempty"`
}

// readBound reads a bound of a time range in epoch milliseconds. It returns nil if the
// parameter is missing or 0.
func readBound(r *call.Reader, name string) *int64 {
	n := call.Argument(r, func(name string) (int64, error) { return r.Integer(name, 0) }, name)
	if n == 0 {
		return nil
	}
	return &n
}

func (h seriesScrollHandlers) values(c *call.Call) error {
	e, err := c.TypePart()
	if err != nil {
		return err
	}
	name := []string{c.Parts["aspect"]}
	if err := c.Spell(e, name); err != nil {
		return err
	}
	r := &call.Reader{Call: c}
	q := seriesScroll{Entity: e.Name, Aspect: name[0], Start: readBound(r, "startTimeMillis"), End: readBound(r, "endTimeMillis")}
	stamps, count, id := call.Argument(r, c.Boolean, "systemMetadata"), r.Number("count", limits.DefaultSearchPage), call.Argument(r, c.Text, "scrollId")
	if r.Err != nil {
		return r.Err
	}
	place, err := openScroll(q, id)
	if err != nil {
		return err
	}
	values, next, err := h.catalog.AllSeries(c.Request.Context(), read.AllSeriesRequest{
		Entity: q.Entity, Aspect: q.Aspect, Start: q.Start, End: q.End, Count: min(count, limits.MaxEntityPage), After: place,
	})
	if err != nil {
		return err
	}
	rows := make([]seriesRow, len(values))
	for i := range values {
		rows[i] = seriesRow{Time: values[i].Time, URN: values[i].URN, Event: values[i].Value, MessageID: values[i].MessageID}
		if stamps {
			rows[i].System = values[i].System
		}
	}
	return c.JSON(http.StatusOK, struct {
		ScrollID string      `json:"scrollId,omitempty"`
		Results  []seriesRow `json:"results"`
	}{sealScroll(q, next), rows})
}
