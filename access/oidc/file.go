package oidc

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/headwater-io/headwater/internal/nearest"
)

// ReadFile reads the settings of providers from a YAML or JSON file.
func ReadFile(path string, getenv func(string) string) (Settings, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Settings{}, fmt.Errorf("settings of identity providers: %w", err)
	}
	s, err := parse(text, getenv)
	if err != nil {
		return Settings{}, fmt.Errorf("settings of identity providers in %s: %w", path, err)
	}
	return s, nil
}

func parse(text []byte, getenv func(string) string) (Settings, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(text, &root); err != nil {
		return Settings{}, err
	}
	if len(root.Content) == 0 {
		return Settings{}, fmt.Errorf("the file is empty")
	}
	if err := checkMembers(root.Content[0], reflect.TypeFor[Settings](), ""); err != nil {
		return Settings{}, err
	}
	var s Settings
	if err := root.Decode(&s); err != nil {
		return Settings{}, withoutValues(err)
	}
	if len(s.Providers) == 0 {
		return Settings{}, fmt.Errorf("the list providers is missing or empty")
	}
	return s, s.complete(getenv)
}

// withoutValues removes the values that the parser quotes in its errors: a value may be a secret.
func withoutValues(err error) error {
	text := err.Error()
	for {
		from := strings.IndexByte(text, '`')
		if from < 0 {
			return fmt.Errorf("%s", text)
		}
		length := strings.IndexByte(text[from+1:], '`')
		if length < 0 {
			return fmt.Errorf("%s…", text[:from])
		}
		text = text[:from] + "(value)" + text[from+length+2:]
	}
}

// checkMembers refuses members that the type of a node does not have, and names similar ones.
func checkMembers(node *yaml.Node, of reflect.Type, path string) error {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
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
				names := make([]string, 0, len(members))
				for n := range members {
					names = append(names, n)
				}
				slices.Sort(names)
				return fmt.Errorf("line %d: there is no setting %s%s", node.Content[i].Line, at, nearest.Among(name, names, "settings"))
			}
			if err := checkMembers(node.Content[i+1], member, at); err != nil {
				return err
			}
		}
	case of.Kind() == reflect.Struct || of.Kind() == reflect.Slice:
		return fmt.Errorf("line %d: %s has the wrong form", node.Line, strings.TrimPrefix(path+" ", " "))
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
