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

// Part tells whether a name may stand for an entity, a column, or either.
type Part int

// These are the parts.
const (
	// EntityPart: an entity.
	EntityPart Part = iota
	// ColumnPart: a column, written <entity>.<path>.
	ColumnPart
	// EitherPart: an entity or, if no entity has the name, a column.
	EitherPart
)

// NameRequest asks which entity or column a name stands for.
type NameRequest struct {
	// Name is a URN, or <URN>.<path> for a column, or a name as people write it. That is the
	// display name, the name in the source (analytics.marts.orders), or the end of the name in the
	// source after a dot or slash (marts.orders, orders). A complete name matches in any letter
	// case. An entity type or a platform in front of the name, with a colon, narrows the search
	// (snowflake:orders, tag:PII).
	Name string
	// Part selects entities, columns or both.
	Part Part
	// Types are the entity types to look among; empty means all that people search for.
	Types []string
	// Removed tells that the name may also stand for a soft-deleted entity.
	Removed bool
}

// Named is the entity or column that a name stands for.
type Named struct {
	URN model.URN
	// Name is the display name of the entity.
	Name string
	// Column is the path of the column, "" for the entity itself.
	Column string
	// Platform is the id of the platform, "" for none.
	Platform string
	// Handle is set only for the candidates of a NameError. Handle is a name that stands for this
	// candidate alone, or the URN if there is no such name.
	Handle string
	// names are the names of the entity with which a requested name is compared.
	names []string
}

// Subject returns the URN of the column, or of the entity if there is no column.
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

// Resolve finds the entity or column that a name stands for. A URN stands for itself; Resolve
// does not check whether anything is stored of it. An entity that has the name completely is
// preferred to entities whose names end with it. A column is looked for in each entity with the
// name before it. Siblings are one thing in two systems: the sibling that has columns stands
// for both. If no thing or more than one thing is left, Resolve fails with a NameError.
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

// lookUp finds the things with a name. lookUp first takes the whole name; if no thing has it,
// lookUp takes an entity type or a platform off the beginning and tries the rest. lookUp also
// returns the number of things, of which only some may have been read. For columns, each entity
// that was not read is counted as having the column.
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

// nameScope is a reading of a name: the text to compare, and the scope to search.
type nameScope struct {
	*searchScope
	name string
	// before is the part that was taken off the beginning, with its colon.
	before string
	// platform, if not empty, lists the URNs of which the platform of an entity must be one.
	platform []string
	removed  bool
}

// qualified reads the text before the first colon of a name as an entity type or a platform.
// qualified returns nil if the text cannot be either.
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
		if more := narrow.qualified(); more != nil { // two qualifiers, as in dataset:snowflake:orders
			return more
		}
		return narrow
	}
	for _, d := range n.registry.Dialects() {
		narrow.platform = append(narrow.platform, "urn:"+d.Namespace+":"+model.EntityDataPlatform+":"+before)
	}
	return narrow
}

// filter returns the condition on all entities in the scope.
func (n *nameScope) filter() (indexer.Expr, error) {
	filter, err := n.searchScope.filter(nil, named(n.removed))
	if err != nil || len(n.platform) == 0 {
		return filter, err
	}
	return indexer.And{filter, indexer.Match{Field: indexer.FieldPlatform, Kind: indexer.Same, Texts: n.platform}}, nil
}

// comparedFields lists the fields whose values are names.
func (s *searchScope) comparedFields() []string {
	return s.namesOf(func(f *indexer.Field) bool { return f.Completes && f.Kind != indexer.KindURN })
}

// resolveURN parses the URN of an entity or of a column.
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

// urnsWith returns the URNs, of each type, whose key is a name. For example, the name of a tag
// or a person may be its key.
func (s *searchScope) urnsWith(name string) []string {
	var urns []string
	for _, d := range s.registry.Dialects() {
		for _, t := range s.types {
			urns = append(urns, "urn:"+d.Namespace+":"+t+":"+name)
		}
	}
	return urns
}

// namedEntities finds the entities whose whole name is the given name or, if no entity has the
// name, the entities whose name ends with the given name. namedEntities returns at most size
// entities, and the number of all such entities.
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

// platformID returns the id of the platform of a hit, "" for none.
func platformID(hit *indexer.Hit) string {
	platform := model.PlatformInKey(model.StoredURN(hit.URN))
	if values := hit.Values[indexer.FieldPlatform]; len(values) > 0 {
		platform = values[0]
	}
	return platform[strings.LastIndexByte(platform, ':')+1:]
}

// namedColumns finds the columns that <entity>.<path> may stand for; the path may have dots
// too. namedColumns also returns the possible number of columns if not all entities were read.
// namedColumns finds none and fails with NotFound if the text before the path names an entity
// with other columns, or if only a column is asked for.
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

// withColumn returns the column of each entity that has it. If none has it, withColumn returns
// the columns that the entities do have.
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

// schemasAtOnce bounds the schemas that are in memory at once.
const schemasAtOnce = 20

// eachSchema calls visit with each of the entities that has a schema.
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

// withoutTwins leaves out each entity without columns that has a sibling with columns in the
// list.
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
