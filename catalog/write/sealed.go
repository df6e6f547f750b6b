package write

import (
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/sealed"
	"github.com/headwater-io/headwater/internal/variables"
	"github.com/headwater-io/headwater/model"
)

// checkSealed refuses a secret in clear text: it would be stored, sent to followers and exported as it is. The
// error does not show the secret.
func checkSealed(value *model.Value) error {
	switch value.Aspect.Name {
	case model.AspectDataHubSecretValue:
		if !sealed.Is(jsontree.Text(value.Tree, "value")) {
			return catalog.Errorf(catalog.Validation, "the value of a secret must be encrypted by a server of this kind; write a secret with createSecret or updateSecret (GraphQL)")
		}
	case model.AspectGlobalSettingsInfo:
		const member = "clientSecret"
		of := jsontree.Member(jsontree.Member(value.Tree, "sso"), "oidcSettings")
		if secret := jsontree.Text(of, member); secret != "" && !sealed.Is(secret) && !isVariable(secret) {
			return catalog.Errorf(catalog.Validation, "sso.oidcSettings.%s must not be a secret in clear text; store it with createSecret (GraphQL), and name it here as ${NAME}", member)
		}
	}
	return nil
}

// isVariable reports whether a text is only the name of a secret, as ${NAME}.
func isVariable(text string) bool {
	named := variables.Braced(text)
	return len(named) == 1 && text == "${"+named[0].Name+"}"
}
