package oidc_test

import (
	"cmp"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/headwater-io/headwater/access/oidc"
)

// The keys of the fake provider, and one of an attacker.
var keys = sync.OnceValue(func() (k struct {
	own, other *rsa.PrivateKey
	curve      *ecdsa.PrivateKey
},
) {
	k.own, _ = rsa.GenerateKey(rand.Reader, 2048) // the sizes are valid, and randomness never fails
	k.other, _ = rsa.GenerateKey(rand.Reader, 2048)
	k.curve, _ = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	return k
})

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// sign makes a JWT. alg is RS256, ES256, HS256 (with the public key as the secret) or none.
func sign(t *testing.T, alg, kid string, key *rsa.PrivateKey, claims map[string]any) string {
	t.Helper()
	header, err := json.Marshal(map[string]string{"alg": alg, "kid": kid, "typ": "JWT"})
	if err != nil {
		t.Fatal(err)
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	text := encode(header) + "." + encode(payload)
	sum := sha256.Sum256([]byte(text))
	var signature []byte
	switch alg {
	case "RS256":
		signature, err = rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	case "ES256":
		var r, s *big.Int
		r, s, err = ecdsa.Sign(rand.Reader, keys().curve, sum[:])
		signature = append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...)
	case "HS256":
		mac := hmac.New(sha256.New, key.N.Bytes())
		mac.Write([]byte(text))
		signature = mac.Sum(nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return text + "." + encode(signature)
}

// fake is a provider whose answers a test changes.
type fake struct {
	t      *testing.T
	server *httptest.Server
	clock  atomic.Int64 // nanoseconds that the clock is ahead of start

	// The answers. A nil function leaves an answer as it is.
	discovery func(map[string]any)
	claims    map[string]any
	omit      []string
	alg, kid  string
	key       *rsa.PrivateKey
	raw       string // in place of the identity token
	userInfo  map[string]any
	token     http.HandlerFunc
	keys      http.HandlerFunc
	down      atomic.Bool

	nonce, challenge string // of the last sign-in
	redirect         string
	discoveries      atomic.Int64
	keysAsked        atomic.Int64
	tokensAsked      atomic.Int64
	userInfoAsked    atomic.Int64
	authorization    string // of the last request for a token
}

var start = time.Date(2026, 11, 2, 3, 0, 0, 0, time.UTC)

func (f *fake) now() time.Time          { return start.Add(time.Duration(f.clock.Load())) }
func (f *fake) forward(d time.Duration) { f.clock.Add(int64(d)) }

func newFake(t *testing.T) *fake {
	t.Helper()
	f := &fake{t: t, alg: "RS256", kid: "own", key: keys().own}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		f.discoveries.Add(1)
		if f.down.Load() {
			http.Error(w, "down", http.StatusBadGateway)
			return
		}
		at := f.server.URL
		document := map[string]any{
			"issuer": at, "authorization_endpoint": at + "/auth", "token_endpoint": at + "/token", "jwks_uri": at + "/jwks",
			"userinfo_endpoint": at + "/me", "end_session_endpoint": at + "/end?tenant=1",
		}
		if f.discovery != nil {
			f.discovery(document)
		}
		answer(w, document)
	})
	mux.HandleFunc("GET /jwks", func(w http.ResponseWriter, r *http.Request) {
		f.keysAsked.Add(1)
		if f.keys != nil {
			f.keys(w, r)
			return
		}
		f.sendKeys(w)
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, r *http.Request) {
		f.tokensAsked.Add(1)
		f.authorization = r.Header.Get("Authorization")
		if f.token != nil {
			f.token(w, r)
			return
		}
		sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
		if encode(sum[:]) != f.challenge || r.FormValue("code") != "the-code" || r.FormValue("redirect_uri") != f.redirect {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			answer(w, map[string]any{"error": "invalid_grant", "error_description": "wrong \x1b[31mverifier"})
			return
		}
		answer(w, map[string]any{"access_token": "access", "token_type": "Bearer", "id_token": cmp.Or(f.raw, f.identityToken())})
	})
	mux.HandleFunc("GET /me", func(w http.ResponseWriter, r *http.Request) {
		f.userInfoAsked.Add(1)
		if f.userInfo == nil || r.Header.Get("Authorization") != "Bearer access" {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		answer(w, f.userInfo)
	})
	f.server = httptest.NewServer(mux)
	t.Cleanup(f.server.Close)
	return f
}

func answer(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(value) // a caller who hangs up is no matter
}

func (f *fake) sendKeys(w http.ResponseWriter) {
	k := keys()
	public, err := k.curve.PublicKey.Bytes()
	if err != nil {
		f.t.Error(err)
	}
	answer(w, map[string]any{"keys": []any{
		map[string]string{"kty": "RSA", "kid": "own", "use": "sig", "n": encode(k.own.N.Bytes()), "e": encode(big.NewInt(int64(k.own.E)).Bytes())},
		map[string]string{"kty": "EC", "kid": "curve", "crv": "P-256", "x": encode(public[1:33]), "y": encode(public[33:])},
		map[string]string{"kty": "oct", "kid": "shared", "k": encode([]byte("a shared secret"))},
	}})
}

// identityToken is the token of the last sign-in.
func (f *fake) identityToken() string {
	claims := map[string]any{
		"iss": f.server.URL, "sub": "ada-1", "aud": "headwater", "nonce": f.nonce, "iat": f.now().Unix(), "exp": f.now().Add(time.Hour).Unix(),
		"email": "ada@example.com", "email_verified": true, "name": "Ada Lovelace", "given_name": "Ada", "family_name": "Lovelace",
		"picture": "https://example.com/ada.png", "groups": []string{"data-platform", "admins"},
	}
	maps.Copy(claims, f.claims)
	for _, name := range f.omit {
		delete(claims, name)
	}
	return sign(f.t, f.alg, f.kid, f.key, claims)
}

// providers reads settings of the fake provider: the text has further members.
func (f *fake) providers(more string) *oidc.Providers {
	f.t.Helper()
	return oidc.New(f.settings(more), oidc.Options{Now: f.now, Transport: f.transport()})
}

func (f *fake) transport() *http.Transport {
	transport := &http.Transport{}
	f.t.Cleanup(transport.CloseIdleConnections)
	return transport
}

func (f *fake) settings(more string) oidc.Settings {
	f.t.Helper()
	text := "providers:\n  - name: corp\n    issuer: " + f.server.URL + "\n    clientId: headwater\n    clientSecret: s3cr et\n" + more
	s, err := readSettings(f.t, text)
	if err != nil {
		f.t.Fatal(err)
	}
	return s
}

func readSettings(t *testing.T, text string) (oidc.Settings, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "oidc.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return oidc.ReadFile(path, func(name string) string {
		return map[string]string{"OIDC_SECRET": "from the environment"}[name]
	})
}

const redirectURL = "https://catalog.example.com/callback/oidc"

// begin starts a sign-in, and returns its state and the query that the provider sends back.
func (f *fake) begin(ps *oidc.Providers) (oidc.Start, url.Values) {
	f.t.Helper()
	begun, err := ps.Begin(context.Background(), "corp", redirectURL, "/search?q=orders")
	if err != nil {
		f.t.Fatal(err)
	}
	address, err := url.Parse(begun.URL)
	if err != nil {
		f.t.Fatal(err)
	}
	q := address.Query()
	f.nonce, f.challenge, f.redirect = q.Get("nonce"), q.Get("code_challenge"), q.Get("redirect_uri")
	return begun, url.Values{"state": {q.Get("state")}, "code": {"the-code"}}
}

// signIn does a whole sign-in.
func (f *fake) signIn(ps *oidc.Providers) (oidc.Identity, error) {
	f.t.Helper()
	begun, query := f.begin(ps)
	return ps.Finish(context.Background(), begun.State, query)
}
