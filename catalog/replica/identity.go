package replica

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"

	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/internal/shorthash"
	"github.com/headwater-io/headwater/model"
)

// Identity returns a random name of the catalog. The first call draws and stores it.
func (s *Service) Identity(ctx context.Context) (string, error) {
	if _, err := s.identity.Put(ctx, "", rand.Text(), ""); err != nil && !errors.Is(err, records.ErrChanged) {
		return "", err
	}
	record, _, err := s.identity.Get(ctx, "")
	return record.Value, err
}

// modelOf returns a short text that differs between models whose entity types or aspects
// differ.
func modelOf(r *model.Registry) string {
	_, version := r.Version()
	text, _ := json.Marshal([]any{version, r.Entities()}) // texts always encode
	return shorthash.Of(text)
}
