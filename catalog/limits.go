package catalog

import (
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
)

// MaxPage is the largest page that any listing returns.
const MaxPage = limits.MaxPageCount

// TooMany returns the error of a request that names too many of something, or nil.
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

// PageOf checks the start and the count of a page, and bounds the count by MaxPage.
func PageOf(start, count int) (graphstore.Page, error) {
	if start < 0 || count < 0 {
		return graphstore.Page{}, Errorf(Invalid, "start and count must not be negative")
	}
	if start > limits.MaxPageStart {
		return graphstore.Page{}, Errorf(Invalid, "the start of a page must not be above %d", limits.MaxPageStart)
	}
	return graphstore.Page{Start: start, Count: min(count, MaxPage)}, nil
}
