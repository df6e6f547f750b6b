package permit

// The tables of the rules.
var (
	Guarded      = guarded
	GuardedTypes = guardedTypes
	OfTypes      = ofTypes
	OfEdits      = ofEdits
	Owned        = owned
)

// Others are privileges on the other entities that an aspect names.
type Others struct {
	Aspect     string
	Privileges []string
}

// OthersOf returns, for each type, the privileges on other entities that permit writes of it.
func OthersOf() map[string]Others {
	found := map[string]Others{}
	for entityType, of := range byOthers {
		found[entityType] = Others{of.aspect, of.privileges}
	}
	return found
}
