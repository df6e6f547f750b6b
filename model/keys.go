package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/jsontree"
)

// CheckURN returns an error unless the model knows the URN's entity type, the key has the
// right number of parts, and the URN is within the limits of an entity's URN. Every error
// is a *URNError.
func (r *Registry) CheckURN(u URN) error {
	if reason := checkEntityText(u.text); reason != "" {
		return &URNError{URN: u.text, Reason: reason}
	}
	if _, ok := r.DialectOf(u); !ok {
		return &URNError{URN: u.text, Reason: fmt.Sprintf("unknown namespace %q", u.Namespace())}
	}
	return r.checkKey(u)
}

// checkKey checks a URN that is named anywhere: its type must be registered, and its key
// must have the right number of parts.
func (r *Registry) checkKey(u URN) error {
	e, ok := r.Entity(u.EntityType())
	if !ok {
		return &URNError{URN: u.text, Reason: fmt.Sprintf("Failed to find entity with name %s in EntityRegistry", u.EntityType())}
	}
	var room keyParts
	parts := u.appendParts(room[:0])
	// A URN of a glossary term may also name the term's node: (<node>,<term_id>).
	if len(parts) != len(e.KeyFields) && !(e.Name == EntityGlossaryTerm && len(parts) == 2) {
		return &URNError{URN: u.text, Reason: fmt.Sprintf("its key has %d parts, a %s has %d", len(parts), e.Name, len(e.KeyFields))}
	}
	for i, field := range e.KeyFields {
		if field.typ.kind != kindURN || i >= len(parts) {
			continue
		}
		if _, err := ParseURN(parts[i]); err != nil {
			return &URNError{URN: u.text, Reason: fmt.Sprintf("its %s is not a urn", field.Name)}
		}
	}
	return nil
}

// ReadURN parses the URN of an entity, checks it as CheckURN does, and returns it in the
// graph's spelling. Every error is a *URNError.
func (r *Registry) ReadURN(text string) (URN, error) {
	if strings.TrimSpace(text) != text {
		return URN{}, &URNError{URN: text, Reason: blankReason}
	}
	u, err := ParseURN(text)
	if err == nil {
		err = r.CheckURN(u)
	}
	if err != nil {
		return URN{}, err
	}
	return r.Normal(u), nil
}

// Normal returns a URN with the model's letter case in its entity type, and in the entity
// types of the URNs in its key. Some clients write corpUser for corpuser.
func (r *Registry) Normal(u URN) URN {
	e, ok := r.Entity(u.EntityType())
	if !ok {
		return u
	}
	key := r.normalKey(e, u)
	if key == u.Key() && e.Name == u.EntityType() {
		return u
	}
	return written(u.Namespace(), e.Name, key)
}

// normalKey returns the key of a URN with the URNs in it in normal form.
func (r *Registry) normalKey(e *Entity, u URN) string {
	if !slices.ContainsFunc(e.KeyFields, func(f *Field) bool { return f.typ.kind == kindURN }) {
		return u.Key()
	}
	var room keyParts
	parts, changed := u.appendParts(room[:0]), false
	for i, field := range e.KeyFields {
		if field.typ.kind != kindURN || i >= len(parts) {
			continue
		}
		inner, err := ParseURN(parts[i])
		if err != nil {
			continue
		}
		if normal := r.Normal(inner).text; normal != parts[i] {
			parts[i], changed = normal, true
		}
	}
	if !changed {
		return u.Key()
	}
	return tuple(parts)
}

// KeyValue computes the key aspect's value from a URN.
func (r *Registry) KeyValue(u URN) (json.RawMessage, error) {
	if err := r.checkKey(u); err != nil {
		return nil, err
	}
	parts := u.Parts()
	e, _ := r.Entity(u.EntityType()) // cannot fail, because checkKey refuses unknown types
	fields := e.KeyFields
	if len(parts) != len(fields) {
		parts = []string{strings.TrimSuffix(strings.TrimPrefix(u.Key(), "("), ")")}
	}
	var b bytes.Buffer // written by hand, so that the members keep the order of the key
	for i, field := range fields {
		name, _ := jsontree.Encode(field.Name) // encoding a string cannot fail
		part, _ := jsontree.Encode(parts[i])
		b.WriteByte("{,"[min(i, 1)])
		b.Write(name)
		b.WriteByte(':')
		b.Write(part)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// URNFromKey builds a URN from the value of a key aspect, in a dialect's namespace.
func (r *Registry) URNFromKey(d Dialect, entityType string, key json.RawMessage) (URN, error) {
	e, ok := r.Entity(entityType)
	if !ok {
		return URN{}, &URNError{Reason: fmt.Sprintf("Failed to find entity with name %s in EntityRegistry", entityType)}
	}
	value, err := r.Parse(d, e.KeyAspect, key)
	if err != nil {
		return URN{}, err
	}
	parts := make([]string, len(e.KeyFields))
	for i, field := range e.KeyFields {
		part, ok := value.Tree[field.Name].(string)
		if !ok {
			return URN{}, &URNError{Reason: fmt.Sprintf("the key has no %s", field.Name)}
		}
		parts[i] = part
	}
	u, err := BuildURN(d.Namespace, e.Name, parts...)
	if err != nil {
		return URN{}, err
	}
	return u, r.CheckURN(u)
}

// RequestsOfRun returns the URNs that the execution request of a run may have, one in each
// dialect. Not every run id can be part of a URN, and that of a run which an executor started
// may be the URN itself.
func RequestsOfRun(registry *Registry, runID string) []string {
	if u, err := registry.ReadURN(runID); err == nil {
		if u.EntityType() == EntityDataHubExecutionRequest {
			return []string{u.String()}
		}
		return nil
	}
	var urns []string
	for _, d := range registry.Dialects() {
		if u, err := registry.ReadURN("urn:" + d.Namespace + ":" + EntityDataHubExecutionRequest + ":" + runID); err == nil {
			urns = append(urns, u.String())
		}
	}
	return urns
}

// executions are the statuses of execution requests that have ended; the value is true if the run has done all of its
// work. Clients and executors state them: SUCCEEDED_WITH_WARNINGS of a run whose client had warnings, UNKNOWN of one that
// ended early because of an error that its source did not report.
var executions = map[string]bool{
	"SUCCESS": true, "SUCCEEDED_WITH_WARNINGS": true,
	"FAILURE": false, "TIMEOUT": false, "ABORTED": false, "CANCELLED": false, "UNKNOWN": false,
}

// ExecutionEnded reports whether a run with a status has done all of its work. ended is false for a status that tells
// nothing of it, such as that of a run that goes on or was rolled back.
func ExecutionEnded(status string) (good, ended bool) {
	good, ended = executions[status]
	return good, ended
}
