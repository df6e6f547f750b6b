package policies

import (
	"strings"

	"github.com/headwater-io/headwater/model"
)

// Wildcard is the URN of a sub-resource that stands for any, and that passes every constraint.
const Wildcard = "*"

// Actor is the person or program that a question is about.
type Actor struct {
	// URN is the URN of a user or service account, "" for a caller without a name.
	URN string
	// Groups are the groups of the actor, from either aspect that names them.
	Groups []string
	// Roles are the actor's own roles, GroupRoles the roles of the actor's groups.
	Roles, GroupRoles []string
	// System: the actor is the server itself, which may do everything.
	System bool
}

// Resource is the entity that a question is about, with its facts. A question about a type of entity has a
// resource without a URN. A caller needs to fill in only the facts that [Rights.Needs] names.
type Resource struct {
	Type, URN string
	Owners    []Owner
	// Domains, Containers and Terms include their ancestors. The domains of a domain are its
	// ancestors; the domain itself counts without being named.
	Domains, Containers, Tags, Terms []string
	// Instance is the platform instance, "" for none.
	Instance string
	// Groups are the groups of a user.
	Groups []string
	// SubResources are the members that are added to the resource or removed from it, such as tags and terms.
	SubResources []Resource
}

// Owner is an owner of a resource, with the type of the ownership, "" for none.
type Owner struct{ URN, TypeURN string }

// values returns the values of a field that is a list.
func (r *Resource) values(f Field) []string {
	switch f {
	case FieldDomain:
		return r.Domains
	case FieldContainer:
		return r.Containers
	case FieldTag:
		return r.Tags
	case FieldTerm:
		return r.Terms
	case FieldGroup:
		return r.Groups
	}
	return nil
}

// isDomain reports whether the resource is a domain, and so its own domain.
func (r *Resource) isDomain() bool { return r.Type == model.EntityDomain && r.URN != "" }

// allValues returns the values of a field, for explanations.
func (r *Resource) allValues(f Field) []string {
	one := func(value string) []string {
		if value == "" {
			return nil
		}
		return []string{value}
	}
	switch f {
	case FieldType:
		return one(r.Type)
	case FieldURN:
		return one(r.URN)
	case FieldInstance:
		return one(r.Instance)
	case FieldOwner:
		var urns []string
		for _, o := range r.Owners {
			urns = append(urns, o.URN)
		}
		return urns
	case FieldDomain:
		if r.isDomain() {
			return append(one(r.URN), r.Domains...)
		}
	}
	return r.values(f)
}

// Subject returns the entity that decisions about a URN are about. For a column, it returns the dataset.
func Subject(urn string) string {
	for isColumn(urn) {
		u := model.StoredURN(urn)
		parts := u.Parts()
		if len(parts) == 0 || parts[0] == urn {
			return urn
		}
		urn = parts[0]
	}
	return urn
}

// isColumn is fast, because most URNs are not URNs of columns.
func isColumn(urn string) bool {
	const begin, column = "urn:", ":" + model.EntitySchemaField + ":("
	if !strings.HasPrefix(urn, begin) {
		return false
	}
	end := strings.IndexByte(urn[len(begin):], ':')
	return end >= 0 && strings.HasPrefix(urn[len(begin)+end:], column)
}
