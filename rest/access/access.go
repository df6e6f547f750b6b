package access

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/headwater-io/headwater/access/audit"
	"github.com/headwater-io/headwater/access/people"
	"github.com/headwater-io/headwater/access/sessions"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/rest/call"
)

// The cookies of a session. SessionCookie has its secret, which no script of a page can read.
// ActorCookie has the URN of the user: pages and clients read it, and the server does not.
const (
	SessionCookie = "headwater_session"
	ActorCookie   = "actor"
)

// signInPage is the page on which people sign in.
const signInPage = "/ui/login"

// signedInPage tells a person who has signed in for a program that the sign-in is complete.
const signedInPage = "/ui/signed-in"

// byPassword is the means of a sign-in with a password.
const byPassword = "password"

// handlers serve sign-ins. They exist only with a service.
type handlers struct {
	*Service
	changes Changes
}

func (h handlers) logIn(c *call.Call) error {
	var body struct {
		Username string `json:"username"`
		Password string `json:"password"`
	}
	if err := c.Body(&body); err != nil {
		return err
	}
	if body.Username == "" {
		return catalog.Errorf(catalog.Invalid, "User name must not be empty.")
	}
	u, err := h.People.SignIn(c.Request.Context(), body.Username, body.Password, remoteOf(c))
	if err != nil {
		h.noteRefused(c, body.Username, err)
	}
	if errors.Is(err, people.ErrCredentials) { // clients of the reference expect 400
		return &catalog.Error{Code: catalog.Invalid, Message: people.ErrCredentials.Message}
	}
	if err != nil {
		return err
	}
	return h.begin(c, u)
}

func (h handlers) signUp(c *call.Call) error {
	var body people.SignUp
	if err := c.Body(&body); err != nil {
		return err
	}
	u, err := h.makeUser(c, body)
	if err != nil {
		return err
	}
	// The session of the signed-in caller goes on: scripts sign others up in the session of an administrator,
	// and use its cookies afterwards.
	if err := h.beginBeside(c, u, byPassword); err != nil {
		return err
	}
	return c.Nothing()
}

// makeUser makes a user from an invite.
func (h handlers) makeUser(c *call.Call, n people.SignUp) (model.URN, error) {
	if err := h.Writable.RequireWritableUnless(c.Request.Context(), false); err != nil {
		return model.URN{}, err
	}
	u, err := h.People.SignUp(write.OwnWork(c.Request.Context()), n)
	if err == nil {
		h.note(c, audit.UserMade, u.String())
	}
	return u, err
}

// newPassword is a body with the token of a link that sets a new password.
type newPassword struct {
	Email      string `json:"email"`
	UserURN    string `json:"userUrn"`
	Password   string `json:"password"`
	ResetToken string `json:"resetToken"`
}

// set sets the new password of a user.
func (h handlers) set(c *call.Call, user, what string, n *newPassword) (model.URN, error) {
	for _, member := range []struct{ name, value string }{{what, user}, {"Password", n.Password}, {"Reset token", n.ResetToken}} {
		if member.value == "" {
			return model.URN{}, catalog.Errorf(catalog.Invalid, "%s must not be empty.", member.name)
		}
	}
	u, err := h.People.Reset(c.Request.Context(), user, n.Password, n.ResetToken)
	if err == nil {
		h.ended()
		h.note(c, audit.PasswordSet, u.String())
	}
	return u, err
}

func (h handlers) resetAndSignIn(c *call.Call) error {
	var body newPassword
	if err := c.Body(&body); err != nil {
		return err
	}
	u, err := h.set(c, body.Email, "Email", &body)
	if err != nil {
		return err
	}
	return h.begin(c, u)
}

// begin begins a session of a user who has just signed in, and sets its cookies. The former session
// of the browser ends.
func (h handlers) begin(c *call.Call, u model.URN) error {
	if err := h.beginAs(c, u, byPassword); err != nil {
		return err
	}
	return c.Nothing()
}

// beginAs begins a session of a user who has signed in by some means, without answering. The former
// session of the browser ends.
func (h handlers) beginAs(c *call.Call, u model.URN, by string) error {
	if err := h.endCookie(c); err != nil {
		return err
	}
	return h.beginBeside(c, u, by)
}

