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

// identityName is the record by which catalogs are told apart.
const identityName = "replica/identity"

// Identity is a random name that the catalog has from now on.
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

// modelOf tells models apart by what replicas need of them: the entity types and their aspects.
func modelOf(r *model.Registry) string {
	_, version := r.Version()
	text, _ := json.Marshal([]any{version, r.Entities()}) // texts alone
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}
