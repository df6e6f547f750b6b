package people_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/headwater-io/headwater/access/people"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

type urnType = model.URN

// enters tries to sign up a new person with an invite.
func (w *world) enters(want catalog.Code, token, email string) {
	w.h.T.Helper()
	_, err := w.SignUp(context.Background(), people.SignUp{FullName: "x", Email: email, Password: password, InviteToken: token})
	w.h.Want(want, err)
}

// TestInvites: an invite is shown again until it is renewed or expires, and lets in any number of
// people.
func TestInvites(t *testing.T) {
	w := newWorld(t)
	get := func(of *people.Service, role string) people.Invite {
		t.Helper()
		i, err := of.GetInvite(t.Context(), urn(role), catalogtest.Ada)
		if err != nil || i.Role != urn(role) {
			t.Fatalf("%+v %v", i, err)
		}
		return i
	}
	first := get(w.Service, "")
	if second := get(w.serve(), ""); second != first || first.Expires != w.now.Add(14*24*time.Hour).UnixMilli() {
		t.Errorf("another link: %+v, before %+v", second, first)
	}
	if with := get(w.Service, reader); with.Token == first.Token {
		t.Error("the link with a role is the one without")
	}
	w.enters("", first.Token, "one@x.org")
	w.enters("", first.Token, "two@x.org")
	renewed, err := w.RenewInvite(t.Context(), model.URN{}, catalogtest.Ada)
	if err != nil || renewed.Token == first.Token || get(w.Service, "") != renewed {
		t.Errorf("%+v %v", renewed, err)
	}
	w.enters(catalog.Invalid, first.Token, "three@x.org")
	w.now = w.now.Add(limits.InviteTime - time.Millisecond)
	w.enters("", renewed.Token, "three@x.org")
	w.now = w.now.Add(time.Millisecond)
	_, err = w.SignUp(t.Context(), people.SignUp{FullName: "x", Email: "four@x.org", Password: password, InviteToken: renewed.Token})
	w.says(err, catalog.Invalid, "The invite has expired. Ask an administrator")
	if next := get(w.Service, ""); next.Token == renewed.Token {
		t.Error("the link that has expired is shown")
	}
	if _, err := w.GetInvite(t.Context(), urn(catalogtest.Ada), ""); catalog.CodeOf(err) != catalog.Invalid {
		t.Errorf("a user is no role: %v", err)
	}
}

// TestForgedInvites: the stored records do not suffice to make an invite without the secret of the server.
func TestForgedInvites(t *testing.T) {
	w := newWorld(t)
	token := w.invited()
	w.secret = "another secret of the server, 32 bytes"
	w.enters(catalog.Invalid, token, bela)
	forged := w.invited()
	w.secret = ""
	_, err := w.GetInvite(t.Context(), model.URN{}, "")
	w.h.Want(catalog.Internal, err)
	w.secret = "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
	w.enters(catalog.Invalid, forged, bela)
	for i := range token {
		other := "A"
		if token[i] == 'A' {
			other = "B"
		}
		if i == len(token)-1 {
			break // some bits of the last character may mean nothing
		}
		w.enters(catalog.Invalid, token[:i]+other+token[i+1:], bela)
	}
	w.enters(catalog.Invalid, token+"AA", bela)
	w.enters("", token, bela)
}

// TestMostInvites: there may be limits.MaxInvites invites; expired ones do not count.
func TestMostInvites(t *testing.T) {
	w := newWorld(t)
	invite := func(i int) error {
		_, err := w.GetInvite(t.Context(), urn(fmt.Sprint("urn:li:dataHubRole:r", i)), "")
		return err
	}
	for i := range limits.MaxInvites {
		if err := invite(i); err != nil {
			t.Fatal(err)
		}
	}
	w.says(invite(limits.MaxInvites), catalog.Validation, "100 invites, the limit")
	if err := invite(0); err != nil {
		t.Errorf("an invite that is there: %v", err)
	}
	w.now = w.now.Add(limits.InviteTime)
	if err := invite(limits.MaxInvites); err != nil {
		t.Errorf("after all have expired: %v", err)
	}
}

