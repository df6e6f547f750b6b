package write

import (
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/sealed"
	"github.com/headwater-io/headwater/model"
)

// checkSealed refuses a secret that is not encrypted in the form of this server: it would be stored, sent to
// followers and exported in clear text. The error does not show the secret.
func checkSealed(value *model.Value) error {
	if value.Aspect.Name != model.AspectDataHubSecretValue || sealed.Is(jsontree.Text(value.Tree, "value")) {
		return nil
	}
	return catalog.Errorf(catalog.Validation, "the value of a secret must be encrypted by a server of this kind; write a secret with createSecret or updateSecret (GraphQL)")
}
