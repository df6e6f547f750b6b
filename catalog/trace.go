package catalog

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
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

// ParseTrace reads a trace.
func ParseTrace(text string) (Trace, error) {
	var t Trace
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
	// the value was there already, or its version was deleted since.
	WriteNothing WriteState = "NO_OP"
	// WriteUntraced: values of time series have no trace.
	WriteUntraced WriteState = "TRACE_NOT_IMPLEMENTED"
	// WritePending: the write is stored, but searches may not find it yet.
	WritePending WriteState = "PENDING"
	// WriteUnknown: nobody was given the trace, or the model has no such aspect.
	WriteUnknown WriteState = "UNKNOWN"
)

// Traced returns what became of the aspects of an entity in a traced write. A
// caller is given a trace only when its write is durable, so a trace that was
// given belongs to a write that was applied.
func (c *Catalog) Traced(ctx context.Context, t Trace, u model.URN, aspects []string) (map[string]WriteState, error) {
	if err := CheckLists("aspects", aspects); err != nil {
		return nil, err
	}
	stored, err := c.Stored(ctx, []model.URN{u}, StoredAspects{None: len(aspects) == 0, Names: aspects})
	if err != nil {
		return nil, err
	}
	states := make(map[string]WriteState, len(aspects))
	for _, name := range aspects {
		if states[name], err = c.traced(ctx, t, u, name, stored); err != nil {
			return nil, err
		}
	}
	return states, nil
}

func (c *Catalog) traced(ctx context.Context, t Trace, u model.URN, name string, stored []StoredEntity) (WriteState, error) {
	none := WriteUnknown
	if t.ours() {
		none = WriteNothing
	}
	spec, known := c.registry.Aspect(name)
	if !known {
		return WriteUnknown, nil
	}
	if len(stored) == 0 {
		return none, nil
	}
	at := slices.IndexFunc(stored[0].Aspects, func(a EnvelopedAspect) bool { return a.Name == name })
	switch {
	case at < 0:
		return none, nil
	case spec.TimeSeries:
		return WriteUntraced, nil
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

// wrote reports whether a version was written with the trace.
func (t Trace) wrote(properties map[string]string) bool {
	return properties[traceProperty] == t.String()
}

// Moment is the time of the catalog's clock.
func (c *Catalog) Moment() time.Time { return c.now() }
