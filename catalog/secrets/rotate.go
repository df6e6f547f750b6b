package secrets

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Rotation is the outcome of encrypting a page of secrets again.
type Rotation struct {
	// Start is the number of secrets before the page, Total the number of all secrets.
	Start, Total int
	// Looked counts the secrets of the page, Rotated the secrets that were encrypted again. The others were
	// encrypted with the newest key already, or are in Failed.
	Looked, Rotated int
	// Failed are the secrets that cannot be decrypted. They stay unchanged.
	Failed []Failed
}

// Failed is a secret that cannot be decrypted, with the reason.
type Failed struct{ URN, Reason string }

// Rotate encrypts a page of secrets, ordered by URN, again with the newest key. A secret that has the newest
// key already is not changed, so that a rotation can be repeated, and can continue after an interruption.
func (s *Service) Rotate(ctx context.Context, start int, o catalog.WriteOptions) (Rotation, error) {
	if err := s.allow(ctx, "encrypt secrets again"); err != nil {
		return Rotation{}, err
	}
	page, err := catalog.PageOf(start, limits.SecretsRotated)
	if err != nil {
		return Rotation{}, err
	}
	urns, total, err := s.Store.ListEntities(ctx, model.EntityDataHubSecret, graphstore.Page{Start: page.Start, Count: page.Count})
	if err != nil {
		return Rotation{}, catalog.StoreFailure(err)
	}
	stored, err := s.stored(ctx, urns)
	if err != nil {
		return Rotation{}, err
	}
	r := Rotation{Start: start, Total: int(total), Looked: len(urns), Failed: []Failed{}}
	for _, urn := range urns {
		value, ok := stored[urn]
		if !ok || s.Sealer.Newest(jsontree.Text(value, valueMember)) {
			continue
		}
		changed, err := s.Writer.EditOrTry(ctx, []write.Edit{s.resealed(model.StoredURN(urn))}, false, o)
		switch code := catalog.CodeOf(err); {
		case err == nil && changed:
			r.Rotated++
		case err != nil && slices.Contains([]catalog.Code{catalog.Conflict, catalog.Validation, catalog.NotFound}, code):
			r.Failed = append(r.Failed, Failed{URN: urn, Reason: catalog.MessageOf(err)})
		case err != nil:
			return r, err
		}
	}
	return r, nil
}

// resealed returns the edit that encrypts a secret again with the newest key.
func (s *Service) resealed(u model.URN) write.Edit {
	return write.Edit{URN: u, Aspect: model.AspectDataHubSecretValue, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
		text, err := s.Sealer.Open(u.String(), jsontree.Text(value, valueMember))
		if err != nil {
			return err
		}
		value[valueMember], err = s.Sealer.Seal(u.String(), text)
		return err
	}}
}
