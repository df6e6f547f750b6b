package search

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/model"
)

// Part is which part of the catalog a name may stand for.
type Part int

// The parts.
const (
	// EntityPart: an entity.
	EntityPart Part = iota
	// ColumnPart: a column, written <entity>.<path>.
	ColumnPart
	// EitherPart: an entity or, if no entity has the name, a column.
	EitherPart
)

// NameRequest asks what a name stands for.
type NameRequest struct {
	// Name is a URN, or <URN>.<path> for a column, or a name as people write it: the display name, the name in
	// the source (analytics.marts.orders), or the end of that after a dot or slash
	// (marts.orders, orders). The letter case of a complete name does not matter.
	Name string
	// Part is what the name may stand for.
	Part Part
	// Types are the entity types that it may be; empty means all that people
	// search for.
	Types []string
}

// Named is what a name stands for.
type Named struct {
	URN model.URN
	// Name is the display name of the entity.
	Name string
	// Column is the path of the column, "" for the entity itself.
	Column string
}

// Subject returns the URN of the entity or, if there is one, of the column.
func (n *Named) Subject() (model.URN, error) {
	if n.Column == "" {
		return n.URN, nil
	}
	u, err := model.BuildURN(n.URN.Namespace(), model.EntitySchemaField, n.URN.String(), model.EncodeFieldPath(n.Column))
	if err != nil {
		return model.URN{}, &catalog.Error{Code: catalog.Invalid, Message: err.Error()}
	}
	return u, nil
}

// NameError is a name that stands for nothing, or for several things. It is the
// cause of a [catalog.Error], NotFound or Invalid.
type NameError struct {
	Name string
	// Candidates are what the name may stand for or, if it stands for nothing, what
	// is nearest to it; at most maxCandidates.
	Candidates []Named
	// Several: each of the candidates has the name.
	Several bool
}

func (e *NameError) Error() string {
	if e.Several {
		return fmt.Sprintf("%q stands for several things", e.Name)
	}
	return fmt.Sprintf("nothing is named %q", e.Name)
}

// maxCandidates is how many entities with one name are looked at and offered.
const maxCandidates = 10

// Resolve finds what a name stands for. A URN stands for itself; whether anything is
// stored of it is not checked. Of several entities with the name, one that has it
// completely comes before those that end with it. A column is looked for in each
// entity with the name before it. Siblings are one thing in two systems: the one
// that has columns stands for both. If nothing, or more than one thing, is left, it
// fails with a NameError.
func (s *Service) Resolve(ctx context.Context, r NameRequest) (*Named, error) {
	r.Name = strings.TrimSpace(r.Name)
	if r.Name == "" {
		return nil, catalog.Errorf(catalog.Invalid, "a name is required")
	}
	if err := checkTyped(r.Name); err != nil {
		return nil, err
	}
	scope, err := s.searchScope(r.Types)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(r.Name, "urn:") {
		return s.resolveURN(scope, &r)
	}
	var found []Named
	if r.Part != ColumnPart {
		if found, err = s.namedEntities(ctx, scope, r.Name); err != nil {
			return nil, err
		}
	}
	if len(found) == 0 && r.Part != EntityPart {
		if found, err = s.namedColumns(ctx, scope, r.Name); err != nil {
			return nil, err
		}
	}
	if len(found) > 1 {
		if found, err = s.withoutTwins(ctx, found); err != nil {
			return nil, err
		}
	}
	switch len(found) {
	case 1:
		return &found[0], nil
	case 0:
		return nil, s.unnamed(ctx, &r)
	}
	return nil, severalNamed(r.Name, found)
}

// resolveURN reads the URN of an entity or of a column.
func (s *Service) resolveURN(scope *searchScope, r *NameRequest) (*Named, error) {
	text, column := r.Name, ""
	if at := strings.LastIndex(text, ")."); at > 0 && r.Part != EntityPart {
		text, column = text[:at+1], text[at+2:]
	}
	u, err := s.registry.ReadURN(text)
	if err != nil {
		return nil, &catalog.Error{Code: catalog.Invalid, Message: err.Error()}
	}
	if column != "" {
		return &Named{URN: u, Name: indexer.Leaf(u), Column: column}, nil
	}
	named := &Named{URN: u, Name: indexer.Leaf(u)}
	if parts := u.Parts(); u.EntityType() == model.EntitySchemaField && len(parts) == 2 {
		if r.Part == EntityPart {
			return nil, catalog.Errorf(catalog.Invalid, "%s is a column; an entity is required", u)
		}
		of, err := s.registry.ReadURN(parts[0])
		if err != nil {
			return nil, &catalog.Error{Code: catalog.Invalid, Message: err.Error()}
		}
		return &Named{URN: of, Name: indexer.Leaf(of), Column: model.DecodeFieldPath(parts[1])}, nil
	}
	if r.Part == ColumnPart {
		return nil, catalog.Errorf(catalog.Invalid, "%s is not a column; a column is written <entity>.<path>, or as the URN of a schemaField", u)
	}
	if len(r.Types) > 0 {
		return named, catalog.RequireType(u, scope.types...)
	}
	return named, nil
}

