package lineage

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/indexer"
)

// SearchRequest searches among what is upstream or downstream of an
// entity.
type SearchRequest struct {
	// The first alternative of SearchRequest's filter may contain the field
	// degree, with the distances to include: 1, 2 or 3+.
	search.Request
	Walk WalkQuery
}

// Hit is an entity that was found, with the paths to it.
type Hit struct {
	search.Hit
	Degree int
	// Paths lead from the start of the walk; in column-level lineage there is
	// one for each column.
	Paths [][]string
}

// SearchResult is a page of entities that were found. Its first facet is
// degree.
type SearchResult struct {
	Hits     []Hit
	Start    int
	Total    int
	Facets   []search.Facet
	ScrollID string
	// Partial: the walk was cut, for the Reason.
	Partial bool
	Reason  string
}

// maxPathsFound is how many shortest paths to each entity or column are
// returned.
const maxPathsFound = 10

// degreeField is the name of the facet and filter of distances.
const degreeField = "degree"

// Search walks and then searches among what was reached. Entities that
// were never ingested or are soft-deleted are not found.
func (s *Service) Search(ctx context.Context, r SearchRequest) (*SearchResult, error) {
	wanted, filter := degreesOf(r.Filter)
	r.Filter = filter
	for _, degree := range wanted {
		if degree != "1" && degree != "2" && degree != "3+" {
			return nil, catalog.Errorf(catalog.Invalid, "a degree is 1, 2 or 3+, not %q", degree)
		}
	}
	ctx, leave, err := s.enterWalk(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	walk, err := s.Walk(ctx, r.Walk)
	if err != nil {
		return nil, err
	}
	among := reachedAssets(walk, wanted)
	r.Within = among.urns
	found, err := s.search.Search(ctx, r.Request)
	if err != nil {
		return nil, err
	}
	result := &SearchResult{
		Start: found.Start, Total: found.Total, ScrollID: found.ScrollID, Partial: walk.Partial(), Reason: walk.Reason(), Hits: make([]Hit, len(found.Hits)),
	}
	var ends []string
	for _, hit := range found.Hits {
		for _, way := range among.ways[hit.URN] {
			ends = append(ends, way.URN)
		}
	}
	paths, err := s.Paths(ctx, walk, ends, maxPathsFound)
	if err != nil {
		return nil, err
	}
	for i, hit := range found.Hits {
		ways := among.ways[hit.URN]
		result.Hits[i] = Hit{Hit: hit, Degree: ways[0].Degree}
		for _, way := range ways {
			for _, path := range paths[way.URN] {
				result.Hits[i].Paths = append(result.Hits[i].Paths, path.URNs())
			}
		}
	}
	if r.Facets == nil || len(r.Facets) > 0 {
		result.Facets = append([]search.Facet{degreeFacet(among.degrees)}, found.Facets...)
	}
	return result, nil
}

// assetsFound are the assets that a walk reached, itself or one of their columns.
type assetsFound struct {
	// urns are the assets, the nearest first, and ways what was reached of each.
	urns []string
	ways map[string][]Reached
	// degrees counts the assets of each degree.
	degrees map[string]int
}

// reachedAssets lists the assets that a walk reached at one of the wanted
// degrees, none meaning all. The asset where it began is left out.
func reachedAssets(walk *Walk, wanted []string) assetsFound {
	found := assetsFound{urns: []string{}, ways: map[string][]Reached{}, degrees: map[string]int{}}
	start := assetOfURN(walk.Query.URN)
	for _, reached := range walk.Reached {
		asset := assetOf(reached.URN)
		if asset == start {
			continue
		}
		if found.ways[asset] == nil {
			name := degreeName(reached.Degree)
			if len(wanted) > 0 && !slices.Contains(wanted, name) {
				continue
			}
			found.degrees[name]++
			found.urns = append(found.urns, asset)
		}
		found.ways[asset] = append(found.ways[asset], reached)
	}
	return found
}

// degreesOf removes the distances from a filter and returns them.
func degreesOf(filter *catalog.Filter) (degrees []string, rest *catalog.Filter) {
	if filter == nil {
		return nil, nil
	}
	take := func(criteria []catalog.Criterion, counts bool) []catalog.Criterion {
		return slices.DeleteFunc(slices.Clone(criteria), func(k catalog.Criterion) bool {
			if strings.TrimSuffix(k.Field, ".keyword") != degreeField {
				return false
			}
			if counts {
				degrees = append(degrees, k.Values...)
				if len(k.Values) == 0 && k.Value != "" {
					degrees = append(degrees, k.Value)
				}
			}
			return true
		})
	}
	rest = &catalog.Filter{Criteria: take(filter.Criteria, true)}
	for i, conjunction := range filter.Or {
		rest.Or = append(rest.Or, catalog.Conjunction{And: take(conjunction.And, i == 0)})
	}
	return degrees, rest
}

// degreeName returns the distance in the form of filters and facets.
func degreeName(degree int) string {
	if degree > 2 {
		return "3+"
	}
	return strconv.Itoa(degree)
}

func degreeFacet(degrees map[string]int) search.Facet {
	facet := search.Facet{Field: degreeField, DisplayName: "Degree"}
	for _, name := range []string{"1", "2", "3+"} {
		facet.Counts = append(facet.Counts, indexer.Count{Value: name, Docs: degrees[name]})
	}
	return facet
}
