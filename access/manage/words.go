package manage

import (
	"fmt"
	"strings"

	"github.com/headwater-io/headwater/access/policies"
)

// sentence says an explanation in one sentence or two.
func sentence(e *Explanation, d *policies.Decision, denied string) string {
	may := " may not use "
	if e.Allowed {
		may = " may use "
	}
	said := nameOf(e.Actor) + may + e.Privilege
	if e.Resource != "" {
		said += " on " + e.Resource
	}
	switch {
	case denied != "":
		said += ": the user " + denied
	case d.Why.Kind == policies.AsSystem:
		said += ": this is the server itself"
	case e.Policy == nil:
		said += ": no policy grants it"
	case e.Allowed:
		said += fmt.Sprintf(": the policy %q grants %s %s", d.Name, d.Privilege, because(d.Why))
	default:
		said += fmt.Sprintf(": the policy %q denies %s %s", d.Name, d.Privilege, because(d.Why))
	}
	said += "."
	if !e.Allowed && e.Policy == nil && len(e.Near) > 0 {
		said += fmt.Sprintf(" The policy %q would grant it, but %s.", e.Near[0].Name, strings.Join(e.Near[0].Lacks, ", and "))
	}
	if !e.Enforced {
		said = "With authentication off everybody may do everything. With it: " + said
	}
	return said
}

// nameOf returns the name in the URN of a user, group or role.
func nameOf(urn string) string { return urn[strings.LastIndex(urn, ":")+1:] }

// because continues "the policy grants".
func because(why policies.Reason) string {
	switch why.Kind {
	case policies.AsUser:
		return "to the user " + nameOf(why.Name)
	case policies.AsGroup:
		return "to the group " + nameOf(why.Name)
	case policies.AsRole:
		return "to the role " + nameOf(why.Name)
	case policies.AsAnyGroup:
		return "to everybody who belongs to a group"
	case policies.AsOwner:
		if why.Name != "" {
			return "to owners of the entity, one of which is " + nameOf(why.Name)
		}
		return "to owners of the entity"
	case policies.AsSystem:
		return "to the server itself"
	}
	return "to everybody"
}

// fieldNames are the fields in the words of files of policies.
var fieldNames = map[policies.Field]string{
	policies.FieldType: "type", policies.FieldURN: "URN", policies.FieldOwner: "owner", policies.FieldDomain: "domain",
	policies.FieldGroup: "group", policies.FieldInstance: "platform instance", policies.FieldTag: "tag",
	policies.FieldContainer: "container", policies.FieldTerm: "term",
}

// shown is how many values of a list a sentence names.
const shown = 5

// lackOf says everything that a policy lacks.
func lackOf(n *policies.Near) string {
	var lacks []string
	for i := range n.Failed {
		lacks = append(lacks, lack(&n.Failed[i], true))
	}
	return strings.Join(lacks, ", and ")
}

// lack says what a policy lacks, as the end of a sentence about it. With tell, it names what the
// resource has, and whom else the policy concerns.
func lack(f *policies.Failure, tell bool) string {
	switch f.Kind {
	case policies.FailedState:
		return "it is not active"
	case policies.FailedEnd:
		return "it has ended"
	case policies.FailedResource:
		return "it is about entities, and the question names none"
	case policies.FailedConstraint:
		return "it is only about labels of which the " + condition(f)
	case policies.FailedActor:
		if tell && len(f.Values) > 0 {
			return "it is for " + several(f.Values)
		}
		return "it is not for this user"
	}
	said := "it is about entities of which the " + condition(f)
	if tell {
		if len(f.Has) == 0 {
			return said + " (this one has none)"
		}
		return said + " (this one has " + several(f.Has) + ")"
	}
	return said
}

// condition says what a criterion asks for.
func condition(f *policies.Failure) string {
	name := fieldNames[f.Field]
	if name == "" {
		return "field " + string(f.Field) + " is known, which it is not here"
	}
	switch f.Condition {
	case policies.StartsWith:
		return name + " begins with " + several(f.Values)
	case policies.NotEquals:
		return name + " is not " + several(f.Values)
	}
	return name + " is " + several(f.Values)
}

// several names a few values.
func several(values []string) string {
	if len(values) == 0 {
		return "nothing"
	}
	if len(values) <= shown {
		return strings.Join(values, " or ")
	}
	return fmt.Sprintf("%s or %d others", strings.Join(values[:shown], ", "), len(values)-shown)
}
