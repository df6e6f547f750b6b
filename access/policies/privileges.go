package policies

import "github.com/headwater-io/headwater/model"

// Privilege is a right that an actor may be granted.
type Privilege struct {
	Name        string
	DisplayName string
	Description string
}

// Privileges that the program itself names.
const (
	ViewEntityPage = "VIEW_ENTITY_PAGE"
	GetEntity      = "GET_ENTITY_PRIVILEGE"
)

// PlatformPrivileges returns the privileges that are about no resource, in the reference's order.
func PlatformPrivileges() []Privilege { return platformPrivileges }

// ResourcePrivileges returns the privileges of a type of entity, in the reference's order; none for a type
// without privileges of its own.
func ResourcePrivileges(entityType string) []Privilege {
	for _, t := range resourceTypes {
		if t.entityType == entityType {
			return describe(t.privileges)
		}
	}
	return nil
}

// ResourceType is a type of entity that policies may be about.
type ResourceType struct {
	// EntityType is the name of the type in the model, "all" for the union of all types.
	EntityType  string
	DisplayName string
	Privileges  []Privilege
}

// EveryResource is the EntityType of the resource type that is the union of all others.
const EveryResource = "all"

// ResourceTypes returns the types of entities with privileges of their own, in the reference's order,
// and the union of them at last.
func ResourceTypes() []ResourceType {
	found := make([]ResourceType, 0, len(resourceTypes)+1)
	var union []string
	for _, t := range resourceTypes {
		found = append(found, ResourceType{t.entityType, t.displayName, describe(t.privileges)})
		union = append(union, t.privileges...)
	}
	return append(found, ResourceType{EveryResource, "Everything", describe(distinct(union))})
}

// Names returns the names of all known privileges.
func Names() []string { return privilegeNames }

// DescriptionOf returns a privilege by its name, and false for an unknown one.
func DescriptionOf(name string) (Privilege, bool) {
	p, ok := byName[name]
	return p, ok
}

func describe(names []string) []Privilege {
	found := make([]Privilege, len(names))
	for i, name := range names {
		found[i] = byName[name]
	}
	return found
}

var (
	byName         = map[string]Privilege{}
	privilegeNames []string
)

func init() {
	for _, table := range [][]Privilege{platformPrivileges, entityPrivileges, callPrivileges} {
		for _, p := range table {
			if _, known := byName[p.Name]; !known {
				byName[p.Name] = p
				privilegeNames = append(privilegeNames, p.Name)
			}
		}
	}
}

// common are the privileges of most types.
var common = []string{
	ViewEntityPage, "EDIT_ENTITY_TAGS", "EDIT_ENTITY_GLOSSARY_TERMS", "EDIT_ENTITY_OWNERS", "EDIT_ENTITY_DOCS",
	"EDIT_ENTITY_DOC_LINKS", "EDIT_ENTITY_STATUS", "EDIT_DOMAINS_PRIVILEGE", "EDIT_ENTITY_DATA_PRODUCTS",
	"EDIT_DEPRECATION_PRIVILEGE", "EDIT_ENTITY", "DELETE_ENTITY", "EDIT_ENTITY_APPLICATIONS_PRIVILEGE",
	"EDIT_ENTITY_PROPERTIES", "EDIT_ENTITY_INCIDENTS", "CREATE_ENTITY", "EXISTS_ENTITY", "MANAGE_ASSET_SUMMARY",
}

// data are the privileges on the data itself, which catalogs of tables ask for.
var data = []string{
	"DATA_READ_ONLY", "DATA_READ_WRITE", "DATA_MANAGE_NAMESPACES", "DATA_MANAGE_TABLES", "DATA_MANAGE_VIEWS", "DATA_LIST_ENTITIES",
}

func and(privileges []string, more ...string) []string {
	return append(append([]string{}, privileges...), more...)
}

// term are the privileges of a glossary term.
var term = []string{
	ViewEntityPage, "EDIT_ENTITY_OWNERS", "EDIT_ENTITY_DOCS", "EDIT_ENTITY_DOC_LINKS", "EDIT_DEPRECATION_PRIVILEGE",
	"EDIT_ENTITY", "EDIT_ENTITY_PROPERTIES", "CREATE_ENTITY", "EXISTS_ENTITY",
}

// application are the privileges of an application. A data product has all of them except one.
var application = []string{
	ViewEntityPage, "EDIT_ENTITY_OWNERS", "EDIT_ENTITY_DOCS", "EDIT_ENTITY_DOC_LINKS", "EDIT_ENTITY", "DELETE_ENTITY",
	"EDIT_ENTITY_TAGS", "EDIT_ENTITY_GLOSSARY_TERMS", "EDIT_DOMAINS_PRIVILEGE", "EDIT_ENTITY_PROPERTIES", "EXISTS_ENTITY",
}

