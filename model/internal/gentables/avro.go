package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// client contains the types of an installed client, by neutral name.
type client struct {
	types map[string]map[string]any
	// order has the names in the order of the schema.
	order []string
}

// prefixes matches the beginning of the names of the client's types.
var prefixes = regexp.MustCompile(`^com\.linkedin\.(pegasus2avro\.)?`)

func neutral(name string) string { return prefixes.ReplaceAllString(name, neutralPrefix) }

const neutralPrefix = "<prefix>."

func short(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// readClient reads the schema in a client's package.
func readClient(path string) (*client, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var top []any
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	if err := decoder.Decode(&top); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	c := &client{types: map[string]map[string]any{}}
	for _, t := range top {
		c.define(t, "")
	}
	return c, nil
}

var primitives = map[string]bool{"string": true, "int": true, "long": true, "float": true, "double": true, "boolean": true, "bytes": true, "null": true}

// define collects the types that a schema defines. It returns the schema with neutral
// names: a name, a list of a union's members, or {"array": …} or {"map": …}.
func (c *client) define(t any, namespace string) any {
	switch t := t.(type) {
	case string:
		switch {
		case primitives[t]:
			return t
		case strings.Contains(t, "."):
			return neutral(t)
		}
		return neutral(namespace + "." + t)
	case []any:
		members := make([]any, len(t))
		for i := range t {
			members[i] = c.define(t[i], namespace)
		}
		return members
	case map[string]any:
		return c.defineNamed(t, namespace)
	}
	return nil
}

func (c *client) defineNamed(t map[string]any, namespace string) any {
	kind, plain := t["type"].(string)
	switch {
	case !plain:
		return c.define(t["type"], namespace)
	case kind == "array":
		return map[string]any{"array": c.define(t["items"], namespace)}
	case kind == "map":
		return map[string]any{"map": c.define(t["values"], namespace)}
	case kind != "record" && kind != "error" && kind != "enum" && kind != "fixed":
		return c.define(kind, namespace)
	}
	if own, ok := t["namespace"].(string); ok {
		namespace = own
	}
	name := neutral(namespace + "." + text(t, "name"))
	c.types[name] = t
	c.order = append(c.order, name)
	for _, f := range objects(t["fields"]) {
		f["type"] = c.define(f["type"], namespace)
	}
	return name
}

// field returns a field in the notation of the tables.
func (c *client) field(f map[string]any) row {
	t, optional := f["type"], false
	if members, ok := t.([]any); ok {
		var rest []any
		for _, m := range members {
			if m == "null" {
				optional = true
				continue
			}
			rest = append(rest, m)
		}
		if t = any(rest); len(rest) == 1 {
			t = rest[0]
		}
	}
	mark := ""
	if urn := text(f, "Urn"); urn == "Urn" {
		mark = "urn"
	} else if urn != "" {
		mark = "urn<" + strings.TrimSuffix(urn, "Urn") + ">"
	}
	if mark == "" {
		java, _ := f["java"].(map[string]any)
		switch class := text(java, "class"); {
		case strings.HasSuffix(class, ".Url"):
			mark = "url"
		case strings.HasSuffix(class, ".URI"):
			mark = "uri"
		}
	}
	r := row{"name": text(f, "name"), "type": c.notation(t, mark), "optional": optional}
	if d, ok := f["default"]; ok && d != nil {
		r["default"] = withoutNamespace(d)
	}
	return r
}

// notation returns a type in the notation of the tables. If mark is set, it replaces the
// type string.
func (c *client) notation(t any, mark string) string {
	switch t := t.(type) {
	case string:
		switch {
		case t == "string" && mark != "":
			return mark
		case primitives[t]:
			return t
		}
		switch text(c.types[t], "type") {
		case "enum", "fixed":
			return text(c.types[t], "type") + "<" + short(t) + ">"
		}
		return short(t)
	case []any:
		members := make([]string, len(t))
		for i, m := range t {
			key := ""
			switch m := m.(type) {
			case string:
				key = m
			case map[string]any:
				for name := range m {
					key = name
				}
			}
			members[i] = key + ":" + c.notation(m, mark)
		}
		return "union{" + strings.Join(members, ",") + "}"
	case map[string]any:
		if items, ok := t["array"]; ok {
			return "array<" + c.notation(items, mark) + ">"
		}
		return "map<string," + c.notation(t["map"], mark) + ">"
	}
	return ""
}

// withoutNamespace returns a default without namespaces of URNs and without nulls.
func withoutNamespace(value any) any {
	switch value := value.(type) {
	case string:
		return urnStart.ReplaceAllString(value, "urn:<ns>:")
	case []any:
		for i := range value {
			value[i] = withoutNamespace(value[i])
		}
	case map[string]any:
		for name, member := range value {
			if member == nil {
				delete(value, name)
				continue
			}
			value[name] = withoutNamespace(member)
		}
	}
	return value
}

var urnStart = regexp.MustCompile(`\burn:li:`)

// text returns a member that is a text, "" for any other member.
func text(object map[string]any, name string) string {
	s, _ := object[name].(string)
	return s
}

func objects(list any) []map[string]any {
	items, _ := list.([]any)
	found := make([]map[string]any, 0, len(items))
	for _, item := range items {
		if object, ok := item.(map[string]any); ok {
			found = append(found, object)
		}
	}
	return found
}

func texts(list any) []string {
	items, _ := list.([]any)
	found := make([]string, 0, len(items))
	for _, item := range items {
		if s, ok := item.(string); ok {
			found = append(found, s)
		}
	}
	return found
}
