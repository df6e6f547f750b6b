package policies

import (
	"slices"
	"strings"
	"time"

	"github.com/headwater-io/headwater/internal/jsontree"
)

// Type is the type of a policy.
type Type string

// The types. A policy of the type Platform ignores resources.
const (
	Metadata Type = "METADATA"
	Platform Type = "PLATFORM"
)

// State is the state of a policy. Only active policies have an effect.
type State string

// The states.
const (
	Active   State = "ACTIVE"
	Inactive State = "INACTIVE"
	Draft    State = "DRAFT"
)

// Effect says whether a policy allows or denies its privileges.
type Effect string

// The effects.
const (
	Allow Effect = "ALLOW"
	Deny  Effect = "DENY"
)

// Condition is how a criterion compares the values of a field with its own values.
type Condition string

// The conditions. NotEquals also holds for a field without values.
const (
	Equals     Condition = "EQUALS"
	StartsWith Condition = "STARTS_WITH"
	NotEquals  Condition = "NOT_EQUALS"
)

// Field is a fact of a resource that criteria ask for.
type Field string

// The fields. Domains, containers and terms include their ancestors; a domain is its own domain.
const (
	FieldType      Field = "TYPE"
	FieldURN       Field = "URN"
	FieldOwner     Field = "OWNER"
	FieldDomain    Field = "DOMAIN"
	FieldGroup     Field = "GROUP_MEMBERSHIP"
	FieldInstance  Field = "DATA_PLATFORM_INSTANCE"
	FieldTag       Field = "TAG"
	FieldContainer Field = "CONTAINER"
	FieldTerm      Field = "GLOSSARY"
)

var (
	types      = []string{string(Metadata), string(Platform)}
	states     = []string{string(Active), string(Inactive), string(Draft)}
	effects    = []string{string(Allow), string(Deny)}
	conditions = []string{string(Equals), string(StartsWith), string(NotEquals)}
	fields     = []string{
		string(FieldType), string(FieldURN), string(FieldOwner), string(FieldDomain), string(FieldGroup),
		string(FieldInstance), string(FieldTag), string(FieldContainer), string(FieldTerm),
	}
	// aliases are older names of fields.
	aliases = map[string]Field{"RESOURCE_TYPE": FieldType, "RESOURCE_URN": FieldURN}
)

// EveryPrivilege stands for all privileges, those of later releases included. Only policies that deny
// may name it: in a policy that allows, it grants nothing.
const EveryPrivilege = "*"

// Policy is a policy as it is stored.
type Policy struct {
	// ID is the key of the policy's URN. URN is the whole, "" for a policy that is not stored.
	ID, URN           string
	Name, Description string
	Type              Type
	State             State
	// Effect says whether the policy allows or denies; "" is Allow.
	Effect Effect
	// EndsAt is the moment from which the policy has no effect; zero for a policy without an end.
	EndsAt     time.Time
	Privileges []string
	Actors     Actors
	// Resources are the resources that a policy of the type Metadata is about; nil for all
	// resources, and for questions without a resource.
	Resources *Resources
	Editable  bool
	// LastUpdated is a time in milliseconds, 0 for an unknown one.
	LastUpdated int64
}

// Actors are the actors whom a policy concerns: everybody whom one of the members names.
type Actors struct {
	Users, Groups, Roles []string
	// Owners: whoever owns the resource, or belongs to a group that owns it.
	Owners bool
	// OwnerTypes narrows Owners to ownerships of these types, unless it is nil. An empty list that is not nil
	// matches nobody, as in the reference.
	OwnerTypes []string
	Everybody  bool
	// AnyGroup: whoever belongs to a group.
	AnyGroup bool
}

// Resources are the resources of a policy.
type Resources struct {
	// Type, URNs and All are the older form, which counts if Filter is nil.
	Type string
	URNs []string
	All  bool
	// Filter are conditions that must all hold. An empty list holds for every resource.
	Filter []Criterion
	// Constraints are conditions for the members that are added to the resource or removed from it, such as
	// tags; nil for none. A policy that allows asks that they hold for each sub-resource; a policy that
	// denies has an effect if they hold for one.
	Constraints []Criterion
}

// Criterion is a condition on one field.
type Criterion struct {
	// Field is the name of a field, in any case.
	Field     string
	Values    []string
	Condition Condition
	// properties is a member of the aspect that the engine does not know, kept for writing.
	properties []any
}

// field returns the field of a criterion, and false for an unknown name.
func (c Criterion) field() (Field, bool) {
	name := strings.ToUpper(c.Field)
	if f, ok := aliases[name]; ok {
		return f, true
	}
	return Field(name), slices.Contains(fields, name)
}

// Known returns the field of a criterion, and false if the field or the condition is unknown.
func (c Criterion) Known() (Field, bool) {
	field, known := c.field()
	return field, known && slices.Contains(conditions, string(c.Condition))
}

// Criteria returns the conditions of the resources, including the conditions in the older form. The list is
// not nil.
func (r *Resources) Criteria() []Criterion {
	if r.Filter != nil {
		return r.Filter
	}
	all := []Criterion{}
	if r.Type != "" {
		all = append(all, Criterion{Field: string(FieldType), Values: []string{r.Type}, Condition: Equals})
	}
	if r.URNs != nil && !r.All {
		all = append(all, Criterion{Field: string(FieldURN), Values: r.URNs, Condition: Equals})
	}
	return all
}

// denies reports whether the policy takes privileges away.
func (p *Policy) denies() bool { return p.Effect == Deny }

// Equal reports whether the stored forms of two policies are the same.
func Equal(a, b *Policy) bool {
	infoA, ruleA := a.Aspects()
	infoB, ruleB := b.Aspects()
	return jsontree.Equal(infoA, infoB) && jsontree.Equal(ruleA, ruleB)
}
