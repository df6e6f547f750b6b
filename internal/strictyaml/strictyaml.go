// Package strictyaml reads settings of operators from YAML or JSON, and refuses names that the settings do not have.
package strictyaml

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/headwater-io/headwater/internal/nearest"
)

// ErrEmpty is the error of a text without a value.
var ErrEmpty = errors.New("the file is empty")

// Decode reads a text into a struct whose fields have yaml tags. A name that the struct does not have is an
// error that has the line and the nearest name. An error of the parser about a value may quote it.
func Decode(text []byte, into any) error {
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return err
	}
	if len(root.Content) == 0 {
		return ErrEmpty
	}
	if err := checkMembers(root.Content[0], reflect.TypeOf(into), ""); err != nil {
		return err
	}
	return root.Decode(into)
}

var textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()

// checkMembers refuses members that the type of a node does not have, and names similar ones.
func checkMembers(node *yaml.Node, of reflect.Type, path string) error {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if reflect.PointerTo(of).Implements(textUnmarshaler) {
		return nil
	}
	switch {
	case node.Kind == yaml.AliasNode:
		return checkMembers(node.Alias, of, path)
	case node.Kind == yaml.SequenceNode && of.Kind() == reflect.Slice:
		for i, item := range node.Content {
			if err := checkMembers(item, of.Elem(), fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	case node.Kind == yaml.MappingNode && of.Kind() == reflect.Struct:
		members := membersOf(of)
		for i := 0; i+1 < len(node.Content); i += 2 {
			name := node.Content[i].Value
			at := strings.TrimPrefix(path+"."+name, ".")
			member, known := members[name]
			if !known {
				names := slices.Sorted(maps.Keys(members))
				return fmt.Errorf("line %d: there is no setting %s%s", node.Content[i].Line, at, nearest.Among(name, names, "settings"))
			}
			if err := checkMembers(node.Content[i+1], member, at); err != nil {
				return err
			}
		}
	case node.Kind == yaml.MappingNode && of.Kind() == reflect.Map:
		for i := 0; i+1 < len(node.Content); i += 2 {
			at := strings.TrimPrefix(path+"."+node.Content[i].Value, ".")
			if err := checkMembers(node.Content[i+1], of.Elem(), at); err != nil {
				return err
			}
		}
	case of.Kind() == reflect.Struct || of.Kind() == reflect.Slice || of.Kind() == reflect.Map:
		return fmt.Errorf("line %d: %s has the wrong form", node.Line, cmp.Or(path, "the file"))
	}
	return nil
}

// membersOf returns the types of the members of a struct by their names in a file.
func membersOf(of reflect.Type) map[string]reflect.Type {
	members := map[string]reflect.Type{}
	for field := range of.Fields() {
		if name := field.Tag.Get("yaml"); name != "" && name != "-" {
			members[name] = field.Type
		}
	}
	return members
}
