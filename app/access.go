package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/headwater-io/headwater/access"
	"github.com/headwater-io/headwater/access/keys"
	"github.com/headwater-io/headwater/access/manage"
	"github.com/headwater-io/headwater/access/oidc"
	"github.com/headwater-io/headwater/access/people"
	"github.com/headwater-io/headwater/access/permit"
	"github.com/headwater-io/headwater/access/sessions"
	"github.com/headwater-io/headwater/access/shares"
	"github.com/headwater-io/headwater/access/tokens"
	"github.com/headwater-io/headwater/access/visible"
	"github.com/headwater-io/headwater/app/config"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/rest"
)

// authentication has the parts that know callers. All of them are nil while authentication is off.
type authentication struct {
	gate        *access.Gate
	credentials *access.Credentials
	people      *people.Service
	sessions    *sessions.Service
	shares      *shares.Shares
	// sso is nil without identity providers.
	sso *access.SSO
	// policies is there also without authentication.
	policies *manage.Service
}

// on reports whether callers are known.
func (a *authentication) on() bool { return a.gate != nil }

// offer adds the functions that recognize callers to the options of the handler.
func (a *authentication) offer(o *rest.Options, c *services.Services) {
	o.Policies = a.policies
	if !a.on() {
		return
	}
	o.Callers = a.gate
	o.Shares = a.shares
	o.Access = &rest.Access{People: a.people, Sessions: a.sessions, Audit: o.Audit, Writable: c, Tokens: a.credentials, Ended: a.gate.Forget}
	if a.sso != nil {
		o.Access.SSO = a.sso
	}
}

// openKeys reads the secrets of authentication, and makes them at the first start. Without
// authentication, it returns nil.
func (s *server) openKeys() (*keys.Ring, error) {
	if s.settings.Auth != config.AuthOn {
		return nil, nil
	}
	path := s.settings.KeysFile()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("the secrets of authentication: %w", err)
	}
	if err := keys.Create(path); err != nil {
		return nil, fmt.Errorf("the secrets of authentication: %w", err)
	}
	ring, err := keys.Open(path, s.logger)
	if err != nil {
		return nil, fmt.Errorf("the secrets of authentication: %w", err)
	}
	return ring, nil
}

// permissions returns the service that decides about the rights of callers, and the check of writes. Without
// authentication, both are nil.
func (s *server) permissions(store graphstore.Store) (*permit.Service, write.Protect) {
	if s.settings.Auth != config.AuthOn {
		return nil, nil
	}
	permits := permit.New(permit.Options{Store: store, Now: s.past.Now, Logger: s.logger})
	return permits, permits.Protect
}

// shown returns the store and the index as callers see them.
func (s *server) shown(registry *model.Registry, store graphstore.Store, index indexer.Index) services.Shown {
	if s.settings.Auth != config.AuthOn {
		return services.Shown{}
	}
	seen := visible.NewStore(store, registry)
	return services.Shown{Store: seen, Index: visible.NewIndex(index, store, registry), Changes: seen.Shown}
}

// authenticate puts the parts together that know callers.
func (s *server) authenticate(ring *keys.Ring, c *services.Services, store graphstore.Store, permits *permit.Service) (*authentication, error) {
	actors := access.NewActors(c)
	if permits == nil { // no write is judged, but policies can be managed
		permits = permit.New(permit.Options{Store: store, Now: c.Now, Logger: s.logger})
	}
	managed := manage.Options{Catalog: c, Delete: c.Removal.DeleteEntity, Permit: permits, Actors: actors, Now: c.Now}
	if ring == nil {
		return &authentication{policies: manage.New(managed)}, nil
	}
	door := records.New(store)
	signedIn := sessions.New(sessions.Options{Records: door, Now: c.Now})
	made := tokens.New(tokens.Options{Keys: ring, Entities: c, Removal: c.Removal, Registry: c.Registry(), Now: c.Now, OwnWork: write.OwnWork, List: lister(c)})
	secret := func() []byte { return []byte(ring.Current().Links) }
	sso, err := s.identityProviders(c, actors, secret)
	if err != nil {
		return nil, err
	}
	if s.settings.Executor == config.ExecutorOn {
		s.own = access.Own{Executor: rand.Text(), Run: rand.Text()}
	}
	options := access.Options{Own: s.own, Keys: ring, Tokens: made, Actors: actors, Permit: permits, Sessions: checkSession(signedIn), Now: c.Now}
	if sso != nil {
		options.Providers = sso.Machine
	}
	gate := access.New(options)
	managed.Forget = gate.Forget
	// A user who is suspended or removed at this server is refused from the next request on.
	c.OnCommit(func(urns []string) {
		permits.Changed(urns)
		if slices.ContainsFunc(urns, func(u string) bool { return model.StoredURN(u).EntityType() == model.EntityCorpuser }) {
			gate.Forget()
		}
	})
	users := people.New(people.Options{
		Registry: c.Registry(), Records: door, Writer: c.Writer, Reader: c.Reader, Actors: actors, Sessions: signedIn,
		Secret: secret, Provider: sso != nil, MinPassword: s.settings.MinPassword, Now: c.Now,
	})
	c.OnDelete(model.EntityCorpuser, func(ctx context.Context, u model.URN, _ catalog.WriteOptions) error {
		defer gate.Forget()
		return errors.Join(users.Forget(ctx, u), made.RevokeOf(ctx, u))
	})
	arrivals, err := shares.NewArrivals()
	if err != nil {
		return nil, err
	}
	s.atClose("turns of callers", arrivals.Close)
	return &authentication{
		gate: gate, credentials: access.NewCredentials(made, c.Edits, gate), people: users, sessions: signedIn, sso: sso, policies: manage.New(managed),
		shares: shares.New(shares.Options{Rate: s.settings.CallerRate, Requests: s.settings.CallerRequests, After: arrivals.After, Now: c.Now}),
	}, nil
}

