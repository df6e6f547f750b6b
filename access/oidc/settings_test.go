package oidc_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/headwater-io/headwater/access/oidc"
)

var shown = cmp.Options{cmpopts.IgnoreUnexported(oidc.ProviderSettings{}), cmpopts.EquateEmpty()}

// TestReadFile: a file with all members, and one with few of them, as YAML and as JSON.
func TestReadFile(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("from a file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := readSettings(t, `
baseUrl: https://catalog.example.com/
providers:
  - name: keycloak
    title: Example Corp
    issuer: http://keycloak:8080/realms/example
    allowHttp: true
    clientId: headwater
    clientSecretFile: `+secret+`
    clientAuthentication: post
    scopes: [openid, email]
    userNameClaim: preferred_username
    userNameRegex: "[^@]+"
    allowUnverifiedEmail: true
    emailDomains: [example.com]
    groupsClaim: groups
    groupsOnlyChecked: true
    requiredGroups: [staff]
    admins: [stewards]
    provisioning: known
    bearer:
      audiences: [headwater-api]
      userIdClaim: client_id
  - {"name": "google", "issuer": "https://accounts.google.com", "clientId": "x", "clientSecretEnv": "OIDC_SECRET", "bearer": {"audiences": ["y"]}}
`)
	if err != nil {
		t.Fatal(err)
	}
	want := oidc.Settings{BaseURL: "https://catalog.example.com", Providers: []oidc.ProviderSettings{
		{
			Name: "keycloak", Title: "Example Corp", Issuer: "http://keycloak:8080/realms/example", AllowHTTP: true, ClientID: "headwater", ClientSecret: "from a file", ClientSecretFile: secret,
			ClientAuthentication: "post", Scopes: []string{"openid", "email"}, UserNameClaim: "preferred_username", UserNameRegex: "[^@]+", AllowUnverifiedEmail: true, EmailDomains: []string{"example.com"},
			GroupsClaim: "groups", GroupsOnlyChecked: true, RequiredGroups: []string{"staff"}, Admins: []string{"stewards"}, Provisioning: oidc.Known, Bearer: &oidc.BearerSettings{Audiences: []string{"headwater-api"}, UserIDClaim: "client_id"},
		},
		{
			Name: "google", Title: "google", Issuer: "https://accounts.google.com", ClientID: "x", ClientSecret: "from the environment", ClientSecretEnv: "OIDC_SECRET", Scopes: []string{"openid", "profile", "email"},
			UserNameClaim: "email", Provisioning: oidc.Create, Bearer: &oidc.BearerSettings{Audiences: []string{"y"}, UserIDClaim: "sub"},
		},
	}}
	if diff := cmp.Diff(want, got, shown); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	for _, form := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		if text := fmt.Sprintf(form, got); strings.Contains(text, "from a file") || strings.Contains(text, "from the environment") {
			t.Errorf("%s shows a secret", form)
		}
	}
}

// TestBadFiles: files that are refused, with a part of the error.
func TestBadFiles(t *testing.T) {
	provider := func(more string) string {
		return "providers:\n  - {name: corp, issuer: 'https://corp.example.com', clientId: x, " + more + "}\n"
	}
	for name, test := range map[string]struct{ text, says string }{
		"empty":                   {"", "empty"},
		"no providers":            {"baseUrl: https://catalog.example.com", "providers is missing"},
		"a text":                  {"just text", "wrong form"},
		"a list":                  {"- name: corp", "wrong form"},
		"providers is a text":     {"providers: corp", "wrong form"},
		"no YAML":                 {"providers: [", "yaml"},
		"unknown member":          {"provider: []", "line 1: there is no setting provider (did you mean providers?)"},
		"unknown member deeper":   {provider("clientID: y"), "providers[0].clientID (did you mean clientId"},
		"unknown member deepest":  {provider("bearer: {audience: [x]}"), "providers[0].bearer.audience (did you mean audiences?)"},
		"a member twice":          {"baseUrl: https://a.example.com\nbaseUrl: https://b.example.com\nproviders: []", "already defined"},
		"a secret that is a list": {provider("clientSecret: {s3cret: s3cret}"), "cannot unmarshal"},
		"a flag that is a text":   {provider("allowHttp: s3cret"), "cannot unmarshal"},
		"no name":                 {"providers: [{issuer: 'https://corp.example.com', clientId: x}]", "name must be"},
		"a name with a slash":     {"providers: [{name: a/b, issuer: 'https://corp.example.com', clientId: x}]", "name must be"},
		"a name twice":            {"providers: [{name: a, issuer: 'https://x.example.com', clientId: x}, {name: a, issuer: 'https://y.example.com', clientId: x}]", "two providers"},
		"no issuer":               {"providers: [{name: corp, clientId: x}]", "issuer: the address is missing"},
		"issuer without TLS":      {"providers: [{name: corp, issuer: 'http://corp.example.com', clientId: x}]", "must begin with https://"},
		"issuer with a query":     {"providers: [{name: corp, issuer: 'https://corp.example.com?x=1', clientId: x}]", "no address"},
		"issuer with a user":      {"providers: [{name: corp, issuer: 'https://u:p@corp.example.com', clientId: x}]", "no address"},
		"no client":               {"providers: [{name: corp, issuer: 'https://corp.example.com'}]", "clientId is missing"},
		"two secrets":             {provider("clientSecret: s3cret, clientSecretEnv: OIDC_SECRET"), "exclude each other"},
		"secret of no variable":   {provider("clientSecretEnv: NO_SUCH"), "NO_SUCH is not set"},
		"secret of no file":       {provider("clientSecretFile: /no/such/file"), "no such file"},
		"secret of an empty file": {provider("clientSecretFile: /dev/null"), "is empty"},
		"provisioning":            {provider("provisioning: creat"), "did you mean create?"},
		"client authentication":   {provider("clientAuthentication: jwt"), "basic, post"},
		"scopes":                  {provider("scopes: [email]"), "must have openid"},
		"expression":              {provider("userNameRegex: '('"), "userNameRegex"},
		"groups without a claim":  {provider("requiredGroups: [x]"), "need groupsClaim"},
		"admins without a claim":  {provider("admins: [x]"), "need groupsClaim"},
		"a group without a name":  {provider("groupsClaim: groups, admins: ['']"), "empty items"},
		"bearer without audience": {provider("bearer: {userIdClaim: sub}"), "audiences"},
		"base address":            {"baseUrl: catalog\nproviders: [{name: a, issuer: 'https://x.example.com', clientId: x}]", "baseUrl"},
		"two of one issuer": {
			"providers: [{name: a, issuer: 'https://x.example.com', clientId: x, bearer: {audiences: [a]}}, {name: b, issuer: 'https://x.example.com/', clientId: x, bearer: {audiences: [b]}}]",
			"two providers with bearer",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readSettings(t, test.text)
			if err == nil || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "s3cret") {
				t.Errorf("%v, want …%s…", err, test.says)
			}
		})
	}
	if _, err := oidc.ReadFile("/no/such/file", os.Getenv); err == nil {
		t.Error("a file that does not exist was read")
	}
}

// TestFromEnvironment: the reference's variables.
func TestFromEnvironment(t *testing.T) {
	base := []string{"PATH=/bin", "AUTH_OIDC_ENABLED=true", "AUTH_OIDC_CLIENT_ID=headwater", "AUTH_OIDC_CLIENT_SECRET=s3=cret", "AUTH_OIDC_DISCOVERY_URI=https://corp.example.com/x/.well-known/openid-configuration"}
	usual := oidc.ProviderSettings{
		Name: "oidc", Title: "single sign-on", Issuer: "https://corp.example.com/x", ClientID: "headwater", ClientSecret: "s3=cret", Scopes: []string{"openid", "profile", "email"},
		UserNameClaim: "email", Provisioning: oidc.Create,
	}
	for _, test := range []struct {
		name   string
		more   []string
		change func(*oidc.Settings)
		says   string
	}{
		{name: "usual", change: func(*oidc.Settings) {}},
		{
			name: "all", more: []string{
				"AUTH_OIDC_BASE_URL=http://localhost:9002", "AUTH_OIDC_USER_NAME_CLAIM=upn", "AUTH_OIDC_USER_NAME_CLAIM_REGEX=([^@]+)", "AUTH_OIDC_SCOPE=openid  groups", "AUTH_OIDC_JIT_PROVISIONING_ENABLED=false",
				"AUTH_OIDC_PRE_PROVISIONING_REQUIRED=true", "AUTH_OIDC_EXTRACT_GROUPS_ENABLED=true", "AUTH_OIDC_GROUPS_CLAIM=roles", "AUTH_OIDC_REQUIRED_GROUPS=a, b", "AUTH_OIDC_CLIENT_AUTHENTICATION_METHOD=client_secret_post", "AUTH_OIDC_READ_TIMEOUT=5000", "AUTH_OIDC_ACR_VALUES=",
			},
			change: func(s *oidc.Settings) {
				s.BaseURL, s.Ignored = "http://localhost:9002", []string{"AUTH_OIDC_READ_TIMEOUT"}
				p := &s.Providers[0]
				p.UserNameClaim, p.UserNameRegex, p.Scopes, p.Provisioning = "upn", "([^@]+)", []string{"openid", "groups"}, oidc.Known
				p.GroupsClaim, p.RequiredGroups, p.ClientAuthentication = "roles", []string{"a", "b"}, "post"
			},
		},
		{name: "groups are only checked", more: []string{"AUTH_OIDC_REQUIRED_GROUPS=a"}, change: func(s *oidc.Settings) {
			p := &s.Providers[0]
			p.GroupsClaim, p.GroupsOnlyChecked, p.RequiredGroups = "groups", true, []string{"a"}
		}},
		{name: "off", more: []string{"AUTH_OIDC_ENABLED=false"}, change: func(s *oidc.Settings) { *s = oidc.Settings{} }},
		{name: "unknown", more: []string{"AUTH_OIDC_CLIENTID=x"}, says: "AUTH_OIDC_CLIENTID (did you mean CLIENT_ID"},
		{name: "no flag", more: []string{"AUTH_OIDC_ENABLED=yes"}, says: "AUTH_OIDC_ENABLED must be true or false"},
		{name: "no document", more: []string{"AUTH_OIDC_DISCOVERY_URI=https://corp.example.com/x"}, says: "DISCOVERY_URI must end"},
		{name: "no client", more: []string{"AUTH_OIDC_CLIENT_ID=-", "AUTH_OIDC_USER_NAME_CLAIM_REGEX=("}, says: "userNameRegex"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := oidc.FromEnvironment(slices.Concat(base, test.more))
			if test.says != "" {
				if err == nil || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "cret") {
					t.Errorf("%v", err)
				}
				return
			}
			want := oidc.Settings{Providers: []oidc.ProviderSettings{usual}}
			test.change(&want)
			if diff := cmp.Diff(want, got, shown); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
	if got, err := oidc.FromEnvironment([]string{"HOME=/root"}); err != nil || len(got.Providers) != 0 {
		t.Errorf("%v: %v", err, got)
	}
}

// TestDocumentedProviders: the file that docs/sign-in.md shows is accepted, and its table has a row for
// each setting.
func TestDocumentedProviders(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "sign-in.md"))
	if err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	examples, admins := 0, 0
	for _, rest := range strings.Split(string(page), "```yaml\n")[1:] {
		text, _, _ := strings.Cut(rest, "```")
		if !strings.Contains(text, "providers:\n") {
			continue
		}
		s, err := readSettings(t, strings.ReplaceAll(text, "/run/secrets/headwater-oidc", secret))
		if err != nil || len(s.Providers) != 1 {
			t.Fatalf("%v: %v\n%s", err, s, text)
		}
		examples, admins = examples+1, admins+len(s.Providers[0].Admins)
	}
	if examples < 2 || admins == 0 {
		t.Errorf("%d examples name %d administrators", examples, admins)
	}
	for field := range reflect.TypeFor[oidc.ProviderSettings]().Fields() {
		if name := field.Tag.Get("yaml"); name != "" && !strings.Contains(string(page), "`"+name) {
			t.Errorf("docs/sign-in.md does not explain %s", name)
		}
	}
}
