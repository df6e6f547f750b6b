package catalog

import "github.com/headwater-io/headwater/model"

// systemActorName is the user who is recorded for anonymous writes.
const systemActorName = "__datahub_system"

// SystemActor is the URN of the actor of anonymous writes in a dialect.
func SystemActor(d model.Dialect) string {
	return "urn:" + d.Namespace + ":corpuser:" + systemActorName
}
