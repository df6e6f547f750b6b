package replica

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// identityName is the name of the record with the identity of a catalog.
const identityName = "replica/identity"

// Identity returns a random name of the catalog. The first call draws and stores it.
func (s *Service) Identity(ctx context.Context) (string, error) {
	var identity string
	value, err := json.Marshal(rand.Text())
	if err != nil {
		return "", err
	}
	_, err = s.store.PutRecord(ctx, identityName, value, "")
	if err != nil && !errors.Is(err, graphstore.ErrRecordChanged) {
		return "", catalog.StoreFailure(err)
	}
	record, _, err := s.store.Record(ctx, identityName)
	if err != nil {
		return "", catalog.StoreFailure(err)
	}
	return identity, json.Unmarshal(record.Value, &identity)
}

// modelOf returns a short text that differs between models whose entity types or aspects
// differ.
func modelOf(r *model.Registry) string {
	_, version := r.Version()
	text, _ := json.Marshal([]any{version, r.Entities()}) // texts always encode
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}
