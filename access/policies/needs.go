package policies

// Facts are the facts of a resource that a decision can depend on.
type Facts uint16

// The facts. Everything and Nothing stand alone: the question is decided without any fact.
const (
	Everything Facts = 1 << iota
	Nothing
	NeedsType
	NeedsURN
	NeedsOwners
	NeedsDomains
	NeedsContainers
	NeedsTags
	NeedsTerms
	NeedsInstance
	NeedsGroups
	NeedsSubResources
)

// ByType are the facts that every caller knows: a decision that depends only on these needs nothing of
// the store.
const ByType = NeedsType | NeedsURN | NeedsSubResources

// Decided reports whether a decision depends on no fact.
func (f Facts) Decided() bool { return f&(Everything|Nothing) != 0 }

var factOf = map[Field]Facts{
	FieldType: NeedsType, FieldURN: NeedsURN, FieldOwner: NeedsOwners, FieldDomain: NeedsDomains,
	FieldContainer: NeedsContainers, FieldTag: NeedsTags, FieldTerm: NeedsTerms,
	FieldInstance: NeedsInstance, FieldGroup: NeedsGroups,
}

// Needs returns the facts that the decision about a resource of a type can depend on. The type "" is any
// type. Everything says that each such resource is allowed, Nothing that none is. Needs is about
// questions with a resource.
func (r *Rights) Needs(privileges []string, entityType string) Facts {
	if r.actor.System {
		return Everything
	}
	var facts Facts
	some := false
	for _, privilege := range privileges {
		g := r.of[privilege]
		if g == nil {
			continue
		}
		allow := needsAny(g.allow, entityType)
		deny := needsAny(g.deny, entityType)
		if every := needsAny(r.denied, entityType); deny == Nothing || every == Everything {
			deny = every
		} else if deny != Everything && every != Nothing {
			deny |= every
		}
		switch {
		case allow == Nothing || deny == Everything:
		case allow == Everything && deny == Nothing:
			return Everything
		default:
			some = true
			facts |= (allow | deny) &^ (Everything | Nothing)
		}
	}
	if !some {
		return Nothing
	}
	return facts
}

// needsAny returns the facts that decide whether one of the rules holds.
func needsAny(rules []held, entityType string) Facts {
	result := Nothing
	for i := range rules {
		switch facts := rules[i].needs(entityType); {
		case facts == Everything:
			return Everything
		case facts != Nothing:
			result = result&^Nothing | facts
		}
	}
	return result
}

// needs returns the facts that decide whether a rule holds.
func (h *held) needs(entityType string) Facts {
	var facts Facts
	if h.scoped {
		for i := range h.criteria {
			c := &h.criteria[i]
			switch {
			case !c.known && h.denies():
			case !c.known:
				return Nothing
			case c.field == FieldType && entityType != "":
				if !c.holds(&Resource{Type: entityType}) {
					return Nothing
				}
			default:
				facts |= factOf[c.field]
				if c.field == FieldDomain {
					facts |= NeedsType | NeedsURN
				}
			}
		}
	}
	if h.constrained {
		facts |= NeedsSubResources
	}
	if h.byOwnership {
		if h.Actors.OwnerTypes != nil && len(h.Actors.OwnerTypes) == 0 {
			return Nothing
		}
		facts |= NeedsOwners | NeedsURN
	}
	if facts == 0 {
		return Everything
	}
	return facts
}
