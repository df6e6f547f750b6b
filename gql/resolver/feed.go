package resolver

import (
	"cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// feedActor returns the actor whose feed or subscriptions an operation reads or changes: the
// actor that the argument names, or else the actor of the request.
func (a *arguments) feedActor(named *string) model.URN {
	text := cmp.Or(optional.Or(named, ""), a.session.Actor)
	if text == "" && a.err == nil {
		a.err = catalog.Errorf(catalog.Invalid, "the argument actor, or the header X-DataHub-Actor, is required")
	}
	return a.urn(text)
}
