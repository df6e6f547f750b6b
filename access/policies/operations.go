package policies

import (
	"slices"

	"github.com/headwater-io/headwater/model"
)

// Operation is a kind of call, such as reading entities.
type Operation string

// The operations on entities.
const (
	Create  Operation = "CREATE"
	Read    Operation = "READ"
	Update  Operation = "UPDATE"
	Delete  Operation = "DELETE"
	Exists  Operation = "EXISTS"
	Execute Operation = "EXECUTE"
)

// The operations on lineage, relationships, time series, analytics and counts. Those that are missing
// are denied to everybody but the system.
const (
	CreateLineage Operation = "LINEAGE_CREATE"
	ReadLineage   Operation = "LINEAGE_READ"
	UpdateLineage Operation = "LINEAGE_UPDATE"
	DeleteLineage Operation = "LINEAGE_DELETE"
	ExistsLineage Operation = "LINEAGE_EXISTS"

	CreateRelationship Operation = "RELATIONSHIP_CREATE"
	ReadRelationship   Operation = "RELATIONSHIP_READ"
	UpdateRelationship Operation = "RELATIONSHIP_UPDATE"
	DeleteRelationship Operation = "RELATIONSHIP_DELETE"
	ExistsRelationship Operation = "RELATIONSHIP_EXISTS"

	CreateTimeseries Operation = "TIMESERIES_CREATE"
	ReadTimeseries   Operation = "TIMESERIES_READ"
	UpdateTimeseries Operation = "TIMESERIES_UPDATE"
	DeleteTimeseries Operation = "TIMESERIES_DELETE"
	ExistsTimeseries Operation = "TIMESERIES_EXISTS"

	ReadAnalytics   Operation = "ANALYTICS_READ"
	ExistsAnalytics Operation = "ANALYTICS_EXISTS"
	ReadCounts      Operation = "COUNTS_READ"
)

// Group returns the privileges for an operation on a type of entity; one of them suffices. It returns none
// for an operation that nobody may do. The caller must not change the slice.
func Group(operation Operation, entityType string) []string {
	if privileges, ok := ofType[entityType][operation]; ok {
		return privileges
	}
	return ofAny[operation]
}

// OwnTypes returns the types of entities that have privileges of their own for an operation, in no order.
func OwnTypes(operation Operation) []string {
	var types []string
	for entityType, groups := range ofType {
		if _, ok := groups[operation]; ok {
			types = append(types, entityType)
		}
	}
	return types
}

// Manages returns the two questions about a type of entity, updating and deleting; a caller who manages the
// type is allowed both.
func Manages(entityType string) (update, remove []string) {
	return Group(Update, entityType), Group(Delete, entityType)
}

// Operations returns all operations.
func Operations() []Operation {
	found := make([]Operation, 0, len(ofAny))
	for operation := range ofAny {
		found = append(found, operation)
	}
	slices.Sort(found)
	return found
}

type groups map[Operation][]string

var (
	read = []string{ViewEntityPage, GetEntity, "EDIT_ENTITY", "DELETE_ENTITY"}
	seen = []string{"EXISTS_ENTITY", "EDIT_ENTITY", "DELETE_ENTITY", ViewEntityPage, "SEARCH_PRIVILEGE"}

	editLineage = []string{"EDIT_ENTITY", "EDIT_LINEAGE"}
	readLineage = []string{ViewEntityPage, GetEntity, "EDIT_ENTITY", "EDIT_LINEAGE", "DELETE_ENTITY"}

	edit             = []string{"EDIT_ENTITY"}
	readRelationship = []string{ViewEntityPage, GetEntity, "EDIT_ENTITY"}
	readAnalytics    = []string{"VIEW_ANALYTICS", "GET_ANALYTICS_PRIVILEGE", "MANAGE_SYSTEM_OPERATIONS"}
)

