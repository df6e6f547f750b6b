package oidc

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/nearest"
)

// Settings are the identity providers of a server.
type Settings struct {
	// BaseURL is the address of our own pages as browsers see it, or "".
	BaseURL   string             `yaml:"baseUrl"`
	Providers []ProviderSettings `yaml:"providers"`
	// Ignored lists the AUTH_OIDC_* variables of the reference that have no meaning here.
	Ignored []string `yaml:"-"`
}

// ProviderSettings has the settings of one provider.
type ProviderSettings struct {
	// Name is the id of the provider in addresses, Title the text of its button.
	Name   string `yaml:"name"`
	Title  string `yaml:"title"`
	Issuer string `yaml:"issuer"`
	// AllowHTTP accepts an issuer without TLS on another machine.
	AllowHTTP bool   `yaml:"allowHttp"`
	ClientID  string `yaml:"clientId"`
	// The secret is a text, the content of a file, or an environment variable. A client without
	// a secret is a public client.
	ClientSecret     Secret `yaml:"clientSecret"`
	ClientSecretFile string `yaml:"clientSecretFile"`
	ClientSecretEnv  string `yaml:"clientSecretEnv"`
	// ClientAuthentication is basic or post; by default the provider's discovery document decides.
	ClientAuthentication string   `yaml:"clientAuthentication"`
	Scopes               []string `yaml:"scopes"`
	UserNameClaim        string   `yaml:"userNameClaim"`
	// UserNameRegex selects the part of the claim that is the user name: its first match.
	UserNameRegex string `yaml:"userNameRegex"`
	// AllowUnverifiedEmail accepts user names from addresses that the provider calls unverified.
	AllowUnverifiedEmail bool `yaml:"allowUnverifiedEmail"`
	// EmailDomains, if there are any, are the only domains of addresses that may sign in.
	EmailDomains []string `yaml:"emailDomains"`
	// GroupsClaim names the claims with groups, separated by commas. GroupsOnlyChecked keeps the
	// groups out of the identity: they are only compared with RequiredGroups and Admins.
	GroupsClaim       string   `yaml:"groupsClaim"`
	GroupsOnlyChecked bool     `yaml:"groupsOnlyChecked"`
	RequiredGroups    []string `yaml:"requiredGroups"`
	Admins            []string `yaml:"admins"`
	// Provisioning is create (a user is made on the first sign-in) or known (the user must exist).
	Provisioning string          `yaml:"provisioning"`
	Bearer       *BearerSettings `yaml:"bearer"`

	userName *regexp.Regexp
}

// BearerSettings says which tokens of a provider machines may send.
type BearerSettings struct {
	Audiences   []string `yaml:"audiences"`
	UserIDClaim string   `yaml:"userIdClaim"`
}

// Secret is a text that no log and no error shows.
type Secret string

func (Secret) String() string   { return "(secret)" }
func (Secret) GoString() string { return "(secret)" }

// The values of Provisioning.
const (
	Create = "create"
	Known  = "known"
)

var nameOfProvider = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// complete fills in defaults, reads secrets, and refuses settings that contradict each other.
func (s *Settings) complete(getenv func(string) string) error {
	if s.BaseURL != "" {
		if err := checkAddress(s.BaseURL, true); err != nil {
			return fmt.Errorf("baseUrl: %w", err)
		}
		s.BaseURL = strings.TrimSuffix(s.BaseURL, "/")
	}
	names, issuers := map[string]bool{}, map[string]bool{}
	for i := range s.Providers {
		p := &s.Providers[i]
		if err := p.complete(getenv); err != nil {
			return fmt.Errorf("provider %d (%q): %w", i+1, p.Name, err)
		}
		if names[p.Name] {
			return fmt.Errorf("two providers have the name %q", p.Name)
		}
		names[p.Name] = true
		if p.Bearer == nil {
			continue
		}
		if issuer := withoutSlash(p.Issuer); issuers[issuer] {
			return fmt.Errorf("two providers with bearer have the issuer %q", p.Issuer)
		} else {
			issuers[issuer] = true
		}
	}
	return nil
}

