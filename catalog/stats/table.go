package stats

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/matching"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// statsTable collects the groups of a table.
type statsTable struct {
	StatsTable
	buckets []statsBucket
	metrics []statsMetric
	// collections are the lists of records whose members are columns.
	collections []string
	groups      map[string]*statsGroup
	steps       int
}

// statsBucket is a field, or a window of time, by which the table groups.
type statsBucket struct {
	path string
	// numeric tells that the keys are ordered as numbers.
	numeric bool
	// window is set for a group by time.
	window *timeWindow
}

type statsMetric struct {
	path, kind string
	integral   bool
}

// statsGroup becomes a row. statsGroup has the keys, and the state of each metric.
type statsGroup struct {
	keys  []string
	cells []statsCell
}

type statsCell struct {
	known  bool
	at     int64
	latest string
	whole  int64
	sum    float64
	values map[string]bool
}

// newStatsTable checks a request and returns an empty table.
func newStatsTable(aspect *model.Aspect, r *StatsRequest) (*statsTable, error) {
	t := &statsTable{groups: map[string]*statsGroup{}}
	if len(r.Metrics) == 0 {
		return nil, catalog.Errorf(catalog.Invalid, "parameter metrics is required")
	}
	if err := catalog.TooMany("metrics and buckets", len(r.Metrics)+len(r.Buckets), limits.MaxStatsColumns); err != nil {
		return nil, err
	}
	for i := range r.Buckets {
		if err := t.addBucket(aspect, &r.Buckets[i]); err != nil {
			return nil, err
		}
	}
	for i := range r.Metrics {
		if err := t.addMetric(aspect, &r.Metrics[i]); err != nil {
			return nil, err
		}
	}
	if len(t.buckets) == 0 { // a table without buckets has one row, even without values
		_, err := t.group(nil)
		return t, err
	}
	return t, nil
}

// fieldKind returns the kind of the field of a column.
func (t *statsTable) fieldKind(aspect *model.Aspect, path string) (string, error) {
	if path == "urn" {
		return "string", nil
	}
	kind, collection, ok := aspect.FieldKind(path)
	if !ok || aspect.IsListOfRecords(path) {
		return "", catalog.Errorf(catalog.Invalid, "%s has no field %q to aggregate or group by", aspect.Name, path)
	}
	if collection != "" && !slices.Contains(t.collections, collection) {
		t.collections = append(t.collections, collection)
	}
	return kind, nil
}

func isNumeric(kind string) bool {
	return slices.Contains([]string{"int", "long", "float", "double"}, kind)
}

func (t *statsTable) addBucket(aspect *model.Aspect, b *GroupingBucket) error {
	kind, err := t.fieldKind(aspect, b.Key)
	if err != nil {
		return err
	}
	bucket := statsBucket{path: b.Key, numeric: isNumeric(kind)}
	switch b.Type {
	case dateBucket:
		if b.Key != timestamp {
			return catalog.Errorf(catalog.Invalid, "a %s must have the key %s, not %q", dateBucket, timestamp, b.Key)
		}
		if bucket.window, err = newTimeWindow(b.TimeWindowSize); err != nil {
			return err
		}
	case stringBucket:
	default:
		return catalog.Errorf(catalog.Invalid, "the type of a bucket must be %s or %s, not %q", dateBucket, stringBucket, b.Type)
	}
	if !bucket.numeric {
		kind = "string"
	}
	t.buckets = append(t.buckets, bucket)
	t.ColumnNames, t.ColumnTypes = append(t.ColumnNames, b.Key), append(t.ColumnTypes, kind)
	return nil
}

func (t *statsTable) addMetric(aspect *model.Aspect, m *AggregationSpec) error {
	kind, err := t.fieldKind(aspect, m.FieldPath)
	if err != nil {
		return err
	}
	metric := statsMetric{path: m.FieldPath, kind: m.AggregationType, integral: kind == "int" || kind == "long"}
	switch m.AggregationType {
	case latestMetric:
	case sumMetric:
		if !isNumeric(kind) {
			return catalog.Errorf(catalog.Invalid, "the field %q of %s is not a number and has no sum", m.FieldPath, aspect.Name)
		}
		kind = "double"
	case countMetric:
		kind = "long"
	default:
		return catalog.Errorf(catalog.Invalid, "the aggregationType of a metric must be %s, %s or %s, not %q", latestMetric, sumMetric, countMetric, m.AggregationType)
	}
	t.metrics = append(t.metrics, metric)
	t.ColumnNames = append(t.ColumnNames, strings.ToLower(m.AggregationType)+"_"+m.FieldPath)
	t.ColumnTypes = append(t.ColumnTypes, kind)
	return nil
}

