package search

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/follower"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// SuggestionKind is the kind of a suggestion.
type SuggestionKind string

// These are the kinds, in the order in which they are suggested.
const (
	SuggestEntity SuggestionKind = "ENTITY"
	SuggestColumn SuggestionKind = "COLUMN"
	SuggestPerson SuggestionKind = "PERSON"
	SuggestTag    SuggestionKind = "TAG"
	SuggestTerm   SuggestionKind = "TERM"
	SuggestDomain SuggestionKind = "DOMAIN"
)

// suggestedKinds lists the kinds in order, each with its entity types. SuggestEntity has all
// other types that people search for.
var suggestedKinds = []struct {
	kind  SuggestionKind
	types []string
}{
	{kind: SuggestEntity},
	{kind: SuggestColumn, types: []string{model.EntitySchemaField}},
	{SuggestPerson, []string{model.EntityCorpuser, model.EntityCorpGroup}},
	{SuggestTag, []string{model.EntityTag}},
	{SuggestTerm, []string{model.EntityGlossaryTerm, model.EntityGlossaryNode}},
	{SuggestDomain, []string{model.EntityDomain}},
}

// unsuggested are types that people find only when they look for them, so that they are not
// suggested.
var unsuggested = []string{
	model.EntityQuery, model.EntityOwnershipType, model.EntityDataHubRole, model.EntityDataHubPolicy, model.EntityDataPlatformInstance,
	model.EntityDataProcessInstance, model.EntityPost, model.EntityRole,
}

// SuggestRequest asks for names that continue the typed text.
type SuggestRequest struct {
	Text  string
	Limit int
	// Kinds are the kinds to suggest; empty means all.
	Kinds []SuggestionKind
}

// Suggestion is a name that continues the typed text.
type Suggestion struct {
	Kind SuggestionKind
	// URN is the URN of the entity, also if the suggestion is one of its columns.
	URN string
	// Column is the path of the column as the schema writes it.
	Column string
	// Text is the text that stands for the suggestion in a search.
	Text string
}

// Suggest returns names that continue the typed text, by kind; names that begin with the text
// come first. Every kind that has names gets a part of the limit. Unlike other searches,
// Suggest does not wait for the index, because each typed letter needs an answer at once.
func (s *Service) Suggest(ctx context.Context, r SuggestRequest) ([]Suggestion, error) {
	if r.Limit < 0 || r.Limit > limits.MaxSuggestions {
		return nil, catalog.Errorf(catalog.Invalid, "from 0 to %d names are suggested", limits.MaxSuggestions)
	}
	r.Text = strings.TrimSpace(r.Text)
	tokens, err := tokensOf(r.Text)
	if err != nil {
		return nil, err
	}
	if s.index == nil {
		return nil, catalog.ErrNoIndex
	}
	if r.Text == "" || r.Limit == 0 {
		return []Suggestion{}, nil
	}
	var lists [][]indexer.Hit
	var kinds []SuggestionKind
	for _, k := range suggestedKinds {
		if len(r.Kinds) > 0 && !slices.Contains(r.Kinds, k.kind) {
			continue
		}
		hits, err := s.suggestKind(ctx, k.kind, k.types, &r, tokens)
		if err != nil {
			s.follower.Sighted(err)
			return nil, follower.Failure(err)
		}
		kinds, lists = append(kinds, k.kind), append(lists, hits)
	}
	existing, err := s.follower.Existing(ctx, lists...)
	if err != nil {
		return nil, err
	}
	found := make([][]Suggestion, len(kinds))
	for i, kind := range kinds {
		found[i] = s.suggestionsOf(kind, existing[i], &r)
	}
	return shareOut(found, r.Limit), nil
}

// suggestKind finds documents whose names continue the text.
func (s *Service) suggestKind(ctx context.Context, kind SuggestionKind, types []string, r *SuggestRequest, tokens []string) ([]indexer.Hit, error) {
	switch kind {
	case SuggestColumn:
		return s.suggestColumns(ctx, r)
	case SuggestEntity:
		types = s.suggestedTypes()
	}
	scope, err := s.searchScope(types)
	if err != nil {
		return nil, err
	}
	filter, err := scope.filter(nil, show{})
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(r.Text, "urn:") {
		result, err := s.index.Search(ctx, &indexer.Query{
			Filter: indexer.And{filter, indexer.Match{Field: indexer.FieldURN, Kind: indexer.Prefix, Texts: []string{r.Text}}},
			Sort:   []indexer.Sort{{Field: indexer.FieldURN}}, Size: r.Limit,
		})
		if err != nil {
			return nil, err
		}
		return result.Hits, nil
	}
	fields, err := scope.completing("")
	if err != nil || len(tokens) == 0 {
		return nil, err
	}
	return s.index.Suggest(ctx, &indexer.SuggestQuery{Tokens: tokens, Fields: fields, Names: nameFields, Filter: filter, Size: r.Limit})
}

