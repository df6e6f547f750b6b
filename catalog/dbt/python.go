package dbt

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/headwater-io/headwater/internal/python"
)

// The client writes values of the project as Python writes them: custom properties, arguments of tests. These functions
// write the same texts.

// pythonText returns Python's str of a JSON value: strings stay, true becomes True, lists and objects become their
// literals. The absent value is None.
func pythonText(value json.RawMessage) string {
	var text string
	if len(value) > 0 && value[0] == '"' && json.Unmarshal(value, &text) == nil {
		return text
	}
	return pythonLiteral(value)
}

func pythonLiteral(value json.RawMessage) string {
	value = bytes.TrimSpace(value)
	switch {
	case len(value) == 0 || string(value) == "null":
		return "None"
	case string(value) == "true":
		return "True"
	case string(value) == "false":
		return "False"
	case value[0] == '"':
		var text string
		_ = json.Unmarshal(value, &text) // cannot fail, because the artifact was decoded before
		return python.Quoted(text)
	case value[0] == '[':
		return "[" + joined(list(value), pythonLiteral, ", ") + "]"
	case value[0] == '{':
		var o object
		_ = o.UnmarshalJSON(value) // cannot fail either
		parts := make([]string, len(o.names))
		for i, name := range o.names {
			parts[i] = python.Quoted(name) + ": " + pythonLiteral(o.values[name])
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return python.Number(string(value))
}

// pythonJSON returns a JSON value as Python's json.dumps writes it. The absent value is null.
func pythonJSON(value json.RawMessage) string {
	value = bytes.TrimSpace(value)
	switch {
	case len(value) == 0:
		return "null"
	case value[0] == '"':
		var text string
		_ = json.Unmarshal(value, &text) // cannot fail, because the artifact was decoded before
		return python.JSONString(text)
	case value[0] == '[':
		return "[" + joined(list(value), pythonJSON, ", ") + "]"
	case value[0] == '{':
		var o object
		_ = o.UnmarshalJSON(value) // cannot fail either
		parts := make([]string, len(o.names))
		for i, name := range o.names {
			parts[i] = python.JSONString(name) + ": " + pythonJSON(o.values[name])
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case strings.ContainsAny(string(value[:1]), "-0123456789"):
		return python.Number(string(value))
	}
	return string(value)
}

// list returns the elements of a JSON list, nil for any other value.
func list(value json.RawMessage) []json.RawMessage {
	var elements []json.RawMessage
	_ = json.Unmarshal(value, &elements) // another value has no elements
	return elements
}

func joined(values []json.RawMessage, write func(json.RawMessage) string, separator string) string {
	parts := make([]string, len(values))
	for i, value := range values {
		parts[i] = write(value)
	}
	return strings.Join(parts, separator)
}

// isTrue reports whether Python counts a JSON value as true.
func isTrue(value json.RawMessage) bool {
	switch text := pythonLiteral(value); text {
	case "None", "False", "''", "[]", "{}", "0", "0.0", "-0.0":
		return false
	}
	return true
}
