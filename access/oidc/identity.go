package oidc

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	gooidc "github.com/coreos/go-oidc/v3/oidc"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
)

// Identity is a person or a machine, as a provider describes it.
type Identity struct {
	Provider, Issuer, Subject              string
	UserName, Email                        string
	FullName, FirstName, LastName, Picture string
	// Groups are the names of the groups. It is nil if the provider does not send groups, and empty if the
	// user has none.
	Groups []string
	// Admin: one of the user's groups is a group of administrators. DecidesAdmin: the settings name such
	// groups, so that the provider decides who is an administrator.
	Admin, DecidesAdmin bool
	// Create: a user who does not exist is made.
	Create bool
	// IDToken is the hint for the sign-out.
	IDToken string
}

// identity returns the claims that people and machines have.
func (p *provider) identity(token *gooidc.IDToken, claims map[string]any) Identity {
	text := func(name string) string {
		value, _ := claims[name].(string)
		return value
	}
	return Identity{
		Provider: p.Name, Issuer: token.Issuer, Subject: token.Subject, Email: text("email"), FullName: text("name"),
		FirstName: text("given_name"), LastName: text("family_name"), Picture: text("picture"), Create: p.Provisioning == Create,
	}
}

// person returns the person who has signed in, or the error that refuses them.
func (p *provider) person(token *gooidc.IDToken, claims map[string]any, raw string) (Identity, error) {
	who := p.identity(token, claims)
	who.IDToken = raw
	refused := func(format string, args ...any) (Identity, error) {
		return Identity{}, catalog.Errorf(catalog.Forbidden, "the identity provider "+p.Name+" "+format, args...)
	}
	unverified := isFalse(claims["email_verified"])
	// Otherwise, anybody who can enter any address at the provider could become the user with that address
	// here.
	if unverified && !p.AllowUnverifiedEmail && (p.UserNameClaim == "email" || len(p.EmailDomains) > 0) {
		return refused("has not verified the address of this account")
	}
	if len(p.EmailDomains) > 0 {
		domain := who.Email[strings.LastIndexByte(who.Email, '@')+1:]
		if !slices.ContainsFunc(p.EmailDomains, func(d string) bool { return strings.EqualFold(d, domain) }) {
			return refused("has an account whose address is of a domain that may not sign in")
		}
	}
	name, _ := find(claims, p.UserNameClaim).(string)
	if name == "" {
		return refused("does not tell the claim %s, which is the user name", p.UserNameClaim)
	}
	if p.userName != nil {
		name = p.userName.FindString(name)
	}
	if !usable(name) {
		return refused("has an account whose claim %s has no user name", p.UserNameClaim)
	}
	who.UserName = name
	groups, err := p.groupsOf(claims)
	if err != nil {
		return Identity{}, err
	}
	in := func(wanted []string) bool {
		return slices.ContainsFunc(wanted, func(g string) bool { return slices.Contains(groups, g) })
	}
	if len(p.RequiredGroups) > 0 && !in(p.RequiredGroups) {
		if groups == nil {
			return refused("does not tell the groups of this account, one of which is required; an account with very many groups needs a filter at the provider")
		}
		return refused("has an account that is in none of the groups that may sign in")
	}
	who.Admin, who.DecidesAdmin = in(p.Admins), len(p.Admins) > 0
	if !p.GroupsOnlyChecked {
		who.Groups = groups
	}
	return who, nil
}

// usable reports whether a text can be the name of a user.
func usable(name string) bool {
	return name != "" && len(name) <= limits.MaxURNBytes/2 && strings.TrimSpace(name) == name && !strings.ContainsFunc(name, unicode.IsControl)
}

// groupsOf returns the groups in the claims that the settings name; nil if there is no such claim.
// Microsoft leaves the claim out of the token of an account with very many groups.
func (p *provider) groupsOf(claims map[string]any) ([]string, error) {
	var groups []string
	for _, name := range commaList(p.GroupsClaim) {
		claim := find(claims, name)
		if claim == nil {
			continue
		}
		if groups == nil {
			groups = []string{}
		}
		for _, group := range listed(claim) {
			if group = strings.TrimSpace(group); group != "" && !slices.Contains(groups, group) {
				groups = append(groups, group)
			}
			if len(groups) > limits.MaxProviderGroups {
				return nil, catalog.Errorf(catalog.Forbidden, "the identity provider %s names more than %d groups of this account", p.Name, limits.MaxProviderGroups)
			}
		}
	}
	return groups, nil
}

// listed reads a list of groups: a list, the JSON text of a list, or a text with commas.
func listed(claim any) []string {
	switch value := claim.(type) {
	case []any:
		var texts []string
		for _, item := range value {
			if text, ok := item.(string); ok {
				texts = append(texts, text)
			}
		}
		return texts
	case string:
		var items []any
		if strings.HasPrefix(strings.TrimSpace(value), "[") && json.Unmarshal([]byte(value), &items) == nil {
			return listed(items)
		}
		return commaList(value)
	}
	return nil
}

// find returns a claim by its name, or by its path: realm_access.roles. It returns nil for none.
func find(claims map[string]any, name string) any {
	if value := claims[name]; value != nil {
		return value
	}
	first, rest, nested := strings.Cut(name, ".")
	inner, ok := claims[first].(map[string]any)
	if !nested || !ok {
		return nil
	}
	return find(inner, rest)
}

// isFalse reports whether a claim is false. Some providers send it as text.
func isFalse(claim any) bool {
	text, _ := claim.(string)
	return claim == false || strings.EqualFold(text, "false")
}
