package catalog

import (
	"encoding/json"

	"github.com/headwater-io/headwater/graphstore"
)

// The types of this file are what callers see of things that are stored. None
// of them is an alias of the store's type: SystemMetadata, Origin and
// RegistryVersion have the same members and are converted as they are, and a
// Change leaves out what only a store needs, such as version numbers.

// SystemMetadata is what ingestion records with every version.
type SystemMetadata struct {
	// LastObserved is epoch milliseconds; an equal write changes only this field.
	LastObserved    int64             `json:"lastObserved"`
	RunID           string            `json:"runId,omitempty"`
	RegistryName    string            `json:"registryName,omitempty"`
	RegistryVersion string            `json:"registryVersion,omitempty"`
	Properties      map[string]string `json:"properties,omitempty"`
}

// ChangeKind is what a change did.
type ChangeKind string

const (
	// ChangeUpsert: an aspect has a new latest value (CREATE and PATCH too).
	ChangeUpsert ChangeKind = "UPSERT"
	// ChangeRestate: the value is the same and is stated again.
	ChangeRestate ChangeKind = "RESTATE"
	// ChangeDelete: the aspect, or with the key aspect the entity, is deleted.
	ChangeDelete ChangeKind = "DELETE"
)

// Change is one entry of the change log.
type Change struct {
	// Cursor is the position in the log after this change.
	Cursor string
	// Time is the log's own, epoch milliseconds, Actor the URN of who did it.
	Time                    int64
	Actor                   string
	Kind                    ChangeKind
	URN, EntityType, Aspect string
	// Value and Previous are the values after and before the change, each nil
	// when there is none. ValuesPruned: retention has removed one of them.
	Value, Previous        json.RawMessage
	System, PreviousSystem *SystemMetadata
	ValuesPruned           bool
}

// changesOf makes a list of its own: a caller may let go of changes in it while
// others still use the stored ones.
func changesOf(stored []graphstore.Change) []Change {
	changes := make([]Change, len(stored))
	for i := range stored {
		s := &stored[i]
		changes[i] = Change{
			Cursor: s.Cursor, Time: s.Time, Actor: s.Actor, Kind: ChangeKind(s.Kind), URN: s.URN, EntityType: s.EntityType, Aspect: s.Aspect,
			Value: s.Value, Previous: s.Previous, System: (*SystemMetadata)(s.System), PreviousSystem: (*SystemMetadata)(s.PreviousSystem),
			ValuesPruned: s.ValuesPruned,
		}
	}
	return changes
}

// RegistryVersion identifies the model with which values were written.
type RegistryVersion struct{ Name, Version string }

// Origin is where versions come from: a run or, with an empty RunID, a registry.
type Origin struct {
	RunID    string
	Registry RegistryVersion
}

// Stored is the origin as the store knows it.
func (o Origin) Stored() graphstore.Origin {
	return graphstore.Origin{RunID: o.RunID, Registry: graphstore.RegistryVersion(o.Registry)}
}
