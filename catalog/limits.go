package catalog

import (
	"slices"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
)

// MaxPage is the largest page that any listing returns.
const MaxPage = limits.MaxPageCount

// TimeSeriesPage is how many values of a time series are held while filtering.
const TimeSeriesPage = 1000

// TooMany is the error for a request that has too many of something.
func TooMany(what string, n, most int) error {
	if n <= most {
		return nil
	}
	return Errorf(Invalid, "%d %s in one request, at most %d are allowed", n, what, most)
}

// CheckIDs checks how many entities a read names.
func CheckIDs(urns []string) error { return TooMany("entities", len(urns), limits.MaxIDs) }

// CheckLists checks how long the lists of a request are.
func CheckLists(what string, lists ...[]string) error {
	for _, list := range lists {
		if err := TooMany(what, len(list), limits.MaxListItems); err != nil {
			return err
		}
	}
	return nil
}

// PageOf checks a requested page.
func PageOf(start, count int) (graphstore.Page, error) {
	if start < 0 || count < 0 {
		return graphstore.Page{}, Errorf(Invalid, "start and count must not be negative")
	}
	if start > limits.MaxPageStart {
		return graphstore.Page{}, Errorf(Invalid, "the start of a page must not be above %d", limits.MaxPageStart)
	}
	return graphstore.Page{Start: start, Count: min(count, MaxPage)}, nil
}

// patternConditions are the conditions that look into values or compare their
// size: an index must go through all values for each.
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
