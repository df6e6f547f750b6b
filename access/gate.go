// Package access decides who makes a request: it reads the credentials of the caller, and asks the packages
// below it whether they are valid. It does not decide over the rights of callers.
package access

import (
	"context"
	"crypto/sha256"
	"errors"
	"strings"
	"time"

	"github.com/headwater-io/headwater/access/keys"
	"github.com/headwater-io/headwater/access/permit"
	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/access/tokens"
	"github.com/headwater-io/headwater/access/visible"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/internal/recent"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/model"
)

// Shown contains the credentials and the addresses that a request shows of its caller.
type Shown struct {
	// Authorization is the header of this name.
	Authorization string
	// Session is the secret in the cookie of a session, or "".
	Session string
	// Actor is the URN in whose name the request asks to be made, or "".
	Actor string
	// Remote is the address of the connection, with or without a port.
	Remote string
}

// Unauthorized begins the text of every refusal of an unknown caller. The text is the reference's.
const Unauthorized = permission.Unauthorized

// known is how long a caller who was accepted is accepted without another look at the store. So a
// revocation holds on every server over one store within this time.
const known = 500 * time.Millisecond

// knownCallers is how many callers are remembered, twice at most.
const knownCallers = 5000

// Gate finds out who makes a request. It is safe for concurrent use.
type Gate struct {
	Options
	accepted *recent.Readings[credential, accepted]
}

// credential is a token or the secret of a session that a caller has shown. Only its hash is kept.
type credential struct {
	by  requestinfo.Means
	sum [sha256.Size]byte
}

func credentialOf(by requestinfo.Means, secret string) credential {
	return credential{by, sha256.Sum256([]byte(secret))}
}

// Known is a caller who was accepted, with the caller's rights.
type Known struct {
	requestinfo.Caller
	Permissions permission.Set
}

// In returns the context of a request that the caller makes.
func (k Known) In(ctx context.Context) context.Context {
	ctx = permission.With(requestinfo.WithCaller(ctx, k.Caller), k.Permissions)
	if view, ok := k.Permissions.(visible.View); ok {
		ctx = visible.With(ctx, view)
	}
	return ctx
}

// accepted is a caller who was accepted.
type accepted struct {
	caller Known
	until  time.Time
}

// Options configure a Gate. All but Sessions, Providers and Own are required.
type Options struct {
	Keys   *keys.Ring
	Tokens *tokens.Service
	Actors *Actors
	Permit *permit.Service
	// Sessions checks the secret of a session, and returns its actor and its public id. Its errors
	// are [catalog.Unauthenticated] or those of the store.
	Sessions func(ctx context.Context, secret string) (actor model.URN, id string, err error)
	// Providers checks a token that an identity provider gave to a machine. It reports false if no
	// provider is known that makes such tokens.
	Providers func(ctx context.Context, token string) (actor model.URN, ours bool, err error)
	// Own are the tokens with which this process makes requests to itself.
	Own Own
	Now func() time.Time
}

// New makes a Gate.
func New(o Options) *Gate {
	return &Gate{Options: o, accepted: recent.NewReadings[credential, accepted](knownCallers)}
}

// Caller returns who makes a request. It fails with [catalog.Unauthenticated] if the request shows
// nothing that holds, and with the error of the store if that cannot be asked.
func (g *Gate) Caller(ctx context.Context, shown Shown) (Known, error) {
	k, err := g.authenticate(ctx, shown)
	if err != nil {
		return Known{}, err
	}
	k.Remote = requestinfo.Host(shown.Remote)
	k.Caller = inTheNameOf(k.Caller, shown.Actor)
	return k, nil
}

// inTheNameOf lets an administrator, or the system client, make a request in the name of another actor. Any
// other caller remains the actor, and the name is kept beside theirs.
func inTheNameOf(c requestinfo.Caller, actor string) requestinfo.Caller {
	switch {
	case actor == "" || actor == c.Actor:
	case c.Admin:
		c.Impersonator, c.Actor = c.Actor, actor
		if c.Impersonator == "" {
			c.Impersonator = string(c.Means)
		}
	default:
		c.Stated = actor
	}
	return c
}

