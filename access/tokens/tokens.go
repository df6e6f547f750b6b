// Package tokens makes, checks and revokes access tokens. A token is a signed text (a JWT) that only
// its holder has. The catalog stores the metadata of a token as an entity, whose id is a hash of the
// text. A token is revoked by deleting this entity.
package tokens

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"

	"github.com/headwater-io/headwater/access/keys"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// The claims that clients of the reference read, with their values.
const (
	issuer  = "datahub-metadata-service"
	stored  = "2" // the version of tokens whose metadata is stored
	actorIs = "USER"
	// audience is the claim aud of every token that this server makes.
	audience = "headwater"
)

// skew is how far the clocks of two servers may differ.
const skew = 30 * time.Second

// Type is the purpose of a token.
type Type string

// The types.
const (
	Personal       Type = "PERSONAL"
	ServiceAccount Type = "SERVICE_ACCOUNT"
	// Session is a token that the system client makes for a person who has signed in elsewhere.
	Session Type = "SESSION"
)

// Request asks for a token.
type Request struct {
	Type Type
	// Actor is the user or service account in whose name requests with the token are made. Owner
	// makes the token.
	Actor, Owner model.URN
	// For is how long the token is valid; 0 means for ever.
	For               time.Duration
	Name, Description string
}

// Metadata describes a token, and is not secret.
type Metadata struct {
	URN          model.URN
	ID           string
	Name         string
	Description  string
	Actor, Owner string
	Created      time.Time
	// Expires is the zero time if the token never expires.
	Expires time.Time
}

// Entities reads and writes entities.
type Entities interface {
	Stored(ctx context.Context, urns []model.URN, aspects catalog.StoredAspects) ([]catalog.StoredEntity, error)
	Create(ctx context.Context, urn model.URN, aspects map[string]catalog.Tree, o catalog.WriteOptions) error
}

// Removal deletes entities with the references to them.
type Removal interface {
	DeleteEntity(ctx context.Context, u model.URN, types []string, o catalog.WriteOptions) error
}

// Options configure a Service. All are required.
type Options struct {
	Keys     *keys.Ring
	Entities Entities
	// List returns the URNs of entities of a type, in pages, by URN.
	List     func(ctx context.Context, entityType string, start, count int) ([]string, error)
	Removal  Removal
	Registry *model.Registry
	Now      func() time.Time
	// OwnWork marks a context as work of the server itself, which may write the metadata of tokens.
	OwnWork func(context.Context) context.Context
}

// Service makes, checks and revokes tokens. It is safe for concurrent use.
type Service struct {
	Options
	parser *jwt.Parser
}

// New makes a Service.
func New(o Options) *Service {
	return &Service{o, jwt.NewParser(
		jwt.WithValidMethods([]string{keys.Algorithm}), jwt.WithLeeway(skew), jwt.WithTimeFunc(o.Now), jwt.WithStrictDecoding(),
	)}
}

// claims are the contents of a token.
type claims struct {
	jwt.RegisteredClaims
	Version   string `json:"version"`
	Type      Type   `json:"type"`
	ActorType string `json:"actorType"`
	// ActorID is the name of the actor, not the URN. Namespace is the namespace of the URN unless it
	// is the usual one.
	ActorID   string `json:"actorId"`
	Namespace string `json:"actorNamespace,omitempty"`
}

// Make makes a token, and stores its metadata. The text of the token cannot be read again later.
func (s *Service) Make(ctx context.Context, r Request, o catalog.WriteOptions) (token string, m Metadata, err error) {
	if r.Name == "" || len(r.Name) > limits.MaxNameBytes {
		return "", m, catalog.Errorf(catalog.Invalid, "a token needs a name of at most %d bytes", limits.MaxNameBytes)
	}
	if r.For < 0 {
		return "", m, catalog.Errorf(catalog.Invalid, "a token cannot expire before it is made")
	}
	if err := catalog.RequireType(r.Actor, model.EntityCorpuser); err != nil {
		return "", m, err
	}
	now := s.Now()
	c := claims{
		Version: stored, Type: r.Type, ActorType: actorIs, ActorID: r.Actor.Key(),
		RegisteredClaims: jwt.RegisteredClaims{ID: uuid.NewString(), Subject: r.Actor.Key(), Issuer: issuer, Audience: jwt.ClaimStrings{audience}},
	}
	if n := r.Actor.Namespace(); n != s.usualNamespace() {
		c.Namespace = n
	}
	info := catalog.Tree{"name": r.Name, "actorUrn": r.Actor.String(), "ownerUrn": r.Owner.String(), "createdAt": now.UnixMilli()}
	m = Metadata{Name: r.Name, Description: r.Description, Actor: r.Actor.String(), Owner: r.Owner.String(), Created: now}
	if r.Description != "" {
		info["description"] = r.Description
	}
	if r.For > 0 {
		m.Expires = now.Add(r.For).Truncate(time.Second)
		c.ExpiresAt = jwt.NewNumericDate(m.Expires)
		info["expiresAt"] = m.Expires.UnixMilli()
	}
	set := s.Keys.Current()
	if token, err = sign(set.Signing[0], c); err != nil {
		return "", m, err
	}
	m.ID = idOf(set, token)
	if m.URN, err = s.urn(m.ID); err != nil {
		return "", m, err
	}
	return token, m, s.Entities.Create(s.OwnWork(ctx), m.URN, map[string]catalog.Tree{model.AspectDataHubAccessTokenInfo: info}, o)
}

