package stats

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/matching"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// statsAtOnce bounds the requests that aggregate values at once.
const statsAtOnce = 2

// StatsRequest asks for values of a time-series aspect, aggregated in groups.
type StatsRequest struct {
	EntityName string            `json:"entityName"`
	AspectName string            `json:"aspectName"`
	Filter     *catalog.Filter   `json:"filter"`
	Metrics    []AggregationSpec `json:"metrics"`
	Buckets    []GroupingBucket  `json:"buckets"`
}

// AggregationSpec is a metric: LATEST, SUM or CARDINALITY of a field.
type AggregationSpec struct {
	FieldPath       string `json:"fieldPath"`
	AggregationType string `json:"aggregationType"`
}

// GroupingBucket groups values by windows of time, or by the values of a field.
type GroupingBucket struct {
	// Type is DATE_GROUPING_BUCKET, which groups by timestampMillis, or STRING_GROUPING_BUCKET.
	Type           string          `json:"type"`
	Key            string          `json:"key"`
	TimeWindowSize *TimeWindowSize `json:"timeWindowSize,omitempty"`
}

// TimeWindowSize is the length of a time window, such as 1 DAY.
type TimeWindowSize struct {
	Unit string `json:"unit"`
	// A nil Multiple means 1.
	Multiple *int64 `json:"multiple,omitempty"`
}

// StatsTable has a row for each group: the keys of the group, then the metrics, all as texts.
type StatsTable struct {
	ColumnNames []string   `json:"columnNames"`
	ColumnTypes []string   `json:"columnTypes"`
	Rows        [][]string `json:"rows"`
}

const (
	dateBucket   = "DATE_GROUPING_BUCKET"
	stringBucket = "STRING_GROUPING_BUCKET"
	latestMetric = "LATEST"
	sumMetric    = "SUM"
	countMetric  = "CARDINALITY"
	timestamp    = "timestampMillis"
	// noValue is the text for a latest value that does not exist.
	noValue = "NULL"
)

// TimeSeriesStats aggregates values of a time-series aspect. A value is split into documents:
// each item of a list of records is one document, and the rest of the value is another. So a
// group by a member of a list has only documents of that list.
func (s *Service) TimeSeriesStats(ctx context.Context, r StatsRequest) (*StatsTable, error) {
	entity, err := s.names.EntityType(r.EntityName)
	if err != nil {
		return nil, err
	}
	aspect, ok := s.registry.Aspect(r.AspectName)
	if !ok || !entity.Has(r.AspectName) || !aspect.TimeSeries {
		return nil, catalog.Errorf(catalog.Invalid, "%s is not a time-series aspect of %s", r.AspectName, entity.Name)
	}
	if err := r.Filter.Check(); err != nil {
		return nil, err
	}
	table, err := newStatsTable(aspect, &r)
	if err != nil {
		return nil, err
	}
	leave, err := s.lane.Enter(ctx)
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	defer leave()
	scope := s.statsScope(r.Filter)
	urns, err := s.statsEntities(ctx, entity.Name, scope)
	if err != nil {
		return nil, err
	}
	work := &statsWork{c: s, aspect: aspect, filter: scope.filter, table: table}
	for _, urn := range urns {
		if err := work.read(ctx, graphstore.TimeSeriesQuery{URN: urn, Aspect: r.AspectName, From: scope.from, To: scope.to, Limit: matching.TimeSeriesPage}); err != nil {
			return nil, err
		}
	}
	return table.finish()
}

// statsScope bounds the values that are read, as far as the filter allows. The filter itself is
// then applied to each value.
type statsScope struct {
	filter *catalog.Filter
	// urns are the entities that the filter names. If open is set, the filter does not bound the
	// entities.
	urns []string
	open bool
	// from and to bound the timestamps; 0 is unbounded.
	from, to int64
}

func (s *Service) statsScope(f *catalog.Filter) statsScope {
	scope := statsScope{filter: &catalog.Filter{}}
	alternatives := f.Conjunctions()
	if len(alternatives) == 0 {
		scope.open = true
	}
	for _, alternative := range alternatives {
		and, named := slices.Clone(alternative.And), false
		for i := range and {
			criterion := &and[i]
			if strings.TrimSuffix(criterion.Field, ".keyword") != "urn" {
				continue
			}
			operands := slices.Clone(criterion.Operands())
			for k := range operands {
				operands[k] = s.names.Spelled(operands[k])
			}
			criterion.Value, criterion.Values = "", operands
			if !criterion.Negated && slices.Contains([]string{"", catalog.CondEqual, catalog.CondIn}, criterion.Condition) && len(operands) > 0 {
				scope.urns, named = append(scope.urns, operands...), true
			}
		}
		scope.open = scope.open || !named
		scope.filter.Or = append(scope.filter.Or, catalog.Conjunction{And: and})
	}
	if len(alternatives) == 1 {
		scope.from, scope.to = timeBounds(alternatives[0].And)
	}
	return scope
}

