package read

import (
	"context"
	"encoding/json"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// AllSeriesRequest asks for the values that all entities of a type have in a time series.
type AllSeriesRequest struct {
	Entity, Aspect string
	// Start and End bound timestampMillis, both included; nil is unbounded.
	Start, End *int64
	// Count bounds the values of a page. After is the next place that the page before returned.
	Count int
	After string
}

// SeriesRow is a value of a time series with its entity.
type SeriesRow struct {
	URN string
	// Time is timestampMillis, epoch milliseconds. MessageID distinguishes values of the same
	// time, "" for none.
	Time      int64
	MessageID string
	Value     json.RawMessage
	System    *catalog.SystemMetadata
}

func seriesRowOf(v *graphstore.TimeSeriesValue) (SeriesRow, error) {
	var named struct {
		MessageID string `json:"messageId"`
	}
	err := json.Unmarshal(v.Value, &named)
	return SeriesRow{v.URN, v.Timestamp, named.MessageID, v.Value, catalog.SystemOf(&v.System)}, err
}

// seriesAtOnce is the number of values that are read at once.
const seriesAtOnce = 100

// AllSeries returns the values that all entities of a type have in a time series, the newest
// first, and the place of the next page, "" after the last page. A page ends before Count when
// its values reach limits.MaxSeriesPageBytes, or when limits.MaxScannedValues were read.
func (rd *Reader) AllSeries(ctx context.Context, r AllSeriesRequest) (values []SeriesRow, next string, err error) {
	entity, err := rd.EntityType(r.Entity)
	if err != nil {
		return nil, "", err
	}
	if err := rd.checkTimeSeries(entity, &TimeSeriesRequest{Aspect: r.Aspect, Start: r.Start, End: r.End}); err != nil {
		return nil, "", err
	}
	if r.Count < 1 || r.Count > limits.MaxEntityPage {
		return nil, "", catalog.Errorf(catalog.Invalid, "count must be between 1 and %d", limits.MaxEntityPage)
	}
	q := graphstore.SeriesOfAll{Aspect: r.Aspect, From: optional.Or(r.Start, 0), To: optional.Or(r.End, 0), After: r.After}
	values = []SeriesRow{}
	for size, read := 0, 0; len(values) < r.Count && size < limits.MaxSeriesPageBytes && read < limits.MaxScannedValues; {
		q.Limit = min(r.Count-len(values), seriesAtOnce)
		page, after, err := rd.store.TimeSeriesOfAll(ctx, q)
		if err != nil {
			return nil, "", catalog.StoreFailure(err)
		}
		read += len(page)
		for i := range page {
			// In a custom model, several entity types may have the same series.
			if model.StoredURN(page[i].URN).EntityType() != entity.Name {
				continue
			}
			row, err := seriesRowOf(&page[i])
			if err != nil {
				return nil, "", err
			}
			values = append(values, row)
			size += len(row.Value)
		}
		if q.After = after; after == "" {
			break
		}
	}
	return values, q.After, nil
}
