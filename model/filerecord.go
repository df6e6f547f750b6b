package model

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/headwater-io/headwater/internal/jsontree"
)

// FileRecord is one record of a metadata file in the interface's form: a snapshot or a
// proposal.
type FileRecord struct {
	// Snapshot is {"<snapshot record>": {"urn", "aspects"}}, or nil.
	Snapshot json.RawMessage
	Proposal *FileProposal
	// System is the systemMetadata object, or nil.
	System json.RawMessage
}

// FileProposal is a proposal in a metadata file.
type FileProposal struct {
	EntityType string          `json:"entityType"`
	EntityURN  string          `json:"entityUrn,omitempty"`
	ChangeType string          `json:"changeType,omitempty"`
	AspectName string          `json:"aspectName,omitempty"`
	KeyAspect  *GenericContent `json:"entityKeyAspect,omitempty"`
	Aspect     *GenericContent `json:"aspect,omitempty"`
}

// GenericContent is a value as text with its content type.
type GenericContent struct {
	Value       string `json:"value"`
	ContentType string `json:"contentType"`
}

// avroInfix is part of record names in files of the Python client.
const avroInfix = "pegasus2avro."

// DecodeFileRecord decodes one record of a metadata file: a proposal or a snapshot in the
// interface's form, or in one of the forms that the Python client's file sink writes (Avro
// names and unions, nulls, aspects as plain JSON).
func (r *Registry) DecodeFileRecord(raw json.RawMessage) (*FileRecord, error) {
	tree, err := decodeObject(raw)
	if err != nil {
		return nil, err
	}
	if inner, ok := tree["proposal"].(map[string]any); ok {
		tree = inner
	}
	record := &FileRecord{}
	if system, ok := tree["systemMetadata"].(map[string]any); ok {
		if record.System, err = jsontree.Encode(dropNulls(system)); err != nil {
			return nil, err
		}
	}
	snapshot, ok := tree["proposedSnapshot"]
	if !ok {
		snapshot, ok = tree["value"]
	}
	if entity, isEntity := tree["entity"].(map[string]any); isEntity && !ok {
		snapshot, ok = entity["value"], true
	}
	if ok && snapshot != nil {
		record.Snapshot, err = r.fileSnapshot(snapshot)
		return record, err
	}
	if _, ok := tree["entityType"].(string); !ok {
		return nil, &SyntaxError{Reason: "the record is neither a proposal nor a snapshot"}
	}
	record.Proposal, err = fileProposal(tree)
	return record, err
}

func fileProposal(tree map[string]any) (*FileProposal, error) {
	p := &FileProposal{}
	p.EntityType, _ = tree["entityType"].(string)
	p.EntityURN, _ = tree["entityUrn"].(string)
	p.ChangeType, _ = tree["changeType"].(string)
	p.AspectName, _ = tree["aspectName"].(string)
	var err error
	if p.KeyAspect, err = genericContent(tree["entityKeyAspect"]); err != nil {
		return nil, fmt.Errorf("entityKeyAspect: %w", err)
	}
	if p.Aspect, err = genericContent(tree["aspect"]); err != nil {
		return nil, fmt.Errorf("aspect: %w", err)
	}
	return p, nil
}

func genericContent(value any) (*GenericContent, error) {
	if value == nil {
		return nil, nil
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, &SyntaxError{Reason: "it is not an object"}
	}
	content := &GenericContent{ContentType: "application/json"}
	if contentType, ok := object["contentType"].(string); ok {
		content.ContentType = contentType
	}
	if inline, ok := object["json"]; ok {
		text, err := jsontree.Encode(inline)
		content.Value = string(text)
		return content, err
	}
	if content.Value, ok = object["value"].(string); !ok {
		return nil, &SyntaxError{Reason: "it has neither a value nor json"}
	}
	return content, nil
}

