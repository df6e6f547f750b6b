// Package matching applies the criteria of filters to values, such as those of time series.
package matching

import (
	"encoding/json"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
)

// Source returns the values of a field of the thing that a filter is applied to.
type Source interface{ Values(field string) []any }

// Matches reports whether any conjunction holds. An empty filter always
// matches.
func Matches(f *catalog.Filter, source Source) bool {
	if f.Empty() {
		return true
	}
	for _, c := range f.Conjunctions() {
		all := true
		for i := range c.And {
			all = all && holds(&c.And[i], source)
		}
		if all {
			return true
		}
	}
	return false
}

func holds(c *catalog.Criterion, source Source) bool {
	stored := source.Values(strings.TrimSuffix(c.Field, ".keyword"))
	switch c.Condition {
	case catalog.CondExists:
		return (len(stored) > 0) != c.Negated
	case catalog.CondIsNull:
		return (len(stored) == 0) != c.Negated
	}
	operands := c.Operands()
	if len(operands) == 0 {
		return true // a criterion without a value is ignored
	}
	for _, value := range stored {
		for _, operand := range operands {
			if Compare(c.Condition, value, operand) {
				return !c.Negated
			}
		}
	}
	return c.Negated
}

// Compare reports whether a value meets a condition with an operand.
func Compare(condition string, value any, operand string) bool {
	text := jsontree.ScalarText(value)
	switch condition {
	case catalog.CondContain:
		return strings.Contains(text, operand)
	case catalog.CondStartWith:
		return strings.HasPrefix(text, operand)
	case catalog.CondEndWith:
		return strings.HasSuffix(text, operand)
	case catalog.CondIEqual:
		return strings.EqualFold(text, operand)
	case catalog.CondGreaterThan:
		return jsontree.Compare(value, operandLike(value, operand)) > 0
	case catalog.CondGreaterThanOrEqual:
		return jsontree.Compare(value, operandLike(value, operand)) >= 0
	case catalog.CondLessThan:
		return jsontree.Compare(value, operandLike(value, operand)) < 0
	case catalog.CondLessThanOrEqual:
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

// TimeSeriesPage bounds the values of a time series that are in memory while they are filtered.
const TimeSeriesPage = 1000
