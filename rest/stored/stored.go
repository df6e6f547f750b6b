// Package stored encodes answers that contain stored aspects as JSON.
package stored

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/headwater-io/headwater/catalog"
)

// The answers with stored values encode themselves. Stored values are compact JSON and make
// up most of an answer. encoding/json would parse every one of them again.

// Appender is an answer that appends its JSON to a text: the same JSON that encoding/json
// would write with HTML unescaped.
type Appender interface {
	AppendJSON(text []byte) []byte
}

// Encode returns the JSON text of an answer, with HTML unescaped.
func Encode(answer any) ([]byte, error) {
	if a, ok := answer.(Appender); ok {
		return a.AppendJSON(nil), nil
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(answer); err != nil {
		return nil, &catalog.Error{Code: catalog.Internal, Message: "internal error", Err: err}
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// FrameSize is about how many bytes of an answer surround one value.
const FrameSize = 384

// Entity is the answer with one entity and its aspects.
type Entity catalog.EntityResponse

func (a Entity) AppendJSON(text []byte) []byte {
	size := 0
	for _, aspect := range a.Aspects {
		size += len(aspect.Value) + FrameSize
	}
	text = slices.Grow(text, size)
	text = AppendString(append(text, `{"urn":`...), a.URN)
	text = AppendString(append(text, `,"entityName":`...), a.EntityName)
	text = AppendMap(append(text, `,"aspects":`...), a.Aspects, appendEnvelope)
	return append(text, '}')
}

// Entities is the answer with several entities, by URN.
type Entities map[string]catalog.EntityResponse

func (a Entities) AppendJSON(text []byte) []byte {
	text = AppendMap(append(text, `{"results":`...), a, func(text []byte, e catalog.EntityResponse) []byte {
		return Entity(e).AppendJSON(text)
	})
	return append(text, `,"statuses":{},"errors":{}}`...)
}

// Aspect is the answer with one version of an aspect.
type Aspect catalog.VersionedAspect

func (a Aspect) AppendJSON(text []byte) []byte {
	text = slices.Grow(text, len(a.Value)+FrameSize)
	text = strconv.AppendInt(append(text, `{"version":`...), a.Version, 10)
	text = AppendString(append(text, `,"aspect":{`...), a.Record)
	return append(AppendValue(append(text, ':'), a.Value), "}}"...)
}

func appendEnvelope(text []byte, a catalog.EnvelopedAspect) []byte {
	text = AppendString(append(text, `{"name":`...), a.Name)
	text = AppendString(append(text, `,"type":`...), a.Type)
	text = strconv.AppendInt(append(text, `,"version":`...), a.Version, 10)
	text = AppendValue(append(text, `,"value":`...), a.Value)
	text = AppendStamp(append(text, `,"created":`...), a.Created)
	if a.System != nil {
		text = AppendSystem(append(text, `,"systemMetadata":`...), a.System)
	}
	return append(text, '}')
}

// AppendSystem appends system metadata.
func AppendSystem(text []byte, s *catalog.SystemMetadata) []byte {
	text = strconv.AppendInt(append(text, `{"lastObserved":`...), s.LastObserved, 10)
	for _, member := range []struct{ name, value string }{
		{`,"runId":`, s.RunID},
		{`,"registryName":`, s.RegistryName},
		{`,"registryVersion":`, s.RegistryVersion},
		{`,"pipelineName":`, s.PipelineName},
	} {
		if member.value != "" {
			text = AppendString(append(text, member.name...), member.value)
		}
	}
	if len(s.Properties) > 0 {
		text = AppendMap(append(text, `,"properties":`...), s.Properties, AppendString)
	}
	if s.SchemaVersion != 0 {
		text = strconv.AppendInt(append(text, `,"schemaVersion":`...), s.SchemaVersion, 10)
	}
	if s.LastRunID != "" {
		text = AppendString(append(text, `,"lastRunId":`...), s.LastRunID)
	}
	if s.Version != "" {
		text = AppendString(append(text, `,"version":`...), s.Version)
	}
	if s.AspectCreated != nil {
		text = AppendStamp(append(text, `,"aspectCreated":`...), *s.AspectCreated)
	}
	if s.AspectModified != nil {
		text = AppendStamp(append(text, `,"aspectModified":`...), *s.AspectModified)
	}
	return append(text, '}')
}

// AppendStamp appends an audit stamp: the time and the actor.
func AppendStamp(text []byte, s catalog.AuditStamp) []byte {
	text = strconv.AppendInt(append(text, `{"time":`...), s.Time, 10)
	return append(AppendString(append(text, `,"actor":`...), s.Actor), '}')
}

// AppendMap appends an object with its members in the order of their names.
func AppendMap[V any](text []byte, members map[string]V, member func([]byte, V) []byte) []byte {
	if members == nil {
		return append(text, "null"...)
	}
	text = append(text, '{')
	var room [8]string // room for the names of most maps
	names := slices.AppendSeq(room[:0], maps.Keys(members))
	slices.Sort(names)
	for i, name := range names {
		if i > 0 {
			text = append(text, ',')
		}
		text = member(append(AppendString(text, name), ':'), members[name])
	}
	return append(text, '}')
}

// AppendValue appends a stored value.
func AppendValue(text []byte, value json.RawMessage) []byte {
	if value == nil {
		return append(text, "null"...)
	}
	return append(text, value...)
}

// AppendString appends a string. Most strings have no character that JSON escapes.
func AppendString(text []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return appendEscaped(text, s)
		}
	}
	return append(append(append(text, '"'), s...), '"')
}

func appendEscaped(text []byte, s string) []byte {
	b := bytes.NewBuffer(text)
	encoder := json.NewEncoder(b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(s) // encoding a string cannot fail
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
