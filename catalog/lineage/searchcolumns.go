package lineage

import (
	"context"
	"slices"
	"strconv"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/model"
)

// searchColumns finds the columns that a walk reached, the nearest first. A column is found if
// its asset is found: it has the name, platform, owners and so on of its asset. Facets other
// than degree count assets.
func (s *Service) searchColumns(ctx context.Context, r *SearchRequest, walk *Walk, wanted []string) (*SearchResult, map[string][]Reached, error) {
	start := r.Start
	if r.Scroll && r.ScrollID != "" {
		var err error
		if start, err = strconv.Atoi(r.ScrollID); err != nil || start < 0 {
			return nil, nil, catalog.Errorf(catalog.Invalid, "unknown scroll id %q", r.ScrollID)
		}
	}
	page, err := catalog.PageOf(start, r.Count)
	if err != nil {
		return nil, nil, err
	}
	columns, degrees := reachedColumns(walk, wanted)
	assets, facets, err := s.assetsFound(ctx, r, columns)
	if err != nil {
		return nil, nil, err
	}
	columns = slices.DeleteFunc(columns, func(c Reached) bool { return !assets[assetOf(c.URN)] })
	result := &SearchResult{Start: start, Total: len(columns), Hits: []Hit{}}
	if r.Facets == nil || len(r.Facets) > 0 {
		result.Facets = append([]search.Facet{degreeFacet(degrees)}, facets...)
	}
	ways := map[string][]Reached{}
	from := min(page.Start, len(columns))
	to := min(from+page.Count, len(columns))
	for _, c := range columns[from:to] {
		ways[c.URN] = []Reached{c}
		u := model.StoredURN(c.URN)
		result.Hits = append(result.Hits, Hit{Hit: search.Hit{URN: c.URN, Type: c.Type, Name: columnPathOf(u)}})
	}
	if r.Scroll && to < len(columns) {
		result.ScrollID = strconv.Itoa(to)
	}
	return result, ways, nil
}

// reachedColumns lists the columns that a walk reached at one of the wanted degrees, and counts
// the columns of each degree. An empty list of degrees means all.
func reachedColumns(walk *Walk, wanted []string) (columns []Reached, degrees map[string]int) {
	degrees = map[string]int{}
	for _, reached := range walk.Reached {
		name := degreeName(reached.Degree)
		if reached.Type == model.EntitySchemaField && (len(wanted) == 0 || slices.Contains(wanted, name)) {
			columns = append(columns, reached)
			degrees[name]++
		}
	}
	return columns, degrees
}

// assetsFound searches the assets of columns, through all pages, and returns the assets that
// were found.
func (s *Service) assetsFound(ctx context.Context, r *SearchRequest, columns []Reached) (map[string]bool, []search.Facet, error) {
	request := r.Request
	request.Within = []string{}
	seen := map[string]bool{}
	for _, c := range columns {
		if asset := assetOf(c.URN); !seen[asset] {
			seen[asset] = true
			request.Within = append(request.Within, asset)
		}
	}
	// This search is for assets, so the type of columns is not a condition.
	request.Types = slices.DeleteFunc(slices.Clone(r.Types), func(t string) bool { return t == model.EntitySchemaField })
	request.Start, request.Count, request.WithoutMatches = 0, catalog.MaxPage, true
	request.Scroll, request.ScrollID = true, ""
	assets := map[string]bool{}
	var facets []search.Facet
	for first := true; first || request.ScrollID != ""; first = false {
		found, err := s.search.Search(ctx, request)
		if err != nil {
			return nil, nil, err
		}
		if first {
			facets, request.Facets = found.Facets, []string{}
		}
		for _, hit := range found.Hits {
			assets[hit.URN] = true
		}
		request.ScrollID = found.ScrollID
	}
	return assets, facets, nil
}
