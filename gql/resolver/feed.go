package resolver

import (
	"cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/gql/object"
	"github.com/headwater-io/headwater/model"
)

// feedActor is whose feed or subscriptions are meant: those of the actor who is named or
// else of the one who asks.
func (a *arguments) feedActor(named *string) model.URN {
	text := cmp.Or(object.Or(named, ""), a.session.Actor)
	if text == "" && a.err == nil {
		a.err = catalog.Errorf(catalog.Invalid, "the argument actor, or the header X-DataHub-Actor, is required")
	}
	return a.urn(text)
}
