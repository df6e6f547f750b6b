package rest

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/headwater-io/headwater/catalog"
)

// The answers with stored values write their JSON themselves. Stored values are JSON
// without insignificant space, and most of an answer, and encoding/json would read
// every one of them again.

// jsonAppender is an answer that appends itself as JSON, as encoding/json would write
// it with HTML unescaped.
type jsonAppender interface {
	appendJSON(text []byte) []byte
}

// frameSize is about how many bytes an answer has around a value.
const frameSize = 384

// entityAnswer is an entity with its aspects.
type entityAnswer catalog.EntityResponse

func (a entityAnswer) appendJSON(text []byte) []byte {
	size := 0
	for _, aspect := range a.Aspects {
		size += len(aspect.Value) + frameSize
	}
	text = slices.Grow(text, size)
	text = appendString(append(text, `{"urn":`...), a.URN)
	text = appendString(append(text, `,"entityName":`...), a.EntityName)
	text = appendMap(append(text, `,"aspects":`...), a.Aspects, appendEnvelope)
	return append(text, '}')
}

// entitiesAnswer are entities by URN.
type entitiesAnswer map[string]catalog.EntityResponse

func (a entitiesAnswer) appendJSON(text []byte) []byte {
	text = appendMap(append(text, `{"results":`...), a, func(text []byte, e catalog.EntityResponse) []byte {
		return entityAnswer(e).appendJSON(text)
	})
	return append(text, `,"statuses":{},"errors":{}}`...)
}

// aspectAnswer is one version of an aspect.
type aspectAnswer catalog.VersionedAspect

func (a aspectAnswer) appendJSON(text []byte) []byte {
	text = slices.Grow(text, len(a.Value)+frameSize)
	text = strconv.AppendInt(append(text, `{"version":`...), a.Version, 10)
	text = appendString(append(text, `,"aspect":{`...), a.Record)
	return append(appendValue(append(text, ':'), a.Value), "}}"...)
}

func appendEnvelope(text []byte, a catalog.EnvelopedAspect) []byte {
	text = appendString(append(text, `{"name":`...), a.Name)
	text = appendString(append(text, `,"type":`...), a.Type)
	text = strconv.AppendInt(append(text, `,"version":`...), a.Version, 10)
	text = appendValue(append(text, `,"value":`...), a.Value)
	text = appendStamp(append(text, `,"created":`...), a.Created)
	if a.System != nil {
		text = appendSystem(append(text, `,"systemMetadata":`...), a.System)
	}
	return append(text, '}')
}

func appendSystem(text []byte, s *catalog.SystemMetadata) []byte {
	text = strconv.AppendInt(append(text, `{"lastObserved":`...), s.LastObserved, 10)
	for _, member := range []struct{ name, value string }{
		{`,"runId":`, s.RunID},
		{`,"registryName":`, s.RegistryName},
		{`,"registryVersion":`, s.RegistryVersion},
		{`,"pipelineName":`, s.PipelineName},
	} {
		if member.value != "" {
			text = appendString(append(text, member.name...), member.value)
		}
	}
	if len(s.Properties) > 0 {
		text = appendMap(append(text, `,"properties":`...), s.Properties, appendString)
	}
	if s.SchemaVersion != 0 {
		text = strconv.AppendInt(append(text, `,"schemaVersion":`...), s.SchemaVersion, 10)
	}
	if s.LastRunID != "" {
		text = appendString(append(text, `,"lastRunId":`...), s.LastRunID)
	}
	if s.Version != "" {
		text = appendString(append(text, `,"version":`...), s.Version)
	}
	if s.AspectCreated != nil {
		text = appendStamp(append(text, `,"aspectCreated":`...), *s.AspectCreated)
	}
	if s.AspectModified != nil {
		text = appendStamp(append(text, `,"aspectModified":`...), *s.AspectModified)
	}
	return append(text, '}')
}

func appendStamp(text []byte, s catalog.AuditStamp) []byte {
	text = strconv.AppendInt(append(text, `{"time":`...), s.Time, 10)
	return append(appendString(append(text, `,"actor":`...), s.Actor), '}')
}

// appendMap appends an object with its members in the order of their names.
func appendMap[V any](text []byte, members map[string]V, member func([]byte, V) []byte) []byte {
	if members == nil {
		return append(text, "null"...)
	}
	text = append(text, '{')
	var room [8]string // for the names of most
	names := slices.AppendSeq(room[:0], maps.Keys(members))
	slices.Sort(names)
	for i, name := range names {
		if i > 0 {
			text = append(text, ',')
		}
		text = member(append(appendString(text, name), ':'), members[name])
	}
	return append(text, '}')
}

// appendValue appends a stored value.
func appendValue(text []byte, value json.RawMessage) []byte {
	if value == nil {
		return append(text, "null"...)
	}
	return append(text, value...)
}

// appendString appends a string. Most have no character that JSON escapes.
func appendString(text []byte, s string) []byte {
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
	_ = encoder.Encode(s) // a string always encodes
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
