// Package access has the calls with which people sign in, sign up and sign out.
package access

import (
	"context"
	"maps"
	"net/http"
	"slices"

	"github.com/headwater-io/headwater/access/audit"
	"github.com/headwater-io/headwater/access/people"
	"github.com/headwater-io/headwater/access/sessions"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/rest/call"
)

// Tag is the tag of the endpoints in the OpenAPI document.
const Tag = "Access"

// Service has the people who sign in, and their sessions.
type Service struct {
	People   *people.Service
	Sessions *sessions.Service
	// Audit is the audit trail; nil means that nothing is noted.
	Audit *audit.Service
	// Writable refuses changes on servers that only read.
	Writable interface {
		RequireWritableUnless(ctx context.Context, dryRun bool) error
	}
	// Tokens makes the token that a web page server of the reference asks for in the name of a person who has
	// signed in there.
	Tokens SessionTokens
	// Ended, if set, is called after sessions have ended.
	Ended func()
	// SSO has the identity providers; nil means that there are none.
	SSO Providers
}

// Changes is the change log. The answers that a web page asks for first have its end, so that the page then follows
// the changes from there and misses none of those made while it reads.
type Changes interface {
	EndOfChanges(ctx context.Context) (string, error)
}

// Endpoints returns the endpoints of sign-ins. The service is nil if authentication is off; then
// they answer 404.
func Endpoints(of *Service, changes Changes) []call.Endpoint {
	h := handlers{of, changes}
	endpoints := slices.Concat(h.frontEnd(), h.beginnings(), h.withProviders(), h.system())
	for i := range endpoints {
		endpoints[i].Tag = Tag
		if of == nil {
			endpoints[i].Handle = off
		}
	}
	return append(endpoints, optionsEndpoint(of, changes))
}

func off(*call.Call) error {
	return catalog.Errorf(catalog.NotFound, "nobody signs in at this server: its authentication is off (--auth on turns it on)")
}

// text returns the schema of a text.
func text(help string) call.Object { return call.Object{"type": "string", "description": help} }

var nameSchema = call.Object{"type": "string", "maxLength": limits.MaxProfileText}

// passwordSchema returns the schema of a new password.
func (h handlers) passwordSchema() call.Object {
	least := limits.MinPasswordBytes
	if h.Service != nil {
		least = h.People.MinPassword
	}
	return call.Object{"type": "string", "minLength": least, "maxLength": limits.MaxPasswordBytes}
}

func members(properties call.Object, required ...string) call.Object {
	return call.Object{"type": "object", "properties": properties, "required": required}
}

// inviteMember is the member with the token of an invite, which the reference names like the entity.
const inviteMember = model.EntityInviteToken

// signUpBody returns the schema of the input of a person who signs up, with more members.
func (h handlers) signUpBody(more call.Object) call.Object {
	properties := call.Object{
		"fullName": nameSchema, "email": text("the name of the new user"), "password": h.passwordSchema(), "title": nameSchema, inviteMember: text("the token of the invite"),
	}
	maps.Copy(properties, more)
	return members(properties, "fullName", "email", "password", inviteMember)
}

// frontEnd are the calls of people. A call that only writes the records of sign-ins changes no
// metadata, so that a read-only server answers it too (Reads).
func (h handlers) frontEnd() []call.Endpoint {
	return []call.Endpoint{
		{
			Method: http.MethodPost, Path: "/logIn", Open: true, Reads: true,
			Summary: "Sign in with a name and a password: sets the cookies " + SessionCookie + " and actor.",
			Content: members(call.Object{"username": text("the name of a user"), "password": text("the password")}, "username", "password"),
			Example: call.Example{Body: `{"username":"ada@example.com","password":"correct horse"}`},
			Handle:  h.logIn,
		},
		{
			Method: http.MethodPost, Path: "/signUp", Open: true,
			Summary: "Become a user, with the token of an invite, and sign in.",
			Content: h.signUpBody(nil),
			Example: call.Example{Body: `{"fullName":"Ada Wren","email":"ada@example.com","password":"correct horse","inviteToken":"token"}`},
			Handle:  h.signUp,
		},
		{
			Method: http.MethodPost, Path: "/resetNativeUserCredentials", Open: true,
			Summary: "Set a new password, with the token of a link that an administrator made, and sign in. All other sessions of the user end.",
			Content: members(call.Object{"email": text("the name of the user"), "password": h.passwordSchema(), "resetToken": text("the token of the link")}, "email", "password", "resetToken"),
			Example: call.Example{Body: `{"email":"ada@example.com","password":"battery staple","resetToken":"token"}`},
			Handle:  h.resetAndSignIn,
		},
		{
			Method: http.MethodGet, Path: "/logOut", Open: true, AnyQuery: true, Status: http.StatusSeeOther,
			Summary: "End the session of the cookie, and go to the page on which people sign in.",
			Handle:  h.logOutAndLeave,
		},
		{
			Method: http.MethodPost, Path: "/logOut", Open: true, Reads: true,
			Summary: "End the session of the cookie.",
			Handle:  h.logOut,
		},
		{
			Method: http.MethodGet, Path: "/auth/session",
			Summary: "Who makes this request, by which means, and when the session ends.",
			Handle:  h.whoAmI,
		},
		{
			Method: http.MethodGet, Path: "/auth/sessions",
			Summary: "The sessions of the caller, the newest first.",
			Handle:  h.list,
		},
		{
			Method: http.MethodDelete, Path: "/auth/sessions", Below: "/{id}", Reads: true,
			Summary: "End a session of the caller.",
			Example: call.Example{Tail: "example"},
			Handle:  h.end,
		},
	}
}

// system are the calls with which a web page server of the reference asks in the name of people.
func (h handlers) system() []call.Endpoint {
	user := text("the URN of the user")
	return []call.Endpoint{
		{
			Method: http.MethodPost, Path: "/auth/signUp",
			Summary: "Make a user, with the token of an invite. Only the system client may ask this.",
			Content: h.signUpBody(call.Object{"userUrn": text("the URN with the e-mail address, which may be left out")}),
			Example: call.Example{Body: `{"userUrn":"urn:li:corpuser:ada@example.com","fullName":"Ada Wren","email":"ada@example.com","password":"correct horse","inviteToken":"token"}`},
			Handle:  h.systemSignUp,
		},
		{
			Method: http.MethodPost, Path: "/auth/generateSessionTokenForUser", Reads: true,
			Summary: "A token of a user for a day. Only the system client may ask this.",
			Content: members(call.Object{"userId": text("the name of the user")}, "userId"),
			Example: call.Example{Body: `{"userId":"ada@example.com"}`},
			Handle:  h.systemToken,
		},
		{
			Method: http.MethodPost, Path: "/auth/verifyNativeUserCredentials", Reads: true,
			Summary: "Whether a user has a password. Only the system client may ask this.",
			Content: members(call.Object{"userUrn": user, "password": text("the password")}, "userUrn", "password"),
			Example: call.Example{Body: `{"userUrn":"urn:li:corpuser:ada@example.com","password":"correct horse"}`},
			Handle:  h.systemVerify,
		},
		{
			Method: http.MethodPost, Path: "/auth/resetNativeUserCredentials",
			Summary: "Set a new password, with the token of a link that an administrator made. Only the system client may ask this.",
			Content: members(call.Object{"userUrn": user, "password": h.passwordSchema(), "resetToken": text("the token of the link")}, "userUrn", "password", "resetToken"),
			Example: call.Example{Body: `{"userUrn":"urn:li:corpuser:ada@example.com","password":"battery staple","resetToken":"token"}`},
			Handle:  h.systemReset,
		},
	}
}
