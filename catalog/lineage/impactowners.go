package lineage

// OwnerImpact is what an owner has among the entities of an impact.
type OwnerImpact struct {
	ImpactOwner
	// Certain and Possible are the URNs of the entities by their effect. If the
	// request is not about a column, all are certain.
	Certain, Possible []string
}

// PerOwner groups the entities by owner, the owner of most first. An entity with two
// owners is listed for both. The last group, without a URN, is what nobody owns.
func (i *Impact) PerOwner() []OwnerImpact {
	groups := make([]OwnerImpact, len(i.Owners), len(i.Owners)+1)
	at := make(map[string]int, len(i.Owners))
	for k, owner := range i.Owners {
		groups[k], at[owner.URN] = OwnerImpact{ImpactOwner: owner}, k
	}
	nobody := OwnerImpact{}
	for k := range i.Entities {
		e := &i.Entities[k]
		if len(e.Owners) == 0 {
			nobody.Count++
			nobody.add(e)
		}
		for _, owner := range e.Owners {
			groups[at[owner]].add(e)
		}
	}
	if nobody.Count > 0 {
		groups = append(groups, nobody)
	}
	return groups
}

func (o *OwnerImpact) add(e *ImpactedEntity) {
	if e.Effect == EffectPossible {
		o.Possible = append(o.Possible, e.URN)
	} else {
		o.Certain = append(o.Certain, e.URN)
	}
}
