package lineage

import (
	"context"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/model"
)

// noteOfPast returns a note if the entity had not been written yet at the moment, else "". A
// moment of 0 is now.
func (s *Service) noteOfPast(ctx context.Context, u model.URN, at int64) (string, error) {
	asset := model.StoredURN(assetOfURN(u))
	entity, ok := s.registry.Entity(asset.EntityType())
	if at == 0 || !ok {
		return "", nil
	}
	stored, err := s.store.LatestAspects(ctx, []string{asset.String()}, []string{entity.KeyAspect})
	if err != nil {
		return "", catalog.StoreFailure(err)
	}
	keys := stored[asset.String()] // the key aspect is written once, when the entity is first written
	if len(keys) == 0 || keys[0].CreatedOn <= at {
		return "", nil
	}
	return "nothing was written about " + asset.String() + " before " + time.UnixMilli(keys[0].CreatedOn).UTC().Format(time.RFC3339), nil
}