// beginBeside is beginAs, but the former session of the browser goes on.
func (h handlers) beginBeside(c *call.Call, u model.URN, by string) error {
	secret, _, err := h.Sessions.Begin(c.Request.Context(), sessions.SignedIn{Actor: u.String(), By: by, Remote: remoteOf(c), Agent: c.Request.UserAgent()})
	if err != nil {
		return err
	}
	setCookies(c, secret, u.String(), int(limits.SessionTime.Seconds()))
	h.note(c, audit.SignIn, u.String())
	return nil
}

// setCookies sets the cookies of a session for a number of seconds, or deletes them if the number
// is negative.
func setCookies(c *call.Call, secret, actor string, seconds int) {
	secure := encrypted(c)
	for _, cookie := range []*http.Cookie{
		{Name: SessionCookie, Value: secret, HttpOnly: true},
		{Name: ActorCookie, Value: url.PathEscape(actor)},
	} {
		cookie.Path, cookie.MaxAge, cookie.Secure, cookie.SameSite = "/", seconds, secure, http.SameSiteLaxMode
		http.SetCookie(c.Writer, cookie)
	}
	c.Header("Cache-Control", "no-store")
}

// endCookie ends the session of the cookie, if there is one.
func (h handlers) endCookie(c *call.Call) error {
	cookie, err := c.Request.Cookie(SessionCookie)
	if err != nil {
		return nil //nolint:nilerr // the only error is that there is no cookie
	}
	defer h.ended()
	return h.Sessions.EndSecret(c.Request.Context(), cookie.Value)
}

// ended makes this server look at the store again, because sessions have ended.
func (h handlers) ended() {
	if h.Ended != nil {
		h.Ended()
	}
}

// signOut ends the session of the cookie, and deletes its cookies.
func (h handlers) signOut(c *call.Call) error {
	if err := h.endCookie(c); err != nil {
		return err
	}
	setCookies(c, "", "", -1)
	if caller := requestinfo.CallerOf(c.Request.Context()); caller.Means == requestinfo.BySession {
		h.note(c, audit.SignOut, caller.Actor)
	}
	return nil
}

func (h handlers) logOut(c *call.Call) error {
	if err := h.signOut(c); err != nil {
		return err
	}
	return c.Nothing()
}

func (h handlers) logOutAndLeave(c *call.Call) error {
	if c.Request.Method == http.MethodGet { // HEAD changes nothing
		if err := h.signOut(c); err != nil {
			return err
		}
	}
	c.Redirect(http.StatusSeeOther, signInPage)
	return nil
}

// remoteOf returns the address from which a request came.
func remoteOf(c *call.Call) string {
	if remote := requestinfo.CallerOf(c.Request.Context()).Remote; remote != "" {
		return remote
	}
	return requestinfo.Host(c.Request.RemoteAddr)
}

// signedIn returns the caller. It fails if the request names no actor.
func signedIn(c *call.Call) (requestinfo.Caller, error) {
	caller := requestinfo.CallerOf(c.Request.Context())
	if caller.Means == requestinfo.NoMeans || caller.Actor == "" {
		return caller, catalog.Errorf(catalog.Unauthenticated, "Unauthorized to perform this action.")
	}
	return caller, nil
}

// own is a session of the caller.
type own struct {
	sessions.Session
	// Current: this request belongs to the session.
	Current bool `json:"current"`
}

func (h handlers) own(ctx context.Context, caller *requestinfo.Caller) ([]own, error) {
	list, err := h.Sessions.List(ctx, caller.Actor)
	mine := make([]own, len(list))
	for i := range list {
		mine[i] = own{list[i], caller.Means == requestinfo.BySession && list[i].ID == caller.Credential}
	}
	return mine, err
}

func (h handlers) list(c *call.Call) error {
	caller, err := signedIn(c)
	if err != nil {
		return err
	}
	mine, err := h.own(c.Request.Context(), &caller)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, struct {
		Sessions []own `json:"sessions"`
	}{mine})
}

