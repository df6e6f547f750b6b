package people_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/headwater-io/headwater/access/people"
	"github.com/headwater-io/headwater/access/sessions"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
)

func TestSignIn(t *testing.T) {
	w := newWorld(t)
	w.join()
	w.h.Say(catalogtest.Ada, "corpUserInfo", `{"active":true}`) // without a password
	texts := map[string]bool{}
	for _, c := range []struct{ name, password string }{
		{bela, "wrong"},
		{bela, ""},
		{bela, strings.ToUpper(password)},
		{bela, password + " "},
		{strings.ToUpper(bela), password},
		{"nobody@example.com", password},
		{"ada", ""},
		{"ada", password},
		{"", ""},
		{"(a,b)", password},
		{"urn:li:corpGroup:" + bela, password},
		{"urn:", password},
		{strings.Repeat("x", limits.MaxURNBytes), password},
		{strings.Repeat("x", 1<<20), password},
		{bela, strings.Repeat("x", 1<<20)},
		{"\xff", password},
	} {
		err := w.signIn(catalog.Unauthenticated, c.name, c.password)
		if !errors.Is(err, people.ErrCredentials) {
			t.Errorf("%.30q: %v", c.name, err)
		} else {
			texts[err.Error()] = true
		}
		w.now = w.now.Add(time.Minute)
	}
	if len(texts) != 1 || !texts["Invalid Credentials"] {
		t.Errorf("the texts tell who has an account: %v", texts)
	}
	for _, name := range []string{bela, belasURN} {
		if u, err := w.SignIn(t.Context(), name, password, home); err != nil || u != urn(belasURN) {
			t.Errorf("%s: %s %v", name, u, err)
		}
	}
}

// TestWhoMayNot: who is suspended or deleted cannot sign in, with the text of a wrong password. A
// failure of the store has another one, and is not counted.
func TestWhoMayNot(t *testing.T) {
	w := newWorld(t)
	w.join()
	w.barred[belasURN] = true
	w.signIn(catalog.Unauthenticated, bela, password)
	w.barred[belasURN] = false
	w.activity = catalog.StoreFailure(graphstore.ErrUnavailable)
	for range 2 * limits.MaxFailedSignIns {
		w.signIn(catalog.Unavailable, bela, password)
	}
	w.activity = nil
	w.signIn("", bela, password)
}

// TestTriesOfAccounts: after limits.MaxFailedSignIns failures, an account that exists and one that
// does not are refused alike, also with the right password, until limits.FailedSignInTime is over.
func TestTriesOfAccounts(t *testing.T) {
	w := newWorld(t)
	w.join()
	for range limits.MaxFailedSignIns {
		for _, name := range []string{bela, "nobody@example.com"} {
			w.signIn(catalog.Unauthenticated, name, "wrong password")
		}
		w.now = w.now.Add(time.Minute)
	}
	one, other := w.signIn(catalog.Busy, bela, password), w.signIn(catalog.Busy, "nobody@example.com", password)
	if one.Error() != other.Error() {
		t.Errorf("%v and %v", one, other)
	}
	w.says(one, catalog.Busy, "Too many sign-ins failed. Try again in 840 seconds.")
	w.signIn(catalog.Busy, belasURN, password) // by the other name
	err := w.ChangePassword(t.Context(), urn(belasURN), password, another, "")
	w.h.Want(catalog.Busy, err)
	w.now = w.now.Add(limits.FailedSignInTime - time.Minute)
	w.signIn("", bela, password)
}