func sign(key keys.Key, c claims) (string, error) {
	t := jwt.NewWithClaims(jwt.SigningMethodHS256, c)
	t.Header["kid"] = key.ID
	text, err := t.SignedString([]byte(key.Secret))
	if err != nil {
		return "", catalog.Errorf(catalog.Internal, "a token could not be signed: %w", err)
	}
	return text, nil
}

// idOf returns the id of a token. It is computed as the reference does, so that both servers store a
// token under one id.
func idOf(set *keys.Set, token string) string {
	sum := sha256.Sum256(append([]byte(token), set.Salt...))
	return base64.StdEncoding.EncodeToString(sum[:])
}

func (s *Service) usualNamespace() string { return s.Registry.Dialects()[0].Namespace }

func (s *Service) urn(id string) (model.URN, error) {
	u, err := model.BuildURN(s.usualNamespace(), model.EntityDataHubAccessToken, id)
	if err != nil {
		return u, catalog.Errorf(catalog.Invalid, "%q is not the id of an access token", id)
	}
	return u, nil
}

// Refusal is the reason why a token is not accepted. Its text may be shown to the sender of the token.
type Refusal string

func (r Refusal) Error() string { return string(r) }

// The refusals.
const (
	// ErrInvalid: the token was not made by this server, was changed, or has another purpose.
	ErrInvalid Refusal = "The token is not valid."
	ErrExpired Refusal = "The token has expired."
	ErrRevoked Refusal = "The token has been revoked."
)

// Checked is a token that is accepted.
type Checked struct {
	ID    string
	Actor model.URN
	Type  Type
	// Expires is the zero time if the token never expires.
	Expires time.Time
}

// Check returns the actor of a token, or a [Refusal]. Other errors are those of the store. An
// expired token's metadata is deleted.
func (s *Service) Check(ctx context.Context, token string) (Checked, error) {
	if len(token) > limits.MaxTokenBytes {
		return Checked{}, ErrInvalid
	}
	set := s.Keys.Current()
	var c claims
	_, err := s.parser.ParseWithClaims(token, &c, func(t *jwt.Token) (any, error) {
		id, _ := t.Header["kid"].(string)
		key, known := set.Find(id)
		if !known || t.Method.Alg() != key.Algorithm {
			return nil, ErrInvalid
		}
		return []byte(key.Secret), nil
	})
	expired := errors.Is(err, jwt.ErrTokenExpired) && !errors.Is(err, jwt.ErrTokenSignatureInvalid)
	if err != nil && !expired {
		return Checked{}, ErrInvalid
	}
	checked := Checked{ID: idOf(set, token), Type: c.Type}
	if c.ExpiresAt != nil {
		checked.Expires = c.ExpiresAt.Time
	}
	if checked.Actor, err = s.actorOf(&c); err != nil {
		return Checked{}, err
	}
	u, err := s.urn(checked.ID)
	if err != nil {
		return Checked{}, err
	}
	if expired {
		return Checked{}, s.forget(ctx, u)
	}
	found, err := s.Entities.Stored(s.OwnWork(ctx), []model.URN{u}, catalog.StoredAspects{Names: []string{model.AspectDataHubAccessTokenInfo}})
	switch {
	case err != nil:
		return Checked{}, err
	case len(found) == 0 || found[0].Removed:
		return Checked{}, ErrRevoked
	}
	return checked, nil
}

