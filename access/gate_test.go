package access_test

import (
	"context"
	"encoding/base64"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/headwater-io/headwater/access"
	"github.com/headwater-io/headwater/access/keys"
	"github.com/headwater-io/headwater/access/permit"
	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/access/policies/policyfile"
	"github.com/headwater-io/headwater/access/tokens"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/model"
)

// house is a catalog with authentication, and a clock that the test moves.
type house struct {
	testing.TB
	*services.Services
	store graphstore.Store
	path  string
	ring  *keys.Ring
	now   time.Time
	gate  *access.Gate
	creds *access.Credentials
	made  *tokens.Service
}

func newHouse(t testing.TB) *house {
	t.Helper()
	h := &house{TB: t, path: filepath.Join(t.TempDir(), keys.File), now: time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)}
	h.Services = testcatalog.Wrapped(t, func(s graphstore.Store) graphstore.Store {
		h.store = s
		return s
	})
	if err := keys.Create(h.path); err != nil {
		t.Fatal(err)
	}
	h.open()
	return h
}

// open makes another server over the same store, with the file of keys as it is now.
func (h *house) open() {
	h.Helper()
	ring, err := keys.Open(h.path, slog.New(slog.DiscardHandler))
	if err != nil {
		h.Fatal(err)
	}
	h.ring = ring
	clock := func() time.Time { return h.now }
	h.made = tokens.New(tokens.Options{Keys: ring, Entities: h.Services, Removal: h.Removal, Registry: h.Registry(), Now: clock, OwnWork: write.OwnWork, List: listOf(h.Services)})
	h.gate = access.New(access.Options{Keys: ring, Tokens: h.made, Actors: access.NewActors(h.Services), Permit: permit.New(permit.Options{Store: h.store, Now: clock, Logger: slog.New(slog.DiscardHandler)}), Now: clock})
	h.creds = access.NewCredentials(h.made, h.Edits, h.gate)
}

// listOf returns the function that lists entities of a type.
func listOf(c *services.Services) func(ctx context.Context, entityType string, start, count int) ([]string, error) {
	return func(ctx context.Context, entityType string, start, count int) ([]string, error) {
		page, err := c.ListURNs(ctx, entityType, start, count)
		return page.Entities, err
	}
}

// put writes an aspect as the server itself does.
func (h *house) put(urn, aspect, value string) {
	h.Helper()
	u, err := model.ParseURN(urn)
	if err != nil {
		h.Fatal(err)
	}
	_, err = h.Ingest(write.OwnWork(context.Background()), write.Proposal{
		EntityURN: u.String(), EntityType: u.EntityType(), ChangeType: "UPSERT", AspectName: aspect,
		Aspect: &write.GenericAspect{Value: []byte(value), ContentType: "application/json"},
	}, catalog.WriteOptions{AwaitIndex: true})
	if err != nil {
		h.Fatal(err)
	}
}

func (h *house) user(name string) model.URN {
	h.Helper()
	urn := "urn:li:corpuser:" + name
	h.put(urn, model.AspectCorpUserInfo, `{"active":true}`)
	u, _ := model.ParseURN(urn)
	return u
}

func (h *house) admin(name string) model.URN {
	h.Helper()
	u := h.user(name)
	h.put(u.String(), model.AspectRoleMembership, `{"roles":["urn:li:dataHubRole:Admin"]}`)
	return u
}

// as returns the context of a request of a user.
func as(u model.URN, admin bool) context.Context {
	actor := policies.Actor{URN: u.String()}
	if admin {
		actor.Roles = []string{"urn:li:dataHubRole:Admin"}
	}
	return access.Known{
		Caller:      requestinfo.Caller{Actor: u.String(), Means: requestinfo.ByToken, Admin: admin},
		Permissions: permit.NewPermissions(policies.Compile(policyfile.Defaults(), time.Now()).Rights(actor), nil),
	}.In(context.Background())
}

func (h *house) token(u model.URN, valid time.Duration) (string, string) {
	h.Helper()
	text, m, err := h.made.Make(context.Background(), tokens.Request{Type: tokens.Personal, Actor: u, Owner: u, For: valid, Name: "test"}, catalog.WriteOptions{AwaitIndex: true})
	if err != nil {
		h.Fatal(err)
	}
	return text, m.ID
}

