package schemafile

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/headwater-io/headwater/internal/limits"
)

// protobuf reads a set of descriptors, as protoc writes it. A schema is a file of the set that no other file imports, with
// the paths that the client's source of Kafka states: its messages that no other message uses, and their fields.
func (w *writer) protobuf(text []byte) ([]Schema, error) {
	var set descriptorpb.FileDescriptorSet
	if err := (proto.UnmarshalOptions{RecursionLimit: 100}).Unmarshal(text, &set); err != nil {
		return nil, fmt.Errorf("it is not a set of descriptors, as protoc --descriptor_set_out writes it: %w", err)
	}
	files, err := protodesc.NewFiles(&set)
	if err != nil {
		return nil, fmt.Errorf("its descriptors do not fit together, which protoc --include_imports may repair: %w", err)
	}
	imported := map[string]bool{}
	for _, file := range set.File {
		for _, name := range file.Dependency {
			imported[name] = true
		}
	}
	var found []Schema
	for _, one := range set.File {
		if imported[one.GetName()] || strings.HasPrefix(one.GetName(), "google/protobuf/") {
			continue
		}
		file, err := files.FindFileByPath(one.GetName())
		if err != nil {
			return nil, err
		}
		walk := &protoWalk{writer: w, used: map[protoreflect.FullName]bool{}, nodes: map[protoreflect.FullName]bool{}}
		s, err := walk.file(file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", one.GetName(), err)
		}
		found = append(found, s)
	}
	if len(found) == 0 {
		return nil, errors.New("it has no file with messages")
	}
	return found, nil
}

// protoWalk walks the messages of a file.
type protoWalk struct {
	*writer
	// nodes are the messages that the file has or reaches, in the order in which they were found, and used the messages
	// that are the type of a field.
	nodes map[protoreflect.FullName]bool
	order []protoreflect.MessageDescriptor
	used  map[protoreflect.FullName]bool
}

func (w *protoWalk) file(file protoreflect.FileDescriptor) (Schema, error) {
	messages := file.Messages()
	for i := range messages.Len() {
		w.collect(messages.Get(i))
	}
	roots := slices.DeleteFunc(w.order, func(m protoreflect.MessageDescriptor) bool { return w.used[m.FullName()] })
	if len(roots) == 0 && messages.Len() > 0 { // all messages use each other
		roots = []protoreflect.MessageDescriptor{messages.Get(0)}
	}
	s := Schema{Name: strings.TrimSuffix(file.Path(), ".proto"), Platform: "kafka", File: file.Path()}
	if len(roots) == 1 {
		s.Name = string(roots[0].FullName())
	}
	for _, root := range roots {
		steps := below(w.start(), typeStep(pathName(root.FullName())))
		if len(roots) > 1 {
			steps = below(steps, string(root.Name()))
			if err := w.put(steps, Field{Native: "message", Nullable: true}); err != nil {
				return s, err
			}
		}
		if err := w.message(root, steps, "", nil); err != nil {
			return s, err
		}
	}
	s.Fields = w.take()
	slices.SortFunc(s.Fields, func(a, b Field) int { return strings.Compare(a.Path, b.Path) })
	return s, nil
}

// collect finds the messages that a message has or uses.
func (w *protoWalk) collect(m protoreflect.MessageDescriptor) {
	queue := []protoreflect.MessageDescriptor{m}
	for len(queue) > 0 {
		m, queue = queue[0], queue[1:]
		if w.nodes[m.FullName()] {
			continue
		}
		w.nodes[m.FullName()] = true
		w.order = append(w.order, m)
		for i := range m.Messages().Len() {
			queue = append(queue, m.Messages().Get(i))
		}
		for i := range m.Fields().Len() {
			if inner := m.Fields().Get(i).Message(); inner != nil {
				if inner.FullName() != m.FullName() {
					w.used[inner.FullName()] = true
				}
				queue = append(queue, inner)
			}
		}
	}
}

func pathName(name protoreflect.FullName) string { return strings.ReplaceAll(string(name), ".", "_") }

// message adds the fields of a message. open are the messages on the way to it.
func (w *protoWalk) message(m protoreflect.MessageDescriptor, steps []string, numbers string, open []protoreflect.FullName) error {
	if slices.Contains(open, m.FullName()) {
		return nil
	}
	if len(open) > limits.CheckSchemaDepth {
		return errTooDeep
	}
	open = append(open[:len(open):len(open)], m.FullName())
	for i := range m.Oneofs().Len() {
		if err := w.put(below(steps, typeStep("union"), string(m.Oneofs().Get(i).Name())), Field{Native: "oneof", Nullable: true}); err != nil {
			return err
		}
	}
	for i := range m.Fields().Len() {
		field := m.Fields().Get(i)
		at := steps
		if choice := field.ContainingOneof(); choice != nil {
			at = below(at, typeStep("union"), string(choice.Name()))
		}
		if field.IsList() || field.IsMap() {
			at = below(at, typeStep("array"))
		}
		kind, native := protoType(field)
		at = below(at, typeStep(kind), string(field.Name()))
		f := Field{Native: native, Nullable: true, Number: numbers + "/" + strconv.Itoa(int(field.Number()))}
		if enum := field.Enum(); enum != nil {
			for k := range enum.Values().Len() {
				f.Values = append(f.Values, string(enum.Values().Get(k).Name()))
			}
		}
		if err := w.put(at, f); err != nil {
			return err
		}
		if inner := field.Message(); inner != nil {
			if err := w.message(inner, at, f.Number, open); err != nil {
				return err
			}
		}
	}
	return nil
}

// pathTypes are the words that paths have for the types of fields.
var pathTypes = map[protoreflect.Kind]string{
	protoreflect.Int32Kind: "int", protoreflect.Sint32Kind: "int", protoreflect.Uint32Kind: "int", protoreflect.Fixed32Kind: "int", protoreflect.Sfixed32Kind: "int",
	protoreflect.Int64Kind: "long", protoreflect.Sint64Kind: "long", protoreflect.Uint64Kind: "long", protoreflect.Fixed64Kind: "long", protoreflect.Sfixed64Kind: "long",
}

// protoType returns the type of a field in a path, and in the words of Protobuf.
func protoType(field protoreflect.FieldDescriptor) (kind, native string) {
	if m := field.Message(); m != nil {
		return pathName(m.FullName()), string(m.FullName())
	}
	if e := field.Enum(); e != nil {
		return "enum", string(e.FullName())
	}
	native = field.Kind().String()
	if kind = pathTypes[field.Kind()]; kind == "" {
		kind = native
	}
	return kind, native
}
