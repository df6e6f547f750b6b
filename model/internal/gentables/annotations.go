package main

import (
	"maps"
	"slices"
	"strings"
)

// annotation is an annotation with the path in an aspect to which it applies.
type annotation struct {
	path []string
	// value is nil if an outer annotation switches an inner annotation off.
	value map[string]any
}

// found is a place of an aspect with the annotation that applies there.
type found struct {
	path  []string
	typ   string
	array bool
	annotation
}

// annotations returns the annotations of one kind that apply to places of an aspect. An
// annotation is at a field and applies to the field, or to a path below the field. If
// several apply to a place, the outermost one counts.
func (t *tables) annotations(kind, record string) []found {
	w := walker{tables: t, kind: kind}
	w.record(record, nil, false, nil, map[string]bool{record: true})
	for _, f := range objects(t.records[record]["fields"]) {
		here := []string{text(f, "name")}
		for _, a := range w.declared(record, text(f, "name"), here) {
			reached := slices.ContainsFunc(w.found, func(other found) bool { return slices.Equal(other.path, a.path) })
			if !reached && len(a.value) > 0 { // the path of the annotation does not exist, so the annotation applies to the field
				w.found = append(w.found, found{here, text(f, "type"), false, a})
			}
		}
	}
	return w.found
}

type walker struct {
	tables *tables
	kind   string
	found  []found
}

// deepest is the deepest nesting of records that is searched for annotations.
const deepest = 12

func (w *walker) record(name string, path []string, array bool, active []annotation, seen map[string]bool) {
	for _, f := range objects(w.tables.records[name]["fields"]) {
		here := append(slices.Clone(path), text(f, "name"))
		mine := slices.Concat(active, w.declared(name, text(f, "name"), here))
		w.visit(text(f, "type"), here, array, mine, seen)
	}
}

// declared returns the annotations that the client has at a field.
func (w *walker) declared(record, field string, path []string) []annotation {
	value, ok := w.tables.annotated[record+"#"+field][w.kind].(map[string]any)
	if !ok {
		return nil
	}
	paths := len(value) > 0
	for name := range value {
		paths = paths && strings.HasPrefix(name, "/")
	}
	if !paths {
		return []annotation{{path, plain(value)}}
	}
	var declared []annotation
	for _, below := range slices.Sorted(maps.Keys(value)) {
		inner, _ := value[below].(map[string]any)
		if _, newest := inner[newestLayout]; newest && len(inner) == 1 {
			continue
		}
		steps := strings.FieldsFunc(below, func(r rune) bool { return r == '/' })
		declared = append(declared, annotation{append(slices.Clone(path), steps...), plain(inner)})
	}
	return declared
}

// newestLayout is the member of an annotation about an index layout that Headwater does not
// use.
const newestLayout = "v3"

func plain(value map[string]any) map[string]any {
	if value == nil {
		return nil
	}
	value = maps.Clone(value)
	delete(value, newestLayout)
	return value
}

func (w *walker) visit(typ string, path []string, array bool, active []annotation, seen map[string]bool) {
	full := w.tables.byShort[typ]
	leaf := w.tables.byShort[leafOf(typ)] == ""
	for _, a := range active {
		if slices.Equal(a.path, path) {
			w.found = append(w.found, found{path, typ, array, a})
			deeper := slices.ContainsFunc(active, func(other annotation) bool { return len(other.path) > len(path) })
			if leaf && !deeper {
				return
			}
			break
		}
	}
	if item, ok := inner(typ, "array<", ">"); ok {
		w.visit(item, append(slices.Clone(path), "*"), true, active, seen)
		return
	}
	if value, ok := inner(typ, "map<string,", ">"); ok {
		keys := append(slices.Clone(path), "$key")
		if slices.ContainsFunc(active, func(a annotation) bool { return len(a.path) >= len(keys) && slices.Equal(a.path[:len(keys)], keys) }) {
			w.visit("string", keys, true, active, seen)
		}
		w.visit(value, append(slices.Clone(path), "*"), true, active, seen)
		return
	}
	if list, ok := inner(typ, "union{", "}"); ok {
		for _, member := range splitTop(list) {
			key, memberType := cutMember(member)
			w.visit(memberType, append(slices.Clone(path), key), array, active, seen)
		}
		return
	}
	if full == "" || text(w.tables.records[full], "kind") != "record" || seen[full] || len(seen) > deepest {
		return
	}
	below := maps.Clone(seen)
	below[full] = true
	w.record(full, path, array, active, below)
}

func inner(typ, open, end string) (string, bool) {
	if rest, ok := strings.CutPrefix(typ, open); ok && strings.HasSuffix(rest, end) {
		return strings.TrimSuffix(rest, end), true
	}
	return "", false
}

