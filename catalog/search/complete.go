package search

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// CompletionRequest asks how an unfinished name may continue.
type CompletionRequest struct {
	// Text is the text typed so far, the beginning of a name as in [NameRequest].
	Text string
	// Part, Types and Removed are as in [NameRequest].
	Part    Part
	Types   []string
	Removed bool
}

// Completion is one way to continue a text.
type Completion struct {
	// Text is the typed text with its continuation.
	Text string
	// Open tells that the text is unfinished, as after urn:li:dataset: and snowflake:. If Open is
	// set although Text equals the typed text, the text stands for more things than are listed.
	Open bool
	// Things is the number of entities or columns that the text stands for.
	Things int
	// Type and Platform describe the entity, if there is only one; Platform may be empty.
	Type, Platform string
	// Column is the type of the column in its source, if the text names a column.
	Column string
}

// Complete continues the name of an entity or a column: from the beginning of the name, or from
// the beginning of a part after a dot or slash. The completions are ordered by their texts;
// there are at most limits.MaxCompletions.
func (s *Service) Complete(ctx context.Context, r CompletionRequest) ([]Completion, error) {
	if err := checkTyped(r.Text); err != nil {
		return nil, err
	}
	scope, err := s.searchScope(r.Types)
	if err != nil {
		return nil, err
	}
	var found []Completion
	if strings.HasPrefix(r.Text, "urn:") {
		found, err = s.completeURNs(ctx, scope, &r)
	} else if err = checkName(r.Text); err == nil {
		found, err = s.completeNames(ctx, scope, &r)
	}
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b Completion) int { return strings.Compare(a.Text, b.Text) })
	return found[:min(len(found), limits.MaxCompletions)], nil
}

// completeNames continues names of entities and columns.
func (s *Service) completeNames(ctx context.Context, scope *searchScope, r *CompletionRequest) ([]Completion, error) {
	readings := []*nameScope{{searchScope: scope, name: r.Text, removed: r.Removed}}
	if qualified := readings[0].qualified(); qualified != nil {
		readings = append(readings, qualified)
	}
	for i, n := range readings {
		var found []Completion
		var err error
		if r.Part != ColumnPart {
			if found, err = s.beginning(ctx, n); err != nil {
				return nil, err
			}
			if i == 0 && len(r.Types) == 0 && !strings.ContainsAny(r.Text, ":./ ") {
				qualifiers, err := s.qualifiers(ctx, n)
				if err != nil {
					return nil, err
				}
				found = append(found, qualifiers...)
			}
		}
		if r.Part != EntityPart {
			columns, err := s.completeColumns(ctx, n)
			if err != nil {
				return nil, err
			}
			found = append(found, columns...)
		}
		if len(found) > 0 {
			return found, nil
		}
	}
	return nil, nil
}

// qualifiers returns the entity types and platforms that may precede a name and that begin with
// the typed text.
func (s *Service) qualifiers(ctx context.Context, n *nameScope) ([]Completion, error) {
	filter, err := n.filter()
	if err != nil {
		return nil, err
	}
	result, err := s.searchExisting(ctx, &indexer.Query{Filter: filter, Facets: []string{indexer.FieldType, indexer.FieldPlatform}, FacetSize: limits.MaxCompletions})
	if err != nil {
		return nil, err
	}
	var found []Completion
	for _, facet := range result.Facets {
		for _, count := range facet.Counts {
			name := count.Value[strings.LastIndexByte(count.Value, ':')+1:]
			if strings.HasPrefix(name, n.name) {
				found = append(found, Completion{Text: name + ":", Open: true, Things: count.Docs})
			}
		}
	}
	return found, nil
}

// beginning finds the entities with a name that begins with the typed text, or in which the typed
// text follows a dot or slash.
func (s *Service) beginning(ctx context.Context, n *nameScope) ([]Completion, error) {
	filter, err := n.filter()
	if err != nil {
		return nil, err
	}
	fields := n.comparedFields()
	begins := indexer.Or{indexer.Match{Field: indexer.FieldURN, Kind: indexer.Prefix, Texts: n.urnsWith(n.name)}}
	for _, field := range fields {
		begins = append(begins,
			indexer.Match{Field: field, Kind: indexer.Prefix, Texts: []string{n.name}},
			indexer.Match{Field: field, Kind: indexer.Contains, Texts: []string{"." + n.name, "/" + n.name}})
	}
	result, err := s.searchExisting(ctx, &indexer.Query{
		Filter: indexer.And{filter, begins}, Sort: []indexer.Sort{{Field: indexer.FieldURN}}, Size: limits.MaxCompletions,
	})
	if err != nil {
		return nil, err
	}
	found := textsOf(n, s.namedHits(result.Hits, fields))
	switch {
	case result.Total <= limits.MaxCompletions:
		return found, nil
	case n.name == "" && n.before == "":
		return nil, nil
	}
	return append(found, Completion{Text: n.before + n.name, Open: true, Things: result.Total}), nil
}

