// Package limits states every bound that a caller of Headwater can meet, in
// one place: the constants that the code checks, and the table that the
// documentation (docs/limits.md) and the OpenAPI document show.
//
// A bound that a caller can meet is declared here and nowhere else. Bounds
// that only shape the work inside (sizes of internal batches, caches) stay
// where they are used.
package limits

import "time"

// Limit is one bound as documentation shows it.
type Limit struct {
	// Name is how the bound is called in messages, docs and the OpenAPI document.
	Name string
	// Value is the bound: the largest value that is taken.
	Value int64
	// Unit is what Value counts: bytes, items, levels, seconds.
	Unit string
	// Setting names the flag of headwater serve that changes it, "" for a
	// fixed bound.
	Setting string
	// Meaning says in one sentence what is bounded and what happens beyond.
	Meaning string
}

// Names and values.
const (
	// MaxURNBytes is how long a URN may be.
	MaxURNBytes = 512
	// MaxAspectBytes is how large the value of an aspect may be.
	MaxAspectBytes = 16_000_000
	// MaxColumnEdges is how many edges between columns an aspect may state.
	MaxColumnEdges = 100_000
	// MaxPatchOperations is how many operations a PATCH may have.
	MaxPatchOperations = 5_000
	// MaxPatchPath is how many levels a path of a PATCH may have.
	MaxPatchPath = 16
	// MaxPatchIndex is how far a PATCH may go behind the end of an array of
	// which it makes the missing items.
	MaxPatchIndex = 100
	// MaxPatchWork is how many bytes the operations of a PATCH may go through
	// that go through the whole value.
	MaxPatchWork = 256 << 20
	// MaxQueuedWrites is how many writes may wait for the store, and as many for
	// their turn on an entity.
	MaxQueuedWrites = 4096
	// MaxQueuedWriteTime is how long a write waits for its turn.
	MaxQueuedWriteTime = 30 * time.Second
)

// All lists every limit, by subject.
func All() []Limit {
	return []Limit{
		{Name: "urn", Value: MaxURNBytes, Unit: "bytes", Meaning: "The length of a URN. A longer one is refused with 400."},
		{Name: "aspect", Value: MaxAspectBytes, Unit: "bytes", Meaning: "The size of an aspect's value as JSON. A larger one is refused with 413. What a PATCH leaves, and what its copy operations copy in sum, may not be larger either."},
		{Name: "column edges", Value: MaxColumnEdges, Unit: "edges", Meaning: "The pairs of columns that the fine-grained lineage of one aspect connects. More are refused with 422."},
		{Name: "patch operations", Value: MaxPatchOperations, Unit: "items", Meaning: "The operations of one PATCH. More are refused with 400."},
		{Name: "patch path", Value: MaxPatchPath, Unit: "levels", Meaning: "The levels of a path in a PATCH. A deeper one is refused with 400."},
		{Name: "patch index", Value: MaxPatchIndex, Unit: "items", Meaning: "An index of an array in the path of a PATCH of an aspect whose missing parents are made. A greater one is refused with 400."},
		{Name: "patch work", Value: MaxPatchWork, Unit: "bytes", Meaning: "The operations test, copy and move of a PATCH, and those in arrays, times the size of the value. More is refused with 413."},
		{Name: "queued writes", Value: MaxQueuedWrites, Unit: "writes", Meaning: "The writes that wait for the graph store at a time. More are refused with 503 and Retry-After."},
		{Name: "queued write time", Value: int64(MaxQueuedWriteTime / time.Second), Unit: "seconds", Meaning: "How long a write waits for its turn. After that it is refused with 503 and Retry-After, and nothing was changed."},
	}
}
