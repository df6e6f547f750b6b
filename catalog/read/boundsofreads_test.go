package read

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/traces"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// long is a store of long lists: the nodes of the graph, the versions of every aspect, and the
// values of every time series.
type long struct {
	Store
	versions []graphstore.Aspect
	values   []graphstore.TimeSeriesValue
}

func (l *long) reader() *Reader { return New(Options{Registry: model.Default(), Store: l}) }

func (*long) Edges(context.Context, graphstore.EdgeQuery) (map[string]graphstore.EdgePage, error) {
	return nil, nil
}

func (l *long) AspectVersions(_ context.Context, _ graphstore.AspectKey, page graphstore.Page) ([]graphstore.Aspect, error) {
	return l.versions[:min(page.Count, len(l.versions))], nil
}

// valuesAfter returns values from an index on, until they reach a number or a size.
func (l *long) valuesAfter(from, limit, size int) []graphstore.TimeSeriesValue {
	end, read := from, 0
	for end < len(l.values) && end-from < limit && (size == 0 || read < size) {
		read += len(l.values[end].Value)
		end++
	}
	return l.values[from:end]
}

func (l *long) TimeSeries(_ context.Context, q graphstore.TimeSeriesQuery) ([]graphstore.TimeSeriesValue, error) {
	from := 0
	if q.After != nil {
		from = int(q.After.Timestamp) + 1
	}
	return l.valuesAfter(from, q.Limit, q.Bytes), nil
}

func (l *long) TimeSeriesOfAll(_ context.Context, q graphstore.SeriesOfAll) ([]graphstore.TimeSeriesValue, string, error) {
	from := 0
	if q.After != "" {
		_, _ = fmt.Sscan(q.After, &from)
	}
	page, next := l.valuesAfter(from, q.Limit, 0), ""
	if end := from + len(page); end < len(l.values) {
		next = fmt.Sprint(end)
	}
	return page, next, nil
}

const measuredTable = "urn:li:dataset:(urn:li:dataPlatform:hive,t,PROD)"

// series returns n values of an entity, all with one text. The time of each is its index.
func series(n int, urn, text string) []graphstore.TimeSeriesValue {
	values, value := make([]graphstore.TimeSeriesValue, n), []byte(text)
	for i := range values {
		values[i] = graphstore.TimeSeriesValue{URN: urn, Timestamp: int64(i), Value: value}
	}
	return values
}

// TestLimitOfScannedNodes: a page of edges looks at as many nodes as the limit, and says where to
// continue if there is one more.
func TestLimitOfScannedNodes(t *testing.T) {
	urns := make([]string, limits.MaxScannedNodes+1)
	for i := range urns {
		urns[i] = fmt.Sprintf("urn:li:tag:t%06d", i)
	}
	for n, next := range map[int]*EdgePlace{limits.MaxScannedNodes: nil, limits.MaxScannedNodes + 1: {URN: urns[limits.MaxScannedNodes-1]}} {
		page, err := new(long).reader().ScanEdges(t.Context(), &EdgeScan{Seeds: urns[:n], Looks: []EdgeLook{{}}, Count: 1})
		if err != nil {
			t.Fatal(err)
		}
		if (page.Next == nil) != (next == nil) || next != nil && *page.Next != *next {
			t.Errorf("%d nodes: the next page begins at %+v", n, page.Next)
		}
	}
}

// TestLimitOfScannedValues: a page of a series of all entities looks at as many values as the limit.
// A value of the type behind so many of another type is on the first page, and one behind one more
// on the next.
func TestLimitOfScannedValues(t *testing.T) {
	for n, found := range map[int]int{limits.MaxScannedValues - 1: 1, limits.MaxScannedValues: 0} {
		values := append(series(n, "urn:li:tag:other", `{}`), series(2, measuredTable, `{}`)...)
		rows, next, err := (&long{values: values}).reader().AllSeries(t.Context(), AllSeriesRequest{Entity: "dataset", Aspect: "operation", Count: 2})
		if err != nil || len(rows) != found || next == "" {
			t.Errorf("behind %d values of others, %d are found, and the next page begins at %q: %v", n, len(rows), next, err)
		}
	}
}

