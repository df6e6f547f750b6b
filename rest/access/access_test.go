package access_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/headwater-io/headwater/access/people"
	"github.com/headwater-io/headwater/access/sessions"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/rest"
	"github.com/headwater-io/headwater/rest/access"
)

const (
	bela     = "bela@example.com"
	belasURN = "urn:li:corpuser:bela@example.com"
)

// everybody may act.
type everybody struct{}

func (everybody) Active(context.Context, model.URN) error { return nil }

// site is a server at which people sign in.
type site struct {
	*testing.T
	h *catalogtest.Harness
	access.Service
	*httptest.Server
	// reads counts how often people are looked for in the graph.
	reads atomic.Int64
}

// Relationships counts, and reads.
func (s *site) Relationships(ctx context.Context, q read.RelationshipQuery) (read.RelationshipPage, error) {
	s.reads.Add(1)
	return s.h.Relationships(ctx, q)
}

func (s *site) Aspect(ctx context.Context, u model.URN, aspect string, version int64) (catalog.VersionedAspect, error) {
	return s.h.Aspect(ctx, u, aspect, version)
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{T: t, h: catalogtest.NewHarness(t)}
	door := records.New(s.h.Store)
	s.Sessions = sessions.New(sessions.Options{Records: door, Now: testclock.Now})
	s.People = people.New(people.Options{
		Registry: model.Default(), Records: door, Writer: s.h.Writer, Reader: s, Actors: everybody{}, Sessions: s.Sessions,
		Secret: func() []byte { return []byte("secret of the server, 32 bytes...") }, Now: testclock.Now, Cost: people.Cost{Memory: 64, Passes: 1, Threads: 1},
	})
	s.Writable = s.h.Services
	server := rest.New(rest.Options{Catalog: s.h.Services, Access: &s.Service})
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// This is a small form of the check of package access.
		caller := requestinfo.Caller{Remote: "192.0.2.7"}
		if cookie, err := r.Cookie(access.SessionCookie); err == nil {
			if session, err := s.Sessions.Check(r.Context(), cookie.Value); err == nil {
				caller.Actor, caller.Means, caller.Credential, caller.Admin = session.Actor, requestinfo.BySession, session.ID, true
			}
		}
		if r.Header.Get("Authorization") == "system" {
			caller.Means = requestinfo.BySystemSecret
		}
		server.ServeHTTP(w, r.WithContext(requestinfo.WithCaller(r.Context(), caller)))
	}))
	t.Cleanup(s.Close)
	return s
}

// browser has cookies.
type browser struct {
	*site
	*http.Client
}