func TestRulesOfPasswords(t *testing.T) {
	w := newWorld(t)
	token := w.invited()
	for _, c := range []struct{ password, says string }{
		{"", "Password must not be empty."},
		{strings.Repeat("x", limits.MinPasswordBytes-1), "at least 8 bytes"},
		{strings.Repeat("x", limits.MaxPasswordBytes+1), "at most 1024 bytes"},
		{"invalid \xff text", "UTF-8"},
		{bela, "the name"},
		{"Bela.Norris", "the name"},
		{"BELA NORRIS", "the name"},
	} {
		email := bela
		if c.password == "Bela.Norris" {
			email = "bela.norris@example.com"
		}
		_, err := w.SignUp(t.Context(), people.SignUp{FullName: "Bela Norris", Email: email, Password: c.password, InviteToken: token})
		w.says(err, catalog.Invalid, c.says)
		if len(c.password) > 5 && strings.Contains(err.Error(), c.password) {
			t.Errorf("the error repeats the password: %v", err)
		}
	}
	for name, text := range map[string]string{"least@x.org": strings.Repeat("x", limits.MinPasswordBytes), "most@x.org": strings.Repeat("ä", limits.MaxPasswordBytes/2)} {
		if _, err := w.SignUp(t.Context(), people.SignUp{FullName: "x", Email: name, Password: text, InviteToken: token}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		w.signIn("", name, text)
	}
}

// TestMinPassword: the least length of a password is a setting. It holds for each way in which a
// password is set, and not for the passwords that are stored already.
func TestMinPassword(t *testing.T) {
	for _, least := range []int{limits.LeastMinPassword, 12} {
		w := newWorld(t, func(o *people.Options) { o.MinPassword = least })
		token, says := w.invited(), fmt.Sprintf("at least %d bytes", least)
		short, enough := strings.Repeat("x", least-1), strings.Repeat("x", least)
		_, err := w.SignUp(t.Context(), people.SignUp{FullName: "x", Email: bela, Password: short, InviteToken: token})
		w.says(err, catalog.Invalid, says)
		u, err := w.SignUp(t.Context(), people.SignUp{FullName: "x", Email: bela, Password: enough, InviteToken: token})
		w.h.Want("", err)
		w.says(w.ChangePassword(t.Context(), u, enough, short, ""), catalog.Invalid, says)
		w.h.Want("", w.ChangePassword(t.Context(), u, enough, enough+"y", ""))
		first, err := w.FirstLink(t.Context())
		w.h.Want("", err)
		_, err = w.UseFirst(t.Context(), first, people.SignUp{FullName: "x", Email: "first", Password: short})
		w.says(err, catalog.Invalid, says)

		later := w.serve(func(o *people.Options) { o.MinPassword = least + 10 })
		if _, err := later.SignIn(t.Context(), bela, enough+"y", home); err != nil {
			t.Errorf("a password from before a longer least length: %v", err)
		}
	}
}

func TestSignUp(t *testing.T) {
	w := newWorld(t)
	if u := w.join(); u != urn(belasURN) {
		t.Errorf("the user is %s", u)
	}
	for aspect, want := range map[string]string{
		"corpUserInfo":   `"displayName":"Bela Norris","email":"bela@example.com","fullName":"Bela Norris","title":"Analyst"`,
		"corpUserStatus": `"status":"ACTIVE"`,
	} {
		if got := w.h.Value(belasURN, aspect, 0); !strings.Contains(got, want) {
			t.Errorf("%s is %s", aspect, got)
		}
	}
	if got := w.h.Value(belasURN, "roleMembership", 0); got != "" {
		t.Errorf("a new user has roles: %s", got)
	}
	w.signIn("", bela, password)
	stored, err := w.h.Store.ListRecords(t.Context(), "", "", 100)
	if err != nil {
		t.Fatal(err)
	}
	token := w.invited()
	for _, record := range stored {
		if text := record.Name + string(record.Value); strings.Contains(text, password) || strings.Contains(text, token) {
			t.Errorf("the store has a secret: %s", text)
		}
	}
	good := people.SignUp{FullName: "Ada Wren", Email: "ada@example.com", Password: password, InviteToken: token}
	for says, change := range map[string]func(*people.SignUp){
		"Full name must not be empty.":    func(n *people.SignUp) { n.FullName = " " },
		"Email must not be empty.":        func(n *people.SignUp) { n.Email = "" },
		"Invite token must not be empty.": func(n *people.SignUp) { n.InviteToken = "" },
		"not an e-mail address: ada":      func(n *people.SignUp) { n.Email = "ada" },
		"not an e-mail address: Ada <":    func(n *people.SignUp) { n.Email = "Ada <ada@example.com>" },
		"not an e-mail address: __sys":    func(n *people.SignUp) { n.Email = "__system__" },
		"The name __a@b.c belongs":        func(n *people.SignUp) { n.Email = "__a@b.c" },
		"cannot be the name of a user":    func(n *people.SignUp) { n.Email = strings.Repeat("x", limits.MaxURNBytes) + "@x.org" },
		"Full name has more than 256":     func(n *people.SignUp) { n.FullName = strings.Repeat("x", limits.MaxProfileText+1) },
		"Title has more than 256":         func(n *people.SignUp) { n.Title = strings.Repeat("x", limits.MaxProfileText+1) },
		"Title is not valid UTF-8":        func(n *people.SignUp) { n.Title = "\xff" },
		"The invite is not valid":         func(n *people.SignUp) { n.InviteToken = "no token" },
	} {
		n := good
		change(&n)
		_, err := w.SignUp(t.Context(), n)
		w.says(err, catalog.Invalid, says)
	}
	good.FullName, good.Title = strings.Repeat("x", limits.MaxProfileText), strings.Repeat("x", limits.MaxProfileText)
	if _, err := w.SignUp(t.Context(), good); err != nil {
		t.Error(err)
	}
}

// TestSignUpOfKnown: nobody takes over a user whom the catalog knows, with or without a password.
func TestSignUpOfKnown(t *testing.T) {
	w := newWorld(t)
	w.join()
	w.h.Say("urn:li:corpuser:ingested@example.com", "corpUserInfo", `{"active":true}`)
	for email, says := range map[string]string{bela: "already exists! Sign in", "ingested@example.com": "without a password"} {
		_, err := w.SignUp(t.Context(), people.SignUp{FullName: "Mallory", Email: email, Password: another, InviteToken: w.invited()})
		w.says(err, catalog.Conflict, says)
		w.signIn(catalog.Unauthenticated, email, another)
	}
	w.signIn("", bela, password)
}

// TestSignUpsAtOnce: of several people who sign up with one address, one is let in, and with their
// own password.
func TestSignUpsAtOnce(t *testing.T) {
	w := newWorld(t)
	token := w.invited()
	const callers = 8
	var all sync.WaitGroup
	won := make([]bool, callers)
	text := func(i int) string { return password + strings.Repeat("!", i) }
	for i := range callers {
		all.Go(func() {
			_, err := w.SignUp(context.Background(), people.SignUp{FullName: "x", Email: bela, Password: text(i), InviteToken: token})
			if won[i] = err == nil; !won[i] && catalog.CodeOf(err) != catalog.Conflict {
				t.Error(err)
			}
		})
	}
	all.Wait()
	winners := 0
	for i := range callers {
		if won[i] {
			winners++
			w.signIn("", bela, text(i))
		}
	}
	if winners != 1 {
		t.Errorf("%d were let in", winners)
	}
}

// TestSignUpFails: a user whose aspects cannot be written has no password.
func TestSignUpFails(t *testing.T) {
	w := newWorld(t)
	token := w.invited()
	w.h.Store.FailCommit = graphstore.ErrUnavailable
	_, err := w.SignUp(t.Context(), people.SignUp{FullName: "x", Email: bela, Password: password, InviteToken: token})
	w.h.Want(catalog.Unavailable, err)
	w.h.Store.FailCommit = nil
	if has, err := w.HasPassword(t.Context(), urn(belasURN)); has || err != nil {
		t.Errorf("a password is stored: %v", err)
	}
	w.join()
	if has, err := w.HasPassword(t.Context(), urn(belasURN)); !has || err != nil {
		t.Errorf("no password is stored: %v", err)
	}
}

// TestDeletedUser: a user who was deleted can sign up again, and the former sessions do not live on.
func TestDeletedUser(t *testing.T) {
	w := newWorld(t)
	w.join()
	w.session(belasURN)
	if _, err := w.h.DeleteEntities(t.Context(), []urnType{urn(belasURN)}, false, catalog.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	w.signIn(catalog.Unauthenticated, bela, password)
	w.sessionsOf(belasURN, 1)
	if _, err := w.SignUp(t.Context(), people.SignUp{FullName: "x", Email: bela, Password: another, InviteToken: w.invited()}); err != nil {
		t.Fatal(err)
	}
	w.sessionsOf(belasURN, 0)
	w.signIn("", bela, another)
	w.session(belasURN)
	if err := w.Forget(t.Context(), urn(belasURN)); err != nil {
		t.Error(err)
	}
	w.sessionsOf(belasURN, 0)
	w.signIn(catalog.Unauthenticated, bela, another)
}

// session begins a session of a user.
func (w *world) session(actor string) sessions.Session {
	w.h.T.Helper()
	_, s, err := w.sessions.Begin(context.Background(), sessions.SignedIn{Actor: actor, By: "password"})
	if err != nil {
		w.h.T.Fatal(err)
	}
	return s
}

func (w *world) sessionsOf(actor string, want int) {
	w.h.T.Helper()
	if list, err := w.sessions.List(context.Background(), actor); err != nil || len(list) != want {
		w.h.T.Errorf("%d sessions, want %d: %v", len(list), want, err)
	}
}

func TestChangePassword(t *testing.T) {
	w := newWorld(t)
	u := w.join()
	kept := w.session(belasURN)
	w.session(belasURN)
	w.says(w.ChangePassword(t.Context(), u, "wrong", another, kept.ID), catalog.Unauthenticated, "Invalid Credentials")
	w.says(w.ChangePassword(t.Context(), u, password, "short", kept.ID), catalog.Invalid, "at least 8")
	w.sessionsOf(belasURN, 2)
	if err := w.ChangePassword(t.Context(), u, password, another, kept.ID); err != nil {
		t.Fatal(err)
	}
	if list, err := w.sessions.List(t.Context(), belasURN); err != nil || len(list) != 1 || list[0].ID != kept.ID {
		t.Errorf("%+v %v", list, err)
	}
	w.signIn(catalog.Unauthenticated, bela, password)
	w.signIn("", bela, another)
}

// TestRehash: a sign-in stores the hash again when its cost is less than today's, and the password
// stays the same.
func TestRehash(t *testing.T) {
	w := newWorld(t)
	w.join()
	hash := func() string {
		record, _, err := w.h.Store.Record(t.Context(), string(records.Passwords)+belasURN)
		if err != nil {
			t.Fatal(err)
		}
		return string(record.Value)
	}
	before := hash()
	w.signIn("", bela, password)
	if hash() != before {
		t.Error("a hash of today's cost was stored again")
	}
	w.Service = w.serve(func(o *people.Options) { o.Cost.Memory = 128 })
	w.signIn(catalog.Unauthenticated, bela, "wrong password")
	if hash() != before {
		t.Error("a wrong password was stored")
	}
	w.signIn("", bela, password)
	if after := hash(); !strings.Contains(after, "m=128,t=1,p=1") {
		t.Errorf("the hash is %s", after)
	}
	w.signIn("", bela, password)
}