// ofAny are the groups of types without groups of their own.
var ofAny = groups{
	Create: {"CREATE_ENTITY", "EDIT_ENTITY"}, Read: read, Update: edit, Delete: {"DELETE_ENTITY"}, Exists: seen,
	Execute: {"EXECUTE_ENTITY"},

	CreateLineage: editLineage, ReadLineage: readLineage, UpdateLineage: editLineage,
	DeleteLineage: {"EDIT_ENTITY", "DELETE_ENTITY", "EDIT_LINEAGE"},
	ExistsLineage: and(readLineage, "EXISTS_ENTITY", "SEARCH_PRIVILEGE"),

	CreateRelationship: edit, ReadRelationship: readRelationship, UpdateRelationship: edit,
	DeleteRelationship: {"EDIT_ENTITY", "DELETE_ENTITY"},
	ExistsRelationship: and(readRelationship, "DELETE_ENTITY", "EXISTS_ENTITY", "SEARCH_PRIVILEGE"),

	CreateTimeseries: edit, ReadTimeseries: {"GET_TIMESERIES_ASPECT_PRIVILEGE", "EDIT_ENTITY", "DELETE_ENTITY"},
	UpdateTimeseries: edit, DeleteTimeseries: {"DELETE_ENTITY"},
	ExistsTimeseries: and(seen, "GET_TIMESERIES_ASPECT_PRIVILEGE"),

	ReadAnalytics: readAnalytics, ExistsAnalytics: and(readAnalytics, "SEARCH_PRIVILEGE"),
	ReadCounts: {"GET_COUNTS_PRIVILEGE"},
}

// ofType are the groups of types that have their own.
var ofType = map[string]groups{
	// A caller who manages policies sees them, and the roles that they name, even if all other entities are
	// hidden.
	model.EntityDataHubPolicy: {
		Create: {"MANAGE_POLICIES"}, Read: with("MANAGE_POLICIES", read), Update: {"MANAGE_POLICIES"}, Delete: {"MANAGE_POLICIES"},
		Exists: with("MANAGE_POLICIES", seen),
	},
	model.EntityDataHubRole: {Read: with("MANAGE_POLICIES", read), Exists: with("MANAGE_POLICIES", seen)},
	model.EntityCorpuser: {
		Create: {"CREATE_USERS_AND_GROUPS", "MANAGE_USERS_AND_GROUPS", "CREATE_USERS", "UPDATE_USERS"},
		Update: {"UPDATE_USERS_AND_GROUPS", "MANAGE_USERS_AND_GROUPS", "UPDATE_USERS"},
		Delete: {"MANAGE_USERS_AND_GROUPS", "UPDATE_USERS"},
	},
	model.EntityCorpGroup: {
		Create: {"CREATE_USERS_AND_GROUPS", "MANAGE_USERS_AND_GROUPS", "CREATE_GROUPS", "UPDATE_GROUPS"},
		Update: {"UPDATE_USERS_AND_GROUPS", "MANAGE_USERS_AND_GROUPS", "UPDATE_GROUPS"},
		Delete: {"MANAGE_USERS_AND_GROUPS", "UPDATE_GROUPS"},
	},
	model.EntityDataHubIngestionSource: {
		Create: {"MANAGE_INGESTION"}, Update: {"MANAGE_INGESTION", "EDIT_ENTITY"},
		Delete: {"MANAGE_INGESTION", "DELETE_ENTITY"}, Execute: {"MANAGE_INGESTION", "EXECUTE_ENTITY"},
	},
	model.EntityDataHubSecret: {
		Create: {"MANAGE_SECRETS"}, Read: {"MANAGE_SECRETS"}, Update: {"MANAGE_SECRETS"}, Delete: {"MANAGE_SECRETS"},
	},
	model.EntityGlobalSettings: {
		Create: {"MANAGE_GLOBAL_SETTINGS"}, Update: {"MANAGE_GLOBAL_SETTINGS"}, Delete: {"MANAGE_GLOBAL_SETTINGS"},
		Read: with("MANAGE_GLOBAL_SETTINGS", read), Exists: with("MANAGE_GLOBAL_SETTINGS", seen),
	},
	model.EntityDataHubAccessToken: {
		Create: {"MANAGE_ACCESS_TOKENS", "CREATE_ENTITY", "EDIT_ENTITY"}, Read: with("MANAGE_ACCESS_TOKENS", read),
		Update: {"MANAGE_ACCESS_TOKENS", "EDIT_ENTITY"}, Delete: {"MANAGE_ACCESS_TOKENS", "DELETE_ENTITY"},
		Exists: with("MANAGE_ACCESS_TOKENS", seen),
	},
	model.EntityStructuredProperty: {
		Create: {"MANAGE_STRUCTURED_PROPERTIES"}, Read: {"MANAGE_STRUCTURED_PROPERTIES", ViewEntityPage},
		Update: {"MANAGE_STRUCTURED_PROPERTIES", "EDIT_ENTITY"}, Delete: {"MANAGE_STRUCTURED_PROPERTIES", "DELETE_ENTITY"},
	},
}

func with(privilege string, group []string) []string { return append([]string{privilege}, group...) }
