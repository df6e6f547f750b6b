package change

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog/schemafile"
	"github.com/headwater-io/headwater/model"
)

// keyStep is the step of a path by which the field belongs to the key of a message.
const keyStep = "[key=True]"

// SchemaNames say which tables the schemas of files are.
type SchemaNames struct {
	Names
	// Table returns the name of the table of a schema, or its URN in the catalog.
	Table func(s *schemafile.Schema) string
	// PlatformURN returns the URN of a table by its platform and its name.
	PlatformURN func(platform, table string) string
	// Key: the schemas are schemas of message keys.
	Key bool
}

// SchemaFile is a file of schemas that was read. Text is the text in which the names of fields are found, "" for none.
type SchemaFile struct {
	Name, Text string
	Schemas    []schemafile.Schema
}

// FromSchemas returns the state of the schemas of files.
func FromSchemas(files []SchemaFile, names SchemaNames) (*State, error) {
	s := newState(names.Dialect)
	for _, f := range files {
		for i := range f.Schemas {
			n := names.node(&f, &f.Schemas[i])
			if was := s.Nodes[n.ID]; was != nil {
				return nil, fmt.Errorf("%s and %s both have a schema of %s", was.File, n.File, n.Name)
			}
			s.add(n, strings.Split(n.Name, "."))
		}
	}
	return s, nil
}

func (names *SchemaNames) node(f *SchemaFile, schema *schemafile.Schema) *Node {
	table := names.Table(schema)
	n := &Node{ID: strings.ToLower(table), Name: table, Type: "table", Platform: names.Platform, File: f.Name, Line: 1, Known: true, nested: true, keys: names.Key, raw: f.Text}
	if n.Platform == "" {
		n.Platform = schema.Platform
	}
	if schema.File != "" {
		n.File = schema.File
	}
	if urn := model.StoredURN(table); !urn.IsZero() && urn.EntityType() == model.EntityDataset {
		n.ID, n.URNs, n.Name, n.Platform = table, []string{table}, lastName(urn), platformOf(urn)
	} else if n.Platform != "" && names.PlatformURN != nil {
		n.URNs = []string{names.PlatformURN(n.Platform, table)}
	}
	var columns columnList
	for i := range schema.Fields {
		f := &schema.Fields[i]
		c := Column{Path: f.Path, NotNull: !f.Nullable && !f.Optional, Type: typeAt(f.Path, f.Native, f.Logical), values: f.Values, number: f.Number}
		columns.put(c, f.Former)
	}
	n.Columns = columns.list
	return n
}

// columnList collects the fields of a schema as columns, by their names without types.
type columnList struct {
	list []Column
	at   map[string]int
}

// put adds a column under its path. Several columns with one name are the types of a union: put joins them
// into the first.
func (l *columnList) put(c Column, former []string) {
	c.Name = model.PlainPath(c.Path)
	if c.Name == "" {
		return
	}
	if l.at == nil {
		l.at = map[string]int{}
	}
	if at, listed := l.at[c.Name]; listed {
		known := &l.list[at]
		known.more = append(known.more, c.Path)
		known.Type = either(known.Type, c.Type)
		known.NotNull = known.NotNull && c.NotNull
		known.Labels = append(known.Labels, c.Labels...)
		return
	}
	above, last := "", c.Name
	if dot := strings.LastIndexByte(c.Name, '.'); dot >= 0 {
		above, last = c.Name[:dot], c.Name[dot+1:]
	}
	for _, name := range former {
		c.formerly = append(c.formerly, strings.ToLower(strings.TrimPrefix(above+"."+name, ".")))
	}
	if holder, ok := l.at[above]; ok {
		for _, name := range l.list[holder].formerly {
			c.formerly = append(c.formerly, name+"."+strings.ToLower(last))
		}
	}
	l.at[c.Name] = len(l.list)
	l.list = append(l.list, c)
}

// either returns the type of a column that has one of two types.
func either(a, b string) string {
	names := append(membersOf(a), membersOf(b)...)
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
	slices.Sort(names)
	return "union<" + strings.Join(slices.Compact(names), ", ") + ">"
}

// membersOf returns the types of a union; of another type, that type.
func membersOf(kind string) []string {
	inner, ok := strings.CutPrefix(kind, "union<")
	switch {
	case kind == "union":
		return nil
	case ok && strings.HasSuffix(inner, ">"):
		return strings.Split(inner[:len(inner)-1], ", ")
	}
	return []string{kind}
}

var typeSteps = regexp.MustCompile(`\[([^\]=]*)=?([^\]]*)\]\.?`)

// typeAt returns the type of a field. A path with types has them before the last name; without types in the path, it is
// the native type. The path comes first, because the catalog has names of fields as the native types of Avro.
func typeAt(path, native, logical string) string {
	if !strings.HasPrefix(path, "[version=2.0]") {
		return native
	}
	var kinds []string
	end := -1
	for _, m := range typeSteps.FindAllStringSubmatchIndex(path, -1) {
		if m[0] != end {
			kinds = nil
		}
		end = m[1]
		if path[m[2]:m[3]] == "type" {
			kinds = append(kinds, path[m[4]:m[5]])
		}
	}
	plain := model.PlainPath(path)
	if !strings.Contains(plain, ".") && len(kinds) > 1 { // the first type is the type of the whole schema
		kinds = kinds[1:]
	}
	if len(kinds) == 0 {
		return native
	}
	last := &kinds[len(kinds)-1]
	switch {
	case logical != "":
		*last = logical
	case (*last == "int" || *last == "long") && protoNumbers[native]:
		*last = native
	}
	return strings.Join(kinds, "<") + strings.Repeat(">", len(kinds)-1)
}

// protoNumbers are the numbers of Protobuf, which share two words in paths.
var protoNumbers = map[string]bool{
	"int32": true, "int64": true, "uint32": true, "uint64": true, "sint32": true, "sint64": true, "fixed32": true, "fixed64": true, "sfixed32": true, "sfixed64": true,
}

// jsonProps are the members of a field's jsonProps that count.
type jsonProps struct {
	LogicalType      string
	Precision, Scale int
	Required         *bool
}

func propsOf(text string) (p jsonProps) {
	if text != "" {
		_ = json.Unmarshal([]byte(text), &p) // other members state nothing
	}
	if p.LogicalType == "decimal" {
		p.LogicalType = fmt.Sprintf("decimal(%d,%d)", p.Precision, p.Scale)
	}
	return p
}
