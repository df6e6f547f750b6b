package catalog

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// traceProperty is the property of system metadata that contains the trace with
// which a version was written.
const traceProperty = "telemetryTraceId"

// Trace identifies a write whose caller may ask later what became of it. It is 16
// bytes: the time in microseconds, four random bytes, and a checksum of these, by
// which a trace that no server has made is recognized.
type Trace [16]byte

// NewTrace makes the trace of a write.
func NewTrace(at time.Time) Trace {
	var t Trace
	for i, micros := 7, uint64(at.UnixMicro()); i >= 0; i, micros = i-1, micros>>8 {
		t[i] = byte(micros)
	}
	_, _ = rand.Read(t[8:12]) // it never fails
	t.check(t[12:])
	return t
}

// check writes the checksum of a trace.
func (t *Trace) check(sum []byte) {
	n := crc32.ChecksumIEEE(append([]byte("headwater"), t[:12]...))
	for i := range 4 {
		sum[i] = byte(n >> (24 - 8*i))
	}
}

func (t Trace) String() string { return hex.EncodeToString(t[:]) }

// Parent is the trace in the form of the header traceparent.
func (t Trace) Parent() string { return fmt.Sprintf("00-%s-%s-01", t, hex.EncodeToString(t[8:])) }

// CallersTrace is the trace that a caller states in the header traceparent, false if the header
// states none.
func CallersTrace(parent string) (Trace, bool) {
	parts := strings.Split(parent, "-")
	if len(parts) < 4 || len(parts[0]) != 2 {
		return Trace{}, false
	}
	t, err := ParseTrace(parts[1])
	return t, err == nil && t != Trace{}
}

// Given notes that a trace of a caller's own was given back to the caller. The newest
// limits.GivenTraces are known until the server stops.
func (c *Catalog) Given(t Trace) {
	if !t.ours() {
		c.given.Put(t, struct{}{})
	}
}

// wasGiven reports whether the writes of a trace were applied, so far as it can be told.
func (c *Catalog) wasGiven(t Trace) bool {
	if t.ours() {
		return true
	}
	_, ok := c.given.Get(t)
	return ok
}

// TellsLater reports whether a caller who does not wait for a write is told of its error when
// the caller asks with the trace: a condition did not hold. Other errors are answered at once.
func TellsLater(err error) bool { return CodeOf(err) == Precondition }

// Mark writes the trace into the system metadata of proposals.
func (t Trace) Mark(proposals []Proposal) {
	for i := range proposals {
		system := SystemMetadata{}
		if proposals[i].System != nil {
			system = *proposals[i].System
		}
		system.Properties = maps.Clone(system.Properties)
		if system.Properties == nil {
			system.Properties = map[string]string{}
		}
		system.Properties[traceProperty] = t.String()
		proposals[i].System = &system
	}
}

// ParseTrace reads a trace, also in the form of the header traceparent.
func ParseTrace(text string) (Trace, error) {
	var t Trace
	if parts := strings.Split(text, "-"); len(parts) > 1 {
		text = parts[1]
	}
	if raw, err := hex.DecodeString(text); err != nil || len(raw) != len(t) {
		return t, Errorf(Invalid, "%q is not a trace: it has 32 hexadecimal digits", text)
	} else {
		copy(t[:], raw)
	}
	return t, nil
}

// ours reports whether a server of this kind made the trace.
func (t Trace) ours() bool {
	var sum [4]byte
	t.check(sum[:])
	return [4]byte(t[12:]) == sum
}

// WriteState says what became of one aspect of a traced write.
type WriteState string

const (
	// WriteActive: what was written is the latest version. WriteHistoric: it is an
	// archived one.
	WriteActive   WriteState = "ACTIVE_STATE"
	WriteHistoric WriteState = "HISTORIC_STATE"
	// WriteNothing: the write was applied, and no version of its own is stored:
	// the value was there already, or its version was deleted since, or it is one of a time
	// series.
	WriteNothing WriteState = "NO_OP"
	// WriteFailed: the write was refused after the caller had been answered.
	WriteFailed WriteState = "ERROR"
	// WriteUntraced: values of time series have no trace.
	WriteUntraced WriteState = "TRACE_NOT_IMPLEMENTED"
	// WritePending: the write is stored, but searches may not find it yet.
	WritePending WriteState = "PENDING"
	// WriteUnknown: nobody was given the trace, or the model has no such aspect.
	WriteUnknown WriteState = "UNKNOWN"
)

// TracedWrite is what became of one aspect of a traced write.
type TracedWrite struct {
	// Store and Search are the states in the store and in the search index.
	Store, Search WriteState
	// Reason says why the write was refused, SearchMessage what that means for the index.
	Reason, SearchMessage string
}

// Failed reports whether it is not known that the write was applied.
func (w *TracedWrite) Failed() bool { return w.Store == WriteFailed || w.Store == WriteUnknown }

// notSearched is the message of an index for what the store has refused, as the reference
// spells it.
const notSearched = "Primary storage write failed."

// Traced returns what became of the aspects of an entity in a traced write. A caller is given
// a trace only when its write is durable or its refusal is noted, so a trace that was given
// belongs to a write that was applied unless refused has a reason for the aspect. searched is
// the state of the index for what is the latest.
func (c *Catalog) Traced(ctx context.Context, t Trace, u model.URN, aspects []string, refused map[string]string, searched WriteState) (map[string]TracedWrite, error) {
	if err := CheckLists("aspects", aspects); err != nil {
		return nil, err
	}
	stored, err := c.Stored(ctx, []model.URN{u}, StoredAspects{None: len(aspects) == 0, Names: aspects})
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
		if w.Store, err = c.traced(ctx, t, u, name, stored); err != nil {
			return nil, err
		}
		spec, _ := c.registry.Aspect(name)
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

func (c *Catalog) traced(ctx context.Context, t Trace, u model.URN, name string, stored []StoredEntity) (WriteState, error) {
	none := WriteUnknown
	if c.wasGiven(t) {
		none = WriteNothing
	}
	spec, known := c.registry.Aspect(name)
	if !known {
		return WriteUnknown, nil
	}
	if len(stored) == 0 || spec.TimeSeries {
		return none, nil
	}
	at := slices.IndexFunc(stored[0].Aspects, func(a EnvelopedAspect) bool { return a.Name == name })
	switch {
	case at < 0:
		return none, nil
	case t.wrote(stored[0].Aspects[at].System.Properties):
		return WriteActive, nil
	}
	versions, err := c.store.AspectVersions(ctx, graphstore.AspectKey{URN: u.String(), Name: name}, graphstore.Page{Count: limits.MaxTracedVersions})
	if err != nil {
		return "", StoreFailure(err)
	}
	for i := range versions {
		if t.wrote(versions[i].System.Properties) {
			return WriteHistoric, nil
		}
	}
	return none, nil
}

// Sent is the system metadata of a traced proposal as it is answered if the version that is
// stored is not its own.
func (t Trace) Sent(p *Proposal, now time.Time) *SystemMetadata {
	system := *p.System
	system.LastObserved = cmp.Or(system.LastObserved, now.UnixMilli())
	system.RunID = cmp.Or(system.RunID, NoRunID)
	return &system
}

// Wrote reports whether a version with this system metadata was written with the trace.
func (t Trace) Wrote(system *SystemMetadata) bool { return system != nil && t.wrote(system.Properties) }

// wrote reports whether a version was written with the trace.
func (t Trace) wrote(properties map[string]string) bool {
	return properties[traceProperty] == t.String()
}

// Moment is the time of the catalog's clock.
func (c *Catalog) Moment() time.Time { return c.now() }