// end returns the cursor of the end of the change log.
func (s *site) end() string {
	s.Helper()
	cursor, err := s.h.EndOfChanges(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	return cursor
}

func (s *site) browser() *browser {
	s.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.Fatal(err)
	}
	return &browser{s, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// ask sends a request, and fails unless the answer has a status and a text.
func (b *browser) ask(status int, says, method, path, body string, headers ...string) (string, *http.Response) {
	b.Helper()
	req, err := http.NewRequestWithContext(b.Context(), method, b.URL+path, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := b.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		b.Fatal(err)
	}
	if resp.StatusCode != status || !strings.Contains(string(text), says) {
		b.Errorf("%s %s %s: %d %s, want %d %s", method, path, body, resp.StatusCode, text, status, says)
	}
	return string(text), resp
}

// cookie returns the value of a cookie of the browser, "" for none.
func (b *browser) cookie(name string) string {
	b.Helper()
	at, err := url.Parse(b.URL)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range b.Jar.Cookies(at) {
		if c.Name == name {
			return c.Value
		}
	}
	return ""
}

func (s *site) invite() string {
	s.Helper()
	i, err := s.People.GetInvite(s.Context(), model.URN{}, "")
	if err != nil {
		s.Fatal(err)
	}
	return i.Token
}

// TestOptionsAreCheap: anybody may ask how people sign in. Many such requests hardly read the store.
func TestOptionsAreCheap(t *testing.T) {
	s := newSite(t)
	b := s.browser()
	b.ask(200, `"firstStart":true`, "GET", "/auth/options", "")
	b.ask(200, `"minPassword":8`, "GET", "/auth/options", "")
	token, err := s.People.FirstLink(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b.ask(200, "", "POST", "/auth/first", `{"token":"`+token+`","fullName":"Bela Norris","email":"`+bela+`","password":"correct horse"}`)
	before := s.reads.Load()
	for range 100 {
		b.ask(200, `"firstStart":false`, "GET", "/auth/options", "")
	}
	if n := s.reads.Load() - before; n < 1 || n > 20 { // one read for each five seconds
		t.Errorf("100 requests look %d times for an administrator", n)
	}
}

// TestSignInAndOut follows a person who signs up, out and in.
func TestSignInAndOut(t *testing.T) {
	s := newSite(t)
	b := s.browser()
	b.ask(401, "Unauthorized to perform this action.", "GET", "/auth/session", "")
	b.ask(400, "Invite token must not be empty.", "POST", "/signUp", `{"fullName":"Bela Norris","email":"`+bela+`","password":"correct horse"}`)
	_, resp := b.ask(200, "", "POST", "/signUp", `{"userUrn":"urn:li:corpuser:other","fullName":"Bela Norris","email":"`+bela+`","password":"correct horse","title":"Other","inviteToken":"`+s.invite()+`"}`)
	first := b.cookie(access.SessionCookie)
	if first == "" || b.cookie(access.ActorCookie) != belasURN {
		t.Errorf("the cookies are %v", resp.Header["Set-Cookie"])
	}
	for _, c := range resp.Cookies() {
		if c.HttpOnly != (c.Name == access.SessionCookie) || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Secure || c.MaxAge != 24*60*60 {
			t.Errorf("the cookie is %s", c)
		}
	}
	b.ask(200, `{"actor":"`+belasURN+`","means":"session","admin":true,"expires":1`, "GET", "/auth/session", "")

	_, resp = b.ask(303, "", "GET", "/logOut", "")
	if resp.Header.Get("Location") != "/ui/login" || b.cookie(access.SessionCookie) != "" || b.cookie(access.ActorCookie) != "" {
		t.Errorf("after the end: %v", resp.Header)
	}
	if _, err := s.Sessions.Check(t.Context(), first); err == nil {
		t.Error("the session lives on")
	}
	for body, says := range map[string]string{
		`{"username":"","password":"x"}`: "User name must not be empty.", `{"username":"` + bela + `"}`: `"message":"Invalid Credentials"`,
		`{"username":"` + bela + `","password":"wrong"}`: `"message":"Invalid Credentials"`, `{"username":"nobody","password":"wrong"}`: `"message":"Invalid Credentials"`,
		`{"username":1}`: "a JSON number is not accepted", `no JSON`: "not valid JSON",
	} {
		b.ask(400, says, "POST", "/logIn", body)
	}
	if b.cookie(access.SessionCookie) != "" {
		t.Error("a sign-in that failed sets a cookie")
	}
	_, resp = b.ask(200, "", "POST", "/logIn", `{"username":"`+bela+`","password":"correct horse"}`, "X-Forwarded-Proto", "https")
	for _, c := range resp.Cookies() {
		if !c.Secure {
			t.Errorf("the cookie is %s", c)
		}
	}
}

// TestRotation: a sign-in ends the former session of the browser, and never uses an id that it
// was sent.
func TestRotation(t *testing.T) {
	s := newSite(t)
	b := s.browser()
	b.ask(200, "", "POST", "/signUp", `{"fullName":"x","email":"`+bela+`","password":"correct horse","inviteToken":"`+s.invite()+`"}`)
	first := b.cookie(access.SessionCookie)
	b.ask(200, "", "POST", "/logIn", `{"username":"`+bela+`","password":"correct horse"}`)
	if second := b.cookie(access.SessionCookie); second == first || second == "" {
		t.Errorf("the secret is %q, before %q", second, first)
	}
	b.ask(200, `"current":true`, "GET", "/auth/sessions", "")
	if list, err := s.Sessions.List(t.Context(), belasURN); err != nil || len(list) != 1 || list[0].Remote != "192.0.2.7" || list[0].Agent == "" {
		t.Errorf("%+v %v", list, err)
	}
	b.ask(200, "", "POST", "/logOut", "")
	b.ask(401, "", "GET", "/auth/sessions", "")
}

// TestSignUpForOthers: an administrator who signs another person up gets the session of the new user, and
// keeps the own one. Scripts of the reference make users so.
func TestSignUpForOthers(t *testing.T) {
	s := newSite(t)
	b := s.browser()
	b.ask(200, "", "POST", "/signUp", `{"fullName":"x","email":"`+bela+`","password":"correct horse","inviteToken":"`+s.invite()+`"}`)
	belas := b.cookie(access.SessionCookie)
	b.ask(200, "", "POST", "/signUp", `{"fullName":"y","email":"cleo@example.com","password":"correct horse","inviteToken":"`+s.invite()+`"}`)
	if cleos := b.cookie(access.SessionCookie); cleos == belas || b.cookie(access.ActorCookie) != "urn:li:corpuser:cleo@example.com" {
		t.Errorf("the cookies are those of %s", b.cookie(access.ActorCookie))
	}
	if session, err := s.Sessions.Check(t.Context(), belas); err != nil || session.Actor != belasURN {
		t.Errorf("the former session: %+v %v", session, err)
	}
	b.ask(200, "", "POST", "/logIn", `{"username":"`+bela+`","password":"correct horse"}`)
	if list, err := s.Sessions.List(t.Context(), "urn:li:corpuser:cleo@example.com"); err != nil || len(list) != 0 {
		t.Errorf("a sign-in leaves %d sessions: %v", len(list), err)
	}
}

// TestSessions: people see and end their own sessions, and no others.
func TestSessions(t *testing.T) {
	s := newSite(t)
	one, two, ada := s.browser(), s.browser(), s.browser()
	one.ask(200, "", "POST", "/signUp", `{"fullName":"x","email":"`+bela+`","password":"correct horse","inviteToken":"`+s.invite()+`"}`)
	two.ask(200, "", "POST", "/logIn", `{"username":"`+bela+`","password":"correct horse"}`)
	ada.ask(200, "", "POST", "/signUp", `{"fullName":"x","email":"ada@example.com","password":"correct horse","inviteToken":"`+s.invite()+`"}`)
	text, _ := one.ask(200, "", "GET", "/auth/sessions", "")
	var list struct {
		Sessions []struct {
			ID      string
			Current bool
		}
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil || len(list.Sessions) != 2 || list.Sessions[0].Current == list.Sessions[1].Current {
		t.Fatalf("%s %v", text, err)
	}
	if strings.Contains(text, one.cookie(access.SessionCookie)) {
		t.Error("the list has a secret")
	}
	for _, of := range list.Sessions {
		if !of.Current {
			ada.ask(404, "there is no session", "DELETE", "/auth/sessions/"+of.ID, "")
			one.ask(200, of.ID, "DELETE", "/auth/sessions/"+of.ID, "")
		}
	}
	two.ask(401, "", "GET", "/auth/session", "")
	one.ask(200, "", "GET", "/auth/session", "")
}

func TestReset(t *testing.T) {
	s := newSite(t)
	b, other := s.browser(), s.browser()
	b.ask(200, "", "POST", "/signUp", `{"fullName":"x","email":"`+bela+`","password":"correct horse","inviteToken":"`+s.invite()+`"}`)
	token, err := s.People.CreateReset(t.Context(), model.StoredURN(belasURN), "")
	if err != nil {
		t.Fatal(err)
	}
	for member, says := range map[string]string{"email": "Email must not be empty.", "password": "Password must not be empty.", "resetToken": "Reset token must not be empty."} {
		body := map[string]string{"email": bela, "password": "battery staple", "resetToken": token}
		delete(body, member)
		other.ask(400, says, "POST", "/resetNativeUserCredentials", catalogtest.MustJSON(t, body))
	}
	other.ask(400, "is not valid", "POST", "/resetNativeUserCredentials", `{"email":"`+bela+`","password":"battery staple","resetToken":"none"}`)
	other.ask(200, "", "POST", "/resetNativeUserCredentials", `{"email":"`+bela+`","password":"battery staple","resetToken":"`+token+`"}`)
	other.ask(200, belasURN, "GET", "/auth/session", "")
	b.ask(401, "", "GET", "/auth/session", "")
}

// TestTooManyTries: the answer has the time to wait.
func TestTooManyTries(t *testing.T) {
	s := newSite(t)
	b := s.browser()
	for range limits.MaxFailedSignIns {
		b.ask(400, "Invalid Credentials", "POST", "/logIn", `{"username":"nobody","password":"wrong"}`)
		testclock.Forward(20 * time.Second)
	}
	_, resp := b.ask(503, "Too many sign-ins failed. Try again in 88", "POST", "/logIn", `{"username":"nobody","password":"wrong"}`)
	if got := resp.Header.Get("Retry-After"); !strings.HasPrefix(got, "88") {
		t.Errorf("Retry-After is %q", got)
	}
}

// TestSystemClient: the calls of a web page server are answered only to the system client.
func TestSystemClient(t *testing.T) {
	s := newSite(t)
	b := s.browser()
	token := s.invite()
	for _, c := range []struct {
		path, body string
		status     int
		says       string
	}{
		{"signUp", `{"userUrn":"urn:li:corpuser:other","fullName":"x","email":"` + bela + `","password":"correct horse","inviteToken":"` + token + `"}`, 400, "userUrn must name"},
		{"signUp", `{"userUrn":"` + belasURN + `","fullName":"x","email":"` + bela + `","password":"correct horse","inviteToken":"` + token + `"}`, 200, `{"isNativeUserCreated":true}`},
		{"verifyNativeUserCredentials", `{"userUrn":"` + belasURN + `","password":"correct horse"}`, 200, `{"doesPasswordMatch":true}`},
		{"verifyNativeUserCredentials", `{"userUrn":"` + belasURN + `","password":"wrong"}`, 200, `{"doesPasswordMatch":false}`},
		{"verifyNativeUserCredentials", `{"userUrn":"urn:li:corpuser:nobody","password":"wrong"}`, 200, `{"doesPasswordMatch":false}`},
		{"resetNativeUserCredentials", `{"userUrn":"` + belasURN + `","password":"battery staple","resetToken":"none"}`, 400, "is not valid"},
	} {
		b.ask(403, "only the system client", "POST", "/auth/"+c.path, c.body)
		b.ask(c.status, c.says, "POST", "/auth/"+c.path, c.body, "Authorization", "system")
	}
	reset, err := s.People.CreateReset(t.Context(), model.StoredURN(belasURN), "")
	if err != nil {
		t.Fatal(err)
	}
	b.ask(200, `{"areNativeUserCredentialsReset":true}`, "POST", "/auth/resetNativeUserCredentials", `{"userUrn":"`+belasURN+`","password":"battery staple","resetToken":"`+reset+`"}`, "Authorization", "system")
	b.ask(200, `true`, "POST", "/auth/verifyNativeUserCredentials", `{"userUrn":"`+belasURN+`","password":"battery staple"}`, "Authorization", "system")
	if b.cookie(access.SessionCookie) != "" {
		t.Error("the calls of the system client set a cookie")
	}
}

// TestReadOnly: people sign in and out at a read-only server, but nobody can become a user there.
func TestReadOnly(t *testing.T) {
	s := newSite(t)
	b := s.browser()
	b.ask(200, "", "POST", "/signUp", `{"fullName":"x","email":"`+bela+`","password":"correct horse","inviteToken":"`+s.invite()+`"}`)
	s.h.SetReadOnly(true)
	b.ask(200, "", "POST", "/logOut", "")
	b.ask(200, "", "POST", "/logIn", `{"username":"`+bela+`","password":"correct horse"}`)
	b.ask(403, "read-only", "POST", "/signUp", `{"fullName":"x","email":"ada@example.com","password":"correct horse","inviteToken":"`+s.invite()+`"}`)
}

// TestOff: without a service, the error of each call names the setting that turns it on.
func TestOff(t *testing.T) {
	s := newSite(t)
	server := httptest.NewServer(rest.New(rest.Options{Catalog: s.h.Services}))
	t.Cleanup(server.Close)
	b := &browser{&site{T: t, Server: server}, server.Client()}
	for _, e := range access.Endpoints(nil, nil) {
		if e.Method != http.MethodHead && e.Path != "/auth/options" {
			b.ask(404, "--auth on", e.Method, e.Target(), e.Example.Body)
		}
	}
	b.ask(200, `{"auth":"off","firstStart":false,"passwords":false,"minPassword":0,"providers":[],"cursor":"`+s.end()+`"}`, "GET", "/auth/options", "")
	if err := s.h.Store.Close(); err != nil {
		t.Fatal(err)
	}
	if answer, _ := b.ask(200, `"auth":"off"`, "GET", "/auth/options", ""); strings.Contains(answer, "cursor") {
		t.Errorf("the store does not answer: %s", answer)
	}
}

// TestCursor: what a page asks for before it reads has the end of the change log, for those who may read.
func TestCursor(t *testing.T) {
	s := newSite(t)
	b := s.browser()
	if answer, _ := b.ask(200, "", "GET", "/auth/options", ""); strings.Contains(answer, "cursor") {
		t.Errorf("nobody has signed in: %s", answer)
	}
	b.ask(200, "", "POST", "/signUp", `{"fullName":"x","email":"`+bela+`","password":"correct horse","inviteToken":"`+s.invite()+`"}`)
	b.ask(200, `"cursor":"`+s.end()+`"`, "GET", "/auth/session", "")
}
