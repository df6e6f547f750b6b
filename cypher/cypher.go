// Package cypher contains the Cypher statements of the Neo4j store, as files that
// can be read, and run in Neo4j Browser, unchanged. Values are always parameters.
// If a statement needs relationship names in its text, they come from a closed list
// and replace [TypesPlaceholder].
package cypher

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

//go:embed schema/*.cypher write/*.cypher read/*.cypher
var files embed.FS

// What stands in statements for what cannot be a parameter: relationship names,
// labels, and the greatest number of hops. A line with TypePlaceholder is repeated for
// each of several relationship names.
const (
	TypePlaceholder   = "$$TYPE$$"
	TypesPlaceholder  = "$$TYPES$$"
	LabelsPlaceholder = "$$LABELS$$"
	HopsPlaceholder   = "$$HOPS$$"
)

// FedBy is the store's own relationship from an entity to one that lies
// upstream of it: beside each relationship of the model that leads downstream,
// the other way, so that a walk upstream goes along relationships of one
// direction.
const FedBy = "FED_BY"

// Statements are the statements by name, as in read/entities.
type Statements struct {
	texts         map[string]string
	types, labels map[string]bool
}

// Load reads every statement. The relationship names and labels are the only
// ones that are put into a text.
func Load(relationshipTypes, labels []string) (*Statements, error) {
	s := &Statements{texts: map[string]string{}, types: map[string]bool{}, labels: map[string]bool{}}
	for into, names := range map[*map[string]bool][]string{&s.types: relationshipTypes, &s.labels: labels} {
		for _, name := range names {
			if name == "" || strings.ContainsAny(name, "`\\\x00") {
				return nil, fmt.Errorf("%q cannot be the name of a relationship or label", name)
			}
			(*into)[name] = true
		}
	}
	err := fs.WalkDir(files, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := files.ReadFile(file)
		if err != nil {
			return err
		}
		s.texts[strings.TrimSuffix(file, ".cypher")] = withoutComments(string(text))
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
		return "", fmt.Errorf("unknown statement %s", name)
	}
	return text, nil
}

// Known reports whether a relationship name is on the closed list.
func (s *Statements) Known(relationshipType string) bool { return s.types[relationshipType] }

// WithTypes returns a statement with relationship names in its text. A name
// that is neither on the closed list nor FedBy is an error.
func (s *Statements) WithTypes(name string, relationshipTypes []string) (string, error) {
	text, err := s.Text(name)
	if err != nil {
		return "", err
	}
	types, err := quoted(relationshipTypes, func(t string) bool { return s.types[t] || t == FedBy })
	if err != nil {
		return "", err
	}
	return strings.ReplaceAll(eachType(text, relationshipTypes), TypesPlaceholder, types), nil
}

// Rows returns a statement that reads $rows for use by itself, with relationship names in its
// text. Its rows are in the member rows of the parameter $batch, for the reason that Together
// gives. The database keeps its plan, whatever is stored later: the hints leave no choice.
func (s *Statements) Rows(name string, relationshipTypes []string) (string, error) {
	text, err := s.WithTypes(name, relationshipTypes)
	if err != nil {
		return "", err
	}
	return "CYPHER replan=skip\n" + strings.ReplaceAll(text, "$rows", "$batch.rows"), nil
}

// eachType repeats lines for each of some relationship names.
func eachType(text string, relationshipTypes []string) string {
	if !strings.Contains(text, TypePlaceholder) {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text + "\n") {
		if !strings.Contains(line, TypePlaceholder) {
			b.WriteString(line)
			continue
		}
		for _, name := range relationshipTypes {
			b.WriteString(strings.ReplaceAll(line, TypePlaceholder, "`"+name+"`"))
		}
	}
	return strings.TrimSpace(b.String())
}

// Together returns one statement from a beginning and the parts that follow it, all with
// the same relationship names. The rows of a part are in the member of the parameter
// $group with the part's own name, as in $group.archive for write/archive: the database
// makes another plan when a list among the parameters has ten times as many members, but
// does not look into a map.
func (s *Statements) Together(beginning string, parts, relationshipTypes []string, ending string) (string, error) {
	text, err := s.Text(beginning)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(text)
	for _, part := range parts {
		text, err := s.WithTypes(part, relationshipTypes)
		if err != nil {
			return "", err
		}
		b.WriteString("\nCALL () {\n" + strings.ReplaceAll(text, "$rows", "$group."+path.Base(part)) + "\n}")
	}
	b.WriteString("\n" + ending)
	return b.String(), nil
}

// Walk returns a statement that walks, with relationship names, the labels of
// what lies on the way and the greatest number of hops, 0 for no bound.
func (s *Statements) Walk(name string, relationshipTypes, labels []string, hops int) (string, error) {
	text, err := s.WithTypes(name, relationshipTypes)
	if err != nil {
		return "", err
	}
	names, err := quoted(labels, func(l string) bool { return s.labels[l] })
	if err != nil {
		return "", err
	}
	bound := ""
	if hops > 0 {
		bound = strconv.Itoa(hops)
	}
	return strings.NewReplacer(LabelsPlaceholder, names, HopsPlaceholder, bound).Replace(text), nil
}

// quoted writes names as alternatives.
func quoted(names []string, known func(string) bool) (string, error) {
	list := make([]string, len(names))
	for i, name := range names {
		if !known(name) {
			return "", fmt.Errorf("%q is not a name in the model", name)
		}
		list[i] = "`" + name + "`"
	}
	return strings.Join(list, "|"), nil
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
