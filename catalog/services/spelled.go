package services

import (
	"context"

	"github.com/headwater-io/headwater/catalog/openlineage"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/model"
)

// spelledIn finds datasets whose URNs differ from a URN in letter case only. It returns nil without an index.
func spelledIn(index indexer.Searcher) openlineage.Spelled {
	if index == nil {
		return nil
	}
	return func(ctx context.Context, urn string, most int) ([]string, error) {
		found, err := index.Search(ctx, &indexer.Query{
			Filter: indexer.And{
				indexer.In{Field: indexer.FieldType, Values: []string{model.EntityDataset}},
				indexer.Match{Field: indexer.FieldURN, Kind: indexer.Same, Texts: []string{urn}},
			},
			Size: most, Plain: true,
		})
		if err != nil {
			return nil, err
		}
		urns := make([]string, len(found.Hits))
		for i := range found.Hits {
			urns[i] = found.Hits[i].URN
		}
		return urns, nil
	}
}