// suggestedTypes returns the entity types of SuggestEntity.
func (s *Service) suggestedTypes() []string {
	return slices.DeleteFunc(s.searchableTypes(), func(name string) bool {
		for _, k := range suggestedKinds {
			if slices.Contains(k.types, name) {
				return true
			}
		}
		return slices.Contains(unsuggested, name)
	})
}

// fieldColumns is the field with the paths of columns.
const fieldColumns = "fieldPaths"

// columnText is the typed text, read as the beginning of a column's path.
type columnText struct {
	path string
	// of, if not empty, is the typed name of the dataset before the path: orders in orders.net.
	of string
}

// dotsSplit bounds the dots of a text that are tried as the dot between the name of a dataset
// and the path of a column. The last dots are tried.
const dotsSplit = 3

// To find a few bytes within values, an index may have to read the paths of all columns. So the
// beginning of a path has at least minPrefix bytes, and the beginning of a step within a path
// minStep.
const (
	minPrefix = 2
	minStep   = 3
)

// columnTexts returns the ways to read a text as the beginning of a column's path.
func columnTexts(text string) []columnText {
	texts, at := []columnText{{path: text}}, len(text)
	for range dotsSplit {
		if at = strings.LastIndexByte(text[:at], '.'); at <= 0 {
			break
		}
		texts = append(texts, columnText{path: text[at+1:], of: text[:at]})
	}
	return texts
}

// suggestColumns finds columns whose paths, or the ends of paths after a dot, begin with the
// text. If the text has the name of a dataset before the path, only columns of such datasets
// are found.
func (s *Service) suggestColumns(ctx context.Context, r *SuggestRequest) ([]indexer.Hit, error) {
	if strings.HasPrefix(r.Text, "urn:") || len(r.Text) > limits.MaxNameBytes {
		return nil, nil
	}
	scope, err := s.searchScope([]string{model.EntityDataset})
	if err != nil {
		return nil, err
	}
	filter, err := scope.filter(nil, show{})
	if err != nil {
		return nil, err
	}
	var exact, longer []*indexer.Query
	for _, text := range columnTexts(r.Text) {
		if text.of != "" && len(text.path) < minPrefix {
			exact = append(exact, columnsOf(scope, filter, text.of, r.Limit)...)
		}
		if text.path == "" {
			continue
		}
		conditions := indexer.And{filter}
		if text.of != "" {
			tokens := indexer.Tokens(text.of)
			if len(tokens) == 0 {
				continue
			}
			conditions = append(conditions, indexer.Words{Tokens: tokens, Fields: append(scope.comparedFields(), indexer.FieldURN), InText: true})
		}
		spellings := spellingsOf(text.path)
		query := func(e ...indexer.Expr) *indexer.Query {
			return &indexer.Query{Filter: append(slices.Clone(conditions), e...), Size: r.Limit}
		}
		exact = append(exact, query(indexer.In{Field: fieldColumns, Values: spellings}))
		if len(text.path) >= minPrefix {
			exact = append(exact, query(indexer.Match{Field: fieldColumns, Kind: indexer.Prefix, Texts: spellings}))
		}
		if !slices.ContainsFunc(strings.Split(text.path, "."), func(step string) bool { return len(step) < minStep }) {
			longer = append(longer, query(stepsWithin(text.path)...))
		}
	}
	hits, err := s.hitsOf(ctx, exact, nil)
	if err != nil || len(longer) == 0 || len(hits) >= r.Limit {
		return hits, err
	}
	return s.hitsOf(ctx, longer, hits) // finds paths with types between their steps, and columns within other columns
}

// columnsOf returns queries for datasets whose name is, or ends with, the given name. The
// columns of these datasets are suggested after the name and a dot, with or without a first
// letter of the path. The queries look only for names of datasets: to find the beginning of a
// path, an index may have to read all columns.
func columnsOf(scope *searchScope, filter indexer.Expr, name string, size int) []*indexer.Query {
	var whole, end indexer.Or
	for _, field := range scope.comparedFields() {
		whole = append(whole, indexer.Match{Field: field, Kind: indexer.Same, Texts: []string{name}})
		end = append(end, indexer.Match{Field: field, Kind: indexer.Suffix, Texts: []string{"." + name}})
	}
	return []*indexer.Query{{Filter: indexer.And{filter, whole}, Size: size}, {Filter: indexer.And{filter, end}, Size: size}}
}

// stepsWithin returns conditions for documents with columns whose paths have the steps of a
// text; the last step may be unfinished. A path may have types between its steps, so that also
// documents with other columns may match.
func stepsWithin(path string) []indexer.Expr {
	steps := strings.Split(path, ".")
	conditions := make([]indexer.Expr, len(steps))
	for i, step := range steps {
		texts := spellingsOf(step)
		if i == len(steps)-1 {
			for k := range texts {
				texts[k] = "." + texts[k]
			}
		}
		conditions[i] = indexer.Match{Field: fieldColumns, Kind: indexer.Contains, Texts: texts}
	}
	return conditions
}