// group returns the group with the keys, and creates it if it is new.
func (t *statsTable) group(keys []string) (*statsGroup, error) {
	key := strings.Join(keys, "\x00")
	g, ok := t.groups[key]
	if !ok {
		if len(t.groups) == limits.MaxStatsRows {
			return nil, tooManyRows()
		}
		g = &statsGroup{keys: slices.Clone(keys), cells: make([]statsCell, len(t.metrics))}
		t.groups[key] = g
	}
	return g, nil
}

func tooManyRows() error {
	return catalog.Errorf(catalog.Invalid, "the table has more than %d rows; change the groups or narrow the filter", limits.MaxStatsRows)
}

// add adds a document to its group. A document without one of the keys belongs to no group.
func (t *statsTable) add(fields matching.TimeSeriesFields, at int64) error {
	if t.steps += len(t.buckets) + len(t.metrics); t.steps > limits.MaxStatsSteps {
		return catalog.Errorf(catalog.Invalid, "more than %d fields would be read; narrow the filter", limits.MaxStatsSteps)
	}
	keys := make([]string, len(t.buckets))
	for i := range t.buckets {
		b := &t.buckets[i]
		if b.window != nil {
			keys[i] = strconv.FormatInt(b.window.start(at), 10)
			continue
		}
		value := fields.Whole(b.path)
		if value == nil {
			return nil
		}
		keys[i] = textOfValue(value)
	}
	var g *statsGroup
	for i := range t.metrics {
		value := fields.Whole(t.metrics[i].path)
		if g == nil {
			var err error
			if g, err = t.group(keys); err != nil {
				return err
			}
		}
		if value != nil {
			g.cells[i].add(&t.metrics[i], value, at)
		}
	}
	return nil
}

func (c *statsCell) add(m *statsMetric, value any, at int64) {
	switch m.kind {
	case latestMetric:
		// Among values of the same moment, the one with the smallest text counts.
		if text := textOfValue(value); !c.known || at > c.at || at == c.at && text < c.latest {
			c.latest, c.at = text, at
		}
	case sumMetric:
		if n, err := strconv.ParseInt(jsontree.ScalarText(value), 10, 64); err == nil && m.integral {
			c.whole = saturated(c.whole, n)
		} else if f, ok := jsontree.Number(value); ok {
			c.sum += f
		}
	case countMetric:
		if c.values == nil {
			c.values = map[string]bool{}
		}
		c.values[textOfValue(value)] = true
	}
	c.known = true
}

// saturated returns the sum of two numbers, bounded to the range of int64.
func saturated(a, b int64) int64 {
	switch {
	case b > 0 && a > math.MaxInt64-b:
		return math.MaxInt64
	case b < 0 && a < math.MinInt64-b:
		return math.MinInt64
	}
	return a + b
}

func (c *statsCell) text(m *statsMetric) string {
	switch {
	case m.kind == countMetric:
		return strconv.Itoa(len(c.values))
	case m.kind == sumMetric && m.integral:
		return strconv.FormatInt(c.whole, 10)
	case m.kind == sumMetric:
		text := strconv.FormatFloat(c.sum, 'f', -1, 64)
		if !strings.Contains(text, ".") {
			text += ".0"
		}
		return text
	case !c.known:
		return noValue
	}
	return c.latest
}

// finish adds empty groups for the gaps between time windows, and makes the rows, ordered by
// their keys.
func (t *statsTable) finish() (*StatsTable, error) {
	if err := t.fill(); err != nil {
		return nil, err
	}
	groups := make([]*statsGroup, 0, len(t.groups))
	for _, g := range t.groups {
		groups = append(groups, g)
	}
	slices.SortFunc(groups, func(a, b *statsGroup) int { return t.compare(a.keys, b.keys) })
	t.Rows = make([][]string, len(groups))
	for i, g := range groups {
		t.Rows[i] = g.keys
		for k := range g.cells {
			t.Rows[i] = append(t.Rows[i], g.cells[k].text(&t.metrics[k]))
		}
	}
	return &t.StatsTable, nil
}