// leafOf returns the type inside all arrays and maps.
func leafOf(typ string) string {
	for {
		item, ok := inner(typ, "array<", ">")
		if !ok {
			item, ok = inner(typ, "map<string,", ">")
		}
		if !ok {
			return typ
		}
		typ = item
	}
}

// splitTop splits a list at the commas outside all brackets.
func splitTop(list string) []string {
	var parts []string
	depth, start := 0, 0
	for i := range len(list) {
		switch list[i] {
		case '<', '{':
			depth++
		case '>', '}':
			depth--
		case ',':
			if depth == 0 {
				parts, start = append(parts, list[start:i]), i+1
			}
		}
	}
	return append(parts, list[start:])
}

// cutMember splits a member of a union into its key and its type.
func cutMember(member string) (key, typ string) {
	key, typ, _ = strings.Cut(member, ":")
	return key, typ
}

// searchRow returns the row of a search field of an aspect.
func (t *tables) searchRow(aspect string, f found) row {
	steps, typ, array := f.path, f.typ, f.array
	name, mapped := "", false
	if steps[len(steps)-1] == "*" && t.isMap(aspect, steps[:len(steps)-1]) {
		mapped, steps, typ, array = true, steps[:len(steps)-1], "map<string,"+typ+">", false
		name = steps[len(steps)-1]
	} else {
		name = lastName(steps)
	}
	if own := text(f.value, "fieldName"); own != "" {
		name = own
	}
	fieldType := text(f.value, "fieldType")
	if fieldType == "" {
		fieldType = assumedType(typ, mapped)
	}
	byDefault := slices.Contains([]string{"TEXT", "TEXT_PARTIAL", "WORD_GRAM", "URN", "URN_PARTIAL"}, fieldType)
	switch own := f.value["queryByDefault"].(type) {
	case bool:
		byDefault = own
	case string:
		byDefault = strings.EqualFold(own, "true")
	}
	flags := maps.Clone(f.value)
	delete(flags, "fieldName")
	delete(flags, "fieldType")
	return row{
		"entities": t.entitiesOf(aspect), "aspect": aspect, "fieldPath": strings.Join(steps, "/"), "indexField": name, "fieldType": fieldType,
		"valueType": typ, "array": array, "queryByDefaultEffective": byDefault, "flags": flags,
	}
}

// assumedType returns the field type of an annotation that names none.
func assumedType(typ string, mapped bool) string {
	switch {
	case mapped, strings.HasPrefix(typ, "map<"):
		return "KEYWORD"
	case typ == "boolean":
		return "BOOLEAN"
	case typ == "int", typ == "long", typ == "float", typ == "double":
		return "COUNT"
	case strings.HasPrefix(typ, "urn"):
		return "URN"
	}
	return "TEXT"
}

func lastName(path []string) string {
	for _, step := range slices.Backward(path) {
		if step != "*" && step != "string" && step != "$key" {
			return step
		}
	}
	return path[len(path)-1]
}

// isMap reports whether a path in an aspect leads to a map.
func (t *tables) isMap(aspect string, path []string) bool {
	typ := short(text(t.aspects[aspect], "record"))
	for _, step := range path {
		if item, ok := inner(typ, "array<", ">"); ok && step == "*" {
			typ = item
			continue
		}
		if value, ok := inner(typ, "map<string,", ">"); ok && step == "*" {
			typ = value
			continue
		}
		next := ""
		if list, ok := inner(typ, "union{", "}"); ok {
			for _, member := range splitTop(list) {
				if key, memberType := cutMember(member); key == step {
					next = memberType
				}
			}
		}
		for _, f := range objects(t.records[t.byShort[typ]]["fields"]) {
			if text(f, "name") == step {
				next = text(f, "type")
			}
		}
		typ = next
	}
	return strings.HasPrefix(typ, "map<")
}

// edgeRow returns the row of a relationship of an aspect.
func (t *tables) edgeRow(aspect string, f found) row {
	extra := maps.Clone(f.value)
	for _, name := range []string{"name", "entityTypes", "isLineage", "isUpstream"} {
		delete(extra, name)
	}
	lineage, _ := f.value["isLineage"].(bool)
	upstream, stated := f.value["isUpstream"].(bool)
	types := f.value["entityTypes"]
	if types == nil {
		types = []any{}
	}
	return row{
		"relationship": text(f.value, "name"), "sourceEntities": t.entitiesOf(aspect), "aspect": aspect, "fieldPath": strings.Join(f.path, "/"),
		"destinationEntityTypes": types, "isLineage": lineage, "isUpstream": upstream || !stated, "array": f.array, "valueType": f.typ, "extra": extra,
	}
}
