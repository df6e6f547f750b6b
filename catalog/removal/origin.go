package removal

import "github.com/headwater-io/headwater/graphstore"

// RegistryVersion identifies the model with which values were written.
type RegistryVersion struct{ Name, Version string }

// Origin is the source of versions: a run or, with an empty RunID, a registry.
type Origin struct {
	RunID    string
	Registry RegistryVersion
}

// Stored converts the origin to the form of the store.
func (o Origin) Stored() graphstore.Origin {
	return graphstore.Origin{RunID: o.RunID, Registry: graphstore.RegistryVersion(o.Registry)}
}
