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
	// MaxMessageBytes is how long the message of an error may be.
	MaxMessageBytes = 2000

	// MaxGraphQLQueryBytes is how long the text of a query may be.
	MaxGraphQLQueryBytes = 1 << 20
	// MaxGraphQLTokens is how many tokens a query may have.
	MaxGraphQLTokens = 10_000
	// MaxGraphQLNameBytes is how long a name in a query may be.
	MaxGraphQLNameBytes = 256
	// MaxGraphQLDepth is how many fields may be within each other.
	MaxGraphQLDepth = 30
	// MaxGraphQLNesting is how many fragments may be directly within each other.
	MaxGraphQLNesting = 8
	// MaxGraphQLFields is how many fields one object of an answer may have.
	MaxGraphQLFields = 500
	// MaxGraphQLRepeats is how often a name may come in one object's selections.
	MaxGraphQLRepeats = 100
	// MaxGraphQLFragments is how many fragments a query may define.
	MaxGraphQLFragments = 300
	// MaxGraphQLOperations is how many operations a query may define.
	MaxGraphQLOperations = 50
	// MaxGraphQLVariables is how many variables an operation may have.
	MaxGraphQLVariables = 500
	// MaxGraphQLDirectives is how many directives one place may have.
	MaxGraphQLDirectives = 10
	// MaxGraphQLSteps is how many fields a query may have with its fragments put
	// in place.
	MaxGraphQLSteps = 50_000
	// MaxGraphQLAnswer is how many fields an answer may have.
	MaxGraphQLAnswer = 250_000
)

// All lists every limit, by subject.
func All() []Limit {
	return []Limit{
		{Name: "urn", Value: MaxURNBytes, Unit: "bytes", Meaning: "The length of a URN. A longer one is refused with 400."},
		{Name: "aspect", Value: MaxAspectBytes, Unit: "bytes", Meaning: "The size of an aspect's value as JSON. A larger one is refused with 413."},
		{Name: "message", Value: MaxMessageBytes, Unit: "bytes", Meaning: "The message of an error, which may repeat what the caller sent. What is beyond is left out."},
		{Name: "graphql-query", Value: MaxGraphQLQueryBytes, Unit: "bytes", Meaning: "The text of a GraphQL query, without its variables. A longer one is an error with code 400."},
		{Name: "graphql-tokens", Value: MaxGraphQLTokens, Unit: "items", Meaning: "The tokens of a GraphQL query. A query with more is an error with code 400."},
		{Name: "graphql-name", Value: MaxGraphQLNameBytes, Unit: "bytes", Meaning: "A name in a GraphQL query: of a field, an alias, a fragment, a variable. A longer one is an error with code 400."},
		{Name: "graphql-depth", Value: MaxGraphQLDepth, Unit: "levels", Meaning: "The fields, or the levels of a value, within each other of a GraphQL query. A deeper one is an error with code 400."},
		{Name: "graphql-nesting", Value: MaxGraphQLNesting, Unit: "levels", Meaning: "The fragments directly within each other of a GraphQL query. A deeper one is an error with code 400."},
		{Name: "graphql-fields", Value: MaxGraphQLFields, Unit: "items", Meaning: "The fields that a GraphQL query selects of one object. A query with more is an error with code 400."},
		{Name: "graphql-repeats", Value: MaxGraphQLRepeats, Unit: "items", Meaning: "How often a GraphQL query names one field, or spreads one fragment, in an object. A query that does so more often is an error with code 400."},
		{Name: "graphql-fragments", Value: MaxGraphQLFragments, Unit: "items", Meaning: "The fragments that a GraphQL query defines. A query with more is an error with code 400."},
		{Name: "graphql-operations", Value: MaxGraphQLOperations, Unit: "items", Meaning: "The operations that a GraphQL query defines. A query with more is an error with code 400."},
		{Name: "graphql-variables", Value: MaxGraphQLVariables, Unit: "items", Meaning: "The variables of a GraphQL operation. A query with more is an error with code 400."},
		{Name: "graphql-directives", Value: MaxGraphQLDirectives, Unit: "items", Meaning: "The directives at one place of a GraphQL query. A query with more is an error with code 400."},
		{Name: "graphql-steps", Value: MaxGraphQLSteps, Unit: "items", Meaning: "The fields of a GraphQL query with its fragments put in place. A query with more is an error with code 400."},
		{Name: "graphql-answer", Value: MaxGraphQLAnswer, Unit: "items", Meaning: "The fields and list items of a GraphQL answer. A larger answer is an error with code 400 and has no data."},
	}
}
