package lineage

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/model"
)

// SearchRequest asks for a search among the entities upstream or downstream of an entity.
type SearchRequest struct {
	// The first alternative of the filter may contain the field degree, whose values are the
	// distances to include: 1, 2 or 3+.
	search.Request
	Walk WalkQuery
	// KeepColumns asks for the columns that a walk between columns reached; a column is found if
	// its entity is found. Otherwise columns are grouped to their entities.
	KeepColumns bool
	// Basis asks for the basis of the answer.
	Basis bool
}

// Hit is an entity that was found, with the paths to it.
type Hit struct {
	search.Hit
	Degree int
	// Paths lead from the start of the walk; in column lineage there are paths to each column.
	// Between the ends of an edge, a path has the query of the edge, or the job that states the
	// edge between columns.
	Paths [][]string
	// Explored tells that the walk went on from the entity, Truncated that the walk was cut before
	// it had followed all edges of the entity.
	Explored, Truncated bool
}

// SearchResult is a page of entities that were found. Its first facet is the degree.
type SearchResult struct {
	Hits     []Hit
	Start    int
	Total    int
	Facets   []search.Facet
	ScrollID string
	// Partial tells that the walk was cut; Reason says why.
	Partial bool
	Reason  string
	Basis   *Basis
}

// maxPathsFound bounds the shortest paths to each entity or column that are returned.
const maxPathsFound = 10

// degreeField is the name of the facet, and of the filter field, for distances.
const degreeField = "degree"

// Search walks and then searches among the entities that the walk reached. Search does not find
// entities that were never ingested or are soft-deleted.
func (s *Service) Search(ctx context.Context, r SearchRequest) (*SearchResult, error) {
	wanted, filter := degreesOf(r.Filter)
	r.Filter = filter
	for _, degree := range wanted {
		if degree != "1" && degree != "2" && degree != "3+" {
			return nil, catalog.Errorf(catalog.Invalid, "a degree is 1, 2 or 3+, not %q", degree)
		}
	}
	leave, err := s.enterWalk(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	r.Walk.paths = true
	walk, err := s.walk(ctx, r.Walk)
	if err != nil {
		return nil, err
	}
	jobs := &passedJobs{}
	find := s.searchColumns
	if !r.KeepColumns || !walk.Query.Columns {
		if len(r.Types) == 0 || slices.Contains(r.Types, model.EntityDataJob) {
			if jobs, err = s.jobsPassed(ctx, walk); err != nil {
				return nil, err
			}
		}
		find = func(ctx context.Context, r *SearchRequest, walk *Walk, wanted []string) (*SearchResult, map[string][]Reached, error) {
			return s.searchAssets(ctx, r, reachedAssets(jobs.with(walk.Reached), assetOfURN(walk.Query.URN), wanted))
		}
	}
	result, ways, err := find(ctx, &r, walk, wanted)
	if err != nil {
		return nil, err
	}
	result.Partial, result.Reason = walk.Partial(), walk.Reason()
	if r.Basis {
		if result.Basis, err = s.basisOfWalk(ctx, walk, len(walk.Reached) == 0); err != nil {
			return nil, err
		}
	}
	return result, s.addPaths(ctx, walk, result.Hits, ways, jobs)
}

// searchAssets searches among the assets of a walk. The second result has, for each asset, the
// asset itself or the asset's columns, whichever the walk reached.
func (s *Service) searchAssets(ctx context.Context, r *SearchRequest, among assetsFound) (*SearchResult, map[string][]Reached, error) {
	r.Within = among.urns
	found, err := s.search.Search(ctx, r.Request)
	if err != nil {
		return nil, nil, err
	}
	result := &SearchResult{Start: found.Start, Total: found.Total, ScrollID: found.ScrollID, Hits: make([]Hit, len(found.Hits))}
	for i, hit := range found.Hits {
		result.Hits[i] = Hit{Hit: hit}
	}
	if r.Facets == nil || len(r.Facets) > 0 {
		result.Facets = append([]search.Facet{degreeFacet(among.degrees)}, found.Facets...)
	}
	return result, among.ways, nil
}

// addPaths adds to each hit the paths to it, and tells whether the walk explored and truncated it.
// If a walk between columns passed a job, the path to the job leads over a column before it.
func (s *Service) addPaths(ctx context.Context, walk *Walk, hits []Hit, ways map[string][]Reached, jobs *passedJobs) error {
	var ends []string
	for i := range hits {
		for _, way := range ways[hits[i].URN] {
			if before, passed := jobs.before[way.URN]; passed {
				ends = append(ends, before...)
			} else {
				ends = append(ends, way.URN)
			}
		}
	}
	paths, err := s.Paths(ctx, walk, distinct(ends), maxPathsFound)
	if err != nil {
		return err
	}
	for i := range hits {
		hit := &hits[i]
		hit.Degree = ways[hit.URN][0].Degree
		hit.Explored, hit.Truncated = walk.Explored(hit.Degree), walk.Truncated(hit.Degree)
		for _, way := range ways[hit.URN] {
			for _, path := range paths[way.URN] {
				hit.Paths = append(hit.Paths, path.URNsWithSteps())
			}
			for _, column := range jobs.before[way.URN] {
				for _, path := range paths[column] {
					hit.Paths = append(hit.Paths, append(path.URNsWithSteps(), way.URN))
				}
			}
		}
	}
	return nil
}

// assetsFound has the assets that a walk reached. An asset is an entity; a column belongs to
// the asset that has it.
type assetsFound struct {
	// urns lists the assets, the nearest first. ways has, for each asset, the asset itself or the
	// asset's columns, whichever the walk reached.
	urns []string
	ways map[string][]Reached
	// degrees counts the assets of each degree.
	degrees map[string]int
}

// reachedAssets lists the assets at one of the wanted degrees; an empty list of degrees means
// all. reachedAssets leaves out the asset at which the walk began.
func reachedAssets(all []Reached, start string, wanted []string) assetsFound {
	found := assetsFound{urns: []string{}, ways: map[string][]Reached{}, degrees: map[string]int{}}
	for _, reached := range all {
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

// degreesOf takes the distances out of a filter, and returns them and the rest of the filter.
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

// degreeName returns a distance as filters and facets write it.
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