// timeBounds returns the bounds that criteria set for the timestamp; 0 is unbounded.
func timeBounds(criteria []catalog.Criterion) (from, to int64) {
	for i := range criteria {
		criterion := &criteria[i]
		operands := criterion.Operands()
		if criterion.Field != timestamp || criterion.Negated || len(operands) != 1 {
			continue
		}
		n, err := strconv.ParseInt(operands[0], 10, 64)
		if err != nil || n <= 0 {
			continue
		}
		switch criterion.Condition {
		case catalog.CondGreaterThan, catalog.CondGreaterThanOrEqual:
			from = max(from, n)
		case catalog.CondLessThan, catalog.CondLessThanOrEqual:
			if to == 0 || n < to {
				to = n
			}
		}
	}
	return from, to
}

// statsEntities returns the entities whose values are read.
func (s *Service) statsEntities(ctx context.Context, entityType string, scope statsScope) ([]string, error) {
	if !scope.open {
		slices.Sort(scope.urns)
		urns := slices.Compact(scope.urns)
		return urns, catalog.TooMany("entities of the filter", len(urns), limits.MaxStatsEntities)
	}
	urns, total, err := s.store.ListEntities(ctx, entityType, graphstore.Page{Count: limits.MaxStatsEntities})
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	if total > int64(len(urns)) {
		return nil, catalog.Errorf(catalog.Invalid, "there are %d entities of type %s, values of at most %d can be aggregated; name them in the filter by urn", total, entityType, limits.MaxStatsEntities)
	}
	return urns, nil
}

// statsWork reads values and adds them to a table.
type statsWork struct {
	c             *Service
	aspect        *model.Aspect
	filter        *catalog.Filter
	table         *statsTable
	values, bytes int
}

// read adds the values of one entity, a page at a time.
func (w *statsWork) read(ctx context.Context, query graphstore.TimeSeriesQuery) error {
	for {
		page, err := w.c.store.TimeSeries(ctx, query)
		if err != nil {
			return catalog.StoreFailure(err)
		}
		for i := range page {
			if err := ctx.Err(); err != nil {
				return catalog.StoreFailure(err)
			}
			if err := w.add(&page[i]); err != nil {
				return err
			}
		}
		if len(page) < query.Limit {
			return nil
		}
		last := page[len(page)-1]
		query.After = &graphstore.TimeSeriesPosition{Timestamp: last.Timestamp, Key: last.Key}
	}
}

// add adds the documents of a value: the part outside of its lists of records, and each item of
// a list that a column refers to.
func (w *statsWork) add(v *graphstore.TimeSeriesValue) error {
	w.values++
	w.bytes += len(v.Value)
	if w.values > limits.MaxStatsValues || w.bytes > limits.MaxStatsBytes {
		return catalog.Errorf(catalog.Invalid, "more than %d values, or %d bytes of values, would be aggregated; narrow the filter", limits.MaxStatsValues, limits.MaxStatsBytes)
	}
	value, err := w.c.registry.ParseStored(w.aspect.Name, v.Value)
	if err != nil {
		return &catalog.Error{Code: catalog.Internal, Message: "internal error", Err: err}
	}
	rest := make(map[string]any, len(value.Tree))
	for name, member := range value.Tree {
		if !w.aspect.IsListOfRecords(name) {
			rest[name] = member
		}
	}
	if err := w.document(v, rest); err != nil {
		return err
	}
	for _, name := range w.table.collections {
		for _, item := range jsontree.Flat(value.Tree[name]) {
			if item == nil {
				continue
			}
			document := map[string]any{name: item}
			for _, shared := range []string{timestamp, "eventGranularity", "partitionSpec"} {
				if value.Tree[shared] != nil {
					document[shared] = value.Tree[shared]
				}
			}
			if err := w.document(v, document); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *statsWork) document(v *graphstore.TimeSeriesValue, tree map[string]any) error {
	fields := matching.TimeSeriesFields{Value: v, Tree: tree}
	if !matching.Matches(w.filter, fields) {
		return nil
	}
	return w.table.add(fields, v.Timestamp)
}

// textOfValue returns a value as the text of a cell.
func textOfValue(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case []any, map[string]any:
		text, _ := json.Marshal(value) // a value that was decoded from JSON always encodes
		return string(text)
	}
	return jsontree.ScalarText(value)
}
