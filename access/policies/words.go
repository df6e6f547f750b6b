package policies

import "strings"

// String puts a decision into one sentence, without the policies that are near.
func (d Decision) String() string {
	switch {
	case d.Why.Kind == AsSystem:
		return "The system may do everything."
	case d.Policy == "":
		return "No policy allows it."
	case d.Allowed:
		return "The policy " + d.Policy + " (" + d.Name + ") allows " + d.Privilege + " to " + d.Why.String() + "."
	}
	return "The policy " + d.Policy + " (" + d.Name + ") denies " + d.Privilege + " to " + d.Why.String() + "."
}

// String names the actors whom a policy concerns.
func (r Reason) String() string {
	switch r.Kind {
	case AsSystem:
		return "the system"
	case AsEverybody:
		return "everybody"
	case AsAnyGroup:
		return "everybody in a group"
	case AsOwner:
		return "the owner " + r.Name
	}
	return "the " + string(r.Kind) + " " + r.Name
}

// String puts into one sentence why a policy does not allow the question.
func (n Near) String() string {
	failed := make([]string, len(n.Failed))
	for i, f := range n.Failed {
		failed[i] = f.String()
	}
	return "The policy " + n.Policy + " (" + n.Name + ") would allow " + n.Privilege + ", but " + strings.Join(failed, ", and ") + "."
}

// String puts the failure into a clause.
func (f Failure) String() string {
	values, has := strings.Join(f.Values, " or "), strings.Join(f.Has, ", ")
	if has == "" {
		has = "nothing"
	}
	switch f.Kind {
	case FailedState:
		return "it is not active"
	case FailedEnd:
		return "it has ended"
	case FailedResource:
		return "it is about resources"
	case FailedActor:
		if values == "" {
			return "it does not concern the actor"
		}
		return "it concerns " + values
	}
	verb := map[Condition]string{Equals: "must be", StartsWith: "must begin with", NotEquals: "must not be"}[f.Condition]
	if verb == "" || factOf[f.Field] == 0 {
		return "it has a condition that this server does not know"
	}
	of := ", and is "
	if f.Kind == FailedConstraint {
		of = " for what is added or removed, which is "
	}
	return string(f.Field) + " " + verb + " " + values + of + has
}
