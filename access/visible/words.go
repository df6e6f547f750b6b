package visible

import (
	"slices"

	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/model"
)

// A search for words also looks at the names of the tags, the owners' groups and all else that an entity names. A caller
// from whom some of these may be hidden would learn their names by searching for them. So such a caller's searches leave
// out the whole class of words, and patterns leave out the values that may name hidden entities: an index cannot tell which
// of them the caller may see.

// closedClasses returns the classes of text that the caller may not search.
func (s *sight) closedClasses() indexer.ClassSet {
	var classes indexer.ClassSet
	if slices.ContainsFunc(indexer.LabelTypes(), s.hidesSome) {
		classes = classes.With(indexer.TextLabels)
	}
	types, few := s.AllBut()
	if !few || slices.ContainsFunc(types, func(entityType string) bool { return !indexer.IsPrivileged(entityType) }) {
		classes = classes.With(indexer.TextReferences)
	}
	return classes.With(indexer.TextPrivileged) // who sees everything has no sight
}

// openFields caches for one call which fields have no values that may be hidden from the caller.
type openFields struct {
	*sight
	urns map[string]*urnField
	open map[string]bool
}

// urnField is what is known of the entities that the values of a field name.
type urnField struct {
	types []string
	// any: the values may also name other entities.
	any bool
}

// urnFields returns the fields with URNs. Platforms are left out: the URNs of the entities on a platform have its
// name anyway.
func urnFields(r *model.Registry, schema *indexer.Schema) map[string]*urnField {
	fields, texts := map[string]*urnField{}, map[string]bool{}
	for _, e := range r.Entities() {
		for _, f := range schema.Fields(e.Name) {
			if f.Kind != indexer.KindURN || f.Name == indexer.FieldURN {
				texts[f.Name] = true
				continue
			}
			known := fields[f.Name]
			if known == nil {
				known = &urnField{}
				fields[f.Name] = known
			}
			known.types, known.any = append(known.types, f.Types...), known.any || len(f.Types) == 0
		}
	}
	for name, f := range fields {
		f.any = f.any || texts[name]
	}
	fields[indexer.FieldPlatform] = &urnField{types: []string{model.EntityDataPlatform}}
	return fields
}

// has reports whether the caller may read every entity that a value of the field may name.
func (o *openFields) has(field string) bool {
	open, known := o.open[field]
	if !known {
		of := o.urns[field]
		open = field == indexer.FieldURN || of != nil && !of.any && !slices.ContainsFunc(of.types, o.hidesSome)
		o.open[field] = open
	}
	return open
}

// hidesSome reports whether an entity of a type may be hidden from the caller. A column is what its entity is.
func (s *sight) hidesSome(entityType string) bool {
	switch entityType {
	case model.EntitySchemaField:
		return !s.SeesType(model.EntityDataset)
	case model.EntityDataPlatform:
		return false
	}
	return !s.SeesType(entityType)
}

// completed returns the fields among several whose completions name no hidden entity.
func (o *openFields) completed(fields []string) []string {
	return slices.DeleteFunc(slices.Clone(fields), func(field string) bool { return o.urns[field] != nil && !o.has(field) })
}

// everyName are the texts of which each URN has one.
var everyName = []string{""}

// hiddenNames returns texts of which each URN that may be hidden has one.
func (s *sight) hiddenNames() []string {
	if s.few {
		return s.marks
	}
	return everyName
}

// closed returns a condition that looks at no words and no parts of values that may be those of hidden entities.
func (o *openFields) closed(e indexer.Expr, without indexer.ClassSet) indexer.Expr {
	closed := func(part indexer.Expr) indexer.Expr { return o.closed(part, without) }
	switch e := e.(type) {
	case indexer.And:
		return indexer.And(indexer.EachOf(e, closed))
	case indexer.Or:
		return indexer.Or(indexer.EachOf(e, closed))
	case indexer.Not:
		return indexer.Not{Expr: closed(e.Expr)}
	case indexer.Match:
		if !o.has(e.Field) {
			e.Except = o.hiddenNames()
		}
		return e
	case indexer.Words:
		if len(e.Fields) == 0 {
			e.Without |= without
			return e
		}
		return o.inFields(e)
	}
	return e
}

// inFields splits a condition on the words of fields: in the fields that are not open, values that name entities do not
// count.
func (o *openFields) inFields(e indexer.Words) indexer.Expr {
	var open, other []string
	for _, field := range e.Fields {
		if o.has(field) {
			open = append(open, field)
		} else {
			other = append(other, field)
		}
	}
	either := indexer.Or{}
	if len(open) > 0 {
		part := e
		part.Fields = open
		either = append(either, part)
	}
	if len(other) > 0 {
		e.Fields, e.Except = other, o.hiddenNames()
		either = append(either, e)
	}
	return indexer.Simplify(either)
}
