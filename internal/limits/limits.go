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
	// MaxAspectItems is how many JSON values the value of an aspect may have.
	MaxAspectItems = 1_000_000
	// MaxPatchItems is how many JSON values a patch may have.
	MaxPatchItems = 200_000
	// MaxJSONDepth is how many lists and objects may be within each other.
	MaxJSONDepth = 100
	// DefaultBodyBytes is how large a request body may be, unpacked.
	DefaultBodyBytes = 64 << 20
	// MaxUnpackRatio is how many times its packed size a body may have when
	// it is unpacked, counted once UnpackRatioFrom bytes have come.
	MaxUnpackRatio  = 200
	UnpackRatioFrom = 1 << 20
	// MaxRequestItems is how many JSON values a request may have that writes
	// no batch, MaxListItems how many one list or object of it.
	MaxRequestItems = 200_000
	MaxListItems    = 50_000
	// MaxBatchItems is how many JSON values a batch of writes may have.
	MaxBatchItems = 2_000_000
	// MaxProposals is how many proposals one request may have.
	MaxProposals = MaxListItems
	// MaxLineItems is how many JSON values a line of an import may have,
	// MaxLineListItems how many one list of it: versions, edges.
	MaxLineItems     = 5_000_000
	MaxLineListItems = 500_000
	// LineBodies is how many times the largest body of other requests a line
	// of an import may have: it holds every version of every aspect of an entity.
	LineBodies = 8
	// MaxImportFailures is how many entities of an import may fail before it ends.
	MaxImportFailures = 100_000
	// DefaultIdleSeconds is how long a client may send, or take, nothing.
	DefaultIdleSeconds = 30
	// RestOfBodySeconds is how long the rest of a body that was refused is read.
	RestOfBodySeconds = 5
	// MinBodyRate is how many bytes a second a streamed body must bring.
	MinBodyRate = 1 << 10
	// MinRequestMemory is the least that may be set for requests in flight, in bytes.
	MinRequestMemory = 64 << 20
	// RequestMemoryWaitSeconds is how long a request waits for memory.
	RequestMemoryWaitSeconds = 2
)

// All lists every limit, by subject.
func All() []Limit {
	return []Limit{
		{Name: "urn", Value: MaxURNBytes, Unit: "bytes", Meaning: "The length of a URN. A longer one is refused with 400."},
		{Name: "aspect", Value: MaxAspectBytes, Unit: "bytes", Meaning: "The size of an aspect's value as JSON. A larger one is refused with 413."},
		{Name: "aspect values", Value: MaxAspectItems, Unit: "values", Meaning: "The JSON values within an aspect's value. More are refused with 400."},
		{Name: "patch values", Value: MaxPatchItems, Unit: "values", Meaning: "The JSON values within a patch. More are refused with 400."},
		{Name: "JSON depth", Value: MaxJSONDepth, Unit: "levels", Meaning: "The lists and objects within each other in a body and in an aspect's value. More are refused with 400."},
		{Name: "body", Value: DefaultBodyBytes, Unit: "bytes", Setting: "max-body", Meaning: "The size of a request body, unpacked. A larger one is refused with 413."},
		{Name: "compression", Value: MaxUnpackRatio, Unit: "times", Meaning: "The unpacked size of a gzipped body beside its packed size, from the first MiB on. More is refused with 413."},
		{Name: "values", Value: MaxRequestItems, Unit: "values", Meaning: "The JSON values of a request that is no batch of writes. More are refused with 400."},
		{Name: "list", Value: MaxListItems, Unit: "items", Meaning: "The elements of one list, or members of one object, in a request. More are refused with 400."},
		{Name: "batch values", Value: MaxBatchItems, Unit: "values", Meaning: "The JSON values of a batch of writes; an aspect's value within a string counts by itself. More are refused with 400."},
		{Name: "proposals", Value: MaxProposals, Unit: "proposals", Meaning: "The proposals of one request. More are refused with 400."},
		{Name: "import line", Value: LineBodies, Unit: "bodies", Meaning: "The size of a line of an import, in largest bodies. A longer one is refused with 413."},
		{Name: "import line values", Value: MaxLineItems, Unit: "values", Meaning: "The JSON values of a line of an import. More are refused with 400."},
		{Name: "import line list", Value: MaxLineListItems, Unit: "items", Meaning: "The elements of one list in a line of an import. More are refused with 400."},
		{Name: "import failures", Value: MaxImportFailures, Unit: "entities", Meaning: "The entities of an import that may fail. It ends with 400 at the next one; what was written stays."},
		{Name: "idle", Value: DefaultIdleSeconds, Unit: "seconds", Setting: "idle-timeout", Meaning: "The time without a byte of a body from the client, or of the answer to it. The request ends with 408, or the connection is cut."},
		{Name: "body rate", Value: MinBodyRate, Unit: "bytes a second", Meaning: "The slowest streamed body, over each idle time. A slower one ends with 408."},
		{Name: "request memory wait", Value: RequestMemoryWaitSeconds, Unit: "seconds", Meaning: "The time a request waits for its part of --request-memory. Then it is refused with 503 and Retry-After."},
	}
}
