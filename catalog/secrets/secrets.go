// Package secrets has the secrets of the catalog, such as the passwords of recipes, and the connections to other
// systems, which contain credentials. It stores their values encrypted, lists secrets without values, and decrypts
// the values of secrets for programs that run recipes only.
package secrets

import (
	"context"
	"strings"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Store is the part of the store that secrets are read from.
type Store interface {
	LatestAspects(ctx context.Context, urns, names []string) (map[string][]graphstore.Aspect, error)
	ListEntities(ctx context.Context, entityType string, page graphstore.Page) (urns []string, total int64, err error)
}

// Writer writes secrets.
type Writer interface {
	Create(ctx context.Context, urn model.URN, aspects map[string]catalog.Tree, o catalog.WriteOptions) error
	Edit(ctx context.Context, edits []write.Edit, o catalog.WriteOptions) error
	EditOrTry(ctx context.Context, edits []write.Edit, dryRun bool, o catalog.WriteOptions) (changed bool, err error)
	Exists(ctx context.Context, u model.URN) (bool, error)
}

// Remover deletes secrets.
type Remover interface {
	DeleteEntity(ctx context.Context, u model.URN, types []string, o catalog.WriteOptions) error
}

// Searcher finds secrets.
type Searcher interface {
	Search(ctx context.Context, r search.Request) (*search.Result, error)
}

// Options configure a Service. All options but Sealer are required.
type Options struct {
	Registry *model.Registry
	Store    Store
	Writer   Writer
	Removal  Remover
	Search   Searcher
	// Sealer encrypts the values. Without it, secrets are refused.
	Sealer Sealer
	// Now is the clock for the times in secrets.
	Now func() time.Time
}

// Service writes and reads secrets. It is safe for concurrent use.
type Service struct{ Options }

// New makes a Service.
func New(o Options) *Service { return &Service{o} }

// Manage is the privilege of the platform that permits to write, list and delete secrets.
const Manage = "MANAGE_SECRETS"

// Sealer encrypts and decrypts the values of secrets. Each encrypted text belongs to the URN for which it
// was made.
type Sealer interface {
	Seal(urn, text string) (string, error)
	// Open fails with [catalog.Conflict] if the text cannot be decrypted.
	Open(urn, sealed string) (string, error)
	// Newest reports whether a text was encrypted with the key that encrypts now.
	Newest(sealed string) bool
}

// errNoKey is the error of secrets on a server that has no key for them.
var errNoKey = catalog.Errorf(catalog.Invalid, "this server stores no secrets, because it has no key to encrypt them with; its operator gives it one with --secrets-key-file or HEADWATER_SECRETS_KEY")

// The members of the aspect. The member of the value has the encrypted value.
const (
	nameMember        = "name"
	valueMember       = "value"
	descriptionMember = "description"
)

// Draft is a secret to write. Recipes refer to it by its name.
type Draft struct {
	Name, Value string
	// Description states the purpose of the secret. If it is nil, a stored description stays.
	Description *string
}

func (d *Draft) check() error {
	if strings.TrimSpace(d.Name) == "" {
		return catalog.Errorf(catalog.Invalid, "a name must not be empty")
	}
	if len(d.Value) > limits.MaxSecretBytes {
		return catalog.Errorf(catalog.Invalid, "the value of a secret may have %d bytes, and this one has %d", limits.MaxSecretBytes, len(d.Value))
	}
	return nil
}

// allow fails unless the caller has the privilege to do something and the server has a key.
func (s *Service) allow(ctx context.Context, done, privilege string) error {
	if err := permission.Require(ctx, done, privilege); err != nil {
		return err
	}
	if s.Sealer == nil {
		return errNoKey
	}
	return nil
}

// urnOf returns the URN of an entity with an id, in the dialect of the actor, and the stamp of a write by
// the actor.
func (s *Service) urnOf(entityType, id string, o catalog.WriteOptions) (model.URN, catalog.AuditStamp, error) {
	actor := model.StoredURN(o.Actor)
	dialect, known := s.Registry.DialectOf(actor)
	if !known {
		dialect = s.Registry.Dialects()[0]
		actor = model.StoredURN(catalog.SystemActor(dialect))
	}
	u, err := model.BuildURN(dialect.Namespace, entityType, id)
	if err == nil {
		err = s.Registry.CheckURN(u)
	}
	if err != nil {
		return model.URN{}, catalog.AuditStamp{}, &catalog.Error{Code: catalog.Invalid, Message: err.Error()}
	}
	return u, catalog.AuditStamp{Time: s.Now().UnixMilli(), Actor: actor.String()}, nil
}

// Create stores a new secret and returns its URN.
func (s *Service) Create(ctx context.Context, d Draft, o catalog.WriteOptions) (model.URN, error) {
	if err := s.allow(ctx, "create secrets", Manage); err != nil {
		return model.URN{}, err
	}
	if err := d.check(); err != nil {
		return model.URN{}, err
	}
	u, by, err := s.urnOf(model.EntityDataHubSecret, d.Name, o)
	if err != nil {
		return model.URN{}, err
	}
	closed, err := s.Sealer.Seal(u.String(), d.Value)
	if err != nil {
		return model.URN{}, err
	}
	value := catalog.Tree{nameMember: d.Name, valueMember: closed, "created": by.Tree()}
	if d.Description != nil && *d.Description != "" {
		value[descriptionMember] = *d.Description
	}
	return u, s.Writer.Create(ctx, u, map[string]catalog.Tree{model.AspectDataHubSecretValue: value}, o)
}

// Update replaces the value of a secret, and its description if one is given. The name must stay: recipes
// find the secret by it.
func (s *Service) Update(ctx context.Context, u model.URN, d Draft, o catalog.WriteOptions) error {
	if err := s.allow(ctx, "change secrets", Manage); err != nil {
		return err
	}
	if err := d.check(); err != nil {
		return err
	}
	if err := catalog.RequireType(u, model.EntityDataHubSecret); err != nil {
		return err
	}
	exists, err := s.Writer.Exists(ctx, u)
	if err != nil {
		return err
	}
	if !exists {
		return catalog.Errorf(catalog.NotFound, "%s does not exist.", u)
	}
	closed, err := s.Sealer.Seal(u.String(), d.Value)
	if err != nil {
		return err
	}
	_, err = s.Writer.EditOrTry(ctx, []write.Edit{{URN: u, Aspect: model.AspectDataHubSecretValue, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
		if name := jsontree.Text(value, nameMember); name != d.Name {
			return catalog.Errorf(catalog.Invalid, "the name of a secret cannot be changed; delete %s and create another one", u)
		}
		value[valueMember] = closed
		if d.Description != nil {
			value[descriptionMember] = *d.Description
		}
		return nil
	}}}, false, o)
	return err
}

// Delete deletes a secret.
func (s *Service) Delete(ctx context.Context, u model.URN, o catalog.WriteOptions) error {
	if err := permission.Require(ctx, "delete secrets", Manage); err != nil {
		return err
	}
	return s.Removal.DeleteEntity(ctx, u, []string{model.EntityDataHubSecret}, o)
}

// stored returns a stored aspect of secrets or connections by their URNs.
func (s *Service) stored(ctx context.Context, urns []string, aspect string) (map[string]catalog.Tree, error) {
	stored, err := s.Store.LatestAspects(ctx, urns, []string{aspect})
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	values := map[string]catalog.Tree{}
	for urn, aspects := range stored {
		for i := range aspects {
			if values[urn], err = catalog.TreeOf(aspects[i].Value); err != nil {
				return nil, err
			}
		}
	}
	return values, nil
}
