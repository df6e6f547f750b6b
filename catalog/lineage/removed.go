package lineage

import (
	"context"
	"maps"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/model"
)

// These are the ways in which a walk treats soft-deleted entities.
const (
	// RemovedPass: the walk goes on from soft-deleted entities, but the answer does not list them.
	RemovedPass = "pass"
	// RemovedShow: the answer lists soft-deleted entities like other entities.
	RemovedShow = "show"
	// RemovedStop: the walk does not reach soft-deleted entities.
	RemovedStop = "stop"
)

// checkRemoved checks the way that a request names, and gives a request without one its default.
func (r *Request) checkRemoved() error {
	switch r.Removed {
	case "":
		if r.Removed = RemovedPass; r.Walk.AsOf != 0 {
			r.Removed = RemovedShow
		}
	case RemovedPass, RemovedShow:
	case RemovedStop:
		r.Walk.WithoutRemoved = true
	default:
		return catalog.Errorf(catalog.Invalid, "removed must be pass, show or stop, not %q", r.Removed)
	}
	return nil
}

// removedAtOnce is the number of entities about which one question asks whether they are removed.
const removedAtOnce = 5000

// withoutRemoved returns the reached entities without the soft-deleted ones. A column has no mark of its own: the column
// is removed if its entity is.
func (s *Service) withoutRemoved(ctx context.Context, reached []Reached) ([]Reached, error) {
	ofColumns, removed := map[string]bool{}, map[string]bool{}
	for _, e := range reached {
		if e.Type == model.EntitySchemaField {
			ofColumns[assetOf(e.URN)] = true
		}
	}
	for some := range slices.Chunk(slices.Sorted(maps.Keys(ofColumns)), removedAtOnce) {
		found, err := s.store.RemovedAmong(ctx, some)
		if err != nil {
			return nil, catalog.StoreFailure(err)
		}
		maps.Copy(removed, found)
	}
	return slices.DeleteFunc(slices.Clone(reached), func(e Reached) bool {
		return e.Removed || e.Type == model.EntitySchemaField && removed[assetOf(e.URN)]
	}), nil
}
