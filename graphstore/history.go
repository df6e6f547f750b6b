package graphstore

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// HistoryReader reads all that is stored of entities.
type HistoryReader interface {
	// Holdings counts the versions and time-series values of entities. Entities without any are
	// absent.
	Holdings(ctx context.Context, urns []string) (map[string]Holdings, error)
	// History returns every version of every aspect of entities, and all their current and ended
	// statements. The parts of one entity's history are from the same moment. Entities without any
	// history are absent.
	History(ctx context.Context, urns []string) (map[string]History, error)
	// HistoryBytes returns the total size of the values of all versions of an entity. Entities
	// without any version are absent.
	HistoryBytes(ctx context.Context, urns []string) (map[string]int64, error)
	// CountTimeSeries counts the values in a range.
	CountTimeSeries(ctx context.Context, values TimeSeriesRange) (int64, error)
}

// Holdings counts the versions and time-series values of an entity.
type Holdings struct {
	// Versions counts the versions of the entity's aspects, including archived versions.
	Versions int64
	// TimeSeries counts values by aspect.
	TimeSeries map[string]int64
}

// Values returns the number of time-series values of all aspects.
func (h Holdings) Values() int64 {
	var sum int64
	for _, n := range h.TimeSeries {
		sum += n
	}
	return sum
}

// History has all that is stored of an entity, except its time series.
type History struct {
	// Versions are ordered by aspect, then by number.
	Versions []Aspect
	// Current and Ended are the statements of the entity's aspects, ordered by EdgeID, then by
	// time.
	Current []EdgeStatement
	Ended   []EndedStatement
}

// EndedStatement is a statement that is no longer current.
type EndedStatement struct {
	EdgeStatement
	// Until is when the statement ended, epoch milliseconds. UntilRun and UntilActor are the run
	// and the actor of that write.
	Until                int64
	UntilRun, UntilActor string
}

// Add adds a statement. The statement is current if Until is 0.
func (h *History) Add(e EndedStatement) {
	if e.Until == 0 {
		h.Current = append(h.Current, e.EdgeStatement)
	} else {
		h.Ended = append(h.Ended, e)
	}
}

// Sort orders the statements, for backends.
func (h *History) Sort() {
	slices.SortFunc(h.Current, func(a, b EdgeStatement) int { return a.compare(&b) })
	slices.SortFunc(h.Ended, func(a, b EndedStatement) int {
		return cmp.Or(a.compare(&b.EdgeStatement), cmp.Compare(a.Until, b.Until))
	})
}

func (e *EdgeStatement) compare(o *EdgeStatement) int {
	return cmp.Or(strings.Compare(e.Owner, o.Owner), strings.Compare(e.Aspect, o.Aspect), strings.Compare(e.Path, o.Path),
		strings.Compare(e.Source, o.Source), strings.Compare(e.Type, o.Type), strings.Compare(e.Destination, o.Destination),
		cmp.Compare(e.Since, o.Since))
}
