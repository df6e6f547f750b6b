package manage

import (
	"strings"

	"github.com/headwater-io/headwater/access/policies"
)

// sentence puts an explanation into words.
func sentence(e *Explanation, d *policies.Decision, denied string) string {
	said := nameOf(e.Actor) + " may not use " + e.Privilege
	if e.Allowed {
		said = nameOf(e.Actor) + " may use " + e.Privilege
	}
	if e.Resource != "" {
		said += " on " + e.Resource
	}
	if denied != "" {
		said += ". The user " + denied + "."
	} else {
		said += ". " + d.String()
	}
	if !e.Allowed && e.Policy == nil && len(e.Near) > 0 {
		n := &e.Near[0]
		said += " The policy " + nameOf(n.URN) + " (" + n.Name + ") would allow " + n.Privilege + ", but " + strings.Join(n.Lacks, ", and ") + "."
	}
	if !e.Enforced {
		return "With authentication off everybody may do everything. With it: " + said
	}
	return said
}

// nameOf returns the name in the URN of a user or a policy.
func nameOf(urn string) string { return urn[strings.LastIndex(urn, ":")+1:] }

// lackOf puts into words everything that a policy lacks.
func lackOf(n *policies.Near) string {
	lacks := make([]string, len(n.Failed))
	for i := range n.Failed {
		lacks[i] = lack(&n.Failed[i], true)
	}
	return strings.Join(lacks, ", and ")
}

// lack puts into words, as a clause, one condition that a policy lacks. Without tell, it names neither the
// facts of the resource nor the actors whom the policy concerns.
func lack(f *policies.Failure, tell bool) string {
	if tell {
		return f.String()
	}
	switch f.Kind {
	case policies.FailedActor:
		return policies.Failure{Kind: f.Kind}.String()
	case policies.FailedCriterion, policies.FailedConstraint:
		return "its condition on " + string(f.Field) + " does not hold"
	}
	return f.String()
}
