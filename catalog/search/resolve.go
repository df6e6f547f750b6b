package search

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/internal/requestinfo"
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
	// (marts.orders, orders). The letter case of a complete name does not matter. An
	// entity type or a platform before it, with a colon, narrows what it may stand for
	// (snowflake:orders, tag:PII).
	Name string
	// Part is what the name may stand for.
	Part Part
	// Types are the entity types that it may be; empty means all that people
	// search for.
	Types []string
	// Removed: it may also be a soft-deleted entity.
	Removed bool
}

// Named is what a name stands for.
type Named struct {
	URN model.URN
	// Name is the display name of the entity.
	Name string
	// Column is the path of the column, "" for the entity itself.
	Column string
	// Platform is the id of the platform, "" for none.
	Platform string
	// Handle, only of the candidates of a NameError, is a name that stands for this
	// one alone, or its URN if there is no such name.
	Handle string
	// names are the values that the name may be compared with.
	names []string
}

// Subject returns the URN of the entity or, if there is one, of the column.
func (n *Named) Subject() (model.URN, error) {
	if n.Column == "" {
		return n.URN, nil
	}
	u, err := model.ColumnURN(n.URN, n.Column)
	if err != nil {
		return model.URN{}, &catalog.Error{Code: catalog.Invalid, Message: err.Error()}
	}
	return u, nil
}

// Resolve finds what a name stands for. A URN stands for itself; whether anything is
// stored of it is not checked. Of several entities with the name, one that has it
// completely comes before those that end with it. A column is looked for in each
// entity with the name before it. Siblings are one thing in two systems: the one
// that has columns stands for both. If nothing, or more than one thing, is left, it
// fails with a NameError.
func (s *Service) Resolve(ctx context.Context, r NameRequest) (*Named, error) {
	named, err := s.resolve(ctx, r)
	if err == nil {
		requestinfo.SubjectOf(ctx).Names(named.URN)
	}
	return named, err
}

func (s *Service) resolve(ctx context.Context, r NameRequest) (*Named, error) {
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
	if err := checkName(r.Name); err != nil {
		return nil, err
	}
	found, total, err := s.lookUp(ctx, scope, &r)
	if catalog.CodeOf(err) == catalog.NotFound {
		return nil, cmp.Or(s.softDeleted(ctx, scope, &r), err)
	}
	if err != nil {
		return nil, err
	}
	if len(found) > 1 {
		all := len(found)
		if found, err = s.withoutTwins(ctx, found); err != nil {
			return nil, err
		}
		total -= all - len(found)
	}
	switch {
	case len(found) == 0:
		return nil, s.unnamed(ctx, scope, &r)
	case total == 1:
		return &found[0], nil
	}
	return nil, s.severalNamed(ctx, scope, &r, found, total)
}

// lookUp finds what a name stands for as it is or, if that is nothing, when an entity
// type or a platform is taken off its beginning. It also returns how many things there
// are, of which only some may be looked at. Of columns, it counts each entity that was
// not looked at as one that has the column.
func (s *Service) lookUp(ctx context.Context, scope *searchScope, r *NameRequest) (found []Named, total int, err error) {
	readings := []*nameScope{{searchScope: scope, name: r.Name, removed: r.Removed}}
	if qualified := readings[0].qualified(); qualified != nil {
		readings = append(readings, qualified)
	}
	var missing error
	for _, n := range readings {
		if r.Part != ColumnPart {
			if found, total, err = s.namedEntities(ctx, n, n.name, maxCandidates); err != nil || len(found) > 0 {
				return found, total, err
			}
		}
		if r.Part == EntityPart {
			continue
		}
		found, total, err = s.namedColumns(ctx, n, r.Part)
		if len(found) > 0 || err != nil && catalog.CodeOf(err) != catalog.NotFound {
			return found, total, err
		}
		missing = cmp.Or(missing, err)
	}
	return nil, 0, missing
}

// nameScope is a reading of a name: what is compared, and among what.
type nameScope struct {
	*searchScope
	name string
	// before is what was taken off the beginning, with its colon.
	before string
	// platform, if it is not empty, are the URNs of which one must be the platform.
	platform []string
	removed  bool
}

// qualified reads what is before the first colon of a name as an entity type or a
// platform. It returns nil if it cannot be one.
func (n *nameScope) qualified() *nameScope {
	before, name, ok := strings.Cut(n.name, ":")
	if !ok || before == "" || strings.ContainsAny(before, " /(),") {
		return nil
	}
	narrow := &nameScope{searchScope: n.searchScope, name: strings.TrimSpace(name), before: n.before + before + ":", removed: n.removed}
	if e, ok := n.registry.Entity(before); ok {
		scope := *n.searchScope
		scope.types = []string{e.Name}
		narrow.searchScope = &scope
		if more := narrow.qualified(); more != nil { // dataset:snowflake:orders
			return more
		}
		return narrow
	}
	for _, d := range n.registry.Dialects() {
		narrow.platform = append(narrow.platform, "urn:"+d.Namespace+":"+model.EntityDataPlatform+":"+before)
	}
	return narrow
}

// filter is the condition on everything in the scope.
func (n *nameScope) filter() (indexer.Expr, error) {
	filter, err := n.searchScope.filter(nil, named(n.removed))
	if err != nil || len(n.platform) == 0 {
		return filter, err
	}
	return indexer.And{filter, indexer.Match{Field: fieldPlatform, Kind: indexer.Same, Texts: n.platform}}, nil
}

// fieldPlatform is the field that contains the platform of an entity.
const fieldPlatform = "platform"