func (p *ProviderSettings) complete(getenv func(string) string) error {
	if !nameOfProvider.MatchString(p.Name) {
		return errors.New("name must be 1 to 32 lower-case letters, digits and hyphens")
	}
	setDefault(&p.Title, p.Name)
	setDefault(&p.UserNameClaim, "email")
	setDefault(&p.Provisioning, Create)
	if err := checkAddress(p.Issuer, p.AllowHTTP); err != nil {
		return fmt.Errorf("issuer: %w", err)
	}
	if p.ClientID == "" {
		return errors.New("clientId is missing")
	}
	if err := oneOf("provisioning", p.Provisioning, Create, Known); err != nil {
		return err
	}
	if p.ClientAuthentication != "" {
		if err := oneOf("clientAuthentication", p.ClientAuthentication, "basic", "post"); err != nil {
			return err
		}
	}
	if len(p.Scopes) == 0 {
		p.Scopes = []string{"openid", "profile", "email"}
	}
	if !slices.Contains(p.Scopes, "openid") {
		return errors.New("scopes must have openid")
	}
	if (len(p.RequiredGroups) > 0 || len(p.Admins) > 0) && len(commaList(p.GroupsClaim)) == 0 {
		return errors.New("requiredGroups and admins need groupsClaim")
	}
	if slices.Contains(p.RequiredGroups, "") || slices.Contains(p.Admins, "") || slices.Contains(p.EmailDomains, "") {
		return errors.New("requiredGroups, admins and emailDomains must not have empty items")
	}
	if p.UserNameRegex != "" {
		compiled, err := regexp.Compile(p.UserNameRegex)
		if err != nil {
			return fmt.Errorf("userNameRegex: %w", err)
		}
		p.userName = compiled
	}
	if b := p.Bearer; b != nil {
		setDefault(&b.UserIDClaim, "sub")
		if len(b.Audiences) == 0 || slices.Contains(b.Audiences, "") {
			return errors.New("bearer.audiences must name the audiences of the tokens that are accepted")
		}
	}
	return p.readSecret(getenv)
}

func (p *ProviderSettings) readSecret(getenv func(string) string) error {
	given := 0
	for _, form := range []string{string(p.ClientSecret), p.ClientSecretFile, p.ClientSecretEnv} {
		if form != "" {
			given++
		}
	}
	switch {
	case given > 1:
		return errors.New("clientSecret, clientSecretFile and clientSecretEnv exclude each other")
	case p.ClientSecretFile != "":
		text, err := os.ReadFile(p.ClientSecretFile)
		if err != nil {
			return fmt.Errorf("clientSecretFile: %w", err)
		}
		if p.ClientSecret = Secret(strings.TrimSpace(string(text))); p.ClientSecret == "" {
			return fmt.Errorf("clientSecretFile: %s is empty", p.ClientSecretFile)
		}
	case p.ClientSecretEnv != "":
		if p.ClientSecret = Secret(getenv(p.ClientSecretEnv)); p.ClientSecret == "" {
			return fmt.Errorf("clientSecretEnv: the environment variable %s is not set", p.ClientSecretEnv)
		}
	}
	return nil
}

// checkAddress accepts only addresses of servers: https, or http of this machine.
func checkAddress(text string, allowHTTP bool) error {
	u, err := url.Parse(text)
	switch {
	case text == "":
		return errors.New("the address is missing")
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("%q is no address https://HOST/PATH", text)
	case u.Scheme == "https", u.Scheme == "http" && (allowHTTP || isLoopback(u.Hostname())):
		return nil
	}
	return fmt.Errorf("%q must begin with https:// (allowHttp: true accepts http on another machine)", text)
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func oneOf(name, value string, may ...string) error {
	if slices.Contains(may, value) {
		return nil
	}
	return fmt.Errorf("%s is %q, and must be one of %s%s", name, value, strings.Join(may, ", "), nearest.Question(nearest.Names(value, slices.Values(may))))
}

func setDefault(value *string, to string) {
	if *value == "" {
		*value = to
	}
}

// commaList splits a text at commas, and leaves out empty parts.
func commaList(text string) []string {
	var parts []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// withoutSlash makes issuers comparable that differ only in a slash at the end.
func withoutSlash(issuer string) string { return strings.TrimSuffix(issuer, "/") }
