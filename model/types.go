package model

import (
	"encoding/json"
	"fmt"
	"strings"
)

// kind is the kind of a field's type.
type kind uint8

const (
	kindString kind = iota
	kindBoolean
	kindInt
	kindLong
	kindFloat
	kindDouble
	kindBytes
	kindURN
	kindEnum
	kindArray
	kindMap
	kindRecord
	kindUnion
)

// Type is a compiled field type or record.
type Type struct {
	kind kind
	// name is the record's or enum's neutral name without prefix.
	name string
	// elem is the type of an array's items or of a map's values.
	elem *Type
	// fields are the fields of a record, in order; byName has them by name.
	fields []*Field
	byName map[string]*Field
	// required lists the fields that a value must have.
	required []*Field
	// open: the record may have any member.
	open    bool
	symbols map[string]bool
	// members are the members of a union, by their neutral keys without prefix.
	members map[string]*Type
	// recordMember has the member keys that are records. Their spelling depends on the
	// dialect.
	recordMember map[string]bool
	// only is the key of a one-member union.
	only string
	// entity is the entity type that a typed URN must have, "" for any.
	entity string
}

// Field is a field of a record.
type Field struct {
	Name     string          `json:"name"`
	Type     string          `json:"type"`
	Optional bool            `json:"optional"`
	Default  json.RawMessage `json:"default"`

	typ *Type
}

// recordRow is a row of the records table.
type recordRow struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"`
	Fields  []*Field `json:"fields"`
	Symbols []string `json:"symbols"`
	Ref     string   `json:"ref"`
	Size    int      `json:"size"`
}

// scalars are the type names that are no records.
var scalars = map[string]*Type{
	"string": {kind: kindString}, "url": {kind: kindString}, "uri": {kind: kindString},
	"boolean": {kind: kindBoolean}, "int": {kind: kindInt}, "long": {kind: kindLong},
	"float": {kind: kindFloat}, "double": {kind: kindDouble}, "bytes": {kind: kindBytes},
	"urn": {kind: kindURN},
	// The interface accepts any origin, not only the symbols of the enum.
	"enum<FabricType>": {kind: kindString},
}

// typedURNs maps the name of a typed URN to its entity type. For other typed URNs, the
// entity type is the name with a lower-case first letter.
var typedURNs = map[string]string{
	"Corpuser": EntityCorpuser, "MLFeature": EntityMlFeature, "MLModel": EntityMlModel,
}

// typeCompiler resolves type notations against the records table.
type typeCompiler struct {
	rows  map[string]*recordRow
	short map[string]string
	done  map[string]*Type
}

// compileTypes returns the records and enums by neutral name without prefix.
func compileTypes(rows []recordRow) (map[string]*Type, error) {
	c := &typeCompiler{rows: map[string]*recordRow{}, short: map[string]string{}, done: map[string]*Type{}}
	for i := range rows {
		name := bareRecord(rows[i].Name)
		if c.rows[name] != nil {
			return nil, fmt.Errorf("record %s is defined twice", rows[i].Name)
		}
		c.rows[name] = &rows[i]
		if rows[i].Kind != "typeref" {
			c.short[name[strings.LastIndexByte(name, '.')+1:]] = name
		}
	}
	for name, row := range c.rows {
		if row.Kind == "typeref" {
			continue
		}
		if _, err := c.record(name); err != nil {
			return nil, err
		}
	}
	return c.done, nil
}

func (c *typeCompiler) record(name string) (*Type, error) {
	if t, ok := c.done[name]; ok {
		return t, nil
	}
	row, ok := c.rows[name]
	if !ok {
		return nil, fmt.Errorf("there is no record %s", name)
	}
	t := &Type{kind: kindRecord, name: name, byName: map[string]*Field{}}
	c.done[name] = t // stored before its fields are compiled, because records may contain themselves
	switch row.Kind {
	case "enum":
		t.kind, t.symbols = kindEnum, map[string]bool{}
		for _, s := range row.Symbols {
			t.symbols[s] = true
		}
		return t, nil
	case "fixed":
		t.kind = kindBytes
		return t, nil
	}
	for _, f := range row.Fields {
		typ, err := c.parse(f.Type)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", name, f.Name, err)
		}
		f.typ = typ
		t.fields = append(t.fields, f)
		t.byName[f.Name] = f
		if !f.Optional && f.Default == nil {
			t.required = append(t.required, f)
		}
	}
	return t, nil
}

// parse compiles a type notation, such as array<union{string:urn<Dataset>}>.
func (c *typeCompiler) parse(notation string) (*Type, error) {
	if t, ok := scalars[notation]; ok {
		return t, nil
	}
	inner := func(open string, closing byte) (string, bool) {
		rest, ok := strings.CutPrefix(notation, open)
		if !ok || rest == "" || rest[len(rest)-1] != closing {
			return "", false
		}
		return rest[:len(rest)-1], true
	}
	if item, ok := inner("array<", '>'); ok {
		elem, err := c.parse(item)
		return &Type{kind: kindArray, elem: elem}, err
	}
	if item, ok := inner("map<string,", '>'); ok {
		elem, err := c.parse(item)
		return &Type{kind: kindMap, elem: elem}, err
	}
	if name, ok := inner("urn<", '>'); ok {
		return &Type{kind: kindURN, entity: typedEntity(name)}, nil
	}
	if name, ok := inner("enum<", '>'); ok {
		return c.named(name)
	}
	if name, ok := inner("fixed<", '>'); ok {
		return c.named(name)
	}
	if list, ok := inner("union{", '}'); ok {
		return c.union(list)
	}
	return c.named(notation)
}

func typedEntity(name string) string {
	if entity, ok := typedURNs[name]; ok {
		return entity
	}
	return strings.ToLower(name[:1]) + name[1:]
}

// named returns the record or enum with a short or full neutral name.
func (c *typeCompiler) named(name string) (*Type, error) {
	full := bareRecord(name)
	if _, ok := c.rows[full]; !ok {
		if full, ok = c.short[name]; !ok {
			return nil, fmt.Errorf("there is no type %s", name)
		}
	}
	return c.record(full)
}

func (c *typeCompiler) union(list string) (*Type, error) {
	t := &Type{kind: kindUnion, members: map[string]*Type{}, recordMember: map[string]bool{}}
	for _, member := range splitTop(list) {
		key, notation, ok := strings.Cut(member, ":")
		if !ok {
			return nil, fmt.Errorf("union member %q has no type", member)
		}
		typ, err := c.parse(notation)
		if err != nil {
			return nil, err
		}
		bare := bareRecord(key)
		t.members[bare], t.recordMember[bare] = typ, bare != key
		t.only = bare
	}
	if len(t.members) > 1 {
		t.only = ""
	}
	return t, nil
}

// splitTop splits a list at the commas outside all brackets.
func splitTop(list string) []string {
	var parts []string
	depth, start := 0, 0
	for i := range len(list) {
		switch list[i] {
		case '<', '{':
			// The prefix placeholder "<prefix>" nests like any bracket.
			depth++
		case '>', '}':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, list[start:i])
				start = i + 1
			}
		}
	}
	return append(parts, list[start:])
}
