package policyfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/headwater-io/headwater/internal/nearest"
)

// Error is a mistake in a file.
type Error struct {
	File    string
	Line    int
	Message string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message) }

// maxErrors is the number of errors that are reported for one file.
const maxErrors = 20

// reader collects the mistakes in a file.
type reader struct {
	file   string
	errors []error
}

func (r *reader) fail(at *yaml.Node, format string, args ...any) {
	if len(r.errors) < maxErrors {
		r.errors = append(r.errors, &Error{r.file, at.Line, fmt.Sprintf(format, args...)})
	}
}

func (r *reader) err() error { return errors.Join(r.errors...) }

// root returns the node of the whole file, nil if there is none.
func (r *reader) root(text []byte) *yaml.Node {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		message := strings.TrimPrefix(err.Error(), "yaml: ")
		line := 1
		if n, err := fmt.Sscanf(message, "line %d:", &line); err == nil && n == 1 {
			_, message, _ = strings.Cut(message, ": ")
		}
		r.fail(&yaml.Node{Line: line}, "%s", message)
		return nil
	}
	if len(document.Content) == 0 {
		r.fail(&yaml.Node{Line: 1}, "the file is empty")
		return nil
	}
	return document.Content[0]
}

// member is a member of a mapping.
type member struct {
	name       string
	key, value *yaml.Node
}

// members returns the members of a mapping in their order. Members that are not known are errors.
func (r *reader) members(node *yaml.Node, what string, known []string) []member {
	if node.Kind != yaml.MappingNode {
		r.fail(node, "%s must be a mapping", what)
		return nil
	}
	var found []member
	seen := map[string]bool{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		switch {
		case known != nil && !slices.Contains(known, key.Value) || key.Kind != yaml.ScalarNode:
			r.fail(key, "%s has no member %q%s", what, key.Value, nearest.Among(key.Value, known, "members"))
			continue
		case seen[key.Value]:
			r.fail(key, "%s has %q twice", what, key.Value)
			continue
		}
		seen[key.Value] = true
		found = append(found, member{key.Value, key, value})
	}
	return found
}

// items returns the items of a list.
func (r *reader) items(node *yaml.Node, what string) []*yaml.Node {
	if node.Kind != yaml.SequenceNode {
		r.fail(node, "%s must be a list", what)
		return nil
	}
	return node.Content
}

// textTags are the kinds of scalars that are taken as the text that is written.
var textTags = []string{"!!str", "!!int", "!!float", "!!bool", "!!timestamp"}

// text returns a text.
func (r *reader) text(node *yaml.Node, what string) string {
	if node.Kind != yaml.ScalarNode || !slices.Contains(textTags, node.Tag) {
		r.fail(node, "%s must be a text", what)
		return ""
	}
	return node.Value
}

// truth returns true or false.
func (r *reader) truth(node *yaml.Node, what string) bool {
	if node.Kind != yaml.ScalarNode || node.Tag != "!!bool" {
		r.fail(node, "%s must be true or false", what)
		return false
	}
	return strings.EqualFold(node.Value, "true")
}
