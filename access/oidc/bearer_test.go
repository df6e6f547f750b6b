package oidc_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/headwater-io/headwater/access/oidc"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testclock"
)

const bearer = "    bearer:\n      audiences: [headwater-api, other-api]\n"

// machineToken is a token that the fake provider gives to a machine.
func (f *fake) machineToken(change map[string]any) string {
	claims := map[string]any{"iss": f.server.URL, "sub": "loader", "aud": "headwater-api", "iat": f.now().Unix(), "exp": f.now().Add(time.Hour).Unix()}
	maps.Copy(claims, change)
	for name, value := range claims {
		if value == nil {
			delete(claims, name)
		}
	}
	return sign(f.t, f.alg, f.kid, f.key, claims)
}

// TestBearer: which tokens of machines are accepted.
func TestBearer(t *testing.T) {
	for _, test := range []struct {
		name     string
		settings string
		change   func(f *fake)
		claims   map[string]any
		user     string // the end of the user name, "" if the token is refused
		says     string
	}{
		{name: "usual", user: "_loader"},
		{name: "another audience of the settings", claims: map[string]any{"aud": []string{"x", "other-api"}}, user: "_loader"},
		{name: "claim of the settings", settings: "      userIdClaim: client_id\n", claims: map[string]any{"client_id": "nightly"}, user: "_nightly"},
		{name: "curve", change: func(f *fake) { f.alg, f.kid = "ES256", "curve" }, user: "_loader"},
		{name: "just expired", claims: map[string]any{"exp": start.Add(-limits.ProviderLeeway).Unix()}, user: "_loader"},
		{name: "expired", claims: map[string]any{"exp": start.Add(-limits.ProviderLeeway - time.Second).Unix()}, says: "expired"},
		{name: "just valid", claims: map[string]any{"nbf": start.Add(limits.ProviderLeeway).Unix()}, user: "_loader"},
		{name: "not yet valid", claims: map[string]any{"nbf": start.Add(limits.ProviderLeeway + time.Second).Unix()}, says: "not valid yet"},
		{name: "a beginning that is no number", claims: map[string]any{"nbf": "soon"}, says: "wrong"},
		{name: "never expires", claims: map[string]any{"exp": nil}, says: "never expires"},
		{name: "an audience that only begins like ours", claims: map[string]any{"aud": "headwater-api-2"}, says: "another audience"},
		{name: "the audience of people", claims: map[string]any{"aud": "headwater"}, says: "another audience"},
		{name: "identity token", claims: map[string]any{"nonce": "n"}, says: "identity token of a person"},
		{name: "no subject", claims: map[string]any{"sub": nil}, says: "no subject"},
		{name: "no claim of the settings", settings: "      userIdClaim: client_id\n", says: "no claim client_id"},
		{name: "a claim with a line end", settings: "      userIdClaim: client_id\n", claims: map[string]any{"client_id": "a\nb"}, says: "no claim client_id"},
		{name: "unknown issuer", claims: map[string]any{"iss": "https://evil.example.com"}, says: "no identity provider"},
		{name: "no issuer", claims: map[string]any{"iss": nil}, says: "no identity provider"},
		{name: "algorithm none", change: func(f *fake) { f.alg = "none" }, says: "wrong"},
		{name: "shared key", change: func(f *fake) { f.alg = "HS256" }, says: "wrong"},
		{name: "key of an attacker", change: func(f *fake) { f.key = keys().other }, says: "wrong"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFake(t)
			if test.change != nil {
				test.change(f)
			}
			who, err := f.providers(bearer+test.settings).Bearer(context.Background(), f.machineToken(test.claims))
			if test.user != "" {
				host := strings.NewReplacer(".", "_", ":", "_").Replace(strings.TrimPrefix(f.server.URL, "http://"))
				if err != nil || who.UserName != "__oauth_"+host+test.user || who.Admin || who.Issuer != f.server.URL {
					t.Errorf("%v: %+v", err, who)
				}
				return
			}
			if catalog.CodeOf(err) != catalog.Unauthenticated || !strings.Contains(catalog.MessageOf(err), test.says) || who.UserName != "" {
				t.Errorf("%v (%s): %+v", err, catalog.CodeOf(err), who)
			}
		})
	}
}

// TestBearerAsksNobody: tokens of unknown issuers, of providers without bearer, and texts that are no
// tokens lead to no request.
func TestBearerAsksNobody(t *testing.T) {
	f := newFake(t)
	ps, without := f.providers(bearer), f.providers("")
	head, _, _ := strings.Cut(f.machineToken(nil), ".")
	for _, token := range []string{"", "a", "a.b.c", "..", head + ".." + head, head + "." + encode([]byte("null")) + ".x", head + "." + encode([]byte(`{"iss":7}`)) + ".x", f.machineToken(map[string]any{"iss": "https://evil.example.com"}), f.machineToken(map[string]any{"iss": f.server.URL + "/deeper"})} {
		if _, err := ps.Bearer(context.Background(), token); catalog.CodeOf(err) != catalog.Unauthenticated {
			t.Errorf("%q: %v", token, err)
		}
	}
	if _, err := without.Bearer(context.Background(), f.machineToken(nil)); catalog.CodeOf(err) != catalog.Unauthenticated {
		t.Error(err)
	}
	// A token at the limit of the length is checked, a longer one is not.
	long := f.machineToken(map[string]any{"pad": strings.Repeat("x", limits.MaxProviderToken)})
	if _, err := ps.Bearer(context.Background(), long); catalog.CodeOf(err) != catalog.Unauthenticated || !strings.Contains(err.Error(), "longer") {
		t.Error(err)
	}
	if f.discoveries.Load()+f.keysAsked.Load() != 0 {
		t.Errorf("%d documents and %d keys were asked for", f.discoveries.Load(), f.keysAsked.Load())
	}
	for missing := range 4 {
		padding := limits.MaxProviderToken*3/4 - 3*len(f.machineToken(map[string]any{"pad": ""}))/4 - missing
		if token := f.machineToken(map[string]any{"pad": strings.Repeat("x", padding)}); len(token) == limits.MaxProviderToken {
			if _, err := ps.Bearer(context.Background(), token); err != nil {
				t.Error(err)
			}
			return
		}
	}
	t.Error("no token has exactly MaxProviderToken bytes")
}

