package search

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/matching"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/model"
)

// searchScope is the scope of a search: entity types and their fields.
type searchScope struct {
	schema   *indexer.Schema
	registry *model.Registry
	types    []string
	// view is the condition of a saved view. view applies in addition to the filter.
	view indexer.And
	// warnings, if not nil, collects warnings: where a refusal may be a warning instead, the
	// request continues with the warning.
	warnings *Warnings
	// strict tells that a filter may name only fields that the types have.
	strict bool
	// hidden lists the life-cycle stages whose entities searches hide.
	hidden []string
}

// entityAlias is another name of the field that contains the entity type.
const entityAlias = "entity"

// expandedFields has the fields that are searched together under one name.
var expandedFields = map[string][]string{
	"tags":               {"tags", "fieldTags", "editedFieldTags"},
	"glossaryTerms":      {"glossaryTerms", "fieldGlossaryTerms", "editedFieldGlossaryTerms"},
	"fieldTags":          {"fieldTags", "editedFieldTags"},
	"fieldGlossaryTerms": {"fieldGlossaryTerms", "editedFieldGlossaryTerms"},
	"fieldDescriptions":  {"fieldDescriptions", "editedFieldDescriptions"},
	"description":        {"description", "editedDescription"},
}

// fieldName returns a field name without the suffix that other servers add to exact fields.
func fieldName(name string) string {
	name = strings.TrimSuffix(name, ".keyword")
	if name == entityAlias {
		return indexer.FieldType
	}
	return name
}

// isAboutAssertee reports whether a criterion with the alias means the field of assertions that
// has the same name. The values of such a criterion are URNs.
func isAboutAssertee(c *catalog.Criterion) bool {
	return c.Field == entityAlias && slices.ContainsFunc(c.Operands(), func(value string) bool { return strings.HasPrefix(value, "urn:") })
}

// field returns a field that any of the types has.
func (s *searchScope) field(name string) (*indexer.Field, bool) {
	for _, t := range s.types {
		if f, ok := s.schema.Field(t, name); ok {
			return f, true
		}
	}
	return nil, false
}

// fields returns the fields of the types for which a name stands.
func (s *searchScope) fields(name string) []*indexer.Field {
	names := expandedFields[name]
	if names == nil {
		names = []string{name}
	}
	var fields []*indexer.Field
	for _, n := range names {
		if f, ok := s.field(n); ok {
			fields = append(fields, f)
		}
	}
	return fields
}

// filter converts a filter into a condition. filter hides each kind of hidden entity, unless
// shown includes the kind or a criterion names the field that marks it.
func (s *searchScope) filter(f *catalog.Filter, shown show) (indexer.Expr, error) {
	if f == nil {
		f = &catalog.Filter{}
	}
	if err := f.Check(); err != nil {
		return nil, err
	}
	whole := indexer.And{indexer.In{Field: indexer.FieldType, Values: s.types}}
	var any indexer.Or
	for _, conjunction := range f.Conjunctions() {
		var all indexer.And
		for i := range conjunction.And {
			part, err := s.criterion(&conjunction.And[i])
			if err != nil {
				return nil, err
			}
			shown.name(fieldName(conjunction.And[i].Field))
			all = append(all, part)
		}
		any = append(any, all)
	}
	if len(any) > 0 {
		whole = append(whole, any)
	}
	hidden, err := s.hide(shown)
	if err != nil {
		return nil, err
	}
	whole = append(whole, hidden...)
	if len(s.view) > 0 {
		whole = append(whole, s.view)
	}
	return whole, nil
}

