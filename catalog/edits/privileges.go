package edits

import (
	"context"

	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/model"
)

// The privileges of edits that do not follow from the aspect which they change. The reference has
// their names.
const (
	describe        = permission.PrivilegeDescribe
	describeColumns = permission.PrivilegeDescribeColumns
	tagColumns      = permission.PrivilegeTagColumns
	termColumns     = permission.PrivilegeTermColumns
	colourTags      = "EDIT_TAG_COLOR"
	editUsers       = "EDIT_USER_PROFILE"
	editGroups      = "EDIT_CONTACT_INFO"
	editMembers     = "EDIT_GROUP_MEMBERS"
	editLineage     = "EDIT_LINEAGE"
	editQueries     = "EDIT_ENTITY_QUERIES"
	editIncidents   = "EDIT_ENTITY_INCIDENTS"
	editContracts   = "EDIT_ENTITY_DATA_CONTRACT"
	editOperations  = "EDIT_ENTITY_OPERATIONS"
	editProducts    = "EDIT_ENTITY_DATA_PRODUCTS"
	assignForms     = "MANAGE_DOCUMENTATION_FORMS"
	manageViews     = "MANAGE_GLOBAL_VIEWS"
	manageUsers     = "MANAGE_USERS_AND_GROUPS"
	// editEntity permits every edit of an entity.
	editEntity = "EDIT_ENTITY"
)

// judged fails with Forbidden unless the caller has one of some privileges for each entity, and returns
// the context in which the writes that follow from the operation are not judged again. The text done
// continues the sentence "You may not".
func judged(ctx context.Context, done string, urns []model.URN, privileges ...string) (context.Context, error) {
	if err := permission.RequireFor(ctx, done, questionsAbout(urns, privileges...)...); err != nil {
		return ctx, err
	}
	return permission.Decided(ctx), nil
}

func questionsAbout(urns []model.URN, privileges ...string) []permission.Question {
	questions := make([]permission.Question, len(urns))
	for i, u := range urns {
		questions[i] = permission.About(u, privileges...)
	}
	return questions
}