// authenticate tries the credentials of the request in this order: the system client, a token, a session. An
// invalid header is refused, even if there is a session.
func (g *Gate) authenticate(ctx context.Context, shown Shown) (Known, error) {
	scheme, rest, _ := strings.Cut(shown.Authorization, " ")
	switch {
	case shown.Authorization == "":
		if shown.Session == "" || g.Sessions == nil {
			return Known{}, refusal("")
		}
		return g.remembered(credentialOf(requestinfo.BySession, shown.Session), func() (Known, error) { return g.bySession(ctx, shown.Session) })
	case strings.EqualFold(scheme, "Basic"):
		// The reference's clients send the id and the secret as plain text, not in base64.
		id, secret, _ := strings.Cut(rest, ":")
		if !g.Keys.Current().System.Holds(id, secret) {
			return Known{}, refusal("")
		}
		return g.permitted(ctx, policies.Actor{System: true}, requestinfo.Caller{Means: requestinfo.BySystemSecret, Credential: id, Admin: true})
	case strings.EqualFold(scheme, "Bearer"):
		token := strings.TrimSpace(rest)
		if caller, ours, err := g.byOwn(ctx, token); ours {
			return caller, err
		}
		return g.remembered(credentialOf(requestinfo.ByToken, token), func() (Known, error) { return g.byToken(ctx, token) })
	}
	return Known{}, refusal("The header Authorization must begin with Bearer.")
}

// refusal is the error of a caller who is not known. The reason may be "".
func refusal(reason string) error {
	if reason != "" {
		reason = " " + reason
	}
	return &catalog.Error{Code: catalog.Unauthenticated, Message: Unauthorized + reason}
}

// remembered returns the caller who was accepted for the same credential a moment ago. If there is none, it
// calls look.
func (g *Gate) remembered(shown credential, look func() (Known, error)) (Known, error) {
	now := g.Now()
	a, ok, moment := g.accepted.Get(shown)
	if ok && now.Before(a.until) {
		return a.caller, nil
	}
	caller, err := look()
	if err == nil {
		g.accepted.Put(shown, accepted{caller, now.Add(known)}, moment)
	} else if ok {
		g.accepted.Forget(shown)
	}
	return caller, err
}

// Forget makes this server read the store again for every caller, after a credential has ended here.
func (g *Gate) Forget() { g.accepted.ForgetAll() }

func (g *Gate) byToken(ctx context.Context, token string) (Known, error) {
	if g.Providers != nil {
		actor, ours, err := g.Providers(ctx, token)
		if err != nil {
			return Known{}, refused(err)
		}
		if ours {
			return g.live(ctx, actor, requestinfo.Caller{Means: requestinfo.ByProvider})
		}
	}
	checked, err := g.Tokens.Check(ctx, token)
	if err != nil {
		return Known{}, refused(err)
	}
	return g.live(ctx, checked.Actor, requestinfo.Caller{Means: requestinfo.ByToken, Credential: checked.ID})
}

func (g *Gate) bySession(ctx context.Context, secret string) (Known, error) {
	actor, id, err := g.Sessions(ctx, secret)
	if err != nil {
		return Known{}, refused(err)
	}
	return g.live(ctx, actor, requestinfo.Caller{Means: requestinfo.BySession, Credential: id})
}

// live completes a caller whose credential holds, if the actor may still use it.
func (g *Gate) live(ctx context.Context, actor model.URN, c requestinfo.Caller) (Known, error) {
	state, err := g.Actors.State(ctx, actor)
	if err != nil {
		return Known{}, err
	}
	if state.Denied != "" {
		return Known{}, refusal("The user " + actor.Key() + " " + state.Denied + ".")
	}
	c.Actor, c.Admin = actor.String(), state.Admin
	return g.permitted(ctx, state.Policies, c)
}

// permitted adds the permissions of a caller.
func (g *Gate) permitted(ctx context.Context, actor policies.Actor, c requestinfo.Caller) (Known, error) {
	permissions, err := g.Permit.Of(ctx, actor)
	if err != nil {
		return Known{}, err
	}
	return Known{Caller: c, Permissions: permissions}, nil
}

// refused turns the refusal of a credential into the error of an unknown caller. Other errors, such as those
// of the store, are returned unchanged.
func refused(err error) error {
	var why tokens.Refusal
	switch {
	case errors.As(err, &why):
		return refusal(why.Error())
	case catalog.CodeOf(err) == catalog.Unauthenticated:
		return refusal(catalog.MessageOf(err))
	}
	return err
}
