package object

import (
	"context"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/optional"
)

// degreeField is the filter field for distances.
const degreeField = "degree"

func isDegree(f *FacetFilterInput) bool {
	return strings.TrimSuffix(f.Field, ".keyword") == degreeField
}

func valuesOf(f *FacetFilterInput) []string {
	if len(f.Values) > 0 || f.Value == nil {
		return f.Values
	}
	return []string{*f.Value}
}

// hopsOf removes the bound of the walk from the older form of filters, and returns the bound:
// one hop or two, or none if the filter includes three and more.
func hopsOf(legacy []*FacetFilterInput) (hops int, rest []*FacetFilterInput) {
	for _, f := range legacy {
		if !isDegree(f) {
			rest = append(rest, f)
			continue
		}
		switch values := valuesOf(f); {
		case slices.Contains(values, "3+"):
			hops = 0
		case slices.Contains(values, "2"):
			hops = 2
		default:
			hops = 1
		}
	}
	return hops, rest
}

// wantsColumns reports whether columns are results of column-level lineage, instead of being
// grouped to their entities.
func wantsColumns(types []EntityType) bool { return slices.Contains(types, EntityTypeSchemaField) }

// keepsColumns reports whether searchAcrossLineage has columns as results. In
// scrollAcrossLineage, the flags do not decide whether columns are results: the reference
// always groups columns there, and its SDK expects the entities.
func keepsColumns(flags *SearchFlags, types []EntityType) bool {
	if wantsColumns(types) {
		return true
	}
	if flags == nil || flags.GroupingSpec == nil {
		return false
	}
	return slices.ContainsFunc(flags.GroupingSpec.GroupingCriteria, func(c *GroupingCriterion) bool {
		return c.GroupingEntityType == EntityTypeSchemaField && optional.Or(c.BaseEntityType, EntityTypeSchemaField) == EntityTypeSchemaField
	})
}

// inTime bounds a walk by the times of the flags, unless the walk already has times.
func inTime(walk *lineage.WalkQuery, flags *LineageFlags) {
	if flags != nil && walk.From == 0 && walk.To == 0 {
		walk.From, walk.To = optional.Or(flags.StartTimeMillis, 0), optional.Or(flags.EndTimeMillis, 0)
	}
}

// SearchLineage finds entities upstream or downstream of an entity.
func (s *Session) SearchLineage(ctx context.Context, input SearchAcrossLineageInput) (*SearchAcrossLineageResults, error) {
	u, err := s.URN(optional.Or(input.Urn, ""))
	if err != nil {
		return nil, err
	}
	hops, legacy := hopsOf(input.Filters)
	count := optional.Or(input.Count, limits.DefaultSearchPage)
	request := lineage.SearchRequest{
		Request: search.Request{
			Types: s.NamesOf(input.Types, AllCriteria(input.OrFilters, legacy)...), Input: optional.Or(input.Query, "*"),
			Filter: FilterOf(input.OrFilters, legacy), Start: optional.Or(input.Start, 0), Count: count,
		},
		Walk: lineage.WalkQuery{
			URN: u, Direction: string(input.Direction), MaxHops: optional.Or(input.MaxHops, hops), AsOf: optional.Or(input.AsOf, 0),
			From: optional.Or(input.StartTimeMillis, 0), To: optional.Or(input.EndTimeMillis, 0),
		},
		KeepColumns: keepsColumns(input.SearchFlags, input.Types), Basis: selects(ctx, "basis"),
	}
	flagged(ctx, &request.Request, input.SearchFlags, input.SortInput)
	inTime(&request.Walk, input.LineageFlags)
	found, err := s.searchLineage(ctx, request)
	if err != nil {
		return nil, err
	}
	results := &SearchAcrossLineageResults{
		Start: found.Start, Count: count, Total: found.Total, SearchResults: s.lineageHits(found.Hits), Facets: s.Facets(found.Facets),
		Partial: found.Partial, Reason: given(found.Reason),
	}
	results.Basis, err = s.basisRead(ctx, found.Basis)
	return results, err
}

// ScrollLineage finds all entities upstream or downstream of an entity, page by page.
func (s *Session) ScrollLineage(ctx context.Context, input ScrollAcrossLineageInput) (*ScrollAcrossLineageResults, error) {
	u, err := s.URN(optional.Or(input.Urn, ""))
	if err != nil {
		return nil, err
	}
	count := optional.Or(input.Count, limits.DefaultSearchPage)
	request := lineage.SearchRequest{
		Request: search.Request{
			Types: s.NamesOf(input.Types, AllCriteria(input.OrFilters, nil)...), Input: optional.Or(input.Query, "*"),
			Filter: FilterOf(input.OrFilters, nil), Scroll: true, ScrollID: optional.Or(input.ScrollID, ""), Count: count,
		},
		Walk: lineage.WalkQuery{
			URN: u, Direction: string(input.Direction), MaxHops: optional.Or(input.MaxHops, 0), AsOf: optional.Or(input.AsOf, 0),
			From: optional.Or(input.StartTimeMillis, 0), To: optional.Or(input.EndTimeMillis, 0),
		},
		KeepColumns: wantsColumns(input.Types), Basis: selects(ctx, "basis"),
	}
	flagged(ctx, &request.Request, input.SearchFlags, nil)
	inTime(&request.Walk, input.LineageFlags)
	found, err := s.searchLineage(ctx, request)
	if err != nil {
		return nil, err
	}
	results := &ScrollAcrossLineageResults{
		Count: count, Total: found.Total, SearchResults: s.lineageHits(found.Hits), Facets: s.Facets(found.Facets),
		Partial: found.Partial, Reason: given(found.Reason),
	}
	if found.ScrollID != "" {
		results.NextScrollID = &found.ScrollID
	}
	results.Basis, err = s.basisRead(ctx, found.Basis)
	return results, err
}

// searchLineage waits for the turn of the request and searches. It counts the hits and the
// steps of their paths as items of the answer.
func (s *Session) searchLineage(ctx context.Context, request lineage.SearchRequest) (found *lineage.SearchResult, err error) {
	err = s.turn(ctx, func() (int, error) {
		if found, err = s.Catalog.Lineage.Search(ctx, request); err != nil {
			return 0, err
		}
		items := len(found.Hits)
		for _, hit := range found.Hits {
			for _, path := range hit.Paths {
				items += len(path)
			}
		}
		return items, nil
	})
	return found, err
}

func (s *Session) lineageHits(hits []lineage.Hit) []*SearchAcrossLineageResult {
	batch, onTheWay := s.NewBatch(), s.NewBatch()
	results := make([]*SearchAcrossLineageResult, 0, len(hits))
	for _, hit := range hits {
		entity := batch.Entity(hit.URN)
		if entity == nil {
			continue
		}
		result := &SearchAcrossLineageResult{
			Entity: entity, Insights: []*SearchInsight{}, MatchedFields: matchedFields(hit.MatchedFields), Degree: hit.Degree,
			Explored: hit.Explored, TruncatedChildren: hit.Truncated,
		}
		for _, path := range hit.Paths {
			way := &EntityPath{}
			for _, urn := range path {
				way.Path = append(way.Path, onTheWay.Entity(urn))
			}
			result.Paths = append(result.Paths, way)
		}
		results = append(results, result)
	}
	return results
}

// given returns a pointer to a text, nil for an empty text.
func given(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