var resourceTypes = []struct {
	entityType, displayName string
	privileges              []string
}{
	{model.EntityDataset, "Datasets", and(
		common, "VIEW_DATASET_USAGE", "VIEW_DATASET_PROFILE", "VIEW_DATASET_OPERATIONS", "EDIT_DATASET_COL_DESCRIPTION",
		"EDIT_DATASET_COL_TAGS", "EDIT_DATASET_COL_GLOSSARY_TERMS", "EDIT_ENTITY_ASSERTIONS", "EDIT_LINEAGE", "EDIT_ENTITY_EMBED",
		"EDIT_ENTITY_QUERIES", "DATA_READ_ONLY", "DATA_READ_WRITE", "EDIT_DATASET_COL_BUSINESS_ATTRIBUTE_PRIVILEGE",
	)},
	{model.EntityDashboard, "Dashboards", and(common, "EDIT_LINEAGE", "EDIT_ENTITY_EMBED")},
	{model.EntityChart, "Charts", and(common, "EDIT_LINEAGE", "EDIT_ENTITY_EMBED")},
	{model.EntityDataFlow, "Data pipelines", common},
	{model.EntityDataJob, "Data tasks", and(common, "EDIT_LINEAGE")},
	{model.EntityTag, "Tags", []string{
		ViewEntityPage, "EDIT_ENTITY_OWNERS", "EDIT_TAG_COLOR", "EDIT_ENTITY_DOCS", "EDIT_ENTITY", "DELETE_ENTITY", "CREATE_ENTITY", "EXISTS_ENTITY",
	}},
	{model.EntityContainer, "Containers", and(common, "DATA_MANAGE_NAMESPACES", "DATA_MANAGE_TABLES", "DATA_MANAGE_VIEWS", "DATA_LIST_ENTITIES")},
	{model.EntityDomain, "Domains", []string{
		ViewEntityPage, "EDIT_ENTITY_OWNERS", "EDIT_ENTITY_DOCS", "EDIT_ENTITY_DOC_LINKS", "EDIT_ENTITY", "MANAGE_DATA_PRODUCTS",
		"DELETE_ENTITY", "EDIT_ENTITY_PROPERTIES", "CREATE_ENTITY", "EXISTS_ENTITY",
	}},
	{model.EntityGlossaryTerm, "Glossary terms", term},
	{model.EntityGlossaryNode, "Glossary term groups", and(term, "MANAGE_GLOSSARY_CHILDREN", "MANAGE_ALL_GLOSSARY_CHILDREN")},
	{model.EntityDocument, "Documents", []string{
		ViewEntityPage, "EDIT_ENTITY_OWNERS", "EDIT_ENTITY_DOCS", "EDIT_ENTITY_DOC_LINKS", "EDIT_ENTITY", "CREATE_ENTITY", "EXISTS_ENTITY",
		"EDIT_DOMAINS_PRIVILEGE", "EDIT_ENTITY_PROPERTIES", "EDIT_ENTITY_TAGS", "EDIT_ENTITY_GLOSSARY_TERMS", "DELETE_ENTITY", "MANAGE_DOCUMENTS",
	}},
	{model.EntityCorpGroup, "Groups", []string{
		ViewEntityPage, "EDIT_ENTITY_OWNERS", "EDIT_GROUP_MEMBERS", "EDIT_CONTACT_INFO", "EDIT_ENTITY_DOCS", "EDIT_ENTITY",
		"EDIT_ENTITY_PROPERTIES", "CREATE_ENTITY", "EXISTS_ENTITY",
	}},
	{model.EntityCorpuser, "Users", []string{
		ViewEntityPage, "EDIT_CONTACT_INFO", "EDIT_USER_PROFILE", "EDIT_ENTITY", "EDIT_ENTITY_PROPERTIES", "CREATE_ENTITY", "EXISTS_ENTITY",
	}},
	{model.EntityNotebook, "Notebooks", common},
	{model.EntityDataProduct, "Data products", and(application, "CREATE_ENTITY")},
	{model.EntityApplication, "Applications", application},
	{model.EntityDataProcessInstance, "Runs of data tasks", common},
	{model.EntityErModelRelationship, "Relationships of tables", common},
	{model.EntityVersionSet, "Version sets", common},
	{model.EntityBusinessAttribute, "Business attributes", []string{
		ViewEntityPage, "EDIT_ENTITY_OWNERS", "EDIT_ENTITY_DOCS", "EDIT_ENTITY_TAGS", "EDIT_ENTITY_GLOSSARY_TERMS",
	}},
	{model.EntityStructuredProperty, "Structured properties", []string{"CREATE_ENTITY", ViewEntityPage, "EXISTS_ENTITY", "EDIT_ENTITY", "DELETE_ENTITY"}},
	{model.EntityDataHubIngestionSource, "Ingestion sources", []string{"DELETE_ENTITY", "EDIT_ENTITY", "EXECUTE_ENTITY"}},
	{model.EntityDataHubView, "Views", []string{ViewEntityPage, "EXISTS_ENTITY"}},
	{model.EntityDataPlatformInstance, "Platform instances", data},
}