// fileSnapshot converts a snapshot from Avro's form.
func (r *Registry) fileSnapshot(value any) (json.RawMessage, error) {
	object, ok := value.(map[string]any)
	if !ok || len(object) != 1 {
		return nil, &SyntaxError{Reason: "the snapshot is not an object with one member"}
	}
	for name, inner := range object {
		body, ok := inner.(map[string]any)
		if !ok {
			return nil, &SyntaxError{Reason: "the snapshot is not an object"}
		}
		aspects, _ := body["aspects"].([]any)
		for i, item := range aspects {
			holder, _ := item.(map[string]any)
			rewritten := map[string]any{}
			for record, aspect := range holder {
				plain := strings.Replace(record, avroInfix, "", 1)
				rewritten[plain] = aspect
				if spec, ok := r.AspectByRecord(plain); ok {
					rewritten[plain] = r.fromAvro(spec.typ, aspect)
				}
			}
			aspects[i] = rewritten
		}
		return jsontree.Encode(map[string]any{strings.Replace(name, avroInfix, "", 1): body})
	}
	return nil, nil
}

// fromAvro converts a value of a type from Avro's JSON form to the interface's form. In
// Avro's form, an optional value is in an object with one member, named after the Avro
// type, and an absent value is null.
func (r *Registry) fromAvro(t *Type, value any) any {
	switch t.kind {
	case kindRecord:
		object, ok := unwrapAvro(t, value).(map[string]any)
		if !ok {
			return value
		}
		converted := make(map[string]any, len(object))
		for name, item := range object {
			if item == nil {
				continue
			}
			if field, ok := t.byName[name]; ok {
				item = r.fromAvro(field.typ, item)
			}
			converted[name] = item
		}
		return converted
	case kindArray:
		list, ok := unwrapAvro(t, value).([]any)
		if !ok {
			return value
		}
		for i := range list {
			list[i] = r.fromAvro(t.elem, list[i])
		}
		return list
	case kindMap:
		object, ok := unwrapAvro(t, value).(map[string]any)
		if !ok {
			return value
		}
		for key := range object {
			object[key] = r.fromAvro(t.elem, object[key])
		}
		return object
	case kindUnion:
		return r.unionFromAvro(t, value)
	}
	return unwrapAvro(t, value)
}

func (r *Registry) unionFromAvro(t *Type, value any) any {
	if _, ok := value.(string); ok && t.members["string"] != nil {
		return map[string]any{"string": value}
	}
	object, ok := value.(map[string]any)
	if !ok {
		return value
	}
	// For an aliased union, Avro writes a record with all members and a discriminator.
	if chosen, ok := object["fieldDiscriminator"].(string); ok && t.members[chosen] != nil {
		return map[string]any{chosen: r.fromAvro(t.members[chosen], object[chosen])}
	}
	if len(object) != 1 {
		return value
	}
	for key, inner := range object {
		plain := strings.Replace(key, avroInfix, "", 1)
		if member, ok := t.members[plain]; ok {
			return map[string]any{plain: r.fromAvro(member, inner)}
		}
		if member, ok := t.members[r.neutralName(plain)]; ok {
			return map[string]any{plain: r.fromAvro(member, inner)}
		}
		if holder, ok := inner.(map[string]any); ok && holder["fieldDiscriminator"] != nil {
			return r.unionFromAvro(t, holder)
		}
	}
	return value
}

// unwrapAvro returns the value inside the one-member object that Avro puts around optional
// values.
func unwrapAvro(t *Type, value any) any {
	object, ok := value.(map[string]any)
	if !ok || len(object) != 1 {
		return value
	}
	for key, inner := range object {
		switch t.kind {
		case kindRecord:
			if _, isField := t.byName[key]; !isField && strings.Contains(key, avroInfix) {
				return inner
			}
		case kindMap:
			if _, nested := inner.(map[string]any); nested && key == "map" && t.elem.kind != kindRecord {
				return inner
			}
		case kindArray:
			if key == "array" {
				return inner
			}
		default:
			return inner
		}
	}
	return value
}

func dropNulls(object map[string]any) map[string]any {
	for key, item := range object {
		if item == nil {
			delete(object, key)
		}
	}
	return object
}