func (h *house) caller(authorization string) (requestinfo.Caller, error) {
	known, err := h.gate.Caller(context.Background(), access.Shown{Authorization: authorization, Remote: "10.1.2.3:55"})
	return known.Caller, err
}

// refused fails the test unless a header is refused with a text.
func (h *house) refused(name, authorization, says string) {
	h.Helper()
	c, err := h.caller(authorization)
	if catalog.CodeOf(err) != catalog.Unauthenticated || !strings.HasPrefix(catalog.MessageOf(err), access.Unauthorized) || !strings.Contains(catalog.MessageOf(err), says) {
		h.Errorf("%s: %+v, %v", name, c, err)
	}
}

// signed signs claims with a key, under a key id.
func signed(t *testing.T, method jwt.SigningMethod, key any, kid string, claims jwt.MapClaims) string {
	t.Helper()
	token := jwt.NewWithClaims(method, claims)
	token.Header["kid"] = kid
	text, err := token.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestForgedTokens shows tokens that this server did not make, or made for another purpose. Where possible
// they are signed with the server's own key, so that only the stated defect can be the reason for their
// refusal.
func TestForgedTokens(t *testing.T) {
	h := newHouse(t)
	ada := h.user("ada")
	good, id := h.token(ada, time.Hour)
	if c, err := h.caller("Bearer " + good); err != nil || c.Actor != ada.String() || c.Means != requestinfo.ByToken || c.Credential != id || c.Admin || c.Remote != "10.1.2.3" {
		t.Fatalf("a good token: %+v, %v", c, err)
	}
	if c, err := h.caller("bearer " + good); err != nil || c.Actor != ada.String() {
		t.Fatalf("a good token with a small letter: %+v, %v", c, err)
	}
	key := h.ring.Current().Signing[0]
	secret := []byte(key.Secret)
	claims := func(changes ...any) jwt.MapClaims {
		c := jwt.MapClaims{
			"version": "2", "type": "PERSONAL", "actorType": "USER", "actorId": "ada", "sub": "ada", "jti": "x",
			"iss": "datahub-metadata-service", "aud": "headwater", "exp": h.now.Add(time.Hour).Unix(),
		}
		for i := 0; i < len(changes); i += 2 {
			c[changes[i].(string)] = changes[i+1]
		}
		return c
	}
	parts := strings.Split(good, ".")
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"JWT","kid":"` + key.ID + `"}`))
	twice := strings.Repeat("a", limits.MaxTokenBytes)
	const notValid = "The token is not valid."
	for name, c := range map[string]struct{ token, says string }{
		"nothing":              {"", notValid},
		"no JWT":               {"abc", notValid},
		"no algorithm":         {none + "." + parts[1] + ".", notValid},
		"no algorithm, signed": {none + "." + parts[1] + "." + parts[2], notValid},
		"other algorithm":      {signed(t, jwt.SigningMethodHS512, secret, key.ID, claims()), notValid},
		"wrong key":            {signed(t, jwt.SigningMethodHS256, []byte(keys.Make().Signing[0].Secret), key.ID, claims()), notValid},
		"foreign key id":       {signed(t, jwt.SigningMethodHS256, secret, "other", claims()), notValid},
		"no key id":            {signed(t, jwt.SigningMethodHS256, secret, "", claims()), notValid},
		"key id as a path":     {signed(t, jwt.SigningMethodHS256, secret, "../../dev/null", claims()), notValid},
		"not yet":              {signed(t, jwt.SigningMethodHS256, secret, key.ID, claims("nbf", h.now.Add(time.Hour).Unix())), notValid},
		"other audience":       {signed(t, jwt.SigningMethodHS256, secret, key.ID, claims("aud", "elsewhere")), notValid},
		"two audiences":        {signed(t, jwt.SigningMethodHS256, secret, key.ID, claims("aud", []string{"headwater", "elsewhere"})), notValid},
		"other version":        {signed(t, jwt.SigningMethodHS256, secret, key.ID, claims("version", "1")), notValid},
		"other type":           {signed(t, jwt.SigningMethodHS256, secret, key.ID, claims("type", "ROOT")), notValid},
		"other actor type":     {signed(t, jwt.SigningMethodHS256, secret, key.ID, claims("actorType", "GROUP")), notValid},
		"no actor":             {signed(t, jwt.SigningMethodHS256, secret, key.ID, claims("actorId", "", "sub", "")), notValid},
		"actor is a tuple":     {signed(t, jwt.SigningMethodHS256, secret, key.ID, claims("actorId", "(a,b", "sub", "(a,b")), notValid},
		"subject of another":   {signed(t, jwt.SigningMethodHS256, secret, key.ID, claims("sub", "bob")), notValid},
		"another store's":      {signed(t, jwt.SigningMethodHS256, secret, key.ID, claims()), "The token has been revoked."},
		"expired":              {signed(t, jwt.SigningMethodHS256, secret, key.ID, claims("exp", h.now.Add(-time.Minute).Unix())), "The token has expired."},
		"expired, wrong key":   {signed(t, jwt.SigningMethodHS256, []byte(strings.Repeat("k", 32)), key.ID, claims("exp", h.now.Add(-time.Minute).Unix())), notValid},
		"cut":                  {good[:len(good)-1], notValid},
		"no signature":         {parts[0] + "." + parts[1] + ".", notValid},
		"body changed":         {parts[0] + "." + base64.RawURLEncoding.EncodeToString([]byte(`{"actorId":"root"}`)) + "." + parts[2], notValid},
		"too long":             {signed(t, jwt.SigningMethodHS256, secret, key.ID, claims("jti", twice)), notValid},
	} {
		h.refused(name, "Bearer "+c.token, c.says)
	}
	for name, header := range map[string]string{
		"nothing": "", "no scheme": good, "other scheme": "Digest " + good, "Basic with a token": "Basic " + good, "Basic without a secret": "Basic __datahub_system", "Basic in base64": "Basic " + base64.StdEncoding.EncodeToString([]byte("__datahub_system:"+h.ring.Current().System.Secret)),
	} {
		h.refused(name, header, "")
	}
}

// TestLengthOfTokens shows tokens at the limit of their length.
func TestLengthOfTokens(t *testing.T) {
	h := newHouse(t)
	h.user("ada")
	set := h.ring.Current()
	made := func(length int) string {
		claims := jwt.MapClaims{"version": "2", "type": "PERSONAL", "actorType": "USER", "actorId": "ada", "sub": "ada", "aud": "headwater"}
		for pad := length / 2; ; pad++ {
			claims["jti"] = strings.Repeat("x", pad)
			if text := signed(t, jwt.SigningMethodHS256, []byte(set.Signing[0].Secret), set.Signing[0].ID, claims); len(text) >= length {
				return text
			}
		}
	}
	if at := made(limits.MaxTokenBytes - 2); len(at) <= limits.MaxTokenBytes {
		h.refused("at the limit", "Bearer "+at, "revoked") // the token was read, and no token with this id was made
	} else {
		t.Errorf("no token of at most %d bytes was made: %d", limits.MaxTokenBytes, len(at))
	}
	h.refused("beyond the limit", "Bearer "+made(limits.MaxTokenBytes+1), "not valid")
}

// TestTokensEnd ends tokens in each way. The callers are asked again after the time for which a caller
// is remembered.
func TestTokensEnd(t *testing.T) {
	h := newHouse(t)
	ada := h.user("ada")
	later := func(by time.Duration) { h.now = h.now.Add(by) }
	accepted := func(name, token string) {
		t.Helper()
		if _, err := h.caller("Bearer " + token); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	t.Run("revoked on another server", func(*testing.T) {
		token, id := h.token(ada, 0)
		accepted("before", token)
		here := h.gate
		h.open()
		if err := h.creds.RevokeToken(as(ada, false), id, catalog.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		h.refused("at once, on the same server", "Bearer "+token, "revoked")
		h.gate = here
		later(time.Second)
		h.refused("within a second, on the other server", "Bearer "+token, "revoked")
	})
	t.Run("expired", func(*testing.T) {
		token, id := h.token(ada, time.Hour)
		later(time.Hour + 29*time.Second) // clocks of two servers may differ by 30 s
		accepted("while clocks may differ", token)
		later(2 * time.Second)
		h.refused("after that", "Bearer "+token, "expired")
		if _, err := h.made.Metadata(context.Background(), id); catalog.CodeOf(err) != catalog.NotFound {
			t.Errorf("the metadata of an expired token are still stored: %v", err)
		}
		h.refused("a second time", "Bearer "+token, "expired")
	})
	t.Run("keys", func(*testing.T) {
		token, _ := h.token(ada, 0)
		set := *h.ring.Current()
		set.Rotate(false)
		if err := keys.Write(h.path, &set); err != nil {
			t.Fatal(err)
		}
		later(time.Second)
		accepted("after a rotation", token)
		next, _ := h.token(ada, 0)
		set.Rotate(true)
		if err := keys.Write(h.path, &set); err != nil {
			t.Fatal(err)
		}
		later(time.Second)
		h.refused("signed with a former key", "Bearer "+token, "not valid")
		h.refused("signed with the last former key", "Bearer "+next, "not valid")
	})
	for name, c := range map[string]struct{ aspect, value, back, says string }{
		"suspended": {model.AspectCorpUserStatus, `{"status":"SUSPENDED","lastModified":{"time":1,"actor":"urn:li:corpuser:bob"}}`, `{"status":"ACTIVE","lastModified":{"time":1,"actor":"urn:li:corpuser:bob"}}`, "ada is suspended"},
		"removed":   {model.AspectStatus, `{"removed":true}`, `{"removed":false}`, "ada is removed"},
	} {
		t.Run(name, func(*testing.T) {
			token, _ := h.token(ada, 0)
			accepted("before", token)
			h.put(ada.String(), c.aspect, c.value)
			later(time.Second)
			h.refused("while "+name, "Bearer "+token, c.says)
			h.put(ada.String(), c.aspect, c.back)
			later(time.Second)
			accepted("afterwards", token)
		})
	}
	t.Run("deleted user", func(*testing.T) {
		token, _ := h.token(ada, 0)
		if err := h.Removal.DeleteEntity(write.OwnWork(context.Background()), ada, []string{model.EntityCorpuser}, catalog.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		later(time.Second)
		h.refused("of a deleted user", "Bearer "+token, "")
	})
}

// TestTokensOfDeletedUser: the tokens of a deleted user do not hold when a user with the same name is
// made again. The tokens of other users do.
func TestTokensOfDeletedUser(t *testing.T) {
	h := newHouse(t)
	ada, bela := h.user("ada"), h.user("bela")
	h.OnDelete(model.EntityCorpuser, func(ctx context.Context, u model.URN, _ catalog.WriteOptions) error {
		defer h.gate.Forget()
		return h.made.RevokeOf(ctx, u)
	})
	var texts []string
	for range limits.MaxListItems + 2 { // more tokens than are looked at at once
		text, _ := h.token(ada, 0)
		texts = append(texts, text)
	}
	other, _ := h.token(bela, 0)
	if err := h.Removal.DeleteEntity(t.Context(), ada, []string{model.EntityCorpuser}, catalog.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	h.user("ada")
	for i, text := range texts {
		if c, err := h.caller("Bearer " + text); err == nil {
			t.Fatalf("token %d of the deleted user holds: %+v", i, c)
		}
	}
	if c, err := h.caller("Bearer " + other); err != nil || c.Actor != bela.String() {
		t.Errorf("the token of somebody else: %+v %v", c, err)
	}
}

// TestWhoMayDoWhatWithTokens checks the reference's rules, with its texts.
func TestWhoMayDoWhatWithTokens(t *testing.T) {
	h := newHouse(t)
	ada, bob := h.user("ada"), h.admin("bob")
	nobody, _ := model.ParseURN("urn:li:corpuser:nobody")
	robot, err := h.Edits.CreateServiceAccount(context.Background(), "Robot", "", catalog.WriteOptions{AwaitIndex: true})
	if err != nil {
		t.Fatal(err)
	}
	const standard = "Unauthorized to perform this action. Please contact your DataHub administrator."
	for name, c := range map[string]struct {
		by    context.Context
		kind  tokens.Type
		actor model.URN
		code  catalog.Code
		says  string
	}{
		"one's own":                         {as(ada, false), tokens.Personal, ada, "", ""},
		"of another":                        {as(ada, false), tokens.Personal, bob, catalog.Forbidden, standard},
		"of another, by an administrator":   {as(bob, true), tokens.Personal, ada, "", ""},
		"of a user who does not exist":      {as(bob, true), tokens.Personal, nobody, catalog.Invalid, "does not exist"},
		"of a service account":              {as(bob, true), tokens.ServiceAccount, robot, "", ""},
		"of a service account, by somebody": {as(ada, false), tokens.ServiceAccount, robot, catalog.Forbidden, standard},
		"of no service account":             {as(bob, true), tokens.ServiceAccount, ada, catalog.Invalid, "The specified URN is not a service account"},
	} {
		_, m, err := h.creds.MakeToken(c.by, access.TokenRequest{Type: c.kind, Actor: c.actor, Name: name, For: time.Hour}, catalog.WriteOptions{})
		if c.code == "" && (err != nil || m.Actor != c.actor.String()) || c.code != "" && (catalog.CodeOf(err) != c.code || !strings.Contains(catalog.MessageOf(err), c.says)) {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
	_, id := h.token(bob, 0)
	for name, c := range map[string]struct {
		by   context.Context
		id   string
		code catalog.Code
	}{
		"of another":                  {as(ada, false), id, catalog.Forbidden},
		"of nobody, by somebody":      {as(ada, false), "gone", catalog.Forbidden},
		"of nobody, by administrator": {as(bob, true), "gone", catalog.NotFound},
		"no id of a token":            {as(bob, true), "a,(b", catalog.Invalid},
	} {
		if err := h.creds.RevokeToken(c.by, c.id, catalog.WriteOptions{}); catalog.CodeOf(err) != c.code || err == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := h.creds.RevokeToken(as(bob, true), id, catalog.WriteOptions{}); err != nil {
		t.Error(err)
	}
	if err := h.creds.RevokeToken(as(bob, true), id, catalog.WriteOptions{}); catalog.CodeOf(err) != catalog.NotFound || catalog.MessageOf(err) != "Failed to revoke access token. Root cause: Access token no longer exists" {
		t.Error(err)
	}
	for owners, allowed := range map[string]bool{"": false, ada.String(): true, bob.String(): false, ada.String() + " " + bob.String(): false} {
		if err := h.creds.MayListTokens(as(ada, false), strings.Fields(owners)); (err == nil) != allowed {
			t.Errorf("tokens of %q: %v", owners, err)
		}
	}
	if err := h.creds.MayListTokens(as(bob, true), nil); err != nil {
		t.Error(err)
	}
}

// TestInTheNameOf states other actors than the caller.
func TestInTheNameOf(t *testing.T) {
	h := newHouse(t)
	ada, bob := h.user("ada"), h.admin("bob")
	byAda, _ := h.token(ada, 0)
	byBob, _ := h.token(bob, 0)
	const eve = "urn:li:corpuser:eve"
	for name, c := range map[string]struct {
		header, states string
		want           requestinfo.Caller
	}{
		"somebody":       {"Bearer " + byAda, eve, requestinfo.Caller{Actor: ada.String(), Stated: eve, Means: requestinfo.ByToken}},
		"oneself":        {"Bearer " + byAda, ada.String(), requestinfo.Caller{Actor: ada.String(), Means: requestinfo.ByToken}},
		"administrator":  {"Bearer " + byBob, eve, requestinfo.Caller{Actor: eve, Impersonator: bob.String(), Means: requestinfo.ByToken, Admin: true}},
		"system client":  {"Basic __datahub_system:" + h.ring.Current().System.Secret, eve, requestinfo.Caller{Actor: eve, Impersonator: "system", Means: requestinfo.BySystemSecret, Admin: true, Credential: "__datahub_system"}},
		"system, itself": {"Basic __datahub_system:" + h.ring.Current().System.Secret, "", requestinfo.Caller{Means: requestinfo.BySystemSecret, Admin: true, Credential: "__datahub_system"}},
	} {
		got, err := h.gate.Caller(context.Background(), access.Shown{Authorization: c.header, Actor: c.states})
		if c.want.Means == requestinfo.ByToken {
			got.Credential = ""
		}
		if err != nil || got.Caller != c.want {
			t.Errorf("%s: %+v, %v; wanted %+v", name, got.Caller, err, c.want)
		}
	}
}

// TestStoreIsDown: a server that cannot ask the store does not say that a token is wrong.
func TestStoreIsDown(t *testing.T) {
	h := newHouse(t)
	token, _ := h.token(h.user("ada"), 0)
	down := errors.New("down")
	gate := access.New(access.Options{Keys: h.ring, Tokens: h.made, Actors: access.NewActors(broken{down}), Now: func() time.Time { return h.now }})
	if _, err := gate.Caller(context.Background(), access.Shown{Authorization: "Bearer " + token}); !errors.Is(err, down) {
		t.Errorf("the error is %v", err)
	}
}

// broken is a store that cannot be asked.
type broken struct{ err error }

func (b broken) Stored(context.Context, []model.URN, catalog.StoredAspects) ([]catalog.StoredEntity, error) {
	return nil, b.err
}
