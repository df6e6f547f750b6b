package permit

import (
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/model"
)

// guarded lists the aspects that give or take access. One of the privileges of the platform is needed to
// write them.
var guarded = map[string][]string{
	model.AspectRoleMembership:        {"MANAGE_POLICIES"},
	model.AspectDataHubRoleInfo:       {"MANAGE_POLICIES"},
	model.AspectDataHubPolicyInfo:     {"MANAGE_POLICIES"},
	model.AspectHeadwaterPolicyRule:   {"MANAGE_POLICIES"},
	model.AspectCorpUserStatus:        {"MANAGE_USERS_AND_GROUPS"},
	model.AspectCorpUserCredentials:   {"MANAGE_USER_CREDENTIALS"},
	model.AspectGroupMembership:       {"MANAGE_USERS_AND_GROUPS"},
	model.AspectNativeGroupMembership: {"MANAGE_USERS_AND_GROUPS"},
}

// guardedTypes lists the types of entities that give access, here or elsewhere.
var guardedTypes = map[string][]string{
	model.EntityDataHubPolicy:      {"MANAGE_POLICIES"},
	model.EntityDataHubRole:        {"MANAGE_POLICIES"},
	model.EntityDataHubAccessToken: {"MANAGE_ACCESS_TOKENS"},
	model.EntityInviteToken:        {"MANAGE_USER_CREDENTIALS"},
	model.EntityDataHubSecret:      {"MANAGE_SECRETS"},
}

// imports is the privilege of the platform that permits imports.
const imports = "MANAGE_SYSTEM_OPERATIONS"

// owned are the aspects of a user that the user may edit.
var owned = []string{model.AspectCorpUserEditableInfo, model.AspectCorpUserSettings}

// kinds has the privileges that permit each kind of write, besides those of the operation.
type kinds map[write.WantKind][]string

// manage returns the privileges of a type with a privilege of the platform that permits everything.
func manage(privilege string, creates ...string) kinds {
	return kinds{write.Creates: append(creates, privilege), write.Changes: {privilege}, write.Deletes: {privilege}}
}

// ofTypes are the privileges of the platform that permit writes of some types of entities.
var ofTypes = map[string]kinds{
	model.EntityTag:               manage("MANAGE_TAGS", "CREATE_TAGS"),
	model.EntityDomain:            manage("MANAGE_DOMAINS", "CREATE_DOMAINS"),
	model.EntityGlossaryTerm:      manage("MANAGE_GLOSSARIES"),
	model.EntityGlossaryNode:      manage("MANAGE_GLOSSARIES"),
	model.EntityBusinessAttribute: manage("MANAGE_BUSINESS_ATTRIBUTE", "CREATE_BUSINESS_ATTRIBUTE"),
	model.EntityForm:              manage("MANAGE_DOCUMENTATION_FORMS"),
	model.EntityOwnershipType:     manage("MANAGE_GLOBAL_OWNERSHIP_TYPES"),
	model.EntityTest:              manage("MANAGE_TESTS"),
	model.EntityPost: {
		write.Creates: {"CREATE_GLOBAL_ANNOUNCEMENTS", "MANAGE_GLOBAL_ANNOUNCEMENTS"}, write.Deletes: {"MANAGE_GLOBAL_ANNOUNCEMENTS"},
		write.Changes: {"CREATE_GLOBAL_ANNOUNCEMENTS", "MANAGE_GLOBAL_ANNOUNCEMENTS"},
	},
	model.EntityDocument:                manage("MANAGE_DOCUMENTS"),
	model.EntityDataHubConnection:       manage("MANAGE_CONNECTIONS"),
	model.EntityDataHubPageTemplate:     manage("MANAGE_HOME_PAGE_TEMPLATES"),
	model.EntityDataHubPageModule:       manage("MANAGE_HOME_PAGE_TEMPLATES"),
	model.EntityDataHubExecutionRequest: manage("MANAGE_INGESTION"),
	model.EntityAnnouncedChange:         manage("ANNOUNCE_CHANGES"),
}

// ofEdits are the privileges that permit edits of some aspects. Edits that say which privileges they
// need are not looked up here.
var ofEdits = map[string][]string{
	model.AspectGlobalTags:           {"EDIT_ENTITY_TAGS"},
	model.AspectGlossaryTerms:        {"EDIT_ENTITY_GLOSSARY_TERMS"},
	model.AspectOwnership:            {"EDIT_ENTITY_OWNERS"},
	model.AspectInstitutionalMemory:  {"EDIT_ENTITY_DOC_LINKS"},
	model.AspectDomains:              {"EDIT_DOMAINS_PRIVILEGE"},
	model.AspectDeprecation:          {"EDIT_DEPRECATION_PRIVILEGE"},
	model.AspectStatus:               {"EDIT_ENTITY_STATUS", "DELETE_ENTITY"},
	model.AspectEmbed:                {"EDIT_ENTITY_EMBED"},
	model.AspectStructuredProperties: {"EDIT_ENTITY_PROPERTIES", "MANAGE_STRUCTURED_PROPERTIES"},
	model.AspectForms:                {"EDIT_ENTITY_PROPERTIES", "MANAGE_DOCUMENTATION_FORMS"},
	model.AspectApplications:         {"EDIT_ENTITY_APPLICATIONS_PRIVILEGE"},
	model.AspectBusinessAttributes:   {"EDIT_DATASET_COL_BUSINESS_ATTRIBUTE_PRIVILEGE"},
	model.AspectUpstreamLineage:      {"EDIT_LINEAGE"},
	model.AspectDataJobInputOutput:   {"EDIT_LINEAGE"},
	model.AspectDerivedLineage:       {"EDIT_LINEAGE"},
}
