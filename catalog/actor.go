package catalog

import (
	"strings"

	"github.com/headwater-io/headwater/model"
)

// AdminRole is the key of the role whose members are administrators, which is the reference's.
const AdminRole = "Admin"

// ServiceAccountPrefix begins the names of service accounts, which are the reference's.
const ServiceAccountPrefix = "service_"

// IsReservedName reports whether no person can have a user name, because it belongs to the server
// itself, a machine or a service account.
func IsReservedName(name string) bool {
	return strings.HasPrefix(name, "__") || strings.HasPrefix(name, ServiceAccountPrefix) || strings.EqualFold(name, "UNKNOWN")
}

// systemActorName is the user who is recorded for anonymous writes.
const systemActorName = "__datahub_system"

// SystemActor is the URN of the actor of anonymous writes in a dialect.
func SystemActor(d model.Dialect) string {
	return "urn:" + d.Namespace + ":corpuser:" + systemActorName
}
