// Package changeevents derives events from a change of the log, in the shape of the reference:
// a tag was added, a column was removed, a run completed. The package decides which events
// exist and the contents of each event; package history decides which differences are changes
// of a value. Package changeevents reads only the change, and writes nothing.
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

// These are the categories of events: the categories of timelines, and categories for facts
// that have no versions.
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
	// CategoryAnnounced is of changes that were announced and have arrived, and of those that nobody announced.
	CategoryAnnounced = "ANNOUNCED_CHANGE"
)

// These are parameters that events have and timelines do not, and the values that tell whether
// an event breaks something.
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

// These are the operations of events. ADD, REMOVE and MODIFY are also operations of timelines.
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
	// OperationArrived is of a change that was announced, OperationUnannounced of one that nobody announced.
	OperationArrived     = "ARRIVED"
	OperationUnannounced = "UNANNOUNCED"
)

// Categories returns the categories of events.
func Categories() []string {
	return []string{
		CategoryTag, CategoryTerm, CategoryOwner, CategoryDocumentation, CategorySchema, CategoryDomain, CategoryDeprecation, CategoryLineage,
		CategoryProperty, CategoryApplication, CategoryMembership, CategoryVersioning, CategoryLifecycle, CategoryRun, CategoryIncident, CategoryAnnounced,
	}
}

// Event is an entity change event, with the same members as in the reference.
type Event struct {
	// EntityType and EntityURN identify the entity, or the column, that changed.
	EntityType string `json:"entityType"`
	EntityURN  string `json:"entityUrn"`
	Category   string `json:"category"`
	Operation  string `json:"operation"`
	// Modifier names the thing that was added, removed or modified, "" if there is none.
	Modifier string `json:"modifier,omitempty"`
	// Parameters give details, as strings, booleans and numbers.
	Parameters map[string]any `json:"parameters,omitempty"`
	// AuditStamp is the time and the actor with which the change was logged.
	AuditStamp catalog.AuditStamp `json:"auditStamp"`
	// Version is the version of this shape, 0.
	Version int `json:"version"`
	// Description describes the event in words.
	Description string `json:"-"`
	// Of identifies the change of a dataset that an event about an announced change tells of. It is "" for other
	// events, and for stored events.
	Of string `json:"-"`
}

// AppendJSON appends the event as JSON. The result equals that of encoding/json, which takes
// several times as long.
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
	var room [8]string // most events have at most 8 parameters
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

// Text returns a parameter that is a text, "" if there is none.
func (e *Event) Text(parameter string) string {
	text, _ := e.Parameters[parameter].(string)
	return text
}

// Breaks reports whether entities downstream may break, or show wrong data. That is so if a
// column is removed, renamed or gets another type, if the entity is deleted or deprecated, if
// an entity from which it derives is removed, if an assertion about it failed, or if such a change was announced.
func (e *Event) Breaks() bool {
	switch e.Category {
	case CategorySchema:
		return e.Operation == OperationRemove || e.ColumnChange() != ""
	case CategoryLifecycle:
		return e.Operation == OperationSoftDelete || e.Operation == OperationHardDelete
	case CategoryDeprecation:
		return e.Text(parameterStatus) == deprecatedStatus
	case CategoryLineage:
		return e.LosesUpstream() && typeOf(e.EntityURN) != model.EntitySchemaField && typeOf(e.Modifier) != model.EntitySchemaField
	case CategoryRun:
		return e.Text(parameterAssertion) == failureResult
	case CategoryAnnounced:
		return true
	}
	return false
}

// ColumnChange returns how an event changes a column: RENAME, TYPE_CHANGE or REMOVE. It returns
// "" for an event that changes no column, or that changes a column in another way.
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

// LosesUpstream reports whether an entity or a column no longer derives from another one.
func (e *Event) LosesUpstream() bool {
	return e.Category == CategoryLineage && e.Operation == OperationRemove && e.Text(parameterDirection) == upstreamDirection
}

// RenamedTo returns the path that a renamed column has now, "" for other events.
func (e *Event) RenamedTo() string { return e.Text(parameterRenamedTo) }

// ModificationType is the [Event.ColumnChange] of a column that gets another type, ModificationRename that of one with another
// name.
const (
	ModificationType   = history.ModificationType
	ModificationRename = history.ModificationRename
)

// Assertee returns the dataset of a completed run of an assertion, "" for other events.
func (e *Event) Assertee() string { return e.Text(parameterAssertee) }
