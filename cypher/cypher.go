// Package cypher holds the Cypher statements of the Neo4j store as files that
// can be read, and tried in Neo4j Browser, as they are. Values are always
// parameters; where a statement needs relationship names in its text, they come
// from a closed list and stand in for [TypesPlaceholder].
package cypher

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

//go:embed schema/*.cypher write/*.cypher read/*.cypher
var files embed.FS

// TypesPlaceholder stands for relationship names in a statement.
const TypesPlaceholder = "$$TYPES$$"

// Statements are the statements by name, as in read/entities.
type Statements struct {
	texts map[string]string
	types map[string]bool
}

// Load reads every statement. The relationship names are the only ones that
// WithTypes puts into a text.
func Load(relationshipTypes []string) (*Statements, error) {
	s := &Statements{texts: map[string]string{}, types: map[string]bool{}}
	for _, name := range relationshipTypes {
		if name == "" || strings.ContainsAny(name, "`\\\x00") {
			return nil, fmt.Errorf("%q cannot be the name of a relationship", name)
		}
		s.types[name] = true
	}
	err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := files.ReadFile(path)
		if err != nil {
			return err
		}
		s.texts[strings.TrimSuffix(path, ".cypher")] = withoutComments(string(text))
		return nil
	})
	return s, err
}

// withoutComments drops the comment lines: the server has no use for them.
func withoutComments(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "//") {
			b.WriteString(line)
		}
	}
	return strings.TrimSpace(b.String())
}

// Text returns a statement.
func (s *Statements) Text(name string) (string, error) {
	text, ok := s.texts[name]
	if !ok {
		return "", fmt.Errorf("there is no statement %s", name)
	}
	return text, nil
}

// Known reports whether a relationship name is on the closed list.
func (s *Statements) Known(relationshipType string) bool { return s.types[relationshipType] }

// WithTypes returns a statement with relationship names in its text. A name
// that is not on the closed list is an error.
func (s *Statements) WithTypes(name string, relationshipTypes []string) (string, error) {
	text, err := s.Text(name)
	if err != nil {
		return "", err
	}
	quoted := make([]string, len(relationshipTypes))
	for i, t := range relationshipTypes {
		if !s.types[t] {
			return "", fmt.Errorf("%q is not a relationship of the model", t)
		}
		quoted[i] = "`" + t + "`"
	}
	return strings.ReplaceAll(text, TypesPlaceholder, strings.Join(quoted, "|")), nil
}

// Migrations returns the statements of each migration, the first one first.
func (s *Statements) Migrations() [][]string {
	var migrations [][]string
	for n := 1; ; n++ {
		prefix := fmt.Sprintf("schema/%04d_", n)
		found := false
		for name, text := range s.texts {
			if strings.HasPrefix(name, prefix) {
				migrations, found = append(migrations, split(text)), true
			}
		}
		if !found {
			return migrations
		}
	}
}

func split(text string) []string {
	var statements []string
	for statement := range strings.SplitSeq(text, ";") {
		if statement = strings.TrimSpace(statement); statement != "" {
			statements = append(statements, statement)
		}
	}
	return statements
}
