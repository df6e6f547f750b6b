package access

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/headwater-io/headwater/access/audit"
	"github.com/headwater-io/headwater/access/people"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/rest/call"
)

// Button is an identity provider with which people can sign in.
type Button struct {
	Name  string `json:"name"`
	Title string `json:"title"`
}

// beginnings are the calls before the first sign-in: the page asks how to sign in, and the first
// administrator is made.
func (h handlers) beginnings() []call.Endpoint {
	return []call.Endpoint{
		{
			Method: http.MethodPost, Path: "/auth/first", Open: true,
			Summary: "Become the first administrator, with the token of the link that the server prints at its start, and sign in.",
			Content: members(call.Object{
				"token": text("the token of the link"), "fullName": nameSchema, "email": text("the name of the administrator"), "password": h.passwordSchema(), "title": nameSchema,
			}, "token", "fullName", "email", "password"),
			Example: call.Example{Body: `{"token":"token","fullName":"Ada Wren","email":"ada@example.com","password":"correct horse"}`},
			Handle:  h.becomeFirst,
		},
		{
			Method: http.MethodPost, Path: "/auth/password", Reads: true,
			Summary: "Change the own password. All other sessions of the caller end.",
			Content: members(call.Object{"oldPassword": text("the password until now"), "newPassword": h.passwordSchema()}, "oldPassword", "newPassword"),
			Example: call.Example{Body: `{"oldPassword":"correct horse","newPassword":"battery staple"}`},
			Handle:  h.changePassword,
		},
	}
}

// optionsEndpoint is answered with and without authentication.
func optionsEndpoint(of *Service, changes Changes) call.Endpoint {
	return call.Endpoint{
		Method: http.MethodGet, Path: "/auth/options", Open: true, Tag: Tag,
		Summary: "How people sign in at this server, how long a new password must be, and whether the server waits for its first administrator.",
		Handle:  func(c *call.Call) error { return options(c, of, changes) },
	}
}

// options answers how people sign in.
func options(c *call.Call, of *Service, changes Changes) error {
	answer := struct {
		Auth       string `json:"auth"`
		FirstStart bool   `json:"firstStart"`
		Passwords  bool   `json:"passwords"`
		// MinPassword is how many bytes a new password has at least, 0 if the server has no passwords.
		MinPassword int      `json:"minPassword"`
		Providers   []Button `json:"providers"`
		// Cursor is the end of the change log. With authentication, the session has it.
		Cursor string `json:"cursor,omitempty"`
	}{Auth: "off", Providers: []Button{}}
	if of == nil {
		answer.Cursor = endOf(c, changes)
	} else {
		has, err := of.People.KnowsAdministrator(c.Request.Context())
		if err != nil {
			return err
		}
		answer.Auth, answer.FirstStart, answer.Passwords, answer.MinPassword = "on", !has, true, of.People.MinPassword
		if of.SSO != nil {
			for _, b := range of.SSO.Buttons() {
				answer.Providers = append(answer.Providers, Button{b.Name, b.Title})
			}
		}
	}
	c.Header("Cache-Control", "no-store")
	return c.JSON(http.StatusOK, answer)
}

// cursorPatience bounds the time in which the store must tell the end of the change log: a page waits for the answer before
// it shows anything.
const cursorPatience = time.Second

// endOf returns the cursor of the end of the change log, or "" if the store does not answer in time: people can sign in
// without the cursor.
func endOf(c *call.Call, changes Changes) string {
	ctx, cancel := context.WithTimeout(c.Request.Context(), cursorPatience)
	defer cancel()
	cursor, err := changes.EndOfChanges(ctx)
	if err != nil {
		c.Logger.WarnContext(c.Request.Context(), "the end of the change log is not known", "error", err)
		return ""
	}
	return cursor
}

func (h handlers) becomeFirst(c *call.Call) error {
	var body struct {
		Token string `json:"token"`
		people.SignUp
	}
	if err := c.Body(&body); err != nil {
		return err
	}
	if err := h.Writable.RequireWritableUnless(c.Request.Context(), false); err != nil {
		return err
	}
	u, err := h.People.UseFirst(write.OwnWork(c.Request.Context()), body.Token, body.SignUp)
	if err != nil {
		return err
	}
	h.note(c, audit.UserMade, u.String())
	return h.begin(c, u)
}

func (h handlers) changePassword(c *call.Call) error {
	var body struct {
		OldPassword string `json:"oldPassword"`
		NewPassword string `json:"newPassword"`
	}
	caller, err := signedIn(c)
	if err != nil {
		return err
	}
	if err := c.Body(&body); err != nil {
		return err
	}
	u, err := model.ParseURN(caller.Actor)
	if err != nil || caller.Impersonator != "" {
		return catalog.Errorf(catalog.Forbidden, "a password can be changed only by the user whose it is")
	}
	defer h.ended()
	err = h.People.ChangePassword(c.Request.Context(), u, body.OldPassword, body.NewPassword, caller.Credential)
	if errors.Is(err, people.ErrCredentials) { // 401 would say that the session has ended
		return catalog.Errorf(catalog.Invalid, "The old password is wrong.")
	}
	if err != nil {
		return err
	}
	h.note(c, audit.PasswordSet, u.String())
	return c.Nothing()
}

// note notes in the audit trail something that a person did to sign in.
func (h handlers) note(c *call.Call, kind audit.Kind, actor string) {
	h.Audit.Note(c.Request.Context(), audit.Entry{Kind: kind, Actor: actor, Allowed: true, Status: http.StatusOK, Door: c.Request.Method + " " + c.FullPath(), Entities: []string{actor}})
}

// noteRefused notes a sign-in that failed. The name is only the typed one, so it is noted as a reason and not
// as an actor.
func (h handlers) noteRefused(c *call.Call, name string, err error) {
	h.Audit.Note(c.Request.Context(), audit.Entry{Kind: audit.SignInRefused, Status: http.StatusBadRequest, Door: c.Request.Method + " " + c.FullPath(), Reason: catalog.MessageOf(err) + ": " + catalog.Shown(name)})
}