// TestLimitOfSeriesBytes: a page of a series of all entities ends where its values reach the limit.
func TestLimitOfSeriesBytes(t *testing.T) {
	const size = limits.MaxSeriesPageBytes / seriesAtOnce
	whole := `{"messageId":"` + strings.Repeat("x", size-len(`{"messageId":""}`)) + `"}`
	for missing, want := range map[int]int{0: seriesAtOnce, 1: 2 * seriesAtOnce} {
		values := series(3*seriesAtOnce, measuredTable, `{}`)
		rest := limits.MaxSeriesPageBytes - missing
		for i := range seriesAtOnce {
			values[i].Value = []byte(whole)
			rest -= size
		}
		if rest < 0 {
			values[0].Value = []byte(strings.Replace(whole, "x", "", -rest))
		} else {
			values[0].Value = []byte(strings.Replace(whole, "x", strings.Repeat("x", rest+1), 1))
		}
		rows, next, err := (&long{values: values}).reader().AllSeries(t.Context(), AllSeriesRequest{Entity: "dataset", Aspect: "operation", Count: 2 * seriesAtOnce})
		if err != nil || len(rows) != want || next == "" {
			t.Errorf("%d bytes below the limit: %d values are on the page, the next one begins at %q: %v", missing, len(rows), next, err)
		}
	}
}

// TestLimitOfTimeSeries: an answer has as many values as the limit, however many are asked for.
func TestLimitOfTimeSeries(t *testing.T) {
	rd := (&long{values: series(limits.MaxTimeSeriesValues+1, measuredTable, `{}`)}).reader()
	for name, limit := range map[string]*int{"none": nil, "the most": new(limits.MaxTimeSeriesValues), "one more": new(limits.MaxTimeSeriesValues + 1)} {
		answer, err := rd.TimeSeries(t.Context(), TimeSeriesRequest{URN: model.StoredURN(measuredTable), Entity: "dataset", Aspect: "operation", Limit: limit})
		if err != nil || len(answer.Values) != limits.MaxTimeSeriesValues || answer.Limit != limits.MaxTimeSeriesValues {
			t.Errorf("asked for %s: %d values, the limit of the answer is %d: %v", name, len(answer.Values), answer.Limit, err)
		}
	}
}

// TestLimitOfValuesBytes: values that have as many bytes as the limit are answered, and one byte
// more is refused.
func TestLimitOfValuesBytes(t *testing.T) {
	const parts = 16
	l := &long{values: series(parts, measuredTable, strings.Repeat("x", limits.MaxValuesBytes/parts))}
	answer := func() error {
		_, err := l.reader().matchingValues(t.Context(), model.StoredURN(measuredTable), &TimeSeriesRequest{}, limits.MaxTimeSeriesValues, limits.MaxValuesBytes)
		return err
	}
	if err := answer(); err != nil {
		t.Error(err)
	}
	l.values = append(l.values, graphstore.TimeSeriesValue{Timestamp: parts, Value: []byte("1")})
	if err := answer(); catalog.CodeOf(err) != catalog.Invalid || !strings.Contains(err.Error(), fmt.Sprint(limits.MaxValuesBytes)) {
		t.Errorf("one byte more: %v", err)
	}
}

// callers is a trace that no server has made.
func callers(n int) (t traces.Trace) {
	binary.BigEndian.PutUint64(t[:], uint64(n))
	return t
}

// TestLimitOfTracedVersions: the version of a traced write is found among as many versions as the
// limit.
func TestLimitOfTracedVersions(t *testing.T) {
	trace := callers(1)
	stored := []catalog.StoredEntity{{Aspects: []catalog.EnvelopedAspect{{Name: model.AspectStatus, System: &catalog.SystemMetadata{}}}}}
	for at, want := range map[int]WriteState{limits.MaxTracedVersions - 1: WriteHistoric, limits.MaxTracedVersions: WriteNothing} {
		l := &long{versions: make([]graphstore.Aspect, limits.MaxTracedVersions+1)}
		l.versions[at].System.Properties = trace.Marked(nil).Properties
		rd := l.reader()
		rd.Given(trace)
		if got, err := rd.traced(t.Context(), trace, model.StoredURN(measuredTable), model.AspectStatus, stored); err != nil || got != want {
			t.Errorf("version %d: %s, %v", at, got, err)
		}
	}
}

// TestLimitOfGivenTraces: the newest traces are known, as many as the limit, and the oldest of more
// than twice as many is not.
func TestLimitOfGivenTraces(t *testing.T) {
	for _, n := range []int{limits.GivenTraces, limits.GivenTraces + 1, 2*limits.GivenTraces + 1} {
		rd := new(long).reader()
		for i := range n {
			rd.Given(callers(i))
		}
		if first := rd.wasGiven(callers(0)); first != (n <= 2*limits.GivenTraces) {
			t.Errorf("of %d traces, the first is known: %v", n, first)
		}
		if !rd.wasGiven(callers(n - limits.GivenTraces)) {
			t.Errorf("of %d traces, the oldest of the newest %d is not known", n, limits.GivenTraces)
		}
	}
}
