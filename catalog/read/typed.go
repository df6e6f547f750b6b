package read

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/model"
)

// EntitiesWithTypes returns several entities as [Reader.Entities] does, with type members in
// their values and without system metadata.
func (rd *Reader) EntitiesWithTypes(ctx context.Context, urns []model.URN, aspects []string) (map[string]catalog.EntityResponse, error) {
	found, err := rd.Entities(ctx, urns, aspects)
	if err != nil {
		return nil, err
	}
	for _, e := range found {
		for name, aspect := range e.Aspects {
			if aspect.Value, err = rd.Registry().WithTypes(name, aspect.Value); err != nil {
				return nil, &catalog.Error{Code: catalog.Internal, Message: "internal error", Err: err}
			}
			aspect.System = nil
			e.Aspects[name] = aspect
		}
	}
	return found, nil
}
