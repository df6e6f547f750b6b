package oidc

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/internal/nearest"
)

const environmentPrefix = "AUTH_OIDC_"

// ignoredVariables are settings of the reference that have no meaning here: PKCE and nonces are
// always on, the code flow is the only one, and time-outs are fixed.
var ignoredVariables = []string{
	"ACCESS_DENIED_MESSAGE", "ACCESS_DENIED_REDIRECT_URL", "ACR_VALUES", "CONNECT_TIMEOUT", "CUSTOM_PARAM_RESOURCE",
	"DISABLE_PKCE", "EXTRACT_JWT_ACCESS_TOKEN_CLAIMS", "GRANT_TYPE", "HTTP_RETRY_ATTEMPTS", "HTTP_RETRY_DELAY",
	"PREFERRED_JWS_ALGORITHM", "READ_TIMEOUT", "RESPONSE_MODE", "RESPONSE_TYPE", "USE_NONCE",
}

// FromEnvironment reads the reference's variables AUTH_OIDC_* as one provider with the name oidc. The
// argument has the form of os.Environ. Without AUTH_OIDC_ENABLED=true there is no provider.
func FromEnvironment(environ []string) (Settings, error) {
	set, errs := map[string]string{}, error(nil)
	for _, line := range environ {
		name, value, _ := strings.Cut(line, "=")
		if short, ours := strings.CutPrefix(name, environmentPrefix); ours && value != "" {
			set[short] = value
		}
	}
	read := map[string]bool{}
	text := func(name, otherwise string) string {
		read[name] = true
		if value := set[name]; value != "" {
			return value
		}
		return otherwise
	}
	flag := func(name string, otherwise bool) bool {
		value, err := strconv.ParseBool(text(name, strconv.FormatBool(otherwise)))
		if err != nil && errs == nil {
			errs = fmt.Errorf("%s%s must be true or false", environmentPrefix, name)
		}
		return value
	}
	enabled := flag("ENABLED", false)
	p := ProviderSettings{
		Name: "oidc", Title: "single sign-on",
		ClientID: text("CLIENT_ID", ""), ClientSecret: Secret(text("CLIENT_SECRET", "")),
		UserNameClaim: text("USER_NAME_CLAIM", ""), UserNameRegex: text("USER_NAME_CLAIM_REGEX", ""),
		Scopes: strings.Fields(text("SCOPE", "")), RequiredGroups: commaList(text("REQUIRED_GROUPS", "")),
		ClientAuthentication: strings.TrimPrefix(text("CLIENT_AUTHENTICATION_METHOD", ""), "client_secret_"),
		Provisioning:         Create,
	}
	// The reference also has users who may sign in and are neither made nor known. They are refused
	// here, as with PRE_PROVISIONING_REQUIRED.
	flag("PRE_PROVISIONING_REQUIRED", false)
	if create := flag("JIT_PROVISIONING_ENABLED", true); !create {
		p.Provisioning = Known
	}
	extract, claim := flag("EXTRACT_GROUPS_ENABLED", false), text("GROUPS_CLAIM", "groups")
	if extract || len(p.RequiredGroups) > 0 {
		p.GroupsClaim, p.GroupsOnlyChecked = claim, !extract
	}
	s := Settings{BaseURL: text("BASE_URL", "")}
	discovery := text("DISCOVERY_URI", "")
	for short := range set {
		switch {
		case slices.Contains(ignoredVariables, short):
			s.Ignored = append(s.Ignored, environmentPrefix+short)
		case !read[short]:
			names := append([]string{}, ignoredVariables...)
			for name := range read {
				names = append(names, name)
			}
			slices.Sort(names)
			errs = cmp.Or(errs, fmt.Errorf("there is no setting %s%s%s", environmentPrefix, short, nearest.Among(short, names, "settings")))
		}
	}
	slices.Sort(s.Ignored)
	if errs != nil || !enabled {
		return Settings{}, errs
	}
	issuer, ok := strings.CutSuffix(discovery, discoveryPath)
	if !ok {
		return Settings{}, fmt.Errorf("%sDISCOVERY_URI must end with %s", environmentPrefix, discoveryPath)
	}
	p.Issuer = issuer
	s.Providers = []ProviderSettings{p}
	if err := s.complete(func(string) string { return "" }); err != nil {
		return Settings{}, fmt.Errorf("the variables %s*: %w", environmentPrefix, err)
	}
	return s, nil
}
