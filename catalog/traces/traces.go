// Package traces makes and reads the traces of writes whose callers ask later how the writes ended.
package traces

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"maps"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog"
)

// traceProperty is the property of system metadata that contains the trace with
// which a version was written.
const traceProperty = "telemetryTraceId"

// Trace identifies a write whose caller may ask later how it ended. It is 16
// bytes: the time in microseconds, four random bytes, and a checksum of these, by
// which a trace that no server has made is recognized.
type Trace [16]byte

// New makes the trace of a write.
func New(at time.Time) Trace {
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

// OfCaller is the trace that a caller states in the header traceparent, false if the header
// states none.
func OfCaller(parent string) (Trace, bool) {
	parts := strings.Split(parent, "-")
	if len(parts) < 4 || len(parts[0]) != 2 {
		return Trace{}, false
	}
	t, err := Parse(parts[1])
	return t, err == nil && t != Trace{}
}

// TellsLater reports whether a caller who does not wait for a write gets its error later, by asking with the
// trace: a condition did not hold. Other errors are answered at once.
func TellsLater(err error) bool { return catalog.CodeOf(err) == catalog.Precondition }

// Marked returns system metadata of a proposal with the trace in it. given may be nil, and is not changed.
func (t Trace) Marked(given *catalog.SystemMetadata) *catalog.SystemMetadata {
	system := catalog.SystemMetadata{}
	if given != nil {
		system = *given
	}
	system.Properties = maps.Clone(system.Properties)
	if system.Properties == nil {
		system.Properties = map[string]string{}
	}
	system.Properties[traceProperty] = t.String()
	return &system
}

// Parse reads a trace, also in the form of the header traceparent.
func Parse(text string) (Trace, error) {
	var t Trace
	if parts := strings.Split(text, "-"); len(parts) > 1 {
		text = parts[1]
	}
	if raw, err := hex.DecodeString(text); err != nil || len(raw) != len(t) {
		return t, catalog.Errorf(catalog.Invalid, "%q is not a trace: it has 32 hexadecimal digits", text)
	} else {
		copy(t[:], raw)
	}
	return t, nil
}

// Ours reports whether a server of this kind made the trace.
func (t Trace) Ours() bool {
	var sum [4]byte
	t.check(sum[:])
	return [4]byte(t[12:]) == sum
}

// Sent returns the system metadata with which a traced proposal is answered if the stored version
// is of another write.
func (t Trace) Sent(given *catalog.SystemMetadata, now time.Time) *catalog.SystemMetadata {
	system := *given
	system.LastObserved = cmp.Or(system.LastObserved, now.UnixMilli())
	system.RunID = cmp.Or(system.RunID, catalog.NoRunID)
	return &system
}

// Wrote reports whether a version with this system metadata was written with the trace.
func (t Trace) Wrote(system *catalog.SystemMetadata) bool {
	return system != nil && t.In(system.Properties)
}

// In reports whether a version with these properties of its system metadata was written with the trace.
func (t Trace) In(properties map[string]string) bool {
	return properties[traceProperty] == t.String()
}
