package schemafile

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/internal/clip"
	"github.com/headwater-io/headwater/internal/limits"
)

// node is a schema of JSON Schema.
type node = map[string]any

// jsonWalk walks a schema of JSON Schema.
type jsonWalk struct {
	*writer
	document node
	// api: the schema is one of OpenAPI. The client's source merges allOf there, and gives types no names of references.
	api bool
}

// place is a place in a schema: the steps that lead to it, and the schemas on the way with the names of their types.
type place struct {
	steps []string
	types []string
	named bool
	open  []opened
	depth int
}

type opened struct {
	schema *node
	name   string
}

// jsonSchema reads a JSON Schema, with the paths that the client states for it.
func (w *writer) jsonSchema(text []byte) ([]Schema, error) {
	document, err := decodeTree(text)
	if err != nil {
		return nil, err
	}
	walk := &jsonWalk{writer: w, document: document}
	name := w.settings.Name
	if id := cmp.Or(text1(document, "$id"), text1(document, "id")); id != "" {
		name = strings.TrimSuffix(path.Base(id), path.Ext(id))
	}
	if err := walk.root(document); err != nil {
		return nil, err
	}
	return []Schema{{Name: cmp.Or(name, text1(document, "title")), Fields: w.take()}}, nil
}

func (w *jsonWalk) root(schema node) error {
	resolved, err := w.resolve(schema)
	if err != nil {
		return err
	}
	return w.value(resolved, place{steps: w.start()}, "", false)
}

func text1(n node, name string) string {
	text, _ := n[name].(string)
	return text
}

// resolve follows the reference of a schema. Only references to the document itself are followed.
func (w *jsonWalk) resolve(value any) (*node, error) {
	for range limits.CheckSchemaDepth {
		schema, ok := value.(node)
		if !ok {
			return &node{}, nil // true, false, or a list of schemas
		}
		reference, ok := schema["$ref"].(string)
		if !ok {
			return w.identity(schema), nil
		}
		target, err := w.at(reference)
		if err != nil {
			return nil, err
		}
		if inner, ok := target.(node); ok && !w.api && inner["title"] == nil && reference != "#" {
			inner["title"] = path.Base(reference)
		}
		value = target
	}
	return nil, errors.New("a $ref leads to itself")
}

// identity returns one pointer for each schema of the document.
func (w *jsonWalk) identity(schema node) *node {
	if w.seen == nil {
		w.seen = map[string]*node{}
	}
	key := fmt.Sprintf("%p", schema)
	if w.seen[key] == nil {
		w.seen[key] = &schema
	}
	return w.seen[key]
}

