package access

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/model"
)

// protected are the aspects by which people gain or lose access. While authentication is on, only
// administrators write them.
var protected = map[string]bool{
	model.AspectRoleMembership: true, model.AspectCorpUserStatus: true, model.AspectCorpUserCredentials: true,
	model.AspectDataHubRoleInfo: true, model.AspectDataHubPolicyInfo: true, model.AspectHeadwaterPolicyRule: true,
}

// protectedTypes are the entities by which people have access.
var protectedTypes = map[string]bool{model.EntityDataHubAccessToken: true, model.EntityInviteToken: true}

// Protect refuses a caller who is known and not an administrator, and who writes what gives access. It
// is a [write.Protect] of the catalog.
func Protect(ctx context.Context, u model.URN, aspect string) error {
	if requestinfo.CallerOf(ctx).Manages() || !protected[aspect] && !protectedTypes[u.EntityType()] {
		return nil
	}
	return catalog.Errorf(catalog.Forbidden, "only administrators may write %s of %s", aspect, u)
}
