package typesense

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/typesense/typesense-go/v3/typesense/api/pointer"

	"github.com/headwater-io/headwater/indexer"
)

// Groups counts the documents below a path by its next step.
func (x *Index) Groups(ctx context.Context, q *indexer.GroupQuery) ([]indexer.Group, error) {
	groups, err := x.groups(ctx, q)
	return groups, failure(err)
}

func (x *Index) groups(ctx context.Context, q *indexer.GroupQuery) ([]indexer.Group, error) {
	if err := x.open(); err != nil {
		return nil, err
	}
	separator := "/"
	if q.Field == indexer.FieldAncestorsV2 {
		separator = indexer.PathV2Separator
	}
	filter := q.Filter
	if q.Path != "" {
		filter = indexer.And{indexer.In{Field: q.Field, Values: []string{q.Path}}, filter}
	}
	condition, err := x.compiler().compile(ctx, filter)
	if err != nil {
		return nil, err
	}
	groups, _, err := x.steps(ctx, q, condition, q.Path+separator, q.Path+separator)
	if err != nil || !q.Below || len(groups) == 0 {
		return groups, err
	}
	deeper, all, err := x.steps(ctx, q, condition, q.Path+separator, q.Path+separator+separator)
	if err != nil {
		return nil, err
	}
	indexer.MarkBelow(groups, separator, deeper)
	for i := range groups {
		if all || groups[i].Below {
			continue
		}
		below, err := x.groups(ctx, &indexer.GroupQuery{Field: q.Field, Path: groups[i].Path, Filter: q.Filter})
		if err != nil {
			return nil, err
		}
		groups[i].Below = len(below) > 0
	}
	return groups, nil
}

// steps groups documents by their paths of one depth, and returns the groups whose paths
// begin with below. all is false if the server has too many groups to list every one.
func (x *Index) steps(ctx context.Context, q *indexer.GroupQuery, condition, below, depth string) (groups []indexer.Group, all bool, err error) {
	p := parameters{
		Collection: &x.live.docs, Q: pointer.String("*"), QueryBy: pointer.String("n"), PerPage: pointer.Int(0),
		FacetBy: pointer.String(depthField(q.Field, depth)), MaxFacetValues: pointer.Int(maxGroups),
	}
	if condition != "" {
		p.FilterBy = &condition
	}
	items, err := x.perform(ctx, []parameters{p})
	if isStatus(err, 404) && strings.Contains(err.Error(), "facet field") {
		return []indexer.Group{}, true, nil // no document has a path of this depth
	}
	if err != nil {
		return nil, false, err
	}
	byField, err := x.counts(ctx, items[0])
	if err != nil {
		return nil, false, err
	}
	groups, found := []indexer.Group{}, 0
	for _, counts := range byField {
		found += len(counts)
		for _, c := range counts {
			if strings.HasPrefix(c.Value, below) {
				groups = append(groups, indexer.Group{Path: c.Value, Docs: c.Docs})
			}
		}
	}
	slices.SortFunc(groups, func(a, b indexer.Group) int { return cmp.Compare(a.Path, b.Path) })
	return groups, found < maxGroups, nil
}
