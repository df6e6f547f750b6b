package jsontree

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
)

// Number returns a value as a number, if it is a json.Number or an int64.
func Number(value any) (float64, bool) {
	switch v := value.(type) {
	case json.Number:
		f, err := strconv.ParseFloat(string(v), 64)
		return f, err == nil
	case int64:
		return float64(v), true
	}
	return 0, false
}

// Integer returns a decoded whole number, or 0 for any other value.
func Integer(value any) int64 {
	number, _ := value.(json.Number)
	n, err := number.Int64()
	if err != nil {
		return 0
	}
	return n
}

// ScalarText returns a scalar as text, strings without quotes.
func ScalarText(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	return fmt.Sprint(value)
}

// Compare orders scalars: numbers by value, other values by their texts, and nil last.
func Compare(a, b any) int {
	x, okX := Number(a)
	y, okY := Number(b)
	switch {
	case okX && okY:
		return cmp.Compare(x, y)
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return cmp.Compare(ScalarText(a), ScalarText(b))
}
