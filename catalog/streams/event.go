package streams

import (
	"encoding/json"

	"github.com/headwater-io/headwater/catalog"
)

// ChangeEvent is a change in the form in which GET /events and webhooks send it.
type ChangeEvent struct {
	Cursor                 string                  `json:"cursor"`
	Time                   int64                   `json:"time"`
	Actor                  string                  `json:"actor"`
	ChangeType             catalog.ChangeKind      `json:"changeType"`
	EntityURN              string                  `json:"entityUrn"`
	EntityType             string                  `json:"entityType"`
	AspectName             string                  `json:"aspectName"`
	Aspect                 json.RawMessage         `json:"aspect,omitempty"`
	SystemMetadata         *catalog.SystemMetadata `json:"systemMetadata,omitempty"`
	PreviousAspect         json.RawMessage         `json:"previousAspectValue,omitempty"`
	PreviousSystemMetadata *catalog.SystemMetadata `json:"previousSystemMetadata,omitempty"`
	// ValuesPruned tells that a value is missing because retention has deleted it.
	ValuesPruned bool `json:"valuesPruned,omitempty"`
}

// ChangeEventOf returns a change in the form in which it is sent.
func ChangeEventOf(c *catalog.Change) ChangeEvent {
	return ChangeEvent{
		Cursor: c.Cursor, Time: c.Time, Actor: c.Actor, ChangeType: c.Kind,
		EntityURN: c.URN, EntityType: c.EntityType, AspectName: c.Aspect,
		Aspect: c.Value, SystemMetadata: c.System,
		PreviousAspect: c.Previous, PreviousSystemMetadata: c.PreviousSystem, ValuesPruned: c.ValuesPruned,
	}
}