// actorOf returns the actor whom the claims name. It refuses claims with another purpose.
func (s *Service) actorOf(c *claims) (model.URN, error) {
	usual := c.Type == Personal || c.Type == ServiceAccount || c.Type == Session
	ours := len(c.Audience) == 0 || strings.Join(c.Audience, "") == audience // tokens of the reference have no audience
	if c.Version != stored || !usual || c.ActorType != actorIs || c.ActorID == "" || c.Subject != c.ActorID || !ours {
		return model.URN{}, ErrInvalid
	}
	namespace := c.Namespace
	if namespace == "" {
		namespace = s.usualNamespace()
	}
	u, err := model.BuildURN(namespace, model.EntityCorpuser, c.ActorID)
	if err != nil {
		return u, ErrInvalid
	}
	return u, nil
}

// forget deletes the metadata of an expired token. It returns [ErrExpired], also if the metadata is
// not there any more or cannot be deleted.
func (s *Service) forget(ctx context.Context, u model.URN) error {
	found, err := s.Entities.Stored(s.OwnWork(ctx), []model.URN{u}, catalog.StoredAspects{None: true})
	if err == nil && len(found) > 0 {
		_ = s.Removal.DeleteEntity(s.OwnWork(ctx), u, []string{model.EntityDataHubAccessToken}, catalog.WriteOptions{}) // the next use tries again
	}
	return ErrExpired
}

// Metadata returns the metadata of a token by its id.
func (s *Service) Metadata(ctx context.Context, id string) (m Metadata, err error) {
	if m.URN, err = s.urn(id); err != nil {
		return m, err
	}
	found, err := s.Entities.Stored(s.OwnWork(ctx), []model.URN{m.URN}, catalog.StoredAspects{Names: []string{model.AspectDataHubAccessTokenInfo}})
	if err != nil {
		return m, err
	}
	if len(found) == 0 || len(found[0].Aspects) == 0 {
		return m, catalog.Errorf(catalog.NotFound, "Access token no longer exists")
	}
	info, err := catalog.TreeOf(found[0].Aspects[0].Value)
	if err != nil {
		return m, err
	}
	m.ID = id
	m.Name, m.Description = text(info, "name"), text(info, "description")
	m.Actor, m.Owner = text(info, "actorUrn"), text(info, "ownerUrn")
	m.Created, m.Expires = moment(info, "createdAt"), moment(info, "expiresAt")
	return m, nil
}

// IDOf returns the id of a token by its text, whether the token is valid or not.
func (s *Service) IDOf(token string) string { return idOf(s.Keys.Current(), token) }

// Revoke deletes the metadata of a token. From then on the token is refused.
func (s *Service) Revoke(ctx context.Context, id string, o catalog.WriteOptions) error {
	u, err := s.urn(id)
	if err != nil {
		return err
	}
	err = s.Removal.DeleteEntity(s.OwnWork(ctx), u, []string{model.EntityDataHubAccessToken}, o)
	if catalog.CodeOf(err) == catalog.NotFound {
		return catalog.Errorf(catalog.NotFound, "Access token no longer exists")
	}
	return err
}

// RevokeOf revokes all tokens that act as an actor. Without it, the tokens of a deleted user would be valid
// again when a user with the same name is made.
func (s *Service) RevokeOf(ctx context.Context, actor model.URN) error {
	var theirs []model.URN
	for start := 0; ; start += limits.MaxListItems {
		names, err := s.List(ctx, model.EntityDataHubAccessToken, start, limits.MaxListItems)
		if err != nil {
			return err
		}
		urns := make([]model.URN, len(names))
		for i, name := range names {
			urns[i] = model.StoredURN(name)
		}
		found, err := s.Entities.Stored(s.OwnWork(ctx), urns, catalog.StoredAspects{Names: []string{model.AspectDataHubAccessTokenInfo}})
		if err != nil {
			return err
		}
		for i := range found {
			for _, aspect := range found[i].Aspects {
				info, err := catalog.TreeOf(aspect.Value)
				if err != nil {
					return err
				}
				if text(info, "actorUrn") == actor.String() {
					theirs = append(theirs, model.StoredURN(found[i].URN))
				}
			}
		}
		if len(names) < limits.MaxListItems {
			break
		}
	}
	for _, u := range theirs {
		err := s.Removal.DeleteEntity(s.OwnWork(ctx), u, []string{model.EntityDataHubAccessToken}, catalog.WriteOptions{})
		if err != nil && catalog.CodeOf(err) != catalog.NotFound {
			return err
		}
	}
	return nil
}