func (h handlers) end(c *call.Call) error {
	caller, err := signedIn(c)
	if err != nil {
		return err
	}
	defer h.ended()
	if err := h.Sessions.End(c.Request.Context(), caller.Actor, c.Parts["id"]); err != nil {
		return err
	}
	h.note(c, audit.SessionEnded, caller.Actor)
	return c.JSON(http.StatusOK, struct {
		Ended string `json:"ended"`
	}{c.Parts["id"]})
}

func (h handlers) whoAmI(c *call.Call) error {
	caller, err := signedIn(c)
	if err != nil {
		return err
	}
	mine, err := h.own(c.Request.Context(), &caller)
	if err != nil {
		return err
	}
	answer := struct {
		Actor string            `json:"actor"`
		Means requestinfo.Means `json:"means"`
		Admin bool              `json:"admin"`
		// Expires is the end of the session, epoch milliseconds; callers without a session have
		// none.
		Expires int64 `json:"expires,omitempty"`
		// Cursor is the end of the change log.
		Cursor string `json:"cursor,omitempty"`
	}{Actor: caller.Actor, Means: caller.Means, Admin: caller.Admin, Cursor: endOf(c, h.changes)}
	for i := range mine {
		if mine[i].Current {
			answer.Expires = mine[i].Expires
		}
	}
	c.Header("Cache-Control", "no-store")
	return c.JSON(http.StatusOK, answer)
}

// systemBody reads the body of a request that only the system client may make.
func systemBody(c *call.Call, into any) error {
	if requestinfo.CallerOf(c.Request.Context()).Means != requestinfo.BySystemSecret {
		return catalog.Errorf(catalog.Forbidden, "only the system client may ask this")
	}
	return c.Body(into)
}

func (h handlers) systemSignUp(c *call.Call) error {
	var body struct {
		people.SignUp
		UserURN string `json:"userUrn"`
	}
	if err := systemBody(c, &body); err != nil {
		return err
	}
	if body.UserURN != "" {
		if named, err := model.ParseURN(body.UserURN); err != nil || named.Key() != body.Email {
			return catalog.Errorf(catalog.Invalid, "userUrn must name the user with the e-mail address: a user is named after it")
		}
	}
	if _, err := h.makeUser(c, body.SignUp); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, struct {
		Created bool `json:"isNativeUserCreated"`
	}{true})
}

func (h handlers) systemVerify(c *call.Call) error {
	var body struct {
		UserURN  string `json:"userUrn"`
		Password string `json:"password"`
	}
	if err := systemBody(c, &body); err != nil {
		return err
	}
	// The address is that of the system client, in whose name many people sign in.
	_, err := h.People.SignIn(c.Request.Context(), body.UserURN, body.Password, "")
	if err != nil && !errors.Is(err, people.ErrCredentials) {
		return err
	}
	return c.JSON(http.StatusOK, struct {
		Matches bool `json:"doesPasswordMatch"`
	}{err == nil})
}

func (h handlers) systemReset(c *call.Call) error {
	var body newPassword
	if err := systemBody(c, &body); err != nil {
		return err
	}
	if _, err := h.set(c, body.UserURN, "userUrn", &body); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, struct {
		Reset bool `json:"areNativeUserCredentialsReset"`
	}{true})
}

// SessionTokens makes tokens for people who have signed in elsewhere.
type SessionTokens interface {
	SessionToken(ctx context.Context, user model.URN) (token string, err error)
}

// systemToken answers with a token of a user.
func (h handlers) systemToken(c *call.Call) error {
	var body struct {
		UserID string `json:"userId"`
	}
	if err := systemBody(c, &body); err != nil {
		return err
	}
	u, err := model.BuildURN(c.Registry.Dialects()[0].Namespace, model.EntityCorpuser, body.UserID)
	if err != nil {
		return catalog.Errorf(catalog.Invalid, "%q is not the name of a user", body.UserID)
	}
	token, err := h.Tokens.SessionToken(c.Request.Context(), u)
	if err != nil {
		return err
	}
	h.note(c, audit.TokenMade, u.String())
	return c.JSON(http.StatusOK, struct {
		AccessToken string `json:"accessToken"`
	}{token})
}
