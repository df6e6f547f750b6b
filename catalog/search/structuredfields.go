package search

import (
	"context"
	"iter"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/internal/querytext"
	"github.com/headwater-io/headwater/model"
)

// queryNames has the names of fields in structured query text, and the fields for which they
// stand.
var queryNames = map[string][]string{
	"name":                   append(slices.Clone(nameFields), "editedName"),
	model.EntityTag:          {"tags"},
	"term":                   {"glossaryTerms"},
	model.EntityGlossaryTerm: {"glossaryTerms"},
	model.EntityDomain:       {"domains"},
	"owner":                  {"owners"},
	"column":                 {"fieldPaths"},
	model.EntityApplication:  {"applications"},
	"env":                    {"origin", "env"},
	"environment":            {"origin", "env"},
}

// fieldsNamed returns the fields for which a name stands in structured query text, and whether
// any entity type has such a field.
func (q *structured) fieldsNamed(name string) (fields []*indexer.Field, known bool) {
	name = fieldName(name)
	names := queryNames[name]
	if names == nil {
		names = []string{name}
	}
	var all []string
	for _, name := range names {
		all = append(all, name)
		for _, more := range expandedFields[name] {
			if !slices.Contains(all, more) {
				all = append(all, more)
			}
		}
	}
	for _, name := range all {
		known = known || q.schema.Has(name)
		fields = append(fields, q.variants(name)...)
	}
	return fields, known
}

// variants returns a field as the searched types have it: one variant for each kind of values,
// with the entity types to which any of the fields refers.
func (q *structured) variants(name string) []*indexer.Field {
	var found []*indexer.Field
	for _, t := range q.types {
		f, ok := q.schema.Field(t, name)
		if !ok {
			continue
		}
		i := slices.IndexFunc(found, func(other *indexer.Field) bool { return other.Kind == f.Kind })
		if i < 0 {
			one := *f
			one.Types = slices.Clone(f.Types)
			found = append(found, &one)
			continue
		}
		found[i].Text = found[i].Text && f.Text
		for _, t := range f.Types {
			if !slices.Contains(found[i].Types, t) {
				found[i].Types = append(found[i].Types, t)
			}
		}
	}
	return found
}

// lookUpFields finds the fields of all terms: fields of the model, or structured properties.
func (s *Service) lookUpFields(ctx context.Context, q *structured, tree querytext.Node) error {
	var unknown []*querytext.Term
	querytext.Terms(tree, func(t *querytext.Term, _ bool) {
		if t.Field == "" {
			return
		}
		fields, known := q.fieldsNamed(t.Field)
		if q.fields[t] = fields; !known {
			unknown = append(unknown, t)
		}
	})
	if len(unknown) == 0 {
		return nil
	}
	queries := make([]*indexer.Query, len(unknown))
	for i, t := range unknown {
		is := indexer.Or{indexer.In{Field: indexer.FieldURN, Values: q.shortForms(propertyField, t.Field)}}
		if name := indexer.Normalize(t.Field); name != "" {
			is = append(is, indexer.In{Field: indexer.FieldName, Values: []string{name}})
		}
		queries[i] = &indexer.Query{Filter: indexer.And{indexer.In{Field: indexer.FieldType, Values: []string{model.EntityStructuredProperty}}, is}, Size: limits.MaxListItems, Plain: true}
	}
	answers, err := s.findMany(ctx, queries)
	if err != nil {
		return err
	}
	for i, t := range unknown {
		if err := answers[i].Err; err != nil {
			return err
		}
		hits := answers[i].Result.Hits
		if len(hits) == 0 {
			return wrongQuery(q.wrong(t.FieldAt, "no entity has the field %s, and no structured property has this name%s", t.Field, didYouMean(t.Field, q.allFieldNames())))
		}
		for _, hit := range hits {
			if u, err := model.ParseURN(hit.URN); err == nil {
				fields, _ := q.fieldsNamed(indexer.ListField(model.AspectStructuredProperties, u.Key()))
				q.fields[t] = append(q.fields[t], fields...)
			}
		}
	}
	return nil
}

// propertyField is a field that refers to structured properties.
var propertyField = &indexer.Field{Kind: indexer.KindURN, Types: []string{model.EntityStructuredProperty}}

// allFieldNames yields the names of fields that a query about the searched types may use.
func (q *structured) allFieldNames() iter.Seq[string] {
	return func(yield func(string) bool) {
		for name := range queryNames {
			if !yield(name) {
				return
			}
		}
		q.fieldNames()(yield)
	}
}

// didYouMean suggests the names that are similar to a wrong one.
func didYouMean(name string, known iter.Seq[string]) string {
	return nearest.Question(nearest.Names(name, known))
}

// lookup is a question for the entities of some types that have a name.
type lookup struct{ types, name string }

func lookupOf(f *indexer.Field, text string) lookup {
	return lookup{strings.Join(f.Types, " "), indexer.Normalize(text)}
}

// lookUpNames finds the entities for terms that name an entity where a field has URNs.
func (s *Service) lookUpNames(ctx context.Context, q *structured, tree querytext.Node) error {
	var wanted []lookup
	places := map[lookup]*querytext.Term{}
	querytext.Terms(tree, func(t *querytext.Term, _ bool) {
		if t.Prefix || strings.HasPrefix(t.Text, "urn:") {
			return
		}
		for _, f := range q.fields[t] {
			l := lookupOf(f, t.Text)
			if f.Kind == indexer.KindURN && f.Name != indexer.FieldURN && l.types != "" && l.name != "" && places[l] == nil {
				wanted, places[l] = append(wanted, l), t
			}
		}
	})
	if len(wanted) == 0 {
		return nil
	}
	queries := make([]*indexer.Query, len(wanted))
	for i, l := range wanted {
		queries[i] = &indexer.Query{Size: limits.MaxFilterValues, Plain: true, Filter: indexer.And{
			indexer.In{Field: indexer.FieldType, Values: strings.Fields(l.types)}, indexer.In{Field: indexer.FieldName, Values: []string{l.name}},
		}}
	}
	answers, err := s.findMany(ctx, queries)
	if err != nil {
		return err
	}
	for i, l := range wanted {
		if err := answers[i].Err; err != nil {
			return err
		}
		found := answers[i].Result
		if found.Total > len(found.Hits) {
			return wrongQuery(q.wrong(places[l].At, "the name stands for more than %d entities", limits.MaxFilterValues))
		}
		for _, hit := range found.Hits {
			q.named[l] = append(q.named[l], hit.URN)
		}
	}
	return nil
}
