// Package indexer defines what Headwater needs from a search index: documents
// made from the aspects of entities, text search, exact filters, facets,
// suggestions and browse groups.
//
// An index contains nothing that the graph store does not: it follows the change
// log and can be rebuilt at any time. It contains no business rules either: package
// catalog decides which fields exist and what a request means. Every backend
// passes the conformance suite in indexer/indextest.
package indexer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Sentinel errors. Backends wrap them with %w.
var (
	// ErrUnavailable: the backend could not be reached or cannot answer now.
	ErrUnavailable = errors.New("search index unavailable")
	// ErrUnwritable: the index answers, but cannot save what it is given.
	ErrUnwritable = errors.New("search index cannot be written")
	// ErrDamaged: the data of the index can no longer be read. Only a rebuild helps.
	ErrDamaged = errors.New("search index damaged")
	// ErrClosed: the index was closed.
	ErrClosed = errors.New("search index closed")
	// ErrTooComplex: the backend does not accept a condition with so many parts.
	ErrTooComplex = errors.New("the condition has too many parts for the search index")
	// ErrBadToken: a scroll token did not come from this index.
	ErrBadToken = errors.New("unknown scroll token")
)

// Index is a search index. All methods are safe for concurrent use and honour
// their context.
type Index interface {
	Searcher
	Writer
	// Rebuild starts an empty index beside the one that serves.
	Rebuild(ctx context.Context) (Build, error)
	// Ping reports whether the index can serve now.
	Ping(ctx context.Context) error
	// Close releases everything.
	Close() error
}

// Searcher answers questions.
type Searcher interface {
	// Search returns the documents that match, a page of them, and facets of
	// all of them.
	Search(ctx context.Context, query *Query) (*Result, error)
	// SearchMany answers several queries, each as Search would, in their order
	// and in as few rounds as the engine allows. A query that cannot be answered
	// has its error in its own answer; the error returned is of what stands in
	// the way of all, and there are no answers then.
	SearchMany(ctx context.Context, queries []*Query) ([]Answer, error)
	// Suggest returns documents one of whose completions has every token.
	Suggest(ctx context.Context, query *SuggestQuery) ([]Hit, error)
	// Groups counts the documents below a browse path by the next step of their
	// paths, ordered by name.
	Groups(ctx context.Context, query *GroupQuery) ([]Group, error)
}

// Writer changes documents.
type Writer interface {
	// Write applies a batch. A put replaces the document, and a delete of an absent
	// document does nothing, so a batch may be applied again. Every search after
	// Write returns sees the result. If the engine refuses documents, they are left
	// out, the index keeps what it had of them, the rest of the batch is written,
	// and the error is a [RefusedError].
	Write(ctx context.Context, batch Batch) error
	// Cursor returns the position that was stored by the last Write with one, or ""
	// for a new index.
	Cursor(ctx context.Context) (string, error)
}

// RefusedError means that a batch was written except for some documents that the
// engine refused.
type RefusedError struct{ Refusals []Refusal }

// Refusal is a document that the engine refused, and the reason.
type Refusal struct{ URN, Reason string }

func (e *RefusedError) Error() string {
	if len(e.Refusals) == 0 {
		return "the search index refused nothing"
	}
	first := &e.Refusals[0]
	return fmt.Sprintf("the search index refused %d documents, the first is %s: %s", len(e.Refusals), first.URN, first.Reason)
}

// Build is an index under construction.
type Build interface {
	Writer
	// Swap makes it the index that serves, in one step, and drops the former index.
	Swap(ctx context.Context) error
	// Abandon drops the build. After Swap it does nothing.
	Abandon() error
}

// Batch is a set of changes. A URN is in it once.
type Batch struct {
	Put []Document
	// Delete lists URNs.
	Delete []string
	// Cursor, if not empty, is stored with the changes or after them.
	Cursor string
}

// Names of fields that every document has, beside those of the model.
const (
	FieldURN     = "urn"
	FieldType    = "_entityType"
	FieldRemoved = "removed"
	// FieldPaths and FieldPathsV2 hold the browse paths themselves.
	FieldPaths   = "browsePaths"
	FieldPathsV2 = "browsePathV2"
	// FieldAncestors and FieldAncestorsV2 hold every path on the way to them.
	// FieldAncestors also holds the root, "", for paths below it.
	FieldAncestors   = "^" + FieldPaths
	FieldAncestorsV2 = "^" + FieldPathsV2
	// FieldName holds the names, as Normalize writes them.
	FieldName = "^name"
)

// TextClass groups text by how much a hit in it counts.
type TextClass int

// The classes, most important first.
const (
	TextName TextClass = iota
	TextMajor
	TextBody
	TextMinor
	TextClasses // their number
)

// Weights say how much a hit in each class counts.
var Weights = [TextClasses]int{10, 5, 2, 1}

