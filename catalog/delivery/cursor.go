package delivery

import (
	"context"
	"encoding/json"

	"github.com/headwater-io/headwater/catalog"
)

// Cursor returns the saved cursor of a follower; the changes that are being delivered come
// after it. Cursor returns false if there is no such follower.
func (s *Service) Cursor(ctx context.Context, name string) (string, bool, error) {
	r, ok, err := s.store.Record(ctx, followerPrefix+name)
	if err != nil || !ok {
		return "", false, catalog.StoreFailure(err)
	}
	var known state
	err = json.Unmarshal(r.Value, &known)
	return known.Cursor, err == nil, err
}
