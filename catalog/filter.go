package catalog

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
)

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
	equalTo         = "EQUAL"
	in              = "IN"
	contain         = "CONTAIN"
	startWith       = "START_WITH"
	endWith         = "END_WITH"
	exists          = "EXISTS"
	isNull          = "IS_NULL"
	greaterThan     = "GREATER_THAN"
	greaterThanOrEq = "GREATER_THAN_OR_EQUAL_TO"
	lessThan        = "LESS_THAN"
	lessThanOrEq    = "LESS_THAN_OR_EQUAL_TO"
)

var conditions = []string{
	equalTo, in, contain, startWith, endWith, exists, isNull, greaterThan, greaterThanOrEq, lessThan, lessThanOrEq,
}

// conjunctions returns the conjunctions of both forms.
func (f *Filter) conjunctions() []Conjunction {
	if f == nil {
		return nil
	}
	if len(f.Or) == 0 && len(f.Criteria) > 0 {
		return []Conjunction{{And: f.Criteria}}
	}
	return f.Or
}

func (f *Filter) empty() bool {
	for _, c := range f.conjunctions() {
		if len(c.And) > 0 {
			return false
		}
	}
	return true
}

// check refuses unknown conditions and criteria without a field.
func (f *Filter) check() error {
	if err := f.checkSize(); err != nil {
		return err
	}
	for _, c := range f.conjunctions() {
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

// fieldSource returns the values of a field.
type fieldSource interface{ values(field string) []any }

// matches reports whether any conjunction holds. An empty filter always
// matches.
func (f *Filter) matches(source fieldSource) bool {
	if f.empty() {
		return true
	}
	for _, c := range f.conjunctions() {
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

// operands returns the values to compare with. A plain value that is not a URN
// may be a list separated by commas.
func (c *Criterion) operands() []string {
	if len(c.Values) > 0 {
		return c.Values
	}
	if c.Value == "" {
		return nil
	}
	if strings.HasPrefix(c.Value, "urn:") || c.Condition != "" && c.Condition != equalTo && c.Condition != in {
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

func (c *Criterion) holds(source fieldSource) bool {
	stored := source.values(strings.TrimSuffix(c.Field, ".keyword"))
	switch c.Condition {
	case exists:
		return (len(stored) > 0) != c.Negated
	case isNull:
		return (len(stored) == 0) != c.Negated
	}
	operands := c.operands()
	if len(operands) == 0 {
		return true // a criterion without a value is ignored
	}
	for _, value := range stored {
		for _, operand := range operands {
			if compareCondition(c.Condition, value, operand) {
				return !c.Negated
			}
		}
	}
	return c.Negated
}

func compareCondition(condition string, value any, operand string) bool {
	text := jsontree.ScalarText(value)
	switch condition {
	case contain:
		return strings.Contains(text, operand)
	case startWith:
		return strings.HasPrefix(text, operand)
	case endWith:
		return strings.HasSuffix(text, operand)
	case greaterThan:
		return jsontree.Compare(value, operandLike(value, operand)) > 0
	case greaterThanOrEq:
		return jsontree.Compare(value, operandLike(value, operand)) >= 0
	case lessThan:
		return jsontree.Compare(value, operandLike(value, operand)) < 0
	case lessThanOrEq:
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

// timeSeriesFields answers the fields of a time-series value.
type timeSeriesFields struct {
	value *graphstore.TimeSeriesValue
	tree  map[string]any
}

// values finds a field by its path, also inside arrays. The steps are separated
// by dots or slashes. A few names stand for the value's own key, timestamp and
// system metadata.
func (f timeSeriesFields) values(field string) []any {
	switch field {
	case "urn":
		return []any{f.value.URN}
	case "runId":
		return []any{f.value.System.RunID}
	case "@timestamp":
		return []any{f.value.Timestamp}
	case "partition":
		field = "partitionSpec.partition"
	}
	nodes := []any{f.tree}
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
