package secrets

import (
	"context"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/sealed"
	"github.com/headwater-io/headwater/model"
)

// Rotation is the outcome of encrypting a page of secrets and connections again.
type Rotation struct {
	// Start is the number of secrets and connections before the page, Total the number of all.
	Start, Total int
	// Looked counts the secrets and connections of the page, Rotated those among them that were encrypted again.
	// The others were encrypted with the newest key already or by another server, or are in Failed.
	Looked, Rotated int
	// Failed are the secrets and connections that cannot be decrypted. They stay unchanged.
	Failed []Failed
}

// Failed is a secret or a connection that cannot be decrypted, with the reason.
type Failed struct{ URN, Reason string }

// sealedKind is a type of entity with an encrypted value in an aspect.
type sealedKind struct {
	entityType, aspect string
	// value returns the encrypted value in the aspect, and a function that replaces it there.
	value func(catalog.Tree) (closed string, replace func(string))
}

// sealedKinds are the types in the order in which a rotation goes through them.
var sealedKinds = []sealedKind{
	{model.EntityDataHubSecret, model.AspectDataHubSecretValue, func(value catalog.Tree) (string, func(string)) {
		return jsontree.Text(value, valueMember), func(text string) { value[valueMember] = text }
	}},
	{model.EntityDataHubConnection, model.AspectDataHubConnectionDetails, connectionBlob},
}

// Rotate encrypts a page of secrets and connections again with the newest key: all secrets in the order of their
// URNs, then all connections. A value that has the newest key already is not changed, so that a rotation can be
// repeated, and can continue after an interruption.
func (s *Service) Rotate(ctx context.Context, start int, o catalog.WriteOptions) (Rotation, error) {
	if err := s.allow(ctx, "encrypt secrets again", Manage); err != nil {
		return Rotation{}, err
	}
	page, err := catalog.PageOf(start, limits.SecretsRotated)
	if err != nil {
		return Rotation{}, err
	}
	r := Rotation{Start: start, Failed: []Failed{}}
	before := 0 // entities of the former kinds
	for _, kind := range sealedKinds {
		from := max(page.Start-before, 0)
		urns, total, err := s.Store.ListEntities(ctx, kind.entityType, graphstore.Page{Start: from, Count: page.Count - r.Looked})
		if err != nil {
			return Rotation{}, catalog.StoreFailure(err)
		}
		before, r.Total = before+int(total), r.Total+int(total)
		if err := s.rotate(ctx, &r, kind, urns, o); err != nil {
			return r, err
		}
	}
	return r, nil
}

// rotate encrypts the values of some entities of a kind again, and notes the outcome.
func (s *Service) rotate(ctx context.Context, r *Rotation, kind sealedKind, urns []string, o catalog.WriteOptions) error {
	if len(urns) == 0 {
		return nil
	}
	stored, err := s.stored(ctx, urns, kind.aspect)
	if err != nil {
		return err
	}
	r.Looked += len(urns)
	for _, urn := range urns {
		// A value of another form was encrypted by another server, whose connections were copied.
		closed, _ := kind.value(stored[urn])
		if !sealed.Is(closed) || s.Sealer.Newest(closed) {
			continue
		}
		changed, err := s.Writer.EditOrTry(ctx, []write.Edit{s.resealed(kind, model.StoredURN(urn))}, false, o)
		switch code := catalog.CodeOf(err); {
		case err == nil && changed:
			r.Rotated++
		case err != nil && slices.Contains([]catalog.Code{catalog.Conflict, catalog.Validation, catalog.NotFound}, code):
			r.Failed = append(r.Failed, Failed{URN: urn, Reason: catalog.MessageOf(err)})
		case err != nil:
			return err
		}
	}
	return nil
}

// resealed returns the edit that encrypts a value again with the newest key.
func (s *Service) resealed(kind sealedKind, u model.URN) write.Edit {
	return write.Edit{URN: u, Aspect: kind.aspect, Privileges: []string{Manage}, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
		closed, replace := kind.value(value)
		text, err := s.Sealer.Open(u.String(), closed)
		if err != nil {
			return err
		}
		closed, err = s.Sealer.Seal(u.String(), text)
		if err != nil {
			return err
		}
		replace(closed)
		return nil
	}}
}