// hitsOf adds the hits of queries to hits, each document once.
func (s *Service) hitsOf(ctx context.Context, queries []*indexer.Query, hits []indexer.Hit) ([]indexer.Hit, error) {
	answers, err := s.index.SearchMany(ctx, queries)
	if err != nil {
		return nil, err
	}
	for i := range answers {
		if answers[i].Err != nil {
			return nil, answers[i].Err
		}
		for _, hit := range answers[i].Result.Hits {
			if !slices.ContainsFunc(hits, func(h indexer.Hit) bool { return h.URN == hit.URN }) {
				hits = append(hits, hit)
			}
		}
	}
	return hits, nil
}

// spellingsOf returns the likely spellings of columns whose names begin with a text: the index
// compares byte by byte.
func spellingsOf(text string) []string {
	first, size := utf8.DecodeRuneInString(text)
	spellings := []string{text, strings.ToLower(text), strings.ToUpper(text)}
	if size > 0 {
		spellings = append(spellings, string(unicode.ToUpper(first))+text[size:])
	}
	slices.Sort(spellings)
	return slices.Compact(spellings)
}

// suggestionsOf makes suggestions from documents.
func (s *Service) suggestionsOf(kind SuggestionKind, hits []indexer.Hit, r *SuggestRequest) []Suggestion {
	if kind == SuggestColumn {
		return s.columnSuggestions(hits, r.Text)
	}
	found := make([]Suggestion, len(hits))
	for i := range hits {
		found[i] = Suggestion{Kind: kind, URN: hits[i].URN, Text: s.displayName(&hits[i])}
	}
	return found
}

// columnSuggestions returns the columns of documents that begin with a text. Columns whose
// whole name is the text, and columns of the dataset that the text names, are first; the other
// columns are ordered by length.
func (s *Service) columnSuggestions(hits []indexer.Hit, text string) []Suggestion {
	type ranked struct {
		Suggestion
		rank int
	}
	var found []ranked
	texts := columnTexts(text)
	fields := (&searchScope{schema: s.schema, registry: s.registry, types: []string{model.EntityDataset}}).comparedFields()
	for i := range hits {
		name := s.displayName(&hits[i])
		for _, path := range hits[i].Values[fieldColumns] {
			plain := model.PlainPath(path)
			for _, typed := range texts {
				if !beginsInPath(plain, typed.path) {
					continue
				}
				if typed.path == "" && !hasName(&hits[i], fields, typed.of) { // the document was found for another reading of the text
					continue
				}
				rank := 2
				if strings.EqualFold(plain, typed.path) {
					rank = 0
				}
				if typed.of != "" && !strings.EqualFold(name, typed.of) && !hasSuffixFold(name, "."+typed.of) && !hasSuffixFold(typed.of, "."+name) {
					rank++
				}
				found = append(found, ranked{Suggestion{Kind: SuggestColumn, URN: hits[i].URN, Column: path, Text: plain}, rank})
				break
			}
		}
	}
	slices.SortStableFunc(found, func(a, b ranked) int { return cmp.Or(a.rank-b.rank, len(a.Text)-len(b.Text)) })
	suggestions := make([]Suggestion, len(found))
	for i := range found {
		suggestions[i] = found[i].Suggestion
	}
	return suggestions
}

// hasName reports whether a name of a document is, or ends with, the given name.
func hasName(hit *indexer.Hit, fields []string, name string) bool {
	return slices.ContainsFunc(fields, func(field string) bool {
		return slices.ContainsFunc(hit.Values[field], func(value string) bool {
			return strings.EqualFold(value, name) || hasSuffixFold(value, "."+name)
		})
	})
}

// beginsInPath reports whether a path, or its end after a dot, begins with a text, in any
// letter case.
func beginsInPath(path, text string) bool {
	for {
		if len(path) >= len(text) && strings.EqualFold(path[:len(text)], text) {
			return true
		}
		at := strings.IndexByte(path, '.')
		if at < 0 {
			return false
		}
		path = path[at+1:]
	}
}

func hasSuffixFold(text, end string) bool {
	return len(text) >= len(end) && strings.EqualFold(text[len(text)-len(end):], end)
}

// shareOut takes one item from each list in turn until there are enough. The result keeps the
// items of each list together.
func shareOut(lists [][]Suggestion, limit int) []Suggestion {
	taken, left := make([]int, len(lists)), limit
	for more := true; more && left > 0; {
		more = false
		for i := range lists {
			if left > 0 && taken[i] < len(lists[i]) {
				taken[i], left, more = taken[i]+1, left-1, true
			}
		}
	}
	found := make([]Suggestion, 0, limit-left)
	for i := range lists {
		found = append(found, lists[i][:taken[i]]...)
	}
	return found
}
