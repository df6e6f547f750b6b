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

// SearchRequest searches among what is upstream or downstream of an
// entity.
type SearchRequest struct {
	// The first alternative of SearchRequest's filter may contain the field
	// degree, with the distances to include: 1, 2 or 3+.
	search.Request
	Walk WalkQuery
	// KeepColumns: what is found are the columns that a walk between columns
	// reached, each if its entity is found. Otherwise they are grouped to their
	// entities.
	KeepColumns bool
	// Basis asks for what the answer rests on.
	Basis bool
}

// Hit is an entity that was found, with the paths to it.
type Hit struct {
	search.Hit
	Degree int
	// Paths lead from the start of the walk; in column-level lineage there are
	// paths to each column. Between the ends of an edge is the query of the edge, or the job
	// that states the lineage of a column.
	Paths [][]string
	// Explored: the walk went on from the entity. Truncated: it was cut before it
	// had gone on along all its edges.
	Explored, Truncated bool
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
	Basis   *Basis
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
	leave, err := s.enterWalk(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
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

// searchAssets searches among the assets that a walk reached. The second result is what the
// walk reached of each.
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

// addPaths adds the paths to what was found, and how the walk treated it. A path to a job that
// a walk between columns passed leads over a column before the job.
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

// assetsFound are the assets that a walk reached, itself or one of their columns.
type assetsFound struct {
	// urns are the assets, the nearest first, and ways what was reached of each.
	urns []string
	ways map[string][]Reached
	// degrees counts the assets of each degree.
	degrees map[string]int
}

// reachedAssets lists the assets of what a walk reached at one of the wanted degrees, none
// meaning all. The asset at which the walk began is left out.
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
