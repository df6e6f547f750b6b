package audit

import (
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
)

// Kind is the kind of a deed.
type Kind string

// The kinds.
const (
	// SignIn and SignOut tell of sessions that began and ended; SignInRefused of a sign-in that
	// failed; SessionEnded of a session that was ended from another one.
	SignIn        Kind = "signIn"
	SignInRefused Kind = "signInRefused"
	SignOut       Kind = "signOut"
	SessionEnded  Kind = "sessionEnded"
	// Refused tells of a request that was answered with 401 or 403.
	Refused      Kind = "refused"
	TokenMade    Kind = "tokenMade"
	TokenRevoked Kind = "tokenRevoked"
	// InviteMade and ResetMade tell of links that let people in, or set a new password.
	InviteMade Kind = "inviteMade"
	ResetMade  Kind = "resetMade"
	// UserMade, UserChanged, UserSuspended and UserRemoved are about people and service accounts. A
	// UserChanged is also noted when a suspended user is let in again.
	UserMade      Kind = "userMade"
	UserChanged   Kind = "userChanged"
	UserSuspended Kind = "userSuspended"
	UserRemoved   Kind = "userRemoved"
	PasswordSet   Kind = "passwordSet"
	GroupChanged  Kind = "groupChanged"
	RoleSet       Kind = "roleSet"
	PolicyMade    Kind = "policyMade"
	PolicyChanged Kind = "policyChanged"
	PolicyDeleted Kind = "policyDeleted"
	// KeysChanged: a key of the server was made or replaced.
	KeysChanged Kind = "keysChanged"
	// SecretChanged: a secret or a connection of the catalog was made, changed, encrypted again or deleted. SecretRead:
	// values of secrets or connections were read. The entries of both contain only their names.
	SecretChanged Kind = "secretChanged"
	SecretRead    Kind = "secretRead"
	// Write: metadata was written. Delete: entities, or parts of them, were deleted.
	Write    Kind = "write"
	Delete   Kind = "delete"
	Rollback Kind = "rollback"
	Export   Kind = "export"
	Backup   Kind = "backup"
	Import   Kind = "import"
	// Settings: the behaviour of the server was changed: its webhooks, followers or search index.
	Settings Kind = "settings"
	// Lost: entries were lost because the store did not take them. The entry has their number.
	Lost Kind = "lost"
)

// Kinds lists all kinds.
func Kinds() []Kind {
	return []Kind{
		SignIn, SignInRefused, SignOut, SessionEnded, Refused, TokenMade, TokenRevoked, InviteMade, ResetMade,
		UserMade, UserChanged, UserSuspended, UserRemoved, PasswordSet, GroupChanged, RoleSet, PolicyMade, PolicyChanged, PolicyDeleted,
		KeysChanged, SecretChanged, SecretRead, Write, Delete, Rollback, Export, Backup, Import, Settings, Lost,
	}
}

// ordinary are the kinds whose entries are collected and written together. Entries of the other
// kinds tell of security. They are stored before the request is answered.
var ordinary = []Kind{Write, Delete, Rollback, Export, Backup, Import, Settings, Lost}

// stored reports whether an entry must be stored before the request is answered. Refusals are not,
// because anybody can cause them at any rate.
func (e *Entry) stored() bool { return e.Allowed && !slices.Contains(ordinary, e.Kind) }

// ParseKinds checks the names of kinds.
func ParseKinds(names []string) ([]Kind, error) {
	if err := catalog.CheckLists("kinds", names); err != nil {
		return nil, err
	}
	kinds := make([]Kind, len(names))
	for i, name := range names {
		if kinds[i] = Kind(name); !slices.Contains(Kinds(), kinds[i]) {
			return nil, catalog.Errorf(catalog.Invalid, "kind %s is unknown; the kinds are %s", name, kindNames())
		}
	}
	return kinds, nil
}

func kindNames() string {
	names := make([]string, 0, len(Kinds()))
	for _, k := range Kinds() {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}

// mutations are the kinds of GraphQL mutations whose kind does not follow from their names.
var mutations = map[string]Kind{
	"createAccessToken": TokenMade, "revokeAccessToken": TokenRevoked,
	"createInviteToken": InviteMade, "createNativeUserResetToken": ResetMade,
	"acceptInvite": RoleSet, "acceptRole": RoleSet, "batchAssignRole": RoleSet,
	"createServiceAccount": UserMade, "deleteServiceAccount": UserRemoved, "updateServiceAccountDefaultView": UserChanged,
	"removeUser": UserRemoved, "updateUserStatus": UserSuspended, "updateCorpUserProperties": UserChanged,
	"createGroup": GroupChanged, "removeGroup": GroupChanged, "addGroupMembers": GroupChanged, "removeGroupMembers": GroupChanged,
	"createPolicy": PolicyMade, "updatePolicy": PolicyChanged, "deletePolicy": PolicyDeleted,
	"rollbackRun": Rollback, "rollbackIngestion": Rollback,
	"updateGlobalViewsSettings": Settings, "updateDocPropagationSettings": Settings, "updateApplicationsSettings": Settings,
	"createSecret": SecretChanged, "updateSecret": SecretChanged, "deleteSecret": SecretChanged, "upsertConnection": SecretChanged,
}

// ConnectionValue is the GraphQL field of a connection's value in clear text, with its type.
const ConnectionValue = "DataHubJsonConnection.blob"

// queries are the kinds of GraphQL queries, and of fields with their types, that are noted although they change nothing.
var queries = map[string]Kind{"getSecretValues": SecretRead, ConnectionValue: SecretRead}

// KindOfQuery returns the kind of a GraphQL query, and false for queries that are not noted.
func KindOfQuery(name string) (Kind, bool) {
	kind, noted := queries[name]
	return kind, noted
}

// KindOfMutation returns the kind of a GraphQL mutation.
func KindOfMutation(name string) Kind {
	if kind, ok := mutations[name]; ok {
		return kind
	}
	if strings.HasPrefix(name, "delete") || strings.HasPrefix(name, "batchDelete") {
		return Delete
	}
	return Write
}
