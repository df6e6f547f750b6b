package people_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/access/people"
	"github.com/headwater-io/headwater/access/sessions"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/model"
)

const (
	bela      = "bela@example.com"
	belasURN  = "urn:li:corpuser:bela@example.com"
	password  = "correct horse"
	another   = "battery staple"
	home      = "192.0.2.1"
	adminRole = "urn:li:dataHubRole:Admin"
	reader    = "urn:li:dataHubRole:Reader"
)

// cheap is a cost with which tests lose no time.
var cheap = people.Cost{Memory: 64, Passes: 1, Threads: 1}

// world is a catalog with people who sign in, and a clock of its own.
type world struct {
	*people.Service
	h        *catalogtest.Harness
	sessions *sessions.Service
	now      time.Time
	secret   string
	// barred are the users who may not act; activity is the error for all.
	barred   map[string]bool
	activity error
}

func newWorld(t *testing.T, change ...func(*people.Options)) *world {
	t.Helper()
	w := &world{h: catalogtest.NewHarness(t), now: time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC), secret: strings.Repeat("k", 32), barred: map[string]bool{}}
	door := records.New(w.h.Store)
	w.sessions = sessions.New(sessions.Options{Records: door, Now: w.clock})
	w.Service = w.serve(change...)
	return w
}

// serve is one of several servers over the store.
func (w *world) serve(change ...func(*people.Options)) *people.Service {
	o := people.Options{
		Registry: model.Default(), Records: records.New(w.h.Store), Writer: w.h.Writer, Reader: w.h.Reader, Actors: w, Sessions: w.sessions,
		Secret: func() []byte { return []byte(w.secret) }, Now: w.clock, Cost: cheap,
	}
	for _, c := range change {
		c(&o)
	}
	return people.New(o)
}

func (w *world) clock() time.Time { return w.now }

// Active is a simple form of the rule of package access.
func (w *world) Active(ctx context.Context, u model.URN) error {
	if w.activity != nil {
		return w.activity
	}
	exists, err := w.h.Exists(ctx, u)
	if err == nil && (!exists || w.barred[u.String()]) {
		err = catalog.Errorf(catalog.Forbidden, "Actor is not active")
	}
	return err
}

// invited returns the token of an invite without a role.
func (w *world) invited() string {
	w.h.T.Helper()
	i, err := w.GetInvite(context.Background(), model.URN{}, catalogtest.Ada)
	if err != nil {
		w.h.T.Fatal(err)
	}
	return i.Token
}

// join signs up Bela.
func (w *world) join() model.URN {
	w.h.T.Helper()
	u, err := w.SignUp(context.Background(), people.SignUp{FullName: "Bela Norris", Email: bela, Password: password, Title: "Analyst", InviteToken: w.invited()})
	if err != nil {
		w.h.T.Fatal(err)
	}
	return u
}

// signIn tries to sign in from an address; "" is success.
func (w *world) signIn(want catalog.Code, name, text string) error {
	w.h.T.Helper()
	u, err := w.SignIn(context.Background(), name, text, home)
	w.h.Want(want, err)
	if err != nil && !u.IsZero() {
		w.h.T.Errorf("a sign-in that failed returns %s", u)
	}
	return err
}

// says fails unless an error has a code and a text.
func (w *world) says(err error, code catalog.Code, text string) {
	w.h.T.Helper()
	w.h.Want(code, err)
	if err != nil && !strings.Contains(catalog.MessageOf(err), text) {
		w.h.T.Errorf("%q does not say %q", catalog.MessageOf(err), text)
	}
}

func urn(text string) model.URN { return model.StoredURN(text) }
