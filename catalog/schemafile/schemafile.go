// Package schemafile reads files of schemas: Avro, JSON Schema, OpenAPI, and Protobuf as a set of descriptors. It gives the
// fields of a schema the paths that the client's sources state in schemaMetadata, so that a file and the catalog agree on
// them. It reads nothing but the text that it is given: a reference to another file is an error.
package schemafile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/headwater-io/headwater/internal/clip"
	"github.com/headwater-io/headwater/internal/limits"
)

// The kinds of files.
const (
	Avro       = "avro"
	JSONSchema = "json-schema"
	OpenAPI    = "openapi"
	Protobuf   = "protobuf"
)

// Schema is a schema of a file.
type Schema struct {
	// Name is the name that the file gives the schema. Platform is the platform to which such schemas usually belong, "" for
	// none. File is the file inside a set of descriptors, "" for others.
	Name, Platform, File string
	Fields               []Field
}

// Field is a field at any depth.
type Field struct {
	// Path is the path as schemaMetadata has it, such as [version=2.0].[type=Order].[type=long].id.
	Path string
	// Native is the type in the words of the format, and Logical a logical type of Avro; "" for none.
	Native, Logical string
	// Nullable: the value may be null. Optional: the field may be left out.
	Nullable, Optional bool
	// Values are the values of an enumeration, nil for another type.
	Values []string
	// Former are the former names of the field itself, as Avro's aliases state them. Number is the number of the field in
	// Protobuf below the numbers of the messages that have it, as in 4/1; "" for none.
	Former []string
	Number string
}

// extensions are the ends of names that tell the format of a file. JSON and YAML are looked into.
var extensions = map[string]string{
	".avsc": Avro, ".binpb": Protobuf, ".desc": Protobuf, ".protoset": Protobuf, ".fds": Protobuf, ".pb": Protobuf,
}

// Extensions are the endings of the names of files that may be schemas, in lower case.
var Extensions = append(slices.Collect(maps.Keys(extensions)), ".json", ".yaml", ".yml")

// Kind says of which kind a file is, by its name and its text; "" for a file that is no schema.
func Kind(name string, text []byte) string {
	extension := strings.ToLower(path.Ext(name))
	if kind := extensions[extension]; kind != "" {
		return kind
	}
	if extension != ".json" && extension != ".yaml" && extension != ".yml" {
		return ""
	}
	var members map[string]any
	if yaml.Unmarshal(text, &members) != nil {
		return ""
	}
	return kindOf(members)
}

func kindOf(members map[string]any) string {
	has := func(name string) bool {
		_, ok := members[name]
		return ok
	}
	kind, _ := members["type"].(string)
	switch {
	case has("openapi") || has("swagger"):
		return OpenAPI
	case kind == "record" && has("fields"):
		return Avro
	case has("$schema"), has("$defs"), has("$id"), kind != "":
		return JSONSchema
	case has("properties") && !textsOnly(members["properties"]), has("oneOf"), has("anyOf"), has("allOf"):
		return JSONSchema
	}
	return ""
}

// textsOnly reports whether all members are texts, as the columns in a list of tables are.
func textsOnly(value any) bool {
	members, _ := value.(map[string]any)
	for _, member := range members {
		if _, ok := member.(string); !ok {
			return false
		}
	}
	return len(members) > 0
}

// Settings say how a file is read.
type Settings struct {
	// Name is the name for a schema without one.
	Name string
	// Key: the schemas are schemas of keys and not of values.
	Key bool
}

// Read reads the schemas of a file.
func Read(kind string, text []byte, s Settings) ([]Schema, error) {
	if len(text) > limits.CheckSchemaBytes {
		return nil, fmt.Errorf("a file of schemas may have %d bytes", limits.CheckSchemaBytes)
	}
	w := &writer{settings: s, left: limits.CheckSchemaFields}
	switch kind {
	case Avro:
		return w.avro(text)
	case JSONSchema:
		return w.jsonSchema(text)
	case OpenAPI:
		return w.openAPI(text)
	case Protobuf:
		return w.protobuf(text)
	}
	return nil, fmt.Errorf("unknown kind of schema %q", kind)
}

// writer collects the fields of the schemas of one file.
type writer struct {
	settings Settings
	fields   []Field
	left     int
	// seen has one pointer for each schema of JSON Schema.
	seen map[string]*node
}

var (
	errTooMany = fmt.Errorf("the schemas of a file may have %d fields in all, counted at each place where a type is used", limits.CheckSchemaFields)
	errTooDeep = fmt.Errorf("fields may be nested %d deep", limits.CheckSchemaDepth)
)

// start returns the first steps of all paths.
func (w *writer) start() []string {
	if w.settings.Key {
		return []string{"[version=2.0]", "[key=True]"}
	}
	return []string{"[version=2.0]"}
}

// put adds a field at a path.
func (w *writer) put(steps []string, f Field) error {
	if w.left--; w.left < 0 {
		return errTooMany
	}
	f.Path = strings.Join(steps, ".")
	w.fields = append(w.fields, f)
	return nil
}

// take returns the fields that were added since it was called.
func (w *writer) take() []Field {
	fields := w.fields
	w.fields = nil
	return fields
}

// below returns steps followed by more steps. It does not change the given steps.
func below(steps []string, more ...string) []string {
	return append(steps[:len(steps):len(steps)], more...)
}

func typeStep(name string) string { return "[type=" + name + "]" }

// decodeTree decodes JSON, or YAML if the text is no JSON.
func decodeTree(text []byte) (map[string]any, error) {
	var tree map[string]any
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		if err := json.Unmarshal(text, &tree); err != nil {
			return nil, fmt.Errorf("it is not JSON: %w", err)
		}
		return tree, nil
	}
	if err := yaml.Unmarshal(text, &tree); err != nil {
		return nil, fmt.Errorf("it is neither JSON nor YAML: %s", clip.Text(err.Error(), 200))
	}
	if tree == nil {
		return nil, errors.New("it is empty")
	}
	return tree, nil
}