// namedEntities finds the entities that have a name: completely or, if there is
// none, at their end.
func (s *Service) namedEntities(ctx context.Context, scope *searchScope, name string) ([]Named, error) {
	var whole, end indexer.Or
	for _, field := range scope.namesOf(func(f *indexer.Field) bool { return f.Completes && f.Kind != indexer.KindURN }) {
		whole = append(whole, indexer.Match{Field: field, Kind: indexer.Same, Texts: []string{name}})
		end = append(end, indexer.Match{Field: field, Kind: indexer.Suffix, Texts: []string{"." + name, "/" + name}})
	}
	for _, condition := range []indexer.Or{whole, end} {
		filter, err := scope.filter(nil, false)
		if err != nil {
			return nil, err
		}
		result, err := s.searchExisting(ctx, &indexer.Query{
			Filter: indexer.And{filter, condition}, Sort: []indexer.Sort{{Field: indexer.FieldURN}}, Size: maxCandidates,
		})
		if err != nil {
			return nil, err
		}
		if len(result.Hits) > 0 {
			return s.namedHits(result.Hits), nil
		}
	}
	return nil, nil
}

func (s *Service) namedHits(hits []indexer.Hit) []Named {
	var found []Named
	for i := range hits {
		if u := model.StoredURN(hits[i].URN); !u.IsZero() {
			found = append(found, Named{URN: u, Name: s.displayName(&hits[i])})
		}
	}
	return found
}

// namedColumns finds the columns that <entity>.<path> may stand for; the path may
// have dots too.
func (s *Service) namedColumns(ctx context.Context, scope *searchScope, name string) ([]Named, error) {
	var missing error
	for at := len(name) - 1; at > 0; at-- {
		if name[at] != '.' {
			continue
		}
		path := name[at+1:]
		entities, err := s.namedEntities(ctx, scope, name[:at])
		if err != nil {
			return nil, err
		}
		if path == "" || len(entities) == 0 {
			continue
		}
		columns, known, err := s.withColumn(ctx, entities, path)
		if err != nil || len(columns) > 0 {
			return columns, err
		}
		if missing == nil {
			missing = catalog.Errorf(catalog.NotFound, "nothing named %q has a column %q%s", name[:at], path, nearest.Question(nearest.Names(path, slices.Values(known))))
		}
	}
	return nil, missing
}

// withColumn returns a column for each of the entities that has it, and otherwise
// the columns that they have.
func (s *Service) withColumn(ctx context.Context, entities []Named, path string) (columns []Named, known []string, err error) {
	stored, err := s.catalog.Entities(ctx, urnsOf(entities), []string{model.AspectSchemaMetadata})
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entities {
		schema, ok := stored[e.URN.String()].Aspects[model.AspectSchemaMetadata]
		if !ok {
			continue
		}
		paths, err := catalog.FieldPathsOf(schema.Value)
		if err != nil {
			return nil, nil, catalog.Errorf(catalog.Internal, "%s of %s: %w", model.AspectSchemaMetadata, e.URN, err)
		}
		for _, p := range paths {
			if p == path || strings.EqualFold(catalog.PlainPath(p), path) {
				columns = append(columns, Named{URN: e.URN, Name: e.Name, Column: p})
				break
			}
			known = append(known, catalog.PlainPath(p))
		}
	}
	return columns, known, nil
}

// withoutTwins leaves out siblings without columns if one with columns is among the
// things found.
func (s *Service) withoutTwins(ctx context.Context, found []Named) ([]Named, error) {
	stored, err := s.catalog.Entities(ctx, urnsOf(found), []string{model.AspectSiblings, model.AspectSchemaMetadata})
	if err != nil {
		return nil, err
	}
	described := func(n *Named) bool {
		_, ok := stored[n.URN.String()].Aspects[model.AspectSchemaMetadata]
		return ok
	}
	return slices.DeleteFunc(slices.Clone(found), func(n Named) bool {
		return !described(&n) && slices.ContainsFunc(found, func(other Named) bool {
			twins := string(stored[n.URN.String()].Aspects[model.AspectSiblings].Value)
			return described(&other) && strings.Contains(twins, `"`+other.URN.String()+`"`)
		})
	}), nil
}

func urnsOf(named []Named) []model.URN {
	urns := make([]model.URN, len(named))
	for i := range named {
		urns[i] = named[i].URN
	}
	return urns
}

// unnamed is the error for a name that nothing has. It offers what a search for the
// name finds.
func (s *Service) unnamed(ctx context.Context, r *NameRequest) error {
	e := &NameError{Name: r.Name}
	last := r.Name[strings.LastIndexAny(r.Name, "./")+1:]
	for _, text := range []string{r.Name, last} {
		found, err := s.Search(ctx, Request{Types: r.Types, Input: text, Count: nearestShown, Named: true, WithoutMatches: true, Facets: []string{}})
		if catalog.CodeOf(err) == catalog.Invalid {
			continue // it is not something to search for
		}
		if err != nil {
			return err
		}
		for _, hit := range found.Hits {
			if u := model.StoredURN(hit.URN); !u.IsZero() {
				e.Candidates = append(e.Candidates, Named{URN: u, Name: hit.Name})
			}
		}
		if len(e.Candidates) > 0 {
			break
		}
	}
	message := e.Error()
	if len(e.Candidates) > 0 {
		message += "; nearest are " + listed(e.Candidates)
	}
	return &catalog.Error{Code: catalog.NotFound, Message: message, Err: e}
}

// nearestShown is how many entities are offered for a name that nothing has.
const nearestShown = 5

func severalNamed(name string, found []Named) error {
	e := &NameError{Name: name, Candidates: found, Several: true}
	return &catalog.Error{Code: catalog.Invalid, Message: e.Error() + ": " + listed(found) + "; use a longer name or a URN", Err: e}
}

func listed(named []Named) string {
	texts := make([]string, len(named))
	for i := range named {
		subject, err := named[i].Subject()
		if texts[i] = subject.String(); err != nil {
			texts[i] = named[i].URN.String()
		}
	}
	return strings.Join(texts, ", ")
}
