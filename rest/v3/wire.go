package v3

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/rest/stored"
)

// entityWrite is an entity in the body of a write: {"urn": …, "<aspect>": {value, …}, …}.
type entityWrite struct {
	urn string
	// aspects are in the order in which they were sent.
	aspects []aspectWrite
}

// aspectWrite is an aspect in the body of a write.
type aspectWrite struct {
	name    string
	Value   json.RawMessage         `json:"value"`
	System  *catalog.SystemMetadata `json:"systemMetadata"`
	Headers map[string]string       `json:"headers"`
}

// UnmarshalJSON decodes the members in the order in which they were sent.
func (w *entityWrite) UnmarshalJSON(text []byte) error {
	members := json.NewDecoder(bytes.NewReader(text))
	if begin, err := members.Token(); err != nil || begin != json.Delim('{') {
		return catalog.Errorf(catalog.Invalid, "an entity is an object with its urn and aspects")
	}
	for members.More() {
		key, err := members.Token()
		if err != nil {
			return err
		}
		name, _ := key.(string) // keys are strings, so the assertion cannot fail
		if name == "urn" {
			err = members.Decode(&w.urn)
		} else {
			var change *aspectWrite
			if err = members.Decode(&change); err == nil && change != nil {
				change.name = name
				w.aspects = append(w.aspects, *change)
			}
		}
		var wrongType *json.UnmarshalTypeError
		if errors.As(err, &wrongType) {
			return catalog.Errorf(catalog.Invalid, "the member %s of an entity: a JSON %s is not accepted here", name, wrongType.Value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// entityAnswer is an entity in an answer: {"urn": …, "<aspect>": {value, …}, …}.
type entityAnswer struct {
	URN     string
	Aspects []aspectAnswer
}

// aspectAnswer is an aspect in an answer. System and Stamp are nil if the caller did not
// ask for them.
type aspectAnswer struct {
	Name   string
	Value  json.RawMessage
	System *catalog.SystemMetadata
	Stamp  *catalog.AuditStamp
}

func (a aspectAnswer) AppendJSON(text []byte) []byte {
	text = stored.AppendValue(append(slices.Grow(text, len(a.Value)+stored.FrameSize), `{"value":`...), a.Value)
	if a.System != nil {
		text = stored.AppendSystem(append(text, `,"systemMetadata":`...), a.System)
	}
	if a.Stamp != nil {
		text = stored.AppendStamp(append(text, `,"auditStamp":`...), *a.Stamp)
	}
	return append(text, '}')
}

func (e entityAnswer) AppendJSON(text []byte) []byte {
	text = stored.AppendString(append(text, `{"urn":`...), e.URN)
	for _, a := range e.Aspects {
		text = append(stored.AppendString(append(text, ','), a.Name), ':')
		text = a.AppendJSON(text)
	}
	return append(text, '}')
}

// entityList is an answer with a list of entities.
type entityList []entityAnswer

func (l entityList) AppendJSON(text []byte) []byte {
	text = append(text, '[')
	for i, e := range l {
		if i > 0 {
			text = append(text, ',')
		}
		text = e.AppendJSON(text)
	}
	return append(text, ']')
}

// listsByType is an answer with lists of entities, by entity type.
type listsByType map[string]entityList

func (m listsByType) AppendJSON(text []byte) []byte {
	return stored.AppendMap(text, m, func(text []byte, l entityList) []byte { return l.AppendJSON(text) })
}

// scrollPage is a page of a scroll. Its scrollID is empty on the last page.
type scrollPage struct {
	scrollID string
	entities entityList
	total    int
}

// v3Page encodes a page of a scroll in the current form of the interface.
type v3Page struct{ *scrollPage }

func (p v3Page) AppendJSON(text []byte) []byte {
	text = append(text, `{"scrollId":`...)
	if p.scrollID == "" {
		text = append(text, "null"...)
	} else {
		text = stored.AppendString(text, p.scrollID)
	}
	text = p.entities.AppendJSON(append(text, `,"entities":`...))
	return append(strconv.AppendInt(append(text, `,"totalCount":`...), int64(p.total), 10), '}')
}

// answerOf converts a stored entity to its form in answers. If stamps is set, its aspects
// have their stamps and system metadata.
func answerOf(e *catalog.StoredEntity, stamps bool) entityAnswer {
	answer := entityAnswer{URN: e.URN, Aspects: make([]aspectAnswer, len(e.Aspects))}
	for i := range e.Aspects {
		a := &e.Aspects[i]
		answer.Aspects[i] = aspectAnswer{Name: a.Name, Value: a.Value}
		if stamps {
			answer.Aspects[i].System, answer.Aspects[i].Stamp = a.System, &a.Created
		}
	}
	return answer
}

// v2Entities encodes entities in the previous form of the interface.
type v2Entities struct {
	entities []catalog.StoredEntity
	stamps   bool
}

func (l v2Entities) AppendJSON(text []byte) []byte {
	entities := make(entityList, len(l.entities))
	for i := range l.entities {
		entities[i] = answerOf(&l.entities[i], l.stamps)
	}
	return append(entities.appendV2(append(text, `{"entities":`...)), '}')
}

// appendV2 appends the entities in the previous form of the interface.
func (l entityList) appendV2(text []byte) []byte {
	text = append(text, '[')
	for i, e := range l {
		if i > 0 {
			text = append(text, ',')
		}
		text = stored.AppendString(append(text, `{"urn":`...), e.URN)
		text = append(text, `,"aspects":{`...)
		for j, a := range e.Aspects {
			if j > 0 {
				text = append(text, ',')
			}
			text = a.AppendJSON(append(stored.AppendString(text, a.Name), ':'))
		}
		text = append(text, "}}"...)
	}
	return append(text, ']')
}

// v2Page encodes a page of a scroll in the previous form of the interface.
type v2Page struct{ *scrollPage }

// AppendJSON leaves out an empty scroll id, because clients ask for another page as long as
// the member is present.
func (p v2Page) AppendJSON(text []byte) []byte {
	text = append(text, '{')
	if p.scrollID != "" {
		text = append(stored.AppendString(append(text, `"scrollId":`...), p.scrollID), ',')
	}
	return append(p.entities.appendV2(append(text, `"results":`...)), '}')
}
