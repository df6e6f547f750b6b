package search

import (
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/nearest"
)

// SortCriterion orders results by a field. Order is ASCENDING or DESCENDING.
type SortCriterion struct {
	Field string `json:"field"`
	Order string `json:"order"`
}

// VersionOrder is the field that orders the versions of a version set.
const VersionOrder = indexer.FieldVersionOrder

// sorts checks and converts the requested order.
func (s *searchScope) sorts(r *Request) ([]indexer.Sort, error) {
	criteria := r.ThenBy
	if r.Sort != nil {
		criteria = append([]SortCriterion{*r.Sort}, criteria...)
	}
	if err := catalog.TooMany("fields to sort by", len(criteria), limits.MaxSortKeys); err != nil {
		return nil, err
	}
	var keys []indexer.Sort
	for i := range criteria {
		more, err := s.sort(&criteria[i])
		if err != nil {
			return nil, err
		}
		keys = append(keys, more...)
	}
	return keys, nil
}

// sort converts one criterion of an order.
func (s *searchScope) sort(by *SortCriterion) ([]indexer.Sort, error) {
	if by.Field == "" || by.Field == "_score" {
		return nil, nil
	}
	name := fieldName(by.Field)
	f, ok := s.field(name)
	if !ok || !f.Sortable() {
		return nil, catalog.Errorf(catalog.Invalid, "results cannot be sorted by %q%s", name, nearest.Among(name, s.sortable(), "fields to sort by"))
	}
	sort := indexer.Sort{Field: f.Name, Numeric: f.Kind == indexer.KindNumber}
	switch by.Order {
	case "", "ASCENDING":
	case "DESCENDING":
		sort.Descending = true
	default:
		return nil, catalog.Errorf(catalog.Invalid, "the order is ASCENDING or DESCENDING, not %q", by.Order)
	}
	return []indexer.Sort{sort}, nil
}

func (s *searchScope) sortable() []string {
	return s.namesOf((*indexer.Field).Sortable)
}
