package typesense

import (
	"cmp"
	"slices"
	"strings"

	"github.com/typesense/typesense-go/v3/typesense/api"
	"github.com/typesense/typesense-go/v3/typesense/api/pointer"
)

// The server can put shorter URNs first among equally good hits only by comparing texts,
// which takes up to a hundred times as long as comparing numbers. So searches ask for whole
// pages of hits without values, this package orders them, and a second request asks for the
// values of the hits on the wanted page.

// ranked reports whether hits are ordered by their score.
func (s *search) ranked() bool {
	return !s.scrolls() && len(s.query.Sort) == 0 && len(s.query.Text.Tokens) > 0
}

// inOrder sorts the hits of a page by score, rank and URN.
func inOrder(item api.MultiSearchResultItem) {
	if item.Hits == nil {
		return
	}
	match := func(h api.SearchResultHit) int64 {
		if h.TextMatch == nil {
			return 0
		}
		return *h.TextMatch
	}
	of := func(h api.SearchResultHit) (rank float64, urn string) {
		if h.Document != nil {
			rank, _ = (*h.Document)["w"].(float64)
			urn, _ = (*h.Document)["urn"].(string)
		}
		return rank, urn
	}
	slices.SortStableFunc(*item.Hits, func(a, b api.SearchResultHit) int {
		rankA, urnA := of(a)
		rankB, urnB := of(b)
		return cmp.Or(cmp.Compare(match(b), match(a)), cmp.Compare(rankB, rankA), strings.Compare(urnA, urnB))
	})
}

// bodyAsks returns the requests for the values of the hits.
func (s *search) bodyAsks() []parameters {
	var asks []parameters
	for hits := range slices.Chunk(s.hits, maxPerPage) {
		ids := make([]string, len(hits))
		for i := range hits {
			ids[i] = idOf(hits[i].URN)
		}
		asks = append(asks, parameters{
			Collection: &s.index.live.docs, Q: pointer.String("*"), QueryBy: pointer.String("n"), FilterBy: pointer.String("id:[" + strings.Join(ids, ",") + "]"),
			PerPage: pointer.Int(maxPerPage), IncludeFields: pointer.String("urn,type,body"), HighlightFields: pointer.String("none"),
		})
	}
	return asks
}

// takeBodies adds the values to the hits. Hits that were deleted in the meantime are left
// out.
func (s *search) takeBodies(items []api.MultiSearchResultItem) error {
	values := map[string]map[string][]string{}
	for _, item := range items {
		found, err := hitsOf(item)
		if err != nil {
			return err
		}
		for _, hit := range found {
			values[hit.URN] = hit.Values
		}
	}
	left := s.hits[:0]
	for _, hit := range s.hits {
		if v, exists := values[hit.URN]; exists {
			hit.Values = v
			left = append(left, hit)
		}
	}
	s.hits, s.done = left, true
	return nil
}
