package e2e

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testsize"
)

// acknowledgements are the tokens whose making or revocation a server has acknowledged.
type acknowledgements struct {
	mu   sync.Mutex
	made []tokenMade
	// asked are the ids of tokens that the server was asked to revoke; the value is true if it acknowledged
	// the revocation.
	asked map[string]bool
}

// counts returns how many tokens were made, and how many of them were revoked.
func (a *acknowledgements) counts() (made, revoked int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, done := range a.asked {
		if done {
			revoked++
		}
	}
	return len(a.made), revoked
}

// work makes tokens and revokes every second one, until the server is away.
func (a *acknowledgements) work(s *server, worker int) {
	for n := 0; ; n++ {
		token, err := s.tryToken(authAdminURN, fmt.Sprintf("worker %d number %d", worker, n))
		if err != nil {
			return
		}
		a.mu.Lock()
		a.made = append(a.made, token)
		if n%2 == 1 {
			a.asked[token.id] = false
		}
		a.mu.Unlock()
		if n%2 == 0 {
			continue
		}
		if s.tryRevoke(token.id) != nil {
			return
		}
		a.mu.Lock()
		a.asked[token.id] = true
		a.mu.Unlock()
	}
}

// TestAuthKills: a server is killed while it makes and revokes tokens. After a restart, every token
// whose making was acknowledged works, every acknowledged revocation holds, and the server makes
// and revokes tokens as before.
func TestAuthKills(t *testing.T) {
	for i, b := range backends() {
		t.Run(b.name, func(t *testing.T) {
			kills := testsize.Of(3, 15)
			if i > 0 {
				kills = testsize.Of(1, 5)
			}
			auth, secrets := authFlags(t)
			flags := append(append(auth, b.flags(t)...), "--platforms=false")
			s := start(t, flags...)
			header := systemHeader(t, secrets)
			a := &acknowledgements{asked: map[string]bool{}}
			for range kills {
				madeBefore, revokedBefore := a.counts()
				var workers sync.WaitGroup
				for worker := range 4 {
					workers.Go(func() { a.work(s.as(header), worker) })
				}
				testclock.Await(t, "tokens are made and revoked", func() bool {
					made, revoked := a.counts()
					return made >= madeBefore+12 && revoked >= revokedBefore+3
				})
				s.kill()
				workers.Wait()
				s = start(t, flags...)
				a.verify(t, s)
			}
			made, revoked := a.counts()
			t.Logf("%d tokens were made and %d revoked before %d kills", made, revoked, kills)
			token := s.as(header).token(authAdminURN, "afterwards")
			if actor, status := s.bearer(token.text).me(); actor != authAdminURN {
				t.Errorf("a token that is made afterwards: %d", status)
			}
			s.as(header).revoke(token.id)
			if _, status := s.bearer(token.text).me(); status != http.StatusUnauthorized {
				t.Errorf("a token that is revoked afterwards: %d", status)
			}
			s.stop()
		})
	}
}

// verify checks that a server keeps every acknowledged change.
func (a *acknowledgements) verify(t *testing.T, s *server) {
	t.Helper()
	for _, token := range a.made {
		revoked, asked := a.asked[token.id]
		actor, status := s.bearer(token.text).me()
		switch {
		case revoked && status != http.StatusUnauthorized:
			t.Errorf("a token whose revocation was acknowledged is answered with %d", status)
		case !asked && actor != authAdminURN:
			t.Errorf("a token whose making was acknowledged is answered with %d", status)
		}
	}
}

// revocationTime is how long a server may know a caller whose credential was ended at another
// server over the same store.
const revocationTime = time.Second

// TestAuthTwoServers: two servers over one store know the same tokens and sessions. A token or session that
// ends at one of them is refused by the other within a second.
func TestAuthTwoServers(t *testing.T) {
	auth, secrets := authFlags(t)
	flags := append(append(backends()[1].flags(t), auth...), "--platforms=false")
	one, other := start(t, append(flags, "--data", t.TempDir())...), start(t, append(flags, "--data", t.TempDir())...)
	system := one.as(systemHeader(t, secrets))

	// refuses waits until the other server refuses a caller whom it knew until now.
	refuses := func(what string, end func(), caller *server, headers ...string) {
		t.Helper()
		if actor, status := caller.me(headers...); actor == "" {
			t.Fatalf("%s: the other server does not know the caller: %d", what, status)
		}
		end()
		began, status := time.Now(), 0
		if !testclock.Poll(revocationTime, func() bool { _, status = caller.me(headers...); return status == http.StatusUnauthorized }) {
			t.Errorf("%s: the other server answers with %d after %s", what, status, time.Since(began))
		}
		t.Logf("%s: refused after %s", what, time.Since(began).Round(time.Millisecond))
	}

	token := system.token(authAdminURN, "shared")
	refuses("a revoked token", func() { system.revoke(token.id) }, other.bearer(token.text))

	session := one.signIn(authAdmin, authPassword)
	refuses("a session", func() {
		if status, answer := one.send(http.MethodPost, "/logOut", "", "Cookie", session); status != http.StatusOK && status != http.StatusNoContent {
			t.Errorf("the sign-out: %d %v", status, answer)
		}
	}, other, "Cookie", session)

	// A user who is suspended loses tokens and sessions, and gets neither back by signing in.
	const bela = "bela@example.com"
	invite := at(system.graphQL(`query { getInviteToken(input: {}) { inviteToken } }`, nil), "getInviteToken", "inviteToken")
	if status, answer := other.send(http.MethodPost, "/signUp", fmt.Sprintf(`{"fullName":"Bela Norris","email":%q,"password":%q,"title":"Other","inviteToken":%q}`, bela, authPassword, invite)); status != http.StatusOK {
		t.Fatal(status, answer)
	}
	token, session = system.token("urn:li:corpuser:"+bela, "Bela's"), one.signIn(bela, authPassword)
	setStatus := func(status string) {
		t.Helper()
		system.graphQL(fmt.Sprintf(`mutation { updateUserStatus(urn: "urn:li:corpuser:%s", status: %s) }`, bela, status), nil)
	}
	refuses("the token of a suspended user", func() { setStatus("SUSPENDED") }, other.bearer(token.text))
	setStatus("ACTIVE")
	testclock.Await(t, "the user is known again", func() bool { actor, _ := other.bearer(token.text).me(); return actor != "" })
	session = one.signIn(bela, authPassword)
	refuses("the session of a suspended user", func() { setStatus("SUSPENDED") }, other, "Cookie", session)
	if status, _ := other.send(http.MethodPost, "/logIn", fmt.Sprintf(`{"username":%q,"password":%q}`, bela, authPassword)); status != http.StatusBadRequest {
		t.Errorf("a suspended user signs in: %d", status)
	}
	one.stop()
	other.stop()
}
