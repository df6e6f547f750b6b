// Package limits states every bound that a caller of Headwater can meet, in
// one place: the constants that the code checks, and the table that the
// documentation (docs/limits.md) and the OpenAPI document show.
//
// A bound that a caller can meet is declared here and nowhere else. Bounds
// that only shape the work inside (sizes of internal batches, caches) stay
// where they are used.
package limits

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
	// MaxRefusedListed is how many documents that the search index refuses are
	// listed.
	MaxRefusedListed = 100
)

// All lists every limit, by subject.
func All() []Limit {
	return []Limit{
		{Name: "urn", Value: MaxURNBytes, Unit: "bytes", Meaning: "The length of a URN. A longer one is refused with 400."},
		{Name: "aspect", Value: MaxAspectBytes, Unit: "bytes", Meaning: "The size of an aspect's value as JSON. A larger one is refused with 413."},
		{Name: "refused documents", Value: MaxRefusedListed, Unit: "items", Meaning: "The documents refused by the search engine that /index lists. Further ones are counted."},
	}
}
