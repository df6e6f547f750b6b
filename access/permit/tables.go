package permit

import (
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/model"
)

// kinds are the privileges that suffice for each kind of write, besides those of the operation.
type kinds map[write.WantKind][]string

// manage returns the privileges of types with a privilege of the platform that permits everything.
func manage(privilege string, creates ...string) kinds {
	return kinds{write.Creates: append(creates, privilege), write.Changes: {privilege}, write.Deletes: {privilege}}
}

// ofTypes are the privileges of the platform that permit writes of some types of entities.
var ofTypes = map[string]kinds{
	model.EntityTag:                     manage("MANAGE_TAGS", "CREATE_TAGS"),
	model.EntityDomain:                  manage("MANAGE_DOMAINS", "CREATE_DOMAINS"),
	model.EntityGlossaryTerm:            manage("MANAGE_GLOSSARIES"),
	model.EntityGlossaryNode:            manage("MANAGE_GLOSSARIES"),
	model.EntityBusinessAttribute:       manage("MANAGE_BUSINESS_ATTRIBUTE", "CREATE_BUSINESS_ATTRIBUTE"),
	model.EntityForm:                    manage("MANAGE_DOCUMENTATION_FORMS"),
	model.EntityOwnershipType:           manage("MANAGE_GLOBAL_OWNERSHIP_TYPES"),
	model.EntityTest:                    manage("MANAGE_TESTS"),
	model.EntityPost:                    manage("MANAGE_GLOBAL_ANNOUNCEMENTS", "CREATE_GLOBAL_ANNOUNCEMENTS"),
	model.EntityDocument:                manage("MANAGE_DOCUMENTS"),
	model.EntityDataHubConnection:       manage("MANAGE_CONNECTIONS"),
	model.EntityDataHubPageTemplate:     manage("MANAGE_HOME_PAGE_TEMPLATES"),
	model.EntityDataHubPageModule:       manage("MANAGE_HOME_PAGE_TEMPLATES"),
	model.EntityDataHubExecutionRequest: manage("MANAGE_INGESTION"),
	model.EntityDataHubView:             manage("MANAGE_GLOBAL_VIEWS"),
}

// ofEdits are the privileges that permit edits of some aspects.
var ofEdits = map[string][]string{
	model.AspectGlobalTags:                {"EDIT_ENTITY_TAGS"},
	model.AspectGlossaryTerms:             {"EDIT_ENTITY_GLOSSARY_TERMS"},
	model.AspectOwnership:                 {"EDIT_ENTITY_OWNERS"},
	model.AspectInstitutionalMemory:       {"EDIT_ENTITY_DOC_LINKS"},
	model.AspectDomains:                   {"EDIT_DOMAINS_PRIVILEGE"},
	model.AspectDeprecation:               {"EDIT_DEPRECATION_PRIVILEGE"},
	model.AspectStatus:                    {"EDIT_ENTITY_STATUS", "DELETE_ENTITY"},
	model.AspectEmbed:                     {"EDIT_ENTITY_EMBED"},
	model.AspectStructuredProperties:      {"EDIT_ENTITY_PROPERTIES"},
	model.AspectForms:                     {"EDIT_ENTITY_PROPERTIES"},
	model.AspectApplications:              {"EDIT_ENTITY_APPLICATIONS_PRIVILEGE"},
	model.AspectBusinessAttributes:        {"EDIT_DATASET_COL_BUSINESS_ATTRIBUTE_PRIVILEGE"},
	model.AspectUpstreamLineage:           {"EDIT_LINEAGE"},
	model.AspectDataJobInputOutput:        {"EDIT_LINEAGE"},
	model.AspectEditableDatasetProperties: {"EDIT_ENTITY_DOCS"},
}
