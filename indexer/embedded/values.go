package embedded

import (
	"context"
	"maps"
	"slices"
)

// Values returns values of a field. A segment keeps the values of deleted documents until it is merged.
func (x *Index) Values(ctx context.Context, field string, most int) ([]string, error) {
	found := map[string]bool{}
	err := x.read(ctx, func(r *reading) error {
		for i := range r.view.parts {
			f := r.view.parts[i].field(field)
			if f == nil {
				continue
			}
			for ord := 0; ord < f.n && len(found) < most; ord++ {
				found[string(f.at(ord))] = true
			}
		}
		return nil
	})
	return slices.Collect(maps.Keys(found)), err
}
