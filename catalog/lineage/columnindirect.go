package lineage

import (
	"cmp"
	"context"
	"slices"

	"github.com/headwater-io/headwater/model"
)

// addIndirectReaders adds the entities whose aspects state that they read one of the columns
// without taking its values: they join, filter, group or order by it. Such an entity is affected
// as a whole, because its query fails. degree is the distance of the columns from the start.
func (l *columnLoss) addIndirectReaders(ctx context.Context, columns []string, degree int, effect, because string) error {
	if l.query.MaxHops > 0 && degree >= l.query.MaxHops {
		return nil
	}
	for some := range slices.Chunk(columns, partEntities) {
		if l.expired() {
			return nil
		}
		entities := make([]string, len(some))
		for i, column := range some {
			entities[i] = assetOf(column)
		}
		links, cut, err := l.linksToParts(ctx, entities, some, []string{model.RelationshipIndirectlyDownstreamOf})
		if err != nil {
			return err
		}
		l.cut = cmp.Or(cut, l.cut)
		delete(links, l.start)
		if _, err := l.addReaders(ctx, links, degree+1, effect, because); err != nil {
			return err
		}
	}
	return nil
}
