// Package changeevents says what a change of the log means, in events of the
// reference's shape: a tag was added, a column was removed, a run completed. It owns
// which events there are and what they contain; what counts as a change of a value is
// catalog/history's. It reads nothing but the change and writes nothing.
// The reasons are in docs/decisions/0065-change-events.md.
package changeevents

import (
	"maps"
	"slices"
	"strconv"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// These are the categories of events, those that timelines have and those about what
// has no versions.
const (
	CategoryTag           = "TAG"
	CategoryTerm          = "GLOSSARY_TERM"
	CategoryOwner         = "OWNER"
	CategoryDocumentation = "DOCUMENTATION"
	CategorySchema        = "TECHNICAL_SCHEMA"
	CategoryDomain        = "DOMAIN"
	CategoryDeprecation   = "DEPRECATION"
	CategoryLineage       = "LINEAGE"
	CategoryProperty      = "STRUCTURED_PROPERTY"
	CategoryApplication   = "APPLICATION"
	CategoryMembership    = "ASSET_MEMBERSHIP"
	CategoryVersioning    = "VERSIONING"
	CategoryLifecycle     = "LIFECYCLE"
	CategoryRun           = "RUN"
	CategoryIncident      = "INCIDENT"
)

// These are the parameters of events that timelines do not have, and values that tell
// what breaks.
const (
	deprecatedStatus      = "DEPRECATED"
	completeStatus        = "COMPLETE"
	failureResult         = "FAILURE"
	parameterStatus       = "status"
	parameterAssertion    = "assertionResult"
	parameterAssertee     = "asserteeUrn"
	parameterModification = "modificationCategory"
	parameterRunResult    = "runResult"
	parameterRunID        = "runId"
	parameterAttempt      = "attempt"
	parameterEntities     = "entities"
	parameterDirection    = "direction"
	upstreamDirection     = "UPSTREAM"
	parameterRenamedTo    = "newFieldPath"
)

// These are the operations of events. ADD, REMOVE and MODIFY are those of timelines.
const (
	OperationAdd        = "ADD"
	OperationRemove     = "REMOVE"
	OperationModify     = "MODIFY"
	OperationCreate     = "CREATE"
	OperationSoftDelete = "SOFT_DELETE"
	OperationReinstate  = "REINSTATE"
	OperationHardDelete = "HARD_DELETE"
	OperationStarted    = "STARTED"
	OperationCompleted  = "COMPLETED"
)

// Categories returns the categories that events have.
func Categories() []string {
	return []string{
		CategoryTag, CategoryTerm, CategoryOwner, CategoryDocumentation, CategorySchema, CategoryDomain, CategoryDeprecation, CategoryLineage,
		CategoryProperty, CategoryApplication, CategoryMembership, CategoryVersioning, CategoryLifecycle, CategoryRun, CategoryIncident,
	}
}

// Event is an entity change event, with the members of the reference's.
type Event struct {
	// EntityType and EntityURN are of the entity, or the column, that changed.
	EntityType string `json:"entityType"`
	EntityURN  string `json:"entityUrn"`
	Category   string `json:"category"`
	Operation  string `json:"operation"`
	// Modifier is what was added, removed or modified, "" if the operation says it all.
	Modifier string `json:"modifier,omitempty"`
	// Parameters give details, as strings, booleans and numbers.
	Parameters map[string]any `json:"parameters,omitempty"`
	// AuditStamp is when and by whom the change was logged.
	AuditStamp catalog.AuditStamp `json:"auditStamp"`
	// Version is that of this shape, 0.
	Version int `json:"version"`
	// Description says it in words.
	Description string `json:"-"`
}

// AppendJSON appends the event as JSON. encoding/json gives the same, but takes several times
// as long.
func (e *Event) AppendJSON(to []byte) ([]byte, error) {
	to = jsontree.AppendText(append(to, `{"entityType":`...), e.EntityType)
	to = jsontree.AppendText(append(to, `,"entityUrn":`...), e.EntityURN)
	to = jsontree.AppendText(append(to, `,"category":`...), e.Category)
	to = jsontree.AppendText(append(to, `,"operation":`...), e.Operation)
	if e.Modifier != "" {
		to = jsontree.AppendText(append(to, `,"modifier":`...), e.Modifier)
	}
	if len(e.Parameters) > 0 {
		to = append(to, `,"parameters":`...)
		var err error
		if to, err = appendParameters(to, e.Parameters); err != nil {
			return nil, err
		}
	}
	to = strconv.AppendInt(append(to, `,"auditStamp":{"time":`...), e.AuditStamp.Time, 10)
	to = jsontree.AppendText(append(to, `,"actor":`...), e.AuditStamp.Actor)
	to = strconv.AppendInt(append(to, `},"version":`...), int64(e.Version), 10)
	return append(to, '}'), nil
}

// appendParameters appends parameters in the order of their names.
func appendParameters(to []byte, parameters map[string]any) ([]byte, error) {
	var room [8]string // most events have fewer
	names := slices.AppendSeq(room[:0], maps.Keys(parameters))
	slices.Sort(names)
	before := byte('{')
	for _, name := range names {
		to = append(jsontree.AppendText(append(to, before), name), ':')
		before = ','
		if text, ok := parameters[name].(string); ok {
			to = jsontree.AppendText(to, text)
			continue
		}
		value, err := jsontree.Encode(parameters[name])
		if err != nil {
			return nil, err
		}
		to = append(to, value...)
	}
	return append(to, '}'), nil
}

// Text is a parameter that is text, "" if there is none.
func (e *Event) Text(parameter string) string {
	text, _ := e.Parameters[parameter].(string)
	return text
}

// Breaks reports whether what is downstream may break, or show wrong data: a column is
// removed, renamed or of another type, the entity is deleted or deprecated, what it
// derives from is removed, or an assertion on it failed.
func (e *Event) Breaks() bool {
	switch e.Category {
	case CategorySchema:
		return e.Operation == OperationRemove || e.ColumnChange() != ""
	case CategoryLifecycle:
		return e.Operation == OperationSoftDelete || e.Operation == OperationHardDelete
	case CategoryDeprecation:
		return e.Text(parameterStatus) == deprecatedStatus
	case CategoryLineage:
		return e.Operation == OperationRemove && e.Text(parameterDirection) == upstreamDirection && e.EntityType != model.EntitySchemaField && typeOf(e.Modifier) != model.EntitySchemaField
	case CategoryRun:
		return e.Text(parameterAssertion) == failureResult
	}
	return false
}

// ColumnChange is RENAME or TYPE_CHANGE for an event that does that to a column, REMOVE
// for one that removes it, "" for any other.
func (e *Event) ColumnChange() string {
	if e.Category != CategorySchema {
		return ""
	}
	if e.Operation == OperationRemove {
		return OperationRemove
	}
	if kind := e.Text(parameterModification); kind != history.ModificationOther {
		return kind
	}
	return ""
}

// ModificationType is the [Event.ColumnChange] of another type.
const ModificationType = history.ModificationType

// Assertee is the dataset that a completed run of an assertion is about, "" for other events.
func (e *Event) Assertee() string { return e.Text(parameterAssertee) }