func (t *statsTable) compare(a, b []string) int {
	for i := range a {
		order := cmp.Compare(a[i], b[i])
		if t.buckets[i].numeric {
			order = jsontree.Compare(json.Number(a[i]), json.Number(b[i]))
		}
		if order != 0 {
			return order
		}
	}
	return 0
}

// fill adds the empty windows between windows with values, if the last bucket is a time window.
func (t *statsTable) fill() error {
	last := len(t.buckets) - 1
	if last < 0 || t.buckets[last].window == nil {
		return nil
	}
	type span struct {
		keys     []string
		from, to int64
	}
	spans := map[string]span{}
	for _, g := range t.groups {
		at, _ := strconv.ParseInt(g.keys[last], 10, 64) // statsTable itself has written the key as a number
		prefix := strings.Join(g.keys[:last], "\x00")
		s, ok := spans[prefix]
		if !ok {
			s = span{g.keys[:last], at, at}
		}
		s.from, s.to = min(s.from, at), max(s.to, at)
		spans[prefix] = s
	}
	for _, s := range spans {
		for at := s.from; at < s.to; {
			if _, err := t.group(append(slices.Clone(s.keys), strconv.FormatInt(at, 10))); err != nil {
				return err
			}
			next := t.buckets[last].window.next(at)
			if next <= at { // the next window would begin beyond the range of times
				break
			}
			at = next
		}
	}
	return nil
}

// timeWindow divides time, in UTC, into windows of a fixed length in milliseconds or of a
// number of months.
type timeWindow struct{ length, offset, months int64 }

// windowUnits has the window of each unit. Weeks begin on Mondays.
var windowUnits = map[string]timeWindow{
	"MINUTE": {length: time.Minute.Milliseconds()}, "HOUR": {length: time.Hour.Milliseconds()}, "DAY": {length: 24 * time.Hour.Milliseconds()},
	"WEEK":  {length: 7 * 24 * time.Hour.Milliseconds(), offset: 4 * 24 * time.Hour.Milliseconds()},
	"MONTH": {months: 1}, "QUARTER": {months: 3}, "YEAR": {months: 12},
}

func newTimeWindow(size *TimeWindowSize) (*timeWindow, error) {
	if size == nil {
		return nil, catalog.Errorf(catalog.Invalid, "a %s needs a timeWindowSize", dateBucket)
	}
	w, ok := windowUnits[size.Unit]
	multiple := optional.Or(size.Multiple, 1)
	switch {
	case !ok:
		return nil, catalog.Errorf(catalog.Invalid, "the unit of a timeWindowSize must be MINUTE, HOUR, DAY, WEEK, MONTH, QUARTER or YEAR, not %q", size.Unit)
	case multiple < 1 || multiple > limits.MaxStatsWindow:
		return nil, catalog.Errorf(catalog.Invalid, "the multiple of a timeWindowSize must be from 1 to %d", limits.MaxStatsWindow)
	}
	w.length, w.months = w.length*multiple, w.months*multiple
	return &w, nil
}

// start returns the beginning of the window that contains a moment, in epoch milliseconds.
func (w *timeWindow) start(at int64) int64 {
	if w.months == 0 {
		into := (at%w.length - w.offset%w.length) % w.length
		if into < 0 {
			into += w.length
		}
		if at < math.MinInt64+into {
			return math.MinInt64
		}
		return at - into
	}
	t := time.UnixMilli(at).UTC()
	month := int64(t.Year())*12 + int64(t.Month()) - 1
	into := month % w.months
	if into < 0 {
		into += w.months
	}
	return monthStart(month - into)
}

// next returns the beginning of the window after the one that begins at a moment.
func (w *timeWindow) next(at int64) int64 {
	if w.months == 0 {
		return saturated(at, w.length)
	}
	t := time.UnixMilli(at).UTC()
	return monthStart(int64(t.Year())*12 + int64(t.Month()) - 1 + w.months)
}

func monthStart(month int64) int64 {
	return time.Date(0, time.Month(month+1), 1, 0, 0, 0, 0, time.UTC).UnixMilli()
}