// accepted waits until a token is accepted. For a moment after a failed request for keys, go-oidc gives the
// error of that request to other requests too. With a real clock this moment is over before the pause is.
func accepted(t *testing.T, ps *oidc.Providers, token string) {
	t.Helper()
	testclock.Await(t, "for a token to be accepted", func() bool {
		_, err := ps.Bearer(context.Background(), token)
		return err == nil
	})
}

// TestFloodOfKeys: tokens with unknown keys, and tokens with a wrong signature of a known key, neither flood
// the provider with requests nor hinder callers with good tokens. A new key of the provider is found after
// the pause.
func TestFloodOfKeys(t *testing.T) {
	f := newFake(t)
	ps := f.providers(bearer)
	good := f.machineToken(nil)
	forged := make([]string, 100)
	for i := range forged {
		f.key, f.kid = keys().other, "own"
		if i%2 == 0 {
			f.kid = fmt.Sprint("unknown-", i)
		}
		forged[i] = f.machineToken(nil)
	}
	var all sync.WaitGroup
	for _, token := range forged {
		all.Go(func() {
			if _, err := ps.Bearer(context.Background(), token); catalog.CodeOf(err) != catalog.Unauthenticated {
				t.Errorf("a forged token: %v (%s)", err, catalog.CodeOf(err))
			}
			if _, err := ps.Bearer(context.Background(), good); err != nil {
				t.Errorf("a good token: %v", err)
			}
		})
	}
	all.Wait()
	if n := f.keysAsked.Load(); n != 1 {
		t.Errorf("the keys were asked for %d times", n)
	}
	// The provider has a new key.
	f.keys = func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"keys": []any{map[string]string{"kty": "RSA", "kid": "new", "n": encode(keys().other.N.Bytes()), "e": "AQAB"}}})
	}
	f.key, f.kid = keys().other, "new"
	fresh := f.machineToken(nil)
	f.forward(limits.ProviderKeysPause - 1)
	if _, err := ps.Bearer(context.Background(), fresh); catalog.CodeOf(err) != catalog.Unauthenticated {
		t.Errorf("before the pause ends: %v", err)
	}
	f.forward(1)
	accepted(t, ps, fresh)
	if n := f.keysAsked.Load(); n != 2 {
		t.Errorf("the keys were asked for %d times", n)
	}
}

// TestWithdrawnKey: a key that the provider no longer lists is refused after an hour at the latest,
// although nobody sends a token with another key.
func TestWithdrawnKey(t *testing.T) {
	f := newFake(t)
	ps := f.providers(bearer)
	token := f.machineToken(map[string]any{"exp": start.Add(24 * time.Hour).Unix()})
	if _, err := ps.Bearer(context.Background(), token); err != nil {
		t.Fatal(err)
	}
	f.keys = func(w http.ResponseWriter, _ *http.Request) { answer(w, map[string]any{"keys": []any{}}) }
	f.forward(time.Hour)
	if _, err := ps.Bearer(context.Background(), token); catalog.CodeOf(err) != catalog.Unauthenticated {
		t.Errorf("a token with a withdrawn key: %v", err)
	}
}

// TestKeysAreDown: while the provider gives no keys, nobody can tell good tokens from forged ones.
func TestKeysAreDown(t *testing.T) {
	f := newFake(t)
	ps := f.providers(bearer)
	f.keys = http.NotFound
	for range 3 {
		if _, err := ps.Bearer(context.Background(), f.machineToken(nil)); catalog.CodeOf(err) != catalog.Unavailable {
			t.Errorf("%v (%s)", err, catalog.CodeOf(err))
		}
	}
	if n := f.keysAsked.Load(); n != 1 {
		t.Errorf("the keys were asked for %d times", n)
	}
	f.keys = nil
	f.forward(limits.ProviderKeysPause)
	accepted(t, ps, f.machineToken(nil))
}

// TestHangUp: a caller who has hung up while another asks the provider does not wait.
func TestHangUp(t *testing.T) {
	f := newFake(t)
	asked, release := make(chan struct{}), make(chan struct{})
	f.discovery = func(map[string]any) {
		close(asked)
		<-release
	}
	ps := f.providers("")
	var all sync.WaitGroup
	all.Go(func() {
		if _, err := ps.Begin(context.Background(), "corp", redirectURL, "/"); err != nil {
			t.Error(err)
		}
	})
	<-asked
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := ps.Begin(gone, "corp", redirectURL, "/"); catalog.CodeOf(err) != catalog.Timeout {
		t.Error(err)
	}
	close(release)
	all.Wait()
}