// Document is what an index stores of one entity.
type Document struct {
	URN, Type string
	Removed   bool
	// Values are the exact texts of every field, each once, the common ones
	// and those that begin with ^ included. Numbers and booleans are written
	// in decimal and as true or false.
	Values map[string][]string
	// Numbers are the values of numeric fields, one each. Conditions on them
	// are ranges: backends need not find them by their texts in Values.
	Numbers map[string]int64
	// Facets are the fields of Values that are counted.
	Facets []string
	// Text are the tokens of each class, separated by spaces, one item for each
	// value.
	Text [TextClasses][]string
	// Completions are the texts that suggestions are made of, by field.
	Completions map[string][]string
	// SortKeys are the fields of Values that can be sorted by.
	SortKeys []string
	// Weight multiplies the score, 1 for most.
	Weight float64
}

// MaxNameLength is the largest number of words of a name that is told from larger ones.
const MaxNameLength = 8

// NameLength counts the words of the shortest name. Of documents that are found equally well,
// those with shorter names come first.
func (d *Document) NameLength() int {
	length := MaxNameLength
	for _, name := range d.Text[TextName] {
		length = min(length, strings.Count(name, " ")+1)
	}
	return length
}

// Hit is a document found.
type Hit struct {
	URN, Type string
	// Values are as in Document, without the fields that begin with ^; nil in
	// the answer to a query for plain hits.
	Values map[string][]string
}

// Text is a text query: every token must be found.
type Text struct {
	Tokens []string
	// Prefix lets the last token be the beginning of a word.
	Prefix bool
	// Name is the whole query as Normalize writes it: documents of exactly
	// this name come first.
	Name string
	// Typos permits a backend to search for similar words if nothing is found.
	Typos bool
	// Also are words that need not be found. Documents that have them, in their names
	// above all, come first, as far as a backend can order by that.
	Also []Word
}

// Word is a token, or the beginning of one.
type Word struct {
	Token  string
	Prefix bool
}

// Query asks for documents.
type Query struct {
	// Text, when it has no tokens, matches everything.
	Text Text
	// Filter, when nil, matches everything.
	Filter Expr
	// Sort orders by fields; then, and by default, by score, then in an order
	// that is always the same.
	Sort []Sort
	// From and Size select a page. After, which replaces From, is Result.Next of an
	// earlier page and continues after it.
	From, Size int
	Scroll     bool
	After      string
	// Plain: hits need not have their values.
	Plain bool
	// Facets are the fields to count, each with the FacetSize most frequent
	// values.
	Facets    []string
	FacetSize int
}

// Sort is one key of an order. Documents without the field come last.
type Sort struct {
	Field      string
	Numeric    bool
	Descending bool
}

// Result is the answer to a Query.
type Result struct {
	Hits []Hit
	// Total counts all documents that match.
	Total int
	// Facets are in the order asked for; those without any value are left out.
	// Which of several equally frequent values are left out is not defined.
	Facets []Facet
	// Next is the token to continue with, or "" after the last page; only with
	// Scroll.
	Next string
}

// Answer is what was found for one of several queries, or why nothing can be.
type Answer struct {
	Result *Result
	Err    error
}

// Facet counts the documents by the values of a field.
type Facet struct {
	Field string
	// Counts are by number, most first, then by value.
	Counts []Count
}

// Count is the number of documents with a value.
type Count struct {
	Value string
	Docs  int
}

// SuggestQuery asks for completions.
type SuggestQuery struct {
	// Tokens must all be found in the completions; the last may be the
	// beginning of a word.
	Tokens []string
	// Fields are the completions to search. Hits have at least the values of these
	// and of Names.
	Fields []string
	Names  []string
	Filter Expr
	Size   int
}

// GroupQuery asks for the groups below a path.
type GroupQuery struct {
	// Field is FieldAncestors or FieldAncestorsV2.
	Field string
	// Path is "" for the root.
	Path   string
	Filter Expr
	// Below asks which of the groups have groups below them.
	Below bool
}

// Group is a next step of a path.
type Group struct {
	// Path is the whole path of the group.
	Path string
	// Docs counts the documents at it or below.
	Docs int
	// Below is set if the query asks for it and there are groups below this one.
	Below bool
}

// MarkBelow sets Below of those groups that have groups below them; deeper are the
// groups one step below, in any order.
func MarkBelow(groups []Group, separator string, deeper []Group) {
	at := make(map[string]*Group, len(groups))
	for i := range groups {
		at[groups[i].Path] = &groups[i]
	}
	for _, below := range deeper {
		end := strings.LastIndex(below.Path, separator)
		if end >= 0 && at[below.Path[:end]] != nil {
			at[below.Path[:end]].Below = true
		}
	}
}

// SortCounts orders the values of a facet: most documents first, then by value.
func SortCounts(counts []Count) {
	slices.SortFunc(counts, func(a, b Count) int {
		return cmp.Or(cmp.Compare(b.Docs, a.Docs), cmp.Compare(a.Value, b.Value))
	})
}
