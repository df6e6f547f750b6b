package read

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/matching"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// TimeSeriesRequest asks for values of a time-series aspect.
type TimeSeriesRequest struct {
	URN            model.URN
	Entity, Aspect string
	// Start and End bound timestampMillis, both included; nil is unbounded.
	Start, End *int64
	// Limit bounds the values; nil means limits.MaxTimeSeriesValues.
	Limit *int
	// Latest asks only for the newest value.
	Latest bool
	Filter *catalog.Filter
	Sort   *Sort
}

// Sort orders values by a field.
type Sort struct {
	Field      string
	Descending bool
}

// TimeSeriesResponse has the values of a time series, the newest first unless the request sorts
// them.
type TimeSeriesResponse struct {
	EntityName string               `json:"entityName"`
	AspectName string               `json:"aspectName"`
	Limit      int                  `json:"limit"`
	Start      *int64               `json:"startTimeMillis,omitempty"`
	End        *int64               `json:"endTimeMillis,omitempty"`
	Values     []TimeSeriesEnvelope `json:"values"`
}

// TimeSeriesEnvelope is a value as text with its system metadata.
type TimeSeriesEnvelope struct {
	Aspect model.GenericContent    `json:"aspect"`
	System *catalog.SystemMetadata `json:"systemMetadata,omitempty"`
}

// TimeSeries returns values of a time-series aspect.
func (rd *Reader) TimeSeries(ctx context.Context, q TimeSeriesRequest) (TimeSeriesResponse, error) {
	u := q.URN
	entity, err := rd.EntityType(q.Entity)
	if err != nil {
		return TimeSeriesResponse{}, err
	}
	if entity.Name != u.EntityType() {
		return TimeSeriesResponse{}, catalog.Errorf(catalog.Invalid, "the urn %s is of type %s, the request has %s", u, u.EntityType(), entity.Name)
	}
	if err := rd.checkTimeSeries(entity, &q); err != nil {
		return TimeSeriesResponse{}, err
	}
	limit := q.limit()
	values, err := rd.matchingValues(ctx, u, &q, limit, limits.MaxValuesBytes)
	if err != nil {
		return TimeSeriesResponse{}, err
	}
	response := TimeSeriesResponse{
		EntityName: entity.Name, AspectName: q.Aspect, Limit: limit, Start: q.Start, End: q.End,
		Values: make([]TimeSeriesEnvelope, len(values)),
	}
	for i := range values {
		response.Values[i] = TimeSeriesEnvelope{
			Aspect: model.GenericContent{Value: string(values[i].Value), ContentType: "application/json"},
			System: catalog.SystemOf(&values[i].System),
		}
	}
	return response, nil
}

// SeriesValue is a value of a time series at its time, epoch milliseconds.
type SeriesValue struct {
	Time  int64
	Value json.RawMessage
}

// SeriesValues returns values of a time-series aspect with their times, at most
// limits.MaxSeriesValues, the newest first.
func (rd *Reader) SeriesValues(ctx context.Context, q TimeSeriesRequest) ([]SeriesValue, error) {
	entity, err := rd.EntityType(q.Entity)
	if err != nil {
		return nil, err
	}
	if err := rd.checkTimeSeries(entity, &q); err != nil {
		return nil, err
	}
	if limit := q.limit(); limit < 0 || limit > limits.MaxSeriesValues {
		return nil, catalog.Errorf(catalog.Invalid, "from 0 to %d values of a time series are returned", limits.MaxSeriesValues)
	}
	found, err := rd.matchingValues(ctx, q.URN, &q, q.limit(), limits.MaxSeriesBytes)
	if err != nil {
		return nil, err
	}
	values := make([]SeriesValue, len(found))
	for i := range found {
		values[i] = SeriesValue{Time: found[i].Timestamp, Value: found[i].Value}
	}
	return values, nil
}

// LatestValues returns the newest value of a time-series aspect for each of the entities that
// has one, by the text of the URN.
func (rd *Reader) LatestValues(ctx context.Context, urns []model.URN, aspect string) (map[string]json.RawMessage, error) {
	found, err := rd.store.LatestTimeSeries(ctx, catalog.Texts(urns), []string{aspect})
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	values := make(map[string]json.RawMessage, len(found))
	for urn, newest := range found {
		values[urn] = newest[0].Value
	}
	return values, nil
}

// sortable is a value with the value of the field by which it is sorted.
type sortable struct {
	graphstore.TimeSeriesValue
	by any
}

// timeSeriesPageBytes bounds the size of the values that are read at once while filtering.
const timeSeriesPageBytes = 8 << 20

// matchingValues reads the values that pass the filter, a page at a time. matchingValues keeps
// one page and the values to return or, if they are sorted by another field than the time, all
// that pass. matchingValues fails if these are larger than most bytes.
func (rd *Reader) matchingValues(ctx context.Context, u model.URN, q *TimeSeriesRequest, limit, most int) ([]sortable, error) {
	byTime := q.Sort == nil || timeField(q.Sort.Field)
	query := graphstore.TimeSeriesQuery{
		URN: u.String(), Aspect: q.Aspect, From: optional.Or(q.Start, 0), To: optional.Or(q.End, 0),
		Ascending: q.Sort != nil && byTime && !q.Sort.Descending, Bytes: timeSeriesPageBytes,
	}
	var found []sortable
	held := 0
	for len(found) < limit || !byTime {
		query.Limit = matching.TimeSeriesPage
		if q.Filter.Empty() && byTime {
			query.Limit = min(limit-len(found), matching.TimeSeriesPage)
		}
		page, err := rd.store.TimeSeries(ctx, query)
		if err != nil {
			return nil, catalog.StoreFailure(err)
		}
		read := 0
		for _, v := range page {
			read += len(v.Value)
			item := sortable{TimeSeriesValue: v}
			if !q.Filter.Empty() || !byTime {
				value, err := rd.Registry().ParseStored(q.Aspect, v.Value)
				if err != nil {
					return nil, &catalog.Error{Code: catalog.Internal, Message: "internal error", Err: err}
				}
				fields := matching.TimeSeriesFields{Value: &item.TimeSeriesValue, Tree: value.Tree}
				if !matching.Matches(q.Filter, fields) {
					continue
				}
				if !byTime {
					item.by = first(fields.Values(q.Sort.Field))
				}
			}
			if held += len(v.Value); held > most {
				return nil, catalog.Errorf(catalog.Invalid, "the values of %s are larger than %d bytes together; ask for fewer with a limit or a shorter time", q.Aspect, most)
			}
			found = append(found, item)
		}
		if len(page) < query.Limit && read < query.Bytes {
			break
		}
		last := page[len(page)-1]
		query.After = &graphstore.TimeSeriesPosition{Timestamp: last.Timestamp, Key: last.Key}
	}
	if !byTime {
		slices.SortStableFunc(found, func(a, b sortable) int {
			order := jsontree.Compare(a.by, b.by)
			if q.Sort.Descending {
				order = -order
			}
			return order
		})
	}
	return found[:min(limit, len(found))], nil
}

// timeField reports whether a field is the timestamp by which the store orders values.
func timeField(name string) bool {
	return name == "timestampMillis" || name == "@timestamp" || name == ""
}

func first(values []any) any {
	if len(values) == 0 {
		return nil
	}
	return values[0]
}
