package catalog

import (
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/limits"
)

// Tree returns the criterion in the form that an aspect has.
func (c *Criterion) Tree() Tree {
	values := []any{}
	for _, value := range c.Values {
		values = append(values, value)
	}
	return Tree{"field": c.Field, "value": c.Value, "values": values, "condition": c.Condition, "negated": c.Negated}
}

// Filter is a list of conjunctions, one of which must hold.
type Filter struct {
	Or []Conjunction `json:"or"`
	// Criteria is the legacy form: one conjunction.
	Criteria []Criterion `json:"criteria"`
}

// Conjunction is a list of criteria, all of which must hold.
type Conjunction struct {
	And []Criterion `json:"and"`
}

// Criterion compares one field. If there are Values, they replace Value, and
// any of them may match.
type Criterion struct {
	Field     string   `json:"field"`
	Value     string   `json:"value"`
	Values    []string `json:"values"`
	Condition string   `json:"condition"`
	Negated   bool     `json:"negated"`
}

// These are the conditions of criteria.
const (
	CondEqual              = "EQUAL"
	CondIn                 = "IN"
	CondContain            = "CONTAIN"
	CondStartWith          = "START_WITH"
	CondEndWith            = "END_WITH"
	CondExists             = "EXISTS"
	CondIsNull             = "IS_NULL"
	CondGreaterThan        = "GREATER_THAN"
	CondGreaterThanOrEqual = "GREATER_THAN_OR_EQUAL_TO"
	CondLessThan           = "LESS_THAN"
	CondLessThanOrEqual    = "LESS_THAN_OR_EQUAL_TO"
	// CondIEqual is CondEqual without regard to the case of letters.
	CondIEqual = "IEQUAL"
	// In a search these three also match the entities that the values contain, that contain the
	// values, or both. Elsewhere they are CondEqual.
	CondDescendants = "DESCENDANTS_INCL"
	CondAncestors   = "ANCESTORS_INCL"
	CondRelated     = "RELATED_INCL"
)

var conditions = []string{
	CondEqual, CondIn, CondContain, CondStartWith, CondEndWith, CondExists, CondIsNull, CondGreaterThan, CondGreaterThanOrEqual, CondLessThan, CondLessThanOrEqual,
	CondIEqual, CondDescendants, CondAncestors, CondRelated,
}

// Conjunctions returns the conjunctions of a filter, whether it has the member Or or the member Criteria.
func (f *Filter) Conjunctions() []Conjunction {
	if f == nil {
		return nil
	}
	if len(f.Or) == 0 && len(f.Criteria) > 0 {
		return []Conjunction{{And: f.Criteria}}
	}
	return f.Or
}

// Empty reports whether a filter has no criterion.
func (f *Filter) Empty() bool {
	for _, c := range f.Conjunctions() {
		if len(c.And) > 0 {
			return false
		}
	}
	return true
}

// Check refuses unknown conditions and criteria without a field.
func (f *Filter) Check() error {
	if err := f.checkSize(); err != nil {
		return err
	}
	for _, c := range f.Conjunctions() {
		for _, criterion := range c.And {
			if criterion.Field == "" {
				return Errorf(Invalid, "a criterion of the filter has no field")
			}
			if criterion.Condition != "" && !slices.Contains(conditions, criterion.Condition) {
				return Errorf(Invalid, "unknown condition %q; the conditions are %s", criterion.Condition, strings.Join(conditions, ", "))
			}
		}
	}
	return nil
}

// Operands returns the values that are compared with the field. A plain value that is not a URN may
// be a list, separated by commas.
func (c *Criterion) Operands() []string {
	if len(c.Values) > 0 {
		return c.Values
	}
	if c.Value == "" {
		return nil
	}
	if strings.HasPrefix(c.Value, "urn:") || c.Condition != "" && c.Condition != CondEqual && c.Condition != CondIn {
		return []string{c.Value}
	}
	operands := []string{c.Value}
	for _, part := range strings.Split(c.Value, ",") {
		if part = strings.TrimSpace(part); part != c.Value {
			operands = append(operands, part)
		}
	}
	return operands
}

// patternConditions are the conditions that look into values or compare their order. For each of
// them, an index goes through all values.
var patternConditions = []string{CondIEqual, CondContain, CondStartWith, CondEndWith, CondGreaterThan, CondGreaterThanOrEqual, CondLessThan, CondLessThanOrEqual}

// checkSize checks the size of a filter.
func (f *Filter) checkSize() error {
	if f == nil {
		return nil
	}
	parts, values, patterns, size := 0, 0, 0, 0
	if err := TooMany("alternatives of the filter", len(f.Or), limits.MaxFilterParts); err != nil {
		return err
	}
	for _, c := range f.Conjunctions() {
		parts += len(c.And)
		for i := range c.And {
			operands := c.And[i].Operands()
			values += len(operands)
			if slices.Contains(patternConditions, c.And[i].Condition) {
				patterns += len(operands)
			}
			size += len(c.And[i].Field)
			for _, operand := range operands {
				size += len(operand)
			}
		}
	}
	for _, bound := range []struct {
		what    string
		n, most int
	}{
		{"criteria of the filter", parts, limits.MaxFilterParts},
		{"values of the filter", values, limits.MaxFilterValues},
		{"values compared by other than EQUAL and IN", patterns, limits.MaxFilterPatterns},
		{"bytes of the filter's values", size, limits.MaxFilterBytes},
	} {
		if err := TooMany(bound.what, bound.n, bound.most); err != nil {
			return err
		}
	}
	return nil
}