// at finds the part of the document that a reference names.
func (w *jsonWalk) at(reference string) (any, error) {
	pointer, inside := strings.CutPrefix(reference, "#")
	if !inside || pointer != "" && pointer[0] != '/' {
		return nil, fmt.Errorf("$ref %q leads out of the file, and other files are not read: put all schemas into one file", clip.Text(reference, 200))
	}
	var at any = w.document
	if pointer == "" {
		return at, nil
	}
	for _, step := range strings.Split(pointer[1:], "/") {
		step = strings.NewReplacer("~1", "/", "~0", "~", "%25", "%").Replace(step)
		switch inner := at.(type) {
		case node:
			at = inner[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(inner) {
				at = nil
			} else {
				at = inner[i]
			}
		default:
			at = nil
		}
	}
	if at == nil {
		return nil, fmt.Errorf("$ref %q names nothing in the file", clip.Text(reference, 200))
	}
	return at, nil
}

var unions = []string{"oneOf", "anyOf", "allOf"}

// kind returns the type of a schema.
func (w *jsonWalk) kind(n node) string {
	for _, union := range unions {
		if _, ok := n[union]; ok {
			return "union"
		}
	}
	if _, ok := n["enum"]; ok {
		return "enum"
	}
	switch kind := n["type"].(type) {
	case string:
		if values, ok := n["additionalProperties"].(node); ok && kind == "object" && values != nil {
			return "map"
		}
		return kind
	case []any:
		names := texts(kind)
		if len(names) == 1 {
			return names[0]
		}
		if len(names) == 2 && slices.Contains(names, "null") {
			return names[1-slices.Index(names, "null")]
		}
		return "union"
	}
	return "object"
}

func texts(values []any) []string {
	names := make([]string, len(values))
	for i, value := range values {
		names[i], _ = value.(string)
	}
	return names
}

// name returns the name of a type in a path.
func (w *jsonWalk) name(n node) string {
	kind := w.kind(n)
	if kind == "object" {
		if class := text1(n, "javaType"); class != "" {
			return class[strings.LastIndexByte(class, '.')+1:]
		}
		if title := text1(n, "title"); title != "" && n["properties"] != nil {
			return title
		}
	}
	if format := text1(n, "format"); format != "" {
		return kind + "(" + format + ")"
	}
	return kind
}

// typed returns a place whose last field has one more type.
func (p place) typed(name string, schema *node) place {
	p.types = below(p.types, name)
	p.open = append(p.open[:len(p.open):len(p.open)], opened{schema, name})
	return p
}

// inner returns the place of a field inside the last one.
func (p place) inner(name string) place {
	p.steps, p.types, p.named, p.depth = below(p.path(), name), nil, true, p.depth+1
	return p
}

// path returns the steps without the name of the last field.
func (p place) path() []string {
	steps := p.steps
	if len(steps) > 1 && p.named { // the types of a field come before its name
		last := steps[len(steps)-1]
		steps = slices.Clone(steps[:len(steps)-1])
		for _, kind := range p.types {
			steps = append(steps, typeStep(kind))
		}
		return append(steps, last)
	}
	for _, kind := range p.types {
		steps = below(steps, typeStep(kind))
	}
	return steps
}

// value adds the fields of a schema. as is the name of its type; "" stands for the name in the schema itself.
func (w *jsonWalk) value(schema *node, p place, as string, required bool) error {
	return w.valueOf(schema, *schema, p, as, required)
}

// valueOf adds the fields of a schema, of which n is the content that counts at the place.
func (w *jsonWalk) valueOf(schema *node, n node, p place, as string, required bool) error {
	if p.depth > limits.CheckSchemaDepth || len(p.types) > limits.CheckSchemaDepth {
		return errTooDeep
	}
	if w.api && n["allOf"] != nil {
		merged, err := w.merged(n, 0)
		if err != nil {
			return err
		}
		n = merged
	}
	name := cmp.Or(as, w.name(n))
	f := Field{Native: nativeOf(n), Optional: !required}
	if kinds, ok := n["type"].([]any); ok {
		f.Nullable = slices.Contains(texts(kinds), "null")
	}
	switch w.kind(n) {
	case "object":
		return w.object(schema, n, p, name, f)
	case "array":
		return w.array(schema, n, p, name, f)
	case "map":
		values, err := w.resolve(n["additionalProperties"])
		if err != nil {
			return err
		}
		return w.value(values, p.typed("map", schema), "", required)
	case "union":
		return w.union(schema, n, p, f, required)
	case "enum":
		values, _ := n["enum"].([]any)
		for _, value := range values {
			text, _ := json.Marshal(value) // value comes from JSON, so that it can be written as JSON
			f.Values = append(f.Values, string(text))
		}
		return w.field(p.typed("enum", schema), f)
	}
	return w.field(p.typed(name, schema), f)
}

func nativeOf(n node) string {
	if kind, ok := n["type"].(string); ok {
		return kind
	}
	return ""
}

// field adds a field at a place, unless no field leads to the place.
func (w *jsonWalk) field(p place, f Field) error {
	if !p.named {
		return nil
	}
	return w.put(p.path(), f)
}

func (w *jsonWalk) object(schema *node, n node, p place, name string, f Field) error {
	for _, open := range p.open {
		if open.schema == schema {
			return w.field(p.typed(open.name, schema), f)
		}
	}
	p = p.typed(name, schema)
	if err := w.field(p, f); err != nil {
		return err
	}
	properties, _ := n["properties"].(node)
	required, _ := n["required"].([]any)
	for _, property := range slices.Sorted(maps.Keys(properties)) {
		inner, err := w.resolve(properties[property])
		if err != nil {
			return fmt.Errorf("property %q: %w", clip.Text(property, 100), err)
		}
		if err := w.value(inner, p.inner(property), "", slices.Contains(texts(required), property)); err != nil {
			return err
		}
	}
	return nil
}

func (w *jsonWalk) array(schema *node, n node, p place, name string, f Field) error {
	for _, open := range p.open {
		if open.schema == schema {
			return nil // a type that contains itself has fields without end
		}
	}
	p = p.typed(name, schema)
	if err := w.field(p, f); err != nil {
		return err
	}
	var items any = node{"type": "string"}
	if given, ok := n["items"]; ok {
		items = given
	}
	inner, err := w.resolve(items)
	if err != nil {
		return err
	}
	return w.value(inner, p.inner(cmp.Or(text1(*inner, "title"), w.kind(*inner))), "", false)
}

func (w *jsonWalk) union(schema *node, n node, p place, f Field, required bool) error {
	for _, open := range p.open {
		if open.schema == schema && open.name == "union" {
			return w.field(p.typed("union", schema), f)
		}
	}
	members, _ := n["oneOf"].([]any)
	for _, union := range unions {
		if more, ok := n[union].([]any); ok && len(members) == 0 {
			members = more
		}
	}
	if kinds, ok := n["type"].([]any); ok && len(members) == 0 {
		for _, kind := range texts(kinds) {
			members = append(members, node{"type": kind})
		}
	}
	if !p.named && len(members) == 1 {
		inner, err := w.resolve(members[0])
		if err != nil {
			return err
		}
		return w.valueOf(inner, withParent(n, *inner), p, "", required)
	}
	p = p.typed("union", schema)
	if err := w.field(p, f); err != nil {
		return err
	}
	for i, member := range members {
		inner, err := w.resolve(member)
		if err != nil {
			return err
		}
		name := w.name(*inner)
		if name == "object" {
			name = "union_" + strconv.Itoa(i)
		}
		if err := w.valueOf(inner, withParent(n, *inner), p, name, required); err != nil {
			return err
		}
	}
	return nil
}

// withParent returns a member of a union with the properties that stand beside the union.
func withParent(parent, member node) node {
	properties, some := parent["properties"].(node)
	required, needs := parent["required"].([]any)
	if !some && !needs {
		return member
	}
	both := maps.Clone(member)
	if some {
		all := maps.Clone(properties)
		own, _ := both["properties"].(node)
		maps.Copy(all, own)
		both["properties"] = all
	}
	if needs {
		own, _ := both["required"].([]any)
		both["required"] = slices.Concat(required, own)
	}
	return both
}