// criterion converts one criterion into a condition. A criterion without a value has no effect.
func (s *searchScope) criterion(c *catalog.Criterion) (indexer.Expr, error) {
	name := fieldName(c.Field)
	if isAboutAssertee(c) {
		name = c.Field
	}
	fields := s.fields(name)
	if len(fields) == 0 {
		return s.unknownField(name, c)
	}
	operands := c.Operands()
	if len(operands) == 0 && c.Condition != catalog.CondExists && c.Condition != catalog.CondIsNull {
		return indexer.And{}, nil
	}
	var any indexer.Or
	for _, f := range fields {
		part, err := s.comparison(f, c.Condition, operands)
		if err != nil {
			return nil, err
		}
		any = append(any, part)
	}
	var e indexer.Expr = any
	if c.Condition == catalog.CondIsNull { // the criterion holds if no field has a value
		e = indexer.Not{Expr: e}
	}
	if c.Negated {
		e = indexer.Not{Expr: e}
	}
	return e, nil
}

func (s *searchScope) comparison(f *indexer.Field, condition string, operands []string) (indexer.Expr, error) {
	switch condition {
	case catalog.CondExists, catalog.CondIsNull:
		if f.Default != "" { // every entity has a value of a field with a default
			return indexer.And{}, nil
		}
		return indexer.Exists{Field: f.Name}, nil
	case catalog.CondContain, catalog.CondStartWith, catalog.CondEndWith:
		if f.Kind == indexer.KindNumber {
			return nil, catalog.Errorf(catalog.Invalid, "the field %q contains numbers and cannot be compared with %s", f.Name, condition)
		}
	}
	switch condition {
	case catalog.CondContain:
		return indexer.Match{Field: f.Name, Kind: indexer.Contains, Texts: operands}, nil
	case catalog.CondStartWith:
		return indexer.Match{Field: f.Name, Kind: indexer.Prefix, Texts: operands}, nil
	case catalog.CondEndWith:
		return indexer.Match{Field: f.Name, Kind: indexer.Suffix, Texts: operands}, nil
	case catalog.CondIEqual:
		if f.Kind != indexer.KindNumber {
			return indexer.Match{Field: f.Name, Kind: indexer.Same, Texts: operands}, nil
		}
	case catalog.CondGreaterThan, catalog.CondGreaterThanOrEqual, catalog.CondLessThan, catalog.CondLessThanOrEqual:
		return ranges(f, condition, operands)
	}
	var values []string
	for _, operand := range operands {
		values = append(values, s.stored(f, operand)...)
	}
	return equal(f, values), nil
}

// equal returns the condition that a document has one of the values, also by default.
func equal(f *indexer.Field, values []string) indexer.Expr {
	any := indexer.Or{indexer.In{Field: f.Name, Values: values}}
	if f.Kind == indexer.KindNumber {
		any = indexer.Or{}
		for _, value := range values {
			if n, err := strconv.ParseInt(value, 10, 64); err == nil {
				any = append(any, indexer.Range{Field: f.Name, From: &n, To: &n})
			}
		}
	}
	if f.Name != indexer.FieldRemoved && f.Default != "" && slices.Contains(values, f.Default) {
		any = append(any, indexer.Not{Expr: indexer.Exists{Field: f.Name}})
	}
	return any
}

// ranges returns the condition that a number compares with any of the operands.
func ranges(f *indexer.Field, condition string, operands []string) (indexer.Expr, error) {
	if f.Structured {
		return amounts(f, condition, operands)
	}
	if f.Kind != indexer.KindNumber {
		return nil, catalog.Errorf(catalog.Invalid, "the field %q does not contain numbers and cannot be compared with %s", f.Name, condition)
	}
	var any indexer.Or
	for _, operand := range operands {
		x, err := strconv.ParseFloat(strings.TrimSpace(operand), 64)
		if err != nil || math.IsNaN(x) {
			return nil, catalog.Errorf(catalog.Invalid, "the field %q is compared with %q, which is not a number", f.Name, operand)
		}
		low, high := bounds(strings.TrimSpace(operand), x)
		r := indexer.Range{Field: f.Name}
		zero := f.Default == "0" && matching.Compare(condition, int64(0), operand)
		switch condition {
		case catalog.CondGreaterThan:
			if low == math.MaxInt64 {
				any = append(any, indexer.Or{})
				continue
			}
			low++
			r.From = &low
		case catalog.CondGreaterThanOrEqual:
			r.From = &high
		case catalog.CondLessThan:
			if high == math.MinInt64 {
				any = append(any, indexer.Or{})
				continue
			}
			high--
			r.To = &high
		case catalog.CondLessThanOrEqual:
			r.To = &low
		}
		any = append(any, r)
		if zero { // an entity without the number counts as having 0
			any = append(any, indexer.Not{Expr: indexer.Exists{Field: f.Name}})
		}
	}
	return any, nil
}

