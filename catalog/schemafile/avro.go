package schemafile

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/twmb/avro"

	"github.com/headwater-io/headwater/internal/limits"
)

// avroWalk walks the types of a schema of Avro.
type avroWalk struct {
	*writer
	// named are the records, enumerations and fixed types by their full names. open are the records on the way to a
	// field, and space is the namespace of the last open record.
	named map[string]*avro.SchemaNode
	open  map[string]bool
	space string
}

// avro reads a schema of Avro, with the paths that the client's source of Kafka states.
func (w *writer) avro(text []byte) ([]Schema, error) {
	parsed, err := avro.Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("it is not a schema of Avro: %w", err)
	}
	node := parsed.Root()
	walk := &avroWalk{writer: w, named: map[string]*avro.SchemaNode{}, open: map[string]bool{}}
	if err := walk.collect(node, 0); err != nil {
		return nil, err
	}
	if err := walk.value(node, w.start(), nil, 0); err != nil {
		return nil, err
	}
	return []Schema{{Name: cmp.Or(fullName(node), w.settings.Name), Platform: "kafka", Fields: w.take()}}, nil
}

func fullName(n *avro.SchemaNode) string {
	if n.Namespace == "" || strings.Contains(n.Name, ".") {
		return n.Name
	}
	return n.Namespace + "." + n.Name
}

// collect finds the named types.
func (w *avroWalk) collect(n *avro.SchemaNode, depth int) error {
	if depth > limits.CheckSchemaDepth {
		return errTooDeep
	}
	switch n.Type {
	case "record", "error", "enum", "fixed":
		w.named[fullName(n)] = n
	}
	inner := []*avro.SchemaNode{n.Items, n.Values}
	for i := range n.Fields {
		inner = append(inner, &n.Fields[i].Type)
	}
	for i := range n.Branches {
		inner = append(inner, &n.Branches[i])
	}
	for _, one := range inner {
		if one != nil {
			if err := w.collect(one, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// target returns the type that a node means.
func (w *avroWalk) target(n *avro.SchemaNode) *avro.SchemaNode {
	for _, name := range []string{w.space + "." + n.Type, n.Type} {
		if named := w.named[name]; named != nil {
			return named
		}
	}
	return n
}

// value adds the fields of a type. field is the field whose type this is, nil for the schema itself.
func (w *avroWalk) value(n *avro.SchemaNode, steps []string, field *avroField, depth int) error {
	if depth > limits.CheckSchemaDepth {
		return errTooDeep
	}
	n = w.target(n)
	switch n.Type {
	case "record", "error":
		return w.record(n, below(steps, typeStep(recordStep(n.Name))), field, depth)
	case "array":
		return w.value(n.Items, below(steps, typeStep("array")), field, depth+1)
	case "map":
		return w.value(n.Values, below(steps, typeStep("map")), field, depth+1)
	case "union":
		return w.union(n, steps, field, depth)
	}
	return w.emit(n, below(steps, typeStep(n.Type)), field)
}

// record adds a record, and its fields if it is not inside itself.
func (w *avroWalk) record(n *avro.SchemaNode, steps []string, field *avroField, depth int) error {
	if field != nil {
		if err := w.emit(n, steps, field); err != nil {
			return err
		}
		steps = below(steps, field.Name)
	}
	name := fullName(n)
	if w.open[name] {
		return nil
	}
	w.open[name] = true
	outer := w.space
	if at := strings.LastIndexByte(name, '.'); at >= 0 {
		w.space = name[:at]
	}
	defer func() {
		delete(w.open, name)
		w.space = outer
	}()
	for i := range n.Fields {
		inner := &avroField{SchemaField: &n.Fields[i], nullable: w.nullable(&n.Fields[i].Type, 0)}
		if err := w.value(&n.Fields[i].Type, steps, inner, depth+1); err != nil {
			return err
		}
	}
	return nil
}

type avroField struct {
	*avro.SchemaField
	nullable bool
}

// union adds an optional type as that type, and another union with all of its types.
func (w *avroWalk) union(n *avro.SchemaNode, steps []string, field *avroField, depth int) error {
	if len(n.Branches) == 2 {
		for i := range n.Branches {
			if n.Branches[i].Type == "null" {
				return w.value(&n.Branches[1-i], steps, field, depth+1)
			}
		}
	}
	steps = below(steps, typeStep("union"))
	if field != nil {
		if err := w.emit(n, steps, field); err != nil {
			return err
		}
	}
	for i := range n.Branches {
		if n.Branches[i].Type == "null" {
			continue
		}
		if err := w.value(&n.Branches[i], steps, field, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// emit adds a field with the type of a node. A type that no field has is not a field.
func (w *avroWalk) emit(n *avro.SchemaNode, steps []string, field *avroField) error {
	if field == nil {
		return nil
	}
	f := Field{Nullable: field.nullable, Logical: n.LogicalType, Former: field.Aliases}
	switch {
	case n.LogicalType == "decimal":
		f.Logical = fmt.Sprintf("decimal(%d,%d)", n.Precision, n.Scale)
	case n.Type == "enum":
		f.Values = n.Symbols
	}
	return w.put(below(steps, field.Name), f)
}

func (w *avroWalk) nullable(n *avro.SchemaNode, depth int) bool {
	if n = w.target(n); n.Type != "union" || depth > limits.CheckSchemaDepth {
		return n.Type == "null"
	}
	for i := range n.Branches {
		if w.nullable(&n.Branches[i], depth+1) {
			return true
		}
	}
	return false
}

// recordStep is the name of a record in a path. Names that programs give to structures without one count as one name.
func recordStep(name string) string {
	name = name[strings.LastIndexByte(name, '.')+1:]
	if strings.HasPrefix(name, "__struct_") {
		return "struct"
	}
	if parts := strings.Split(name, "_"); strings.HasPrefix(name, "__structn_") && len(parts) > 3 {
		return "struct" + parts[3]
	}
	return name
}
