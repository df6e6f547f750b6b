// Package indexer defines the interface of a search index: documents made from the
// aspects of entities, text search, exact filters, facets, suggestions and browse groups.
//
// All data of an index comes from the graph store: the index follows the change log and can
// be rebuilt at any time. An index contains no business rules: package catalog decides
// which fields exist and how a request is read. Every backend passes the conformance suite
// in indexer/indextest.
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
	// ErrUnavailable: the backend cannot be reached or cannot answer now.
	ErrUnavailable = errors.New("search index unavailable")
	// ErrUnwritable: the index answers searches but cannot save changes.
	ErrUnwritable = errors.New("search index cannot be written")
	// ErrDamaged: the data of the index can no longer be read. Only a rebuild helps.
	ErrDamaged = errors.New("search index damaged")
	// ErrClosed: the index was closed.
	ErrClosed = errors.New("search index closed")
	// ErrTooComplex: the condition has more parts than the backend accepts.
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
	// Close releases the resources of the index.
	Close() error
}

// Searcher answers questions.
type Searcher interface {
	// Search returns one page of the documents that match, and the facets of all of them.
	Search(ctx context.Context, query *Query) (*Result, error)
	// SearchMany answers several queries, each as Search would, in their order and in as few
	// rounds as the engine allows. If one query cannot be answered, its answer has the
	// error. SearchMany returns an error, and no answers, if no query can be answered.
	SearchMany(ctx context.Context, queries []*Query) ([]Answer, error)
	// Suggest returns documents that have a completion with every token.
	Suggest(ctx context.Context, query *SuggestQuery) ([]Hit, error)
	// Groups counts the documents below a browse path by the next step of their
	// paths, ordered by name.
	Groups(ctx context.Context, query *GroupQuery) ([]Group, error)
	// Values returns values of a field, each once, in any order, and at most a number of them. Values that only deleted
	// documents had may be among them.
	Values(ctx context.Context, field string, most int) ([]string, error)
}

// Writer changes documents.
type Writer interface {
	// Write applies a batch. A put replaces the document, and a delete of an absent document
	// does nothing, so a batch may be applied again. Every search that begins after Write
	// has returned sees the result. If the engine refuses documents, the index keeps their
	// former content, the rest of the batch is written, and the error is a [RefusedError].
	Write(ctx context.Context, batch Batch) error
	// Cursor returns the position of the last Write that had one, or "" for a new index.
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
	// Swap makes the build the serving index, in one step, and drops the former index.
	Swap(ctx context.Context) error
	// Abandon drops the build. After Swap it does nothing.
	Abandon() error
}

// Batch is a set of changes. Each URN is in it at most once.
type Batch struct {
	Put []Document
	// Delete lists URNs.
	Delete []string
	// Cursor, if not empty, is a position in the change log. It is stored with the changes
	// or after them.
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
	// FieldAncestors and FieldAncestorsV2 hold every browse path and the paths of all
	// folders above it. FieldAncestors also holds the root, "", for paths below it.
	FieldAncestors   = "^" + FieldPaths
	FieldAncestorsV2 = "^" + FieldPathsV2
	// FieldName holds the names, in the form of Normalize.
	FieldName = "^name"
)

// FieldPlatform contains the platform of an entity. Not every type has it.
const FieldPlatform = "platform"

// Document is the data of one entity in an index.
type Document struct {
	URN, Type string
	Removed   bool
	// Values are the exact texts of every field, each once, including the fields that every
	// document has and the fields that begin with ^. Numbers and booleans are written in decimal
	// and as true or false.
	Values map[string][]string
	// Numbers are the values of numeric fields, one for each field. Conditions on numeric
	// fields are ranges: backends need not find them by their texts in Values.
	Numbers map[string]int64
	// Facets names the fields of Values that facets can count.
	Facets []string
	// Text has, for each class, one item for each value: its tokens, separated by spaces.
	Text [TextClasses][]string
	// Completions are the texts that suggestions are made from, by field.
	Completions map[string][]string
	// SortKeys names the fields of Values that can be sorted by.
	SortKeys []string
	// Weight multiplies the score. Most documents have 1.
	Weight float64
}

// MaxNameLength is the number of words from which names count as equally long.
const MaxNameLength = 8

// NameLength counts the words of the shortest name, at most MaxNameLength. Of documents
// with the same score, those with shorter names come first.
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
	// Values are as in Document, without the fields that begin with ^. They are nil if the
	// query is Plain.
	Values map[string][]string
}

// Text is a text query. A document matches if it has every token.
type Text struct {
	Tokens []string
	// Prefix lets the last token be the beginning of a word.
	Prefix bool
	// Name is the whole query in the form of Normalize. Documents with exactly this name
	// come first.
	Name string
	// Typos permits a backend to search for similar words if it finds nothing.
	Typos bool
	// Also are optional words. Documents that have these words come first, and before all others
	// documents that have them in a name, as far as the backend can order by that.
	Also []Word
	// Without are closed classes of text that are not searched.
	Without ClassSet
}

// Word is a token, or the beginning of one.
type Word struct {
	Token  string
	Prefix bool
}

// Query selects documents.
type Query struct {
	// Text without tokens matches every document.
	Text Text
	// Filter selects documents; nil selects all.
	Filter Expr
	// Sort orders the hits by fields. Equal hits, and all hits without Sort, are in the
	// order of their scores, and then in an order that never changes.
	Sort []Sort
	// From and Size select a page. After replaces From: it is Result.Next of an earlier
	// page, and the new page continues after that one.
	From, Size int
	Scroll     bool
	After      string
	// Plain: hits have no values.
	Plain bool
	// Facets names the fields to count. The FacetSize most frequent values of each are
	// returned.
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
	// Facets are in the order of Query.Facets. Facets without values are left out. If values
	// at the end of a facet are equally frequent, any of them may be left out.
	Facets []Facet
	// Next is the token of the next page, or "" after the last one. Only queries with Scroll
	// have it.
	Next string
}

// Answer is the result of one of several queries, or the error that prevented it.
type Answer struct {
	Result *Result
	Err    error
}

// Facet counts the documents by the values of a field.
type Facet struct {
	Field string
	// Counts are in the order of their numbers, largest first, then of their values.
	Counts []Count
}

// Count is the number of documents with a value.
type Count struct {
	Value string
	Docs  int
}

// SuggestQuery asks for completions.
type SuggestQuery struct {
	// Tokens must all be in one completion. The last one may be the beginning of a word.
	Tokens []string
	// Fields names the completions to search. Hits have at least the values of Fields and of
	// Names.
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
	// Below asks which of the groups have further groups below them.
	Below bool
}

// Group is the set of documents at or below one path.
type Group struct {
	// Path is the complete path of the group.
	Path string
	// Docs counts the documents at the path or below it.
	Docs int
	// Below is set if the query asks for it and the group has groups below it.
	Below bool
}

// MarkBelow sets Below of the groups that have groups below them. deeper are the groups one step
// further down, in any order.
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