// comparedFields are the fields whose values are names.
func (s *searchScope) comparedFields() []string {
	return s.namesOf(func(f *indexer.Field) bool { return f.Completes && f.Kind != indexer.KindURN })
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

// urnsWith returns the URNs of the types whose key is a name, such as those of tags
// and people.
func (s *searchScope) urnsWith(name string) []string {
	var urns []string
	for _, d := range s.registry.Dialects() {
		for _, t := range s.types {
			urns = append(urns, "urn:"+d.Namespace+":"+t+":"+name)
		}
	}
	return urns
}

// namedEntities finds the entities that have a name: completely or, if there is
// none, at their end; at most as many as size. It also returns how many there are.
func (s *Service) namedEntities(ctx context.Context, n *nameScope, name string, size int) ([]Named, int, error) {
	if name == "" {
		return nil, 0, nil
	}
	filter, err := n.filter()
	if err != nil {
		return nil, 0, err
	}
	var whole, end indexer.Or
	fields := n.comparedFields()
	for _, field := range fields {
		whole = append(whole, indexer.Match{Field: field, Kind: indexer.Same, Texts: []string{name}})
		end = append(end, indexer.Match{Field: field, Kind: indexer.Suffix, Texts: []string{"." + name, "/" + name}})
	}
	whole = append(whole, indexer.In{Field: indexer.FieldURN, Values: n.urnsWith(name)})
	for _, condition := range []indexer.Or{whole, end} {
		result, err := s.searchExisting(ctx, &indexer.Query{
			Filter: indexer.And{filter, condition}, Sort: []indexer.Sort{{Field: indexer.FieldURN}}, Size: size,
		})
		if err != nil {
			return nil, 0, err
		}
		if len(result.Hits) > 0 {
			found := s.namedHits(result.Hits, fields)
			return found, result.Total - (len(result.Hits) - len(found)), nil
		}
	}
	return nil, 0, nil
}

func (s *Service) namedHits(hits []indexer.Hit, fields []string) []Named {
	var found []Named
	for i := range hits {
		hit := &hits[i]
		u := model.StoredURN(hit.URN)
		if u.IsZero() {
			continue
		}
		n := Named{URN: u, Name: s.displayName(hit), Platform: platformID(hit)}
		if len(u.Parts()) == 1 {
			n.names = append(n.names, indexer.Leaf(u))
		}
		for _, field := range fields {
			n.names = append(n.names, hit.Values[field]...)
		}
		found = append(found, n)
	}
	return found
}

// platformID returns the id of the platform of an entity that was found, "" for none.
func platformID(hit *indexer.Hit) string {
	platform := model.PlatformInKey(model.StoredURN(hit.URN))
	if values := hit.Values[fieldPlatform]; len(values) > 0 {
		platform = values[0]
	}
	return platform[strings.LastIndexByte(platform, ':')+1:]
}

// namedColumns finds the columns that <entity>.<path> may stand for; the path may
// have dots too. It also returns how many there may be if not all entities were looked
// at. If there are none, it fails with NotFound where the text before the path names
// something with columns, or only a column is asked for.
func (s *Service) namedColumns(ctx context.Context, n *nameScope, part Part) ([]Named, int, error) {
	var missing error
	name := n.name
	for at := len(name) - 1; at > 0; at-- {
		if name[at] != '.' {
			continue
		}
		path := name[at+1:]
		entities, total, err := s.namedEntities(ctx, n, name[:at], maxSharing)
		if err != nil {
			return nil, 0, err
		}
		if path == "" || len(entities) == 0 {
			continue
		}
		columns, known, err := s.withColumn(ctx, entities, path)
		unread := total - len(entities)
		if err != nil || len(columns) > 0 {
			return columns, len(columns) + unread, err
		}
		if missing == nil && (len(known) > 0 || part == ColumnPart) {
			holders := "nothing named %q has"
			if unread > 0 {
				holders = fmt.Sprintf("of the %d things named %%q, none of the first %d has", total, len(entities))
			}
			missing = catalog.Errorf(catalog.NotFound, holders+" a column %q%s", name[:at], path, nearest.Question(nearest.Names(path, slices.Values(known))))
		}
	}
	return nil, 0, missing
}

// withColumn returns a column for each of the entities that has it, and otherwise
// the columns that they have.
func (s *Service) withColumn(ctx context.Context, entities []Named, path string) (columns []Named, known []string, err error) {
	err = s.eachSchema(ctx, entities, func(e Named, schema json.RawMessage) error {
		paths, err := statements.FieldPathsOf(schema)
		if err != nil {
			return catalog.Errorf(catalog.Internal, "%s of %s: %w", model.AspectSchemaMetadata, e.URN, err)
		}
		for _, p := range paths {
			if p == path || strings.EqualFold(model.PlainPath(p), path) {
				e.Column = p
				columns = append(columns, e)
				break
			}
			known = append(known, model.PlainPath(p))
		}
		return nil
	})
	return columns, known, err
}

// schemasAtOnce is how many schemas are in memory at a time.
const schemasAtOnce = 20

// eachSchema calls a function with those of some entities that have a schema.
func (s *Service) eachSchema(ctx context.Context, entities []Named, visit func(e Named, schema json.RawMessage) error) error {
	for some := range slices.Chunk(entities, schemasAtOnce) {
		stored, err := s.reader.Entities(ctx, urnsOf(some), []string{model.AspectSchemaMetadata})
		if err != nil {
			return err
		}
		for _, e := range some {
			if schema, ok := stored[e.URN.String()].Aspects[model.AspectSchemaMetadata]; ok {
				if err := visit(e, schema.Value); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// withoutTwins leaves out siblings without columns if one with columns is among the
// things found.
func (s *Service) withoutTwins(ctx context.Context, found []Named) ([]Named, error) {
	stored, err := s.reader.Entities(ctx, urnsOf(found), []string{model.AspectSiblings, model.AspectSchemaMetadata})
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