func TestAcceptRole(t *testing.T) {
	w := newWorld(t)
	u := w.join()
	for _, c := range []struct{ before, role, want string }{
		{`[]`, reader, `{"roles":["` + reader + `"]}`},
		{`["` + reader + `"]`, "", `{"roles":[]}`},
		{`["` + reader + `"]`, adminRole, `{"roles":["` + adminRole + `"]}`},
		{`["` + reader + `","` + adminRole + `"]`, "", `{"roles":["` + adminRole + `"]}`},
		{`["` + adminRole + `"]`, reader, `{"roles":["` + adminRole + `","` + reader + `"]}`},
		{`["` + adminRole + `"]`, adminRole, `{"roles":["` + adminRole + `"]}`},
	} {
		w.h.Say(belasURN, "roleMembership", `{"roles":`+c.before+`}`)
		i, err := w.GetInvite(t.Context(), urn(c.role), "")
		if err == nil {
			err = w.AcceptRole(t.Context(), u, i.Token, catalog.WriteOptions{Actor: belasURN})
		}
		if got := w.h.Value(belasURN, "roleMembership", 0); err != nil || got != c.want {
			t.Errorf("%s and %q: %s, want %s: %v", c.before, c.role, got, c.want, err)
		}
	}
	if err := w.AcceptRole(t.Context(), u, "none", catalog.WriteOptions{}); !errors.Is(err, people.ErrInvite) {
		t.Error(err)
	}
}

