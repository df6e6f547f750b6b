package schemafile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/headwater-io/headwater/catalog/schemafile"
	"github.com/headwater-io/headwater/internal/limits"
)

// TestPathsOfClient: fields have the paths that the client 1.3.1.4 states for the same schemas. The files .paths are
// its output. For messages, the client read the .proto files, from which protoc has made the descriptors.
func TestPathsOfClient(t *testing.T) {
	names := map[string]string{"order.avsc": "shop.Order", "order.schema.json": "order", "shop.openapi.json": "orders orders.id", "order.binpb": "shop.Order", "several.binpb": "several"}
	kinds := map[string]string{"order.avsc": schemafile.Avro, "order.schema.json": schemafile.JSONSchema, "shop.openapi.json": schemafile.OpenAPI, "order.binpb": schemafile.Protobuf, "several.binpb": schemafile.Protobuf}
	for file, kind := range kinds {
		t.Run(file, func(t *testing.T) {
			text := read(t, file)
			if got := schemafile.Kind(file, text); got != kind {
				t.Errorf("the kind is %q", got)
			}
			schemas, err := schemafile.Read(kind, text, schemafile.Settings{Name: "order"})
			if err != nil {
				t.Fatal(err)
			}
			var got, called []string
			for _, s := range schemas {
				called = append(called, s.Name)
				got = append(got, pathsOf(&s)...)
			}
			if strings.Join(called, " ") != names[file] {
				t.Errorf("the names are %q", called)
			}
			var want []string
			for line := range strings.Lines(string(read(t, file+".paths"))) {
				if !strings.HasPrefix(line, "#") {
					want = append(want, strings.TrimSpace(line))
				}
			}
			slices.Sort(want)
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func pathsOf(s *schemafile.Schema) []string {
	var paths []string
	for _, f := range s.Fields {
		paths = append(paths, f.Path)
	}
	return paths
}

// TestFacts: fields have the facts by which changes are found.
func TestFacts(t *testing.T) {
	facts := func(kind, file string) map[string]string {
		schemas, err := schemafile.Read(kind, read(t, file), schemafile.Settings{Key: true})
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]string{}
		for _, f := range schemas[0].Fields {
			if !strings.HasPrefix(f.Path, "[version=2.0].[key=True].") {
				t.Errorf("the path %s is not one of a key", f.Path)
			}
			found[f.Path[strings.LastIndexByte(f.Path, '.')+1:]] = fmt.Sprint(f.Native, " ", f.Logical, " ", f.Nullable, " ", f.Optional, " ", f.Values, " ", f.Number)
		}
		return found
	}
	for _, one := range []struct{ kind, file, field, want string }{
		{schemafile.Avro, "order.avsc", "note", "  true false [] "},
		{schemafile.Avro, "order.avsc", "price", " decimal(9,2) false false [] "},
		{schemafile.Avro, "order.avsc", "at", " timestamp-millis false false [] "},
		{schemafile.Avro, "order.avsc", "state", "  false false [A B] "},
		{schemafile.JSONSchema, "order.schema.json", "id", "integer  false false [] "},
		{schemafile.JSONSchema, "order.schema.json", "note", "  true true [] "},
		{schemafile.JSONSchema, "order.schema.json", "state", `  false true ["A" "B"] `},
		{schemafile.Protobuf, "order.binpb", "sku", "string  true false [] /5/1"},
		{schemafile.Protobuf, "order.binpb", "state", "shop.State  true false [A B] /3"},
		{schemafile.Protobuf, "order.binpb", "f", "fixed64  true false [] /12"},
	} {
		if got := facts(one.kind, one.file)[one.field]; got != one.want {
			t.Errorf("%s has the facts %q of %s, want %q", one.file, got, one.field, one.want)
		}
	}
}

// TestKinds: a file is known by its name and its members.
func TestKinds(t *testing.T) {
	for _, one := range []struct{ name, text, want string }{
		{"a.json", `{"shop.orders": {"id": "int"}}`, ""},
		{"a.json", `{"properties": {"id": "int"}}`, ""},
		{"a.json", `{"properties": {"id": {"type": "integer"}}}`, schemafile.JSONSchema},
		{"a.json", `{"type": "record", "name": "a", "fields": []}`, schemafile.Avro},
		{"a.json", `{"type": "object"}`, schemafile.JSONSchema},
		{"a.yaml", "openapi: 3.1.0\n", schemafile.OpenAPI},
		{"a.yml", "swagger: '2.0'\n", schemafile.OpenAPI},
		{"a.yaml", "rules: []\n", ""},
		{"a.json", `[1]`, ""},
		{"a.sql", `{"openapi": "3"}`, ""},
		{"a.avsc", ``, schemafile.Avro},
		{"a.BINPB", ``, schemafile.Protobuf},
	} {
		if got := schemafile.Kind(one.name, []byte(one.text)); got != one.want {
			t.Errorf("%s %s is %q, want %q", one.name, one.text, got, one.want)
		}
	}
}

// TestSchemaInsideItself: a type inside itself is not followed, in any of the forms.
func TestSchemaInsideItself(t *testing.T) {
	proto := marshal(t, &descriptorpb.FileDescriptorProto{
		Name: proto.String("a.proto"), Syntax: proto.String("proto3"),
		MessageType: []*descriptorpb.DescriptorProto{message("Node", field("next", 1, ".Node"), field("name", 2, ""))},
	})
	for _, one := range []struct{ kind, text, want string }{
		{
			schemafile.Avro, `{"type":"record","name":"N","fields":[{"name":"next","type":["null","N"]},{"name":"all","type":{"type":"array","items":"N"}},{"name":"name","type":"string"}]}`,
			"[version=2.0].[type=N].[type=N].next [version=2.0].[type=N].[type=array].[type=N].all [version=2.0].[type=N].[type=string].name",
		},
		{
			schemafile.JSONSchema, `{"type":"object","properties":{"next":{"$ref":"#"},"name":{"type":"string"}}}`,
			"[version=2.0].[type=object].[type=string].name [version=2.0].[type=object].[type=object].next",
		},
		{
			schemafile.JSONSchema, `{"type":"object","properties":{"a":{"$ref":"#/$defs/L"}},"$defs":{"L":{"type":"array","items":{"$ref":"#/$defs/L"}}}}`,
			"[version=2.0].[type=object].[type=array].a",
		},
		{
			schemafile.JSONSchema, `{"type":"object","properties":{"a":{"$ref":"#/$defs/U"}},"$defs":{"U":{"properties":{"k":{"type":"string"}},"oneOf":[{"$ref":"#/$defs/U"},{"type":"string"}]}}}`,
			"[version=2.0].[type=object].[type=union].a [version=2.0].[type=object].[type=union].[type=union].a [version=2.0].[type=object].[type=union].[type=string].a",
		},
		{
			schemafile.OpenAPI, `{"openapi":"3.1.0","components":{"schemas":{"A":{"type":"object","properties":{"b":{"$ref":"#/components/schemas/A"}}}}}}`,
			"[version=2.0].[type=object].[type=object].b",
		},
		{schemafile.Protobuf, proto, "[version=2.0].[type=Node].[type=Node].next [version=2.0].[type=Node].[type=string].name"},
	} {
		schemas, err := schemafile.Read(one.kind, []byte(one.text), schemafile.Settings{})
		if err != nil {
			t.Errorf("%s: %v", one.text, err)
		} else if got := strings.Join(pathsOf(&schemas[0]), " "); got != one.want {
			t.Errorf("%s\n got %s\nwant %s", one.text, got, one.want)
		}
	}
}

func field(name string, number int32, of string) *descriptorpb.FieldDescriptorProto {
	f := &descriptorpb.FieldDescriptorProto{Name: &name, Number: &number, Type: descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum(), Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum()}
	if of != "" {
		f.Type, f.TypeName = descriptorpb.FieldDescriptorProto_TYPE_MESSAGE.Enum(), &of
	}
	return f
}

func message(name string, fields ...*descriptorpb.FieldDescriptorProto) *descriptorpb.DescriptorProto {
	return &descriptorpb.DescriptorProto{Name: &name, Field: fields}
}

func marshal(t testing.TB, files ...*descriptorpb.FileDescriptorProto) string {
	t.Helper()
	text, err := proto.Marshal(&descriptorpb.FileDescriptorSet{File: files})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestHostileSchemas: a file that is wrong, or that wants something read from elsewhere, gives an error that says so.
func TestHostileSchemas(t *testing.T) {
	missing := marshal(t, &descriptorpb.FileDescriptorProto{Name: proto.String("a.proto"), Dependency: []string{"b.proto"}})
	for _, one := range []struct{ kind, text, want string }{
		{schemafile.Avro, `{"type":"record"}`, "not a schema of Avro"},
		{schemafile.Avro, `{`, "not a schema of Avro"},
		{schemafile.Avro, strings.Repeat(`{"type":"array","items":`, 100_000), "not a schema of Avro"},
		{schemafile.JSONSchema, `{"properties":{"a":{"$ref":"https://example.org/a.json"}}}`, "leads out of the file"},
		{schemafile.JSONSchema, `{"properties":{"a":{"$ref":"file:///etc/passwd"}}}`, "leads out of the file"},
		{schemafile.JSONSchema, `{"properties":{"a":{"$ref":"other.json#/a"}}}`, "leads out of the file"},
		{schemafile.JSONSchema, `{"properties":{"a":{"$ref":"#/$defs/none"}}}`, "names nothing in the file"},
		{schemafile.JSONSchema, `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`, "leads to itself"},
		{schemafile.JSONSchema, `{"properties":`, "not JSON"},
		{schemafile.OpenAPI, `{"openapi":"3.1.0","paths":{"/a":{"get":{"responses":{"200":{"content":{"application/json":{"schema":{"$ref":"http://169.254.169.254/x"}}}}}}}}}`, "leads out of the file"},
		{schemafile.OpenAPI, `{"openapi":"3.1.0"}`, "no answer and no schema"},
		{schemafile.OpenAPI, "openapi: [", "neither JSON nor YAML"},
		{schemafile.OpenAPI, "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\ng: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f]\nh: [*g,*g,*g,*g,*g,*g,*g,*g,*g]\n", "neither JSON nor YAML"},
		{schemafile.Protobuf, "\xff\xff", "not a set of descriptors"},
		{schemafile.Protobuf, missing, "protoc --include_imports"},
		{schemafile.Protobuf, "", "no file with messages"},
		{"xsd", "", "unknown kind"},
	} {
		if schemas, err := schemafile.Read(one.kind, []byte(one.text), schemafile.Settings{}); err == nil || !strings.Contains(err.Error(), one.want) {
			t.Errorf("%.100s: %v %v, want an error with %q", one.text, schemas, err, one.want)
		} else if len(err.Error()) > 1000 {
			t.Errorf("the error has %d bytes", len(err.Error()))
		}
	}
}

// TestSchemaLimits: a file with as many bytes, fields and levels as the limits is read, a file with one more
// is refused.
func TestSchemaLimits(t *testing.T) {
	space := func(n int) string {
		return `{"properties":{"a":{}}}` + strings.Repeat(" ", n-len(`{"properties":{"a":{}}}`))
	}
	wide := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(`{"name":"f%d","type":"int"}`, i))
		}
		return `{"type":"record","name":"W","fields":[` + strings.Join(all, ",") + `]}`
	}
	deep := func(n int) string {
		return strings.Repeat(`{"type":"object","properties":{"a":`, n) + `{"type":"string"}` + strings.Repeat(`}}`, n)
	}
	// Each level names the one below twice, so that the fields double.
	doubling := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(`"L%d":{"type":"object","properties":{"a":{"$ref":"#/$defs/L%d"},"b":{"$ref":"#/$defs/L%d"}}}`, i, i+1, i+1))
		}
		return `{"$ref":"#/$defs/L0","$defs":{` + strings.Join(all, ",") + fmt.Sprintf(`,"L%d":{"type":"string"}}}`, n)
	}
	var messages []*descriptorpb.DescriptorProto
	for i := range 40 {
		messages = append(messages, message(fmt.Sprint("M", i), field("a", 1, fmt.Sprint(".M", i+1)), field("b", 2, fmt.Sprint(".M", i+1))))
	}
	messages = append(messages, message("M40", field("x", 1, "")))
	doublingProto := marshal(t, &descriptorpb.FileDescriptorProto{Name: proto.String("a.proto"), MessageType: messages})
	for _, one := range []struct{ kind, fits, over, want string }{
		{schemafile.JSONSchema, space(limits.CheckSchemaBytes), space(limits.CheckSchemaBytes + 1), "may have 16777216 bytes"},
		{schemafile.Avro, wide(limits.CheckSchemaFields), wide(limits.CheckSchemaFields + 1), "may have 50000 fields"},
		{schemafile.JSONSchema, deep(limits.CheckSchemaDepth), deep(limits.CheckSchemaDepth + 1), "nested 64 deep"},
		{schemafile.JSONSchema, doubling(10), doubling(60), "may have 50000 fields"},
		{schemafile.Protobuf, string(read(t, "order.binpb")), doublingProto, "may have 50000 fields"},
	} {
		if _, err := schemafile.Read(one.kind, []byte(one.fits), schemafile.Settings{}); err != nil {
			t.Errorf("%.80s: %v", one.fits, err)
		}
		if _, err := schemafile.Read(one.kind, []byte(one.over), schemafile.Settings{}); err == nil || !strings.Contains(err.Error(), one.want) {
			t.Errorf("%.80s: %v, want %q", one.over, err, one.want)
		}
	}
}

// FuzzRead: no text makes a reader panic, and each field has a path.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"order.avsc", "order.schema.json", "shop.openapi.json", "order.binpb"} {
		f.Add(string(read(f, name)))
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, kind := range []string{schemafile.Avro, schemafile.JSONSchema, schemafile.OpenAPI, schemafile.Protobuf} {
			schemas, err := schemafile.Read(kind, []byte(text), schemafile.Settings{})
			if err != nil {
				continue
			}
			for _, s := range schemas {
				for _, field := range s.Fields {
					if !strings.HasPrefix(field.Path, "[version=2.0]") {
						t.Errorf("the path is %q", field.Path)
					}
				}
			}
		}
	})
}
