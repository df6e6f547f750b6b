package read

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/traces"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Given records that a trace that a caller chose itself was returned to the caller. The newest
// limits.GivenTraces are known until the server stops.
func (rd *Reader) Given(t traces.Trace) {
	if !t.Ours() {
		rd.given.Put(t, struct{}{})
	}
}

// wasGiven reports whether a trace is known to have been returned to a caller, which happens
// only after its writes were applied or refused.
func (rd *Reader) wasGiven(t traces.Trace) bool {
	if t.Ours() {
		return true
	}
	_, ok := rd.given.Get(t)
	return ok
}

// WriteState is the state of one aspect of a traced write.
type WriteState string

const (
	// WriteActive: the written value is the latest version. WriteHistoric: the written value is an
	// archived version.
	WriteActive   WriteState = "ACTIVE_STATE"
	WriteHistoric WriteState = "HISTORIC_STATE"
	// WriteNothing: the write was applied, but no version of its own is stored. The value was
	// stored before, its version was deleted later, or the value belongs to a time series.
	WriteNothing WriteState = "NO_OP"
	// WriteFailed: the write was refused after the caller had been answered.
	WriteFailed WriteState = "ERROR"
	// WriteUntraced: values of time series have no trace.
	WriteUntraced WriteState = "TRACE_NOT_IMPLEMENTED"
	// WritePending: the write is stored, but searches may not find it yet.
	WritePending WriteState = "PENDING"
	// WriteUnknown: the trace was not returned to any caller, or the model does not have the
	// aspect.
	WriteUnknown WriteState = "UNKNOWN"
)

// TracedWrite is the state of one aspect of a traced write.
type TracedWrite struct {
	// Store and Search are the states in the store and in the search index.
	Store, Search WriteState
	// Reason tells why the write was refused. SearchMessage tells the consequence for the index.
	Reason, SearchMessage string
}

// Failed reports whether the write was refused or is unknown.
func (w *TracedWrite) Failed() bool { return w.Store == WriteFailed || w.Store == WriteUnknown }

// notSearched is the reference's message about the index for a write that the store has
// refused.
const notSearched = "Primary storage write failed."

// Traced returns the states of aspects of an entity in a traced write. A caller receives a
// trace only after its write is durable or its refusal is recorded. So a trace that was given
// to a caller belongs to a write that was applied, except for the aspects in refused, which has
// their reasons. The argument searched is the state of the index for the latest version.
func (rd *Reader) Traced(ctx context.Context, t traces.Trace, u model.URN, aspects []string, refused map[string]string, searched WriteState) (map[string]TracedWrite, error) {
	if err := catalog.CheckLists("aspects", aspects); err != nil {
		return nil, err
	}
	stored, err := rd.Stored(ctx, []model.URN{u}, catalog.StoredAspects{None: len(aspects) == 0, Names: aspects})
	if err != nil {
		return nil, err
	}
	writes := make(map[string]TracedWrite, len(aspects))
	for _, name := range aspects {
		if reason, failed := refused[name]; failed {
			writes[name] = TracedWrite{Store: WriteFailed, Search: WriteFailed, Reason: reason, SearchMessage: notSearched}
			continue
		}
		w := TracedWrite{}
		if w.Store, err = rd.traced(ctx, t, u, name, stored); err != nil {
			return nil, err
		}
		spec, _ := rd.Registry().Aspect(name)
		switch {
		case w.Store == WriteActive:
			w.Search = searched
		case w.Store == WriteNothing && spec.TimeSeries:
			w.Search = WriteUntraced
		default:
			w.Search = w.Store
		}
		writes[name] = w
	}
	return writes, nil
}

func (rd *Reader) traced(ctx context.Context, t traces.Trace, u model.URN, name string, stored []catalog.StoredEntity) (WriteState, error) {
	none := WriteUnknown
	if rd.wasGiven(t) {
		none = WriteNothing
	}
	spec, known := rd.Registry().Aspect(name)
	if !known {
		return WriteUnknown, nil
	}
	if len(stored) == 0 || spec.TimeSeries {
		return none, nil
	}
	at := slices.IndexFunc(stored[0].Aspects, func(a catalog.EnvelopedAspect) bool { return a.Name == name })
	switch {
	case at < 0:
		return none, nil
	case t.In(stored[0].Aspects[at].System.Properties):
		return WriteActive, nil
	}
	versions, err := rd.store.AspectVersions(ctx, graphstore.AspectKey{URN: u.String(), Name: name}, graphstore.Page{Count: limits.MaxTracedVersions})
	if err != nil {
		return "", catalog.StoreFailure(err)
	}
	for i := range versions {
		if t.In(versions[i].System.Properties) {
			return WriteHistoric, nil
		}
	}
	return none, nil
}