// amounts returns the condition that a number or date of a structured property compares with
// any of the operands.
func amounts(f *indexer.Field, condition string, operands []string) (indexer.Expr, error) {
	var any indexer.Or
	for _, operand := range operands {
		x, ok := indexer.Amount(strings.TrimSpace(operand))
		if !ok {
			return nil, catalog.Errorf(catalog.Invalid, "the field %q is compared with %q, which is not a number or a date of the form YYYY-MM-DD", f.Name, operand)
		}
		between := indexer.Between{Field: f.Name}
		switch condition {
		case catalog.CondGreaterThan:
			x = math.Nextafter(x, math.Inf(1))
			between.From = &x
		case catalog.CondGreaterThanOrEqual:
			between.From = &x
		case catalog.CondLessThan:
			x = math.Nextafter(x, math.Inf(-1))
			between.To = &x
		case catalog.CondLessThanOrEqual:
			between.To = &x
		}
		any = append(any, between)
	}
	return any, nil
}

// bounds returns the nearest integers at or below, and at or above, a number.
func bounds(text string, x float64) (low, high int64) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, n
	}
	limit := func(x float64) int64 {
		switch {
		case x >= math.MaxInt64:
			return math.MaxInt64
		case x <= math.MinInt64:
			return math.MinInt64
		}
		return int64(x)
	}
	return limit(math.Floor(x)), limit(math.Ceil(x))
}

// stored returns the texts by which the index may store a value.
func (s *searchScope) stored(f *indexer.Field, value string) []string {
	switch {
	case f.Name == indexer.FieldType:
		return []string{s.typeName(value)}
	case f.Kind == indexer.KindNumber:
		if n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64); err == nil {
			return []string{strconv.FormatInt(n, 10)}
		}
	case f.Kind == indexer.KindBoolean:
		return []string{strings.ToLower(value)}
	case f.Name == indexer.FieldPaths:
		return []string{browsePath(value)}
	case f.Structured:
		if number, ok := model.NumberText(value); ok && number != value {
			return []string{value, number}
		}
	}
	return []string{value}
}

// typeName finds an entity type by any spelling of its name: dataJob, DATA_JOB.
func (s *searchScope) typeName(text string) string {
	plain := strings.ReplaceAll(text, "_", "")
	for _, e := range s.registry.Entities() {
		if strings.EqualFold(e.Name, plain) {
			return e.Name
		}
	}
	return text
}

// shortForms returns the URNs that a short text may mean in a field. For example, Engineering
// in the field tags means the tag of this name.
func (s *searchScope) shortForms(f *indexer.Field, text string) []string {
	if f.Kind != indexer.KindURN || strings.HasPrefix(text, "urn:") || text == "" {
		return nil
	}
	types := f.Types
	if len(types) == 0 {
		for _, e := range s.registry.Entities() {
			types = append(types, e.Name)
		}
	}
	var urns []string
	for _, d := range s.registry.Dialects() {
		for _, t := range types {
			e, ok := s.registry.Entity(t)
			if !ok || len(e.KeyFields) != 1 {
				continue
			}
			if u, err := model.BuildURN(d.Namespace, t, text); err == nil && !slices.Contains(urns, u.String()) {
				urns = append(urns, u.String())
			}
		}
	}
	return urns
}