func TestResets(t *testing.T) {
	w := newWorld(t)
	u := w.join()
	w.session(belasURN)
	create := func() string {
		t.Helper()
		token, err := w.CreateReset(t.Context(), u, catalogtest.Ada)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	reset := func(want catalog.Code, user, token string) error {
		t.Helper()
		_, err := w.Reset(t.Context(), user, another, token)
		w.h.Want(want, err)
		return err
	}
	former, token := create(), create()
	for _, c := range [][2]string{{bela, former}, {bela, ""}, {bela, "none"}, {"nobody@x.org", token}, {"(a,b)", token}} {
		if err := reset(catalog.Invalid, c[0], c[1]); !errors.Is(err, people.ErrReset) {
			t.Errorf("%v: %v", c, err)
		}
	}
	_, err := w.Reset(t.Context(), bela, "short", token)
	w.says(err, catalog.Invalid, "at least 8")
	w.barred[belasURN] = true
	w.says(reset(catalog.Forbidden, bela, token), catalog.Forbidden, "suspended")
	w.barred[belasURN] = false
	w.signIn("", bela, password)
	for range limits.MaxFailedSignIns { // the account is locked
		w.signIn(catalog.Unauthenticated, bela, "wrong password")
		w.now = w.now.Add(time.Minute)
	}
	w.sessionsOf(belasURN, 1)
	if got, err := w.Reset(t.Context(), belasURN, another, token); err != nil || got != u {
		t.Errorf("%s %v", got, err)
	}
	w.sessionsOf(belasURN, 0)
	w.signIn("", bela, another)
	reset(catalog.Invalid, bela, token) // the second time

	token = create()
	w.now = w.now.Add(limits.ResetTime)
	w.says(reset(catalog.Invalid, bela, token), catalog.Invalid, "has expired")
	if err := w.Prune(t.Context()); err != nil {
		t.Error(err)
	}
	if _, exists, err := w.h.Store.Record(t.Context(), string(records.Resets)+belasURN); exists || err != nil {
		t.Errorf("the link that has expired stays: %v", err)
	}
	token = create()
	if err := w.Prune(t.Context()); err != nil {
		t.Error(err)
	}
	w.now = w.now.Add(limits.ResetTime - time.Millisecond)
	reset("", bela, token)
}

// TestResetOfIngested: an administrator makes a link by which a user who exists only in metadata can sign in.
func TestResetOfIngested(t *testing.T) {
	w := newWorld(t)
	w.h.Say(catalogtest.Ada, "corpUserInfo", `{"active":true}`)
	token, err := w.CreateReset(t.Context(), urn(catalogtest.Ada), belasURN)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Reset(t.Context(), "ada", password, token); err != nil {
		t.Error(err)
	}
	w.signIn("", "ada", password)
	w.h.Say("urn:li:corpuser:__datahub_system", "corpUserInfo", `{"active":true}`)
	for u, want := range map[string]catalog.Code{"urn:li:corpuser:nobody": catalog.NotFound, "urn:li:corpGroup:x": catalog.Invalid, "urn:li:corpuser:__datahub_system": catalog.Invalid} {
		_, err := w.CreateReset(t.Context(), urn(u), "")
		w.h.Want(want, err)
	}
}

// TestResetsAtOnce: of several people who have one link, one sets the password.
func TestResetsAtOnce(t *testing.T) {
	w := newWorld(t)
	token, err := w.CreateReset(t.Context(), w.join(), "")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	var winner atomic.Pointer[string]
	for i := range 8 {
		all.Go(func() {
			text := fmt.Sprint(another, i)
			switch _, err := w.Reset(context.Background(), bela, text, token); {
			case err == nil && !winner.CompareAndSwap(nil, &text):
				t.Error("two have set the password")
			case err != nil && !errors.Is(err, people.ErrReset):
				t.Error(err)
			}
		})
	}
	all.Wait()
	if winner.Load() == nil {
		t.Fatal("nobody has set the password")
	}
	w.signIn("", bela, *winner.Load())
}

// isAdmin checks whether Bela is an administrator.
func (w *world) isAdmin(want bool) {
	w.h.T.Helper()
	if is, err := w.IsAdmin(context.Background(), urn(belasURN)); is != want || err != nil {
		w.h.T.Errorf("is an administrator: %v %v", is, err)
	}
	if has, err := w.HasAdministrator(context.Background()); has != want || err != nil {
		w.h.T.Errorf("has an administrator: %v %v", has, err)
	}
}

func (w *world) firstLink() string {
	w.h.T.Helper()
	token, err := w.FirstLink(context.Background())
	if err != nil {
		w.h.T.Fatal(err)
	}
	return token
}

var belaFirst = people.SignUp{FullName: "Bela Norris", Email: bela, Password: password}

func TestFirstLink(t *testing.T) {
	w := newWorld(t)
	w.isAdmin(false)
	former, token := w.firstLink(), w.firstLink()
	for _, wrong := range []string{former, "", "none"} {
		if _, err := w.UseFirst(t.Context(), wrong, belaFirst); !errors.Is(err, people.ErrFirst) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	weak := belaFirst
	weak.Password = "short"
	_, err := w.UseFirst(t.Context(), token, weak)
	w.says(err, catalog.Invalid, "at least 8")
	w.h.Store.FailCommit = graphstore.ErrUnavailable
	_, err = w.UseFirst(t.Context(), token, belaFirst)
	w.h.Want(catalog.Unavailable, err)
	w.h.Store.FailCommit = nil
	w.isAdmin(false)
	if u, err := w.UseFirst(t.Context(), token, belaFirst); err != nil || u != urn(belasURN) { // the link is as good as before
		t.Fatalf("%s %v", u, err)
	}
	w.isAdmin(true)
	w.signIn("", bela, password)
	if _, err := w.UseFirst(t.Context(), token, people.SignUp{FullName: "x", Email: "x@x.org", Password: password}); !errors.Is(err, people.ErrFirst) {
		t.Errorf("the second time: %v", err)
	}
	if token := w.firstLink(); token != "" {
		t.Error("there is a link although there is an administrator")
	}
	w.barred[belasURN] = true
	if has, err := w.HasAdministrator(t.Context()); has || err != nil {
		t.Errorf("an administrator who may not act counts: %v", err)
	}
}

// counting is a reader that counts how often it is asked for relationships.
type counting struct {
	people.Reader
	asked int
}

func (c *counting) Relationships(ctx context.Context, q read.RelationshipQuery) (read.RelationshipPage, error) {
	c.asked++
	return c.Reader.Relationships(ctx, q)
}

// TestKnowsAdministrator: that there is an administrator is remembered for five seconds. That there
// is none is not remembered, so that the first administrator is seen at once.
func TestKnowsAdministrator(t *testing.T) {
	reads := &counting{}
	w := newWorld(t, func(o *people.Options) { reads.Reader, o.Reader = o.Reader, reads })
	knows := func(want bool) {
		t.Helper()
		if has, err := w.KnowsAdministrator(t.Context()); has != want || err != nil {
			t.Errorf("knows an administrator: %v %v, want %v", has, err, want)
		}
	}
	knows(false)
	if _, err := w.UseFirst(t.Context(), w.firstLink(), belaFirst); err != nil {
		t.Fatal(err)
	}
	knows(true)
	before := reads.asked
	w.now = w.now.Add(5*time.Second - time.Millisecond)
	for range 100 {
		knows(true)
	}
	if reads.asked != before {
		t.Errorf("100 questions read %d times", reads.asked-before)
	}
	w.barred[belasURN] = true
	knows(true)
	w.now = w.now.Add(time.Millisecond)
	knows(false)
	w.barred[belasURN] = false
	w.activity = catalog.Errorf(catalog.Unavailable, "the store is away")
	if _, err := w.KnowsAdministrator(t.Context()); catalog.CodeOf(err) != catalog.Unavailable {
		t.Errorf("a store that is away: %v", err)
	}
	w.activity = nil
	knows(true)
}

// TestFirstAtOnce: of several people who have the first link, one becomes an administrator.
func TestFirstAtOnce(t *testing.T) {
	w := newWorld(t)
	token := w.firstLink()
	var all sync.WaitGroup
	var winners atomic.Int64
	for i := range 8 {
		all.Go(func() {
			u, err := w.serve().UseFirst(context.Background(), token, people.SignUp{FullName: "x", Email: fmt.Sprint("a", i, "@x.org"), Password: password})
			if err == nil {
				winners.Add(1)
				return
			}
			if !errors.Is(err, people.ErrFirst) {
				t.Error(err)
			}
			if exists, err := w.h.Exists(context.Background(), u); !u.IsZero() && exists || err != nil {
				t.Errorf("%s exists: %v", u, err)
			}
		})
	}
	all.Wait()
	if winners.Load() != 1 {
		t.Errorf("%d became administrators", winners.Load())
	}
}

// TestFirstIngested: the first administrator may be a user whom the catalog knows. A user who is an
// administrator by ingested metadata does not count, unless people sign in with a provider.
func TestFirstIngested(t *testing.T) {
	w := newWorld(t)
	w.h.Say(belasURN, "corpUserInfo", `{"active":true,"title":"Known"}`)
	w.h.Say(belasURN, "corpUserStatus", `{"status":"SUSPENDED","lastModified":`+catalogtest.Stamp+`}`)
	w.h.Say(belasURN, "status", `{"removed":true}`)
	w.h.Say(belasURN, "roleMembership", `{"roles":["`+reader+`","`+adminRole+`"]}`)
	w.h.Say("urn:li:corpGroup:admins", "roleMembership", `{"roles":["`+adminRole+`"]}`)
	if has, err := w.HasAdministrator(t.Context()); has || err != nil {
		t.Errorf("a user without a password counts: %v", err)
	}
	provided := w.serve(func(o *people.Options) { o.Provider = true })
	if has, err := provided.HasAdministrator(t.Context()); !has || err != nil {
		t.Errorf("with a provider: %v %v", has, err)
	}
	w.h.Say(belasURN, "roleMembership", `{"roles":["`+reader+`"]}`)
	if _, err := w.UseFirst(t.Context(), w.firstLink(), belaFirst); err != nil {
		t.Fatal(err)
	}
	w.isAdmin(true)
	w.signIn("", bela, password)
	for aspect, want := range map[string]string{
		"roleMembership": `{"roles":["` + reader + `","` + adminRole + `"]}`, "status": `{"removed":false}`, "corpUserInfo": `{"active":true,"title":"Known"}`,
		"corpUserStatus": `"status":"ACTIVE"`,
	} {
		if got := w.h.Value(belasURN, aspect, 0); !strings.Contains(got, want) {
			t.Errorf("%s is %s, want %s", aspect, got, want)
		}
	}
}

// TestFirstFile: a file makes the first administrator once, and its errors do not repeat it.
func TestFirstFile(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		urn  string
		says string
	}{
		"lines":            {"datahub\n" + password + "\n", "urn:li:corpuser:datahub", ""},
		"lines of Windows": {bela + "\r\n" + password + "\r\n", belasURN, ""},
		"JSON":             {`{"email":"` + bela + `","fullName":"Bela Norris","password":"` + password + `"}`, belasURN, ""},
		"JSON, no name":    {` {"email":"` + bela + `","password":"` + password + `"} `, belasURN, ""},
		"one line":         {bela, "", "two lines"},
		"three lines":      {bela + "\n" + password + "\n" + password, "", "two lines"},
		"broken JSON":      {`{"email":"` + bela + `","password":"` + password, "", "is not JSON"},
		"weak":             {bela + "\nshort", "", "first administrator: A password has at least 8"},
		"reserved":         {"__datahub_system\n" + password, "", "belongs to the server"},
		"no user":          {"(a,b)\n" + password, "", "cannot be the name of a user"},
		"no address":       {"a@\n" + password, "", "not an e-mail address"},
		"large":            {bela + "\n" + strings.Repeat("x", 1<<16), "", "more than 65536 bytes"},
	} {
		w := newWorld(t)
		token := w.firstLink()
		path := filepath.Join(t.TempDir(), "first")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		u, made, err := w.FirstFromFile(t.Context(), path)
		if c.says != "" {
			w.says(err, catalog.Invalid, c.says)
			if made || strings.Contains(fmt.Sprint(err), password) {
				t.Errorf("%s: %v %v", name, made, err)
			}
			continue
		}
		if err != nil || !made || u.String() != c.urn {
			t.Errorf("%s: %s %v %v", name, u, made, err)
			continue
		}
		w.signIn("", c.urn, password)
		if is, err := w.IsAdmin(t.Context(), u); !is || err != nil {
			t.Errorf("%s: no administrator: %v", name, err)
		}
		if _, err := w.UseFirst(t.Context(), token, belaFirst); !errors.Is(err, people.ErrFirst) {
			t.Errorf("%s: the link: %v", name, err)
		}
		if err := os.WriteFile(path, []byte(c.urn+"\n"+another), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, made, err := w.FirstFromFile(t.Context(), path); made || err != nil {
			t.Errorf("%s: the second time: %v %v", name, made, err)
		}
		w.signIn("", c.urn, password)
	}
	w := newWorld(t)
	_, _, err := w.FirstFromFile(t.Context(), filepath.Join(t.TempDir(), "none"))
	w.says(err, catalog.Invalid, "no such file")
}
