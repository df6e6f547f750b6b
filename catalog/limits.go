package catalog

import (
	"slices"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/limits"
)

// tooMany is the error for a request that has too many of something.
func tooMany(what string, n, most int) error {
	if n <= most {
		return nil
	}
	return Errorf(Invalid, "%d %s in one request, at most %d are allowed", n, what, most)
}

// CheckIDs checks how many entities a read names.
func CheckIDs(urns []string) error { return tooMany("entities", len(urns), limits.MaxIDs) }

// checkLists checks how long the lists of a request are.
func checkLists(what string, lists ...[]string) error {
	for _, list := range lists {
		if err := tooMany(what, len(list), limits.MaxListItems); err != nil {
			return err
		}
	}
	return nil
}

// pageOf checks a requested page.
func pageOf(start, count int) (graphstore.Page, error) {
	if start < 0 || count < 0 {
		return graphstore.Page{}, Errorf(Invalid, "start and count must not be negative")
	}
	if start > limits.MaxPageStart {
		return graphstore.Page{}, Errorf(Invalid, "the start of a page must not be above %d", limits.MaxPageStart)
	}
	return graphstore.Page{Start: start, Count: min(count, MaxPage)}, nil
}

// tokensOf splits what was typed into words.
func tokensOf(text string) ([]string, error) {
	if err := checkTyped(text); err != nil {
		return nil, err
	}
	tokens := indexer.Tokens(text)
	return tokens, tooMany("words", len(tokens), limits.MaxQueryWords)
}

// checkTyped checks the length of what was typed.
func checkTyped(text string) error {
	if len(text) > limits.MaxQueryBytes {
		return Errorf(Invalid, "the text searched for has %d bytes, at most %d are allowed", len(text), limits.MaxQueryBytes)
	}
	return nil
}

// patternConditions are the conditions that look into values or compare their
// size: an index must go through all values for each.
var patternConditions = []string{contain, startWith, endWith, greaterThan, greaterThanOrEq, lessThan, lessThanOrEq}

// checkSize checks the size of a filter.
func (f *Filter) checkSize() error {
	if f == nil {
		return nil
	}
	parts, values, patterns, size := 0, 0, 0, 0
	if err := tooMany("alternatives of the filter", len(f.Or), limits.MaxFilterParts); err != nil {
		return err
	}
	for _, c := range f.conjunctions() {
		parts += len(c.And)
		for i := range c.And {
			operands := c.And[i].operands()
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
		if err := tooMany(bound.what, bound.n, bound.most); err != nil {
			return err
		}
	}
	return nil
}
