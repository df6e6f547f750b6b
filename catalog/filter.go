package catalog

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
)

// Tree returns the criterion in the form that an aspect has.
func (c *Criterion) Tree() Tree {
	values := []any{}
	for _, value := range c.Values {
		values = append(values, value)
	}
	return Tree{"field": c.Field, "value": c.Value, "values": values, "condition": c.Condition, "negated": c.Negated}
}

// Filter is a disjunction of conjunctions.
type Filter struct {
	Or []Conjunction `json:"or"`
	// Criteria is the legacy form: one conjunction.
	Criteria []Criterion `json:"criteria"`
}

// Conjunction is a list of criteria that must all hold.
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
	// CondIEqual is CondEqual whatever the case of the letters.
	CondIEqual = "IEQUAL"
	// These are CondEqual in a search also with the entities that are in those of
	// the values, that contain them, or both; elsewhere they are CondEqual.
	CondDescendants = "DESCENDANTS_INCL"
	CondAncestors   = "ANCESTORS_INCL"
	CondRelated     = "RELATED_INCL"
)

var conditions = []string{
	CondEqual, CondIn, CondContain, CondStartWith, CondEndWith, CondExists, CondIsNull, CondGreaterThan, CondGreaterThanOrEqual, CondLessThan, CondLessThanOrEqual,
	CondIEqual, CondDescendants, CondAncestors, CondRelated,
}

// Conjunctions returns the conjunctions of both forms.
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

// FieldSource returns the values of a field of what a filter is applied to.
type FieldSource interface{ Values(field string) []any }

// Matches reports whether any conjunction holds. An empty filter always
// matches.
func (f *Filter) Matches(source FieldSource) bool {
	if f.Empty() {
		return true
	}
	for _, c := range f.Conjunctions() {
		holds := true
		for i := range c.And {
			holds = holds && c.And[i].holds(source)
		}
		if holds {
			return true
		}
	}
	return false
}

// Operands returns the values to compare with. A plain value that is not a URN
// may be a list separated by commas.
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

func (c *Criterion) holds(source FieldSource) bool {
	stored := source.Values(strings.TrimSuffix(c.Field, ".keyword"))
	switch c.Condition {
	case CondExists:
		return (len(stored) > 0) != c.Negated
	case CondIsNull:
		return (len(stored) == 0) != c.Negated
	}
	operands := c.Operands()
	if len(operands) == 0 {
		return true // a criterion without a value is ignored
	}
	for _, value := range stored {
		for _, operand := range operands {
			if CompareCondition(c.Condition, value, operand) {
				return !c.Negated
			}
		}
	}
	return c.Negated
}

func CompareCondition(condition string, value any, operand string) bool {
	text := jsontree.ScalarText(value)
	switch condition {
	case CondContain:
		return strings.Contains(text, operand)
	case CondStartWith:
		return strings.HasPrefix(text, operand)
	case CondEndWith:
		return strings.HasSuffix(text, operand)
	case CondIEqual:
		return strings.EqualFold(text, operand)
	case CondGreaterThan:
		return jsontree.Compare(value, operandLike(value, operand)) > 0
	case CondGreaterThanOrEqual:
		return jsontree.Compare(value, operandLike(value, operand)) >= 0
	case CondLessThan:
		return jsontree.Compare(value, operandLike(value, operand)) < 0
	case CondLessThanOrEqual:
		return jsontree.Compare(value, operandLike(value, operand)) <= 0
	}
	return text == operand
}

// operandLike reads an operand as a number if the value is a number.
func operandLike(value any, operand string) any {
	if _, ok := jsontree.Number(value); ok {
		return json.Number(operand)
	}
	return operand
}

// TimeSeriesFields answers the fields of a time-series value.
type TimeSeriesFields struct {
	Value *graphstore.TimeSeriesValue
	Tree  map[string]any
}

// Values finds a field by its path, also inside arrays. The steps are separated
// by dots or slashes. A few names stand for the value's own key, timestamp and
// system metadata.
func (f TimeSeriesFields) Values(field string) []any {
	switch field {
	case "urn":
		return []any{f.Value.URN}
	case "runId":
		return []any{f.Value.System.RunID}
	case "@timestamp":
		return []any{f.Value.Timestamp}
	case "partition":
		field = "partitionSpec.partition"
	}
	nodes := []any{f.Tree}
	for _, step := range strings.FieldsFunc(field, func(r rune) bool { return r == '.' || r == '/' }) {
		var next []any
		for _, node := range nodes {
			if object, ok := node.(map[string]any); ok && object[step] != nil {
				next = append(next, jsontree.Flat(object[step])...)
			}
		}
		nodes = next
	}
	return nodes
}

// Whole returns the value at a path, lists unchanged, nil when there is none.
func (f TimeSeriesFields) Whole(path string) any {
	if path == "urn" {
		return f.Value.URN
	}
	return jsontree.At(f.Tree, strings.Split(path, ".")...)
}
