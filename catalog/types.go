package catalog

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
)

// These types show callers the contents of the store. SystemMetadata has, beside the members of the store's
// type, members that follow from its version. A Change leaves out facts that only a store needs, such as
// version numbers.

// SystemMetadata is recorded with every version. Headwater sets the members from LastRunID on: a
// caller's values for them are ignored.
type SystemMetadata struct {
	// LastObserved is epoch milliseconds; an equal write changes only this field.
	LastObserved    int64             `json:"lastObserved"`
	RunID           string            `json:"runId,omitempty"`
	RegistryName    string            `json:"registryName,omitempty"`
	RegistryVersion string            `json:"registryVersion,omitempty"`
	Properties      map[string]string `json:"properties,omitempty"`
	// PipelineName is the pipeline of the ingestion, SchemaVersion the version of the
	// aspect's schema that the writer had; "" and 0 if nothing was said.
	PipelineName  string `json:"pipelineName,omitempty"`
	SchemaVersion int64  `json:"schemaVersion,omitempty"`
	// LastRunID is the run of the version before, "" for none.
	LastRunID string `json:"lastRunId,omitempty"`
	// Version counts the values that the aspect has had: "1" is the first, and a
	// write of another value adds 1. An archived version is read by this number.
	Version string `json:"version,omitempty"`
	// AspectCreated is when and by whom the aspect was first written since it was
	// last absent, nil if an earlier release did not record it. AspectModified is
	// when and by whom this value was written.
	AspectCreated  *AuditStamp `json:"aspectCreated,omitempty"`
	AspectModified *AuditStamp `json:"aspectModified,omitempty"`
}

// SystemOf converts stored system metadata that belongs to no version, such as that of a
// time-series value.
func SystemOf(s *graphstore.SystemMetadata) *SystemMetadata {
	if s == nil {
		return nil
	}
	return &SystemMetadata{
		LastObserved: s.LastObserved, RunID: s.RunID, RegistryName: s.RegistryName, RegistryVersion: s.RegistryVersion,
		Properties: s.Properties, PipelineName: s.PipelineName, SchemaVersion: s.SchemaVersion,
		LastRunID: s.LastRunID, AspectCreated: (*AuditStamp)(s.AspectCreated),
	}
}

// SystemOfVersion returns the system metadata of a version.
func SystemOfVersion(a *graphstore.Aspect) *SystemMetadata {
	s := SystemOf(&a.System)
	s.Version = strconv.FormatInt(a.Seq, 10)
	s.AspectModified = &AuditStamp{Time: a.CreatedOn, Actor: a.CreatedBy}
	s.AspectCreated = (*AuditStamp)(CreatedOf(a))
	return s
}

// CreatedOf returns the stamp with which the aspect of a version began, nil if the stamp is not
// known.
func CreatedOf(a *graphstore.Aspect) *graphstore.Stamp {
	if a.Seq == FirstVersion {
		return &graphstore.Stamp{Time: a.CreatedOn, Actor: a.CreatedBy}
	}
	return a.System.AspectCreated
}

// StartsAgain reports whether the aspect was absent just before a version although it has
// earlier versions.
func StartsAgain(v *graphstore.Aspect) bool {
	made := v.System.AspectCreated
	return v.Seq > FirstVersion && made != nil && made.Time == v.CreatedOn && v.System.LastRunID == ""
}

// FirstVersion is the number of the first version of an aspect.
const FirstVersion = 1

// Stored converts system metadata to the form of the store.
func (s *SystemMetadata) Stored() graphstore.SystemMetadata {
	return graphstore.SystemMetadata{
		LastObserved: s.LastObserved, RunID: s.RunID, RegistryName: s.RegistryName, RegistryVersion: s.RegistryVersion,
		Properties: s.Properties, PipelineName: s.PipelineName, SchemaVersion: s.SchemaVersion,
		LastRunID: s.LastRunID, AspectCreated: (*graphstore.Stamp)(s.AspectCreated),
	}
}

// AuditStamp is when, in epoch milliseconds, and by whom something was done.
type AuditStamp struct {
	Time  int64  `json:"time"`
	Actor string `json:"actor"`
}

// ChangeKind is the kind of a change.
type ChangeKind string

const (
	// ChangeUpsert: an aspect has a new latest value (CREATE and PATCH too).
	ChangeUpsert ChangeKind = "UPSERT"
	// ChangeRestate: the value is the same and is stated again.
	ChangeRestate ChangeKind = "RESTATE"
	// ChangeDelete: the aspect, or with the key aspect the entity, is deleted.
	ChangeDelete ChangeKind = "DELETE"
)

// MaxChanges is the largest page of the change log.
const MaxChanges = limits.MaxChanges

// ChangePoll is how long a follower of the change log sleeps at most. Other processes may write to
// the same store, and do not wake the follower.
const ChangePoll = time.Second

// Change is one entry of the change log.
type Change struct {
	// Cursor is the position in the log after this change.
	Cursor string
	// Time is the log's own time, epoch milliseconds, Actor the URN of whoever made the change.
	Time                    int64
	Actor                   string
	Kind                    ChangeKind
	URN, EntityType, Aspect string
	// Seq and PreviousSeq number the versions after and before the change, 0 if there is none.
	// SeriesKey is the key of a time-series value, "" for a version.
	Seq, PreviousSeq int64
	SeriesKey        string
	// Value and Previous are the values after and before the change, each nil
	// when there is none. ValuesPruned: retention has removed one of them.
	Value, Previous        json.RawMessage
	System, PreviousSystem *SystemMetadata
	ValuesPruned           bool
}

// ChangeHead is one entry of the change log without its values.
type ChangeHead struct {
	// Time is the log's own, epoch milliseconds.
	Time                    int64
	Kind                    ChangeKind
	URN, EntityType, Aspect string
	// First: the aspect had no value before. This holds for every value of a time series.
	First bool
}

// Restricted is the type of the entities that stand for hidden steps of a walk. The model does not have
// it.
const Restricted = "restricted"