// lister returns the function that lists entities of a type.
func lister(c *services.Services) func(ctx context.Context, entityType string, start, count int) ([]string, error) {
	return func(ctx context.Context, entityType string, start, count int) ([]string, error) {
		page, err := c.ListURNs(ctx, entityType, start, count)
		return page.Entities, err
	}
}

// identityProviders returns the sign-in with identity providers, or nil if the settings name none.
func (s *server) identityProviders(c *services.Services, actors *access.Actors, secret func() []byte) (*access.SSO, error) {
	var (
		settings oidc.Settings
		err      error
	)
	if s.settings.OIDCFile != "" {
		settings, err = oidc.ReadFile(s.settings.OIDCFile, os.Getenv)
	} else {
		settings, err = oidc.FromEnvironment(os.Environ())
	}
	if err != nil || len(settings.Providers) == 0 {
		return nil, err
	}
	if len(settings.Ignored) > 0 {
		s.logger.Warn("variables of the environment have no meaning here", "names", settings.Ignored)
	}
	users := access.NewProvisioner(c, actors, c.Registry().Dialects()[0].Namespace)
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, IdleConnTimeout: time.Minute}
	s.atClose("connections to identity providers", func(context.Context) error {
		transport.CloseIdleConnections()
		return nil
	})
	return access.NewSSO(settings, users, secret, oidc.Options{Now: c.Now, Transport: transport}), nil
}

// checkSession returns the check of sessions for the gate.
func checkSession(signedIn *sessions.Service) func(context.Context, string) (model.URN, string, error) {
	return func(ctx context.Context, secret string) (model.URN, string, error) {
		session, err := signedIn.Check(ctx, secret)
		if err != nil {
			return model.URN{}, "", err
		}
		return model.StoredURN(session.Actor), session.ID, nil
	}
}

// roles are the roles of the reference, which clients give to people.
var roles = [][2]string{
	{catalog.AdminRole, "Can do everything."},
	{"Editor", "Can read and change metadata."},
	{"Reader", "Can read metadata."},
}

// addRoles writes the roles and the policies of the start that the store does not have yet.
func (s *server) addRoles(ctx context.Context, c *services.Services) error {
	if c.ReadOnly() || s.settings.Follow != "" {
		return nil
	}
	for _, role := range roles {
		u, err := model.BuildURN(c.Registry().Dialects()[0].Namespace, model.EntityDataHubRole, role[0])
		if err != nil {
			return err
		}
		info := catalog.Tree{"name": role[0], "description": role[1], "editable": false}
		err = c.Create(write.OwnWork(ctx), u, map[string]catalog.Tree{model.AspectDataHubRoleInfo: info}, catalog.WriteOptions{})
		if err != nil && catalog.CodeOf(err) != catalog.Conflict {
			return fmt.Errorf("the role %s: %w", role[0], err)
		}
	}
	return permit.WriteDefaults(write.OwnWork(ctx), c, c.Registry().Dialects()[0].Namespace)
}

// pruneEvery is the time between two searches for sessions and links that have ended.
const pruneEvery = time.Hour

// prunePeople deletes sessions and links that have ended, until the server stops.
func (s *server) prunePeople(a *authentication) {
	s.repeatInBackground("sessions and links", pruneEvery, func(ctx context.Context) {
		if err := errors.Join(a.sessions.Prune(ctx), a.people.Prune(ctx)); err != nil && ctx.Err() == nil {
			s.logger.WarnContext(ctx, "sessions and links that have ended could not be deleted", "error", err)
		}
	})
}

// firstAdministrator makes the first administrator from the file of the settings or, if there is none, prints
// the link with which a person becomes the first administrator.
func (s *server) firstAdministrator(ctx context.Context, a *authentication, address string, stdout io.Writer) error {
	if s.settings.FirstAdminFile != "" {
		u, made, err := a.people.FirstFromFile(write.OwnWork(ctx), s.settings.FirstAdminFile)
		if err != nil {
			return fmt.Errorf("first-admin-file: %w", err)
		}
		if made {
			s.logger.InfoContext(ctx, "the first administrator was made from the file", "user", u.String())
		}
		return nil
	}
	token, err := a.people.FirstLink(ctx)
	if err != nil || token == "" {
		return err
	}
	link := address + "/ui/first?token=" + token
	return s.announce(stdout, "the first administrator signs up once at this address", "the first administrator signs up once at "+link, link)
}