// textsOf returns the names of entities, or the ends of names, that begin with the typed text.
func textsOf(n *nameScope, entities []Named) []Completion {
	texts := map[string]*Completion{}
	for _, entity := range entities {
		offered := map[string]bool{}
		for _, name := range entity.names {
			end, ok := endBeginning(name, n.name)
			if !ok || offered[end] {
				continue
			}
			offered[end] = true
			if texts[end] == nil {
				texts[end] = &Completion{Text: n.before + end, Type: entity.URN.EntityType(), Platform: entity.Platform}
			}
			texts[end].Things++
		}
	}
	found := make([]Completion, 0, len(texts))
	for _, c := range texts {
		if c.Things > 1 {
			c.Type, c.Platform = "", ""
		}
		found = append(found, *c)
	}
	return found
}

// endBeginning returns the longest end of a name that begins with a text: the whole name, or
// the part after one of its dots or slashes.
func endBeginning(name, text string) (string, bool) {
	for end := name; ; {
		if strings.HasPrefix(end, text) {
			return end, true
		}
		at := strings.IndexAny(end, "./")
		if at < 0 {
			return "", false
		}
		end = end[at+1:]
	}
}

// dotsTried bounds the dots of a text that are tried as the dot between the name of an entity
// and the path of a column. The last dots are tried.
const dotsTried = 8

// completeColumns continues the path of a column that follows the name of its entity and a dot.
func (s *Service) completeColumns(ctx context.Context, n *nameScope) ([]Completion, error) {
	at := len(n.name)
	for range dotsTried {
		if at = strings.LastIndexByte(n.name[:at], '.'); at <= 0 {
			break
		}
		entities, _, err := s.namedEntities(ctx, n, n.name[:at], maxSharing)
		if err != nil {
			return nil, err
		}
		found, err := s.columnsBeginning(ctx, n.before+n.name[:at+1], entities, n.name[at+1:])
		if err != nil || len(found) > 0 {
			return found, err
		}
	}
	return nil, nil
}

// columnsBeginning returns the columns of entities whose paths begin with a text.
func (s *Service) columnsBeginning(ctx context.Context, before string, entities []Named, text string) ([]Completion, error) {
	columns := map[string]*Completion{}
	err := s.eachSchema(ctx, entities, func(e Named, schema json.RawMessage) error {
		known, err := statements.ColumnsOf(schema, nil)
		if err != nil {
			return catalog.Errorf(catalog.Internal, "the columns of %s: %w", e.URN, err)
		}
		for i := range known {
			path := model.PlainPath(known[i].Path)
			if !strings.HasPrefix(path, text) {
				continue
			}
			if columns[path] == nil {
				columns[path] = &Completion{Text: before + path, Column: cmp.Or(known[i].NativeType, "column")}
			}
			columns[path].Things++
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	found := make([]Completion, 0, len(columns))
	for _, c := range columns {
		found = append(found, *c)
	}
	return found, nil
}

// completeURNs continues a URN step by step: first its entity type, then the whole URN, then a
// column after it.
func (s *Service) completeURNs(ctx context.Context, scope *searchScope, r *CompletionRequest) ([]Completion, error) {
	if strings.Count(r.Text, ":") < 3 {
		return s.completeURNTypes(ctx, scope, r.Text)
	}
	if at := strings.LastIndex(r.Text, ")."); at > 0 && r.Part != EntityPart {
		of, err := s.registry.ReadURN(r.Text[:at+1])
		if err != nil {
			return nil, nil //nolint:nilerr // the typed text is not a URN yet
		}
		return s.columnsBeginning(ctx, r.Text[:at+2], []Named{{URN: of}}, r.Text[at+2:])
	}
	filter, err := scope.filter(nil, named(r.Removed))
	if err != nil {
		return nil, err
	}
	begins := indexer.Match{Field: indexer.FieldURN, Kind: indexer.Prefix, Texts: []string{r.Text}}
	result, err := s.searchExisting(ctx, &indexer.Query{Filter: indexer.And{filter, begins}, Sort: []indexer.Sort{{Field: indexer.FieldURN}}, Size: limits.MaxCompletions})
	if err != nil {
		return nil, err
	}
	var found []Completion
	for _, n := range s.namedHits(result.Hits, nil) {
		found = append(found, Completion{Text: n.URN.String(), Type: n.URN.EntityType(), Platform: n.Platform, Things: 1})
	}
	if result.Total > limits.MaxCompletions {
		found = append(found, Completion{Text: r.Text, Open: true, Things: result.Total})
	}
	return found, nil
}

// completeURNTypes continues the beginning of a URN to the entity types that the catalog has.
func (s *Service) completeURNTypes(ctx context.Context, scope *searchScope, text string) ([]Completion, error) {
	counts, err := s.CountEntities(ctx, scope.types)
	if err != nil {
		return nil, err
	}
	var found []Completion
	for i, d := range s.registry.Dialects() {
		for _, name := range slices.Sorted(maps.Keys(counts)) {
			begins := "urn:" + d.Namespace + ":" + name + ":"
			if counts[name] > 0 && strings.HasPrefix(begins, text) && (i == 0 || strings.HasPrefix(text, "urn:"+d.Namespace+":")) {
				found = append(found, Completion{Text: begins, Open: true, Type: name, Things: counts[name]})
			}
		}
	}
	return found, nil
}
