// Package cypher contains the Cypher statements of the Neo4j store, as files that people can
// read, and run unchanged in Neo4j Browser. Values are always parameters. If the text of a
// statement needs relationship names, they come from a closed list and replace
// [TypesPlaceholder].
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

// These placeholders stand for parts of a statement that Cypher does not accept as parameters:
// relationship names, labels, and the greatest number of hops. A line with TypePlaceholder is
// repeated for each relationship name.
const (
	TypePlaceholder   = "$$TYPE$$"
	TypesPlaceholder  = "$$TYPES$$"
	LabelsPlaceholder = "$$LABELS$$"
	HopsPlaceholder   = "$$HOPS$$"
	// FewerPlaceholder stands for one hop less than HopsPlaceholder.
	FewerPlaceholder = "$$FEWER$$"
	// ExceptPlaceholder stands for a condition that holds of the relationships r that a walk does not follow. A line with it
	// is left out if the walk follows all.
	ExceptPlaceholder = "$$EXCEPT$$"
	// These stand for the names of relationships that lead on, and for the one that an entity may lack.
	OutgoingPlaceholder = "$$OUTGOING$$"
	IncomingPlaceholder = "$$INCOMING$$"
	LackingPlaceholder  = "$$LACKING$$"
)

// FedBy is a relationship of the store's own, from an entity to one that lies upstream of it.
// The store adds it beside each relationship of the model that leads downstream, in the
// opposite direction. So a walk upstream follows relationships of one direction.
const FedBy = "FED_BY"

// Statements has the statements by name. A name is a path without the extension, such as
// read/entities.
type Statements struct {
	texts         map[string]string
	types, labels map[string]bool
}

// Load reads every statement. Only the given relationship names and labels are ever put into a
// text.
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

// withoutComments removes the comment lines, which the server does not need.
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

// WithTypes returns a statement with relationship names in its text. WithTypes fails for a name
// that is neither on the closed list nor FedBy.
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

// Rows returns a statement that reads $rows, changed to run by itself, with relationship names
// in its text. Its rows are in the member rows of the parameter $batch, for the reason that the
// comment of Together gives. The database reuses the plan of the statement whatever is stored
// later: hints leave the database no other choice.
func (s *Statements) Rows(name string, relationshipTypes []string) (string, error) {
	text, err := s.WithTypes(name, relationshipTypes)
	if err != nil {
		return "", err
	}
	return "CYPHER replan=skip\n" + strings.ReplaceAll(text, "$rows", "$batch.rows"), nil
}

// eachType repeats lines for each relationship name.
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

// Together joins a beginning and the parts that follow it to one statement, all with the same
// relationship names. The rows of each part are in a member of the parameter $group, as in
// $group.archive for write/archive. If a list of rows were a parameter of its own, the database
// would make another plan whenever the list has ten times as many items. The database does not
// count the items of lists within a map.
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

// Exception is a relationship between nodes of two labels that a walk does not follow, although it has one of the names
// and leads between nodes with labels of the walk.
type Exception struct{ Type, From, To string }

// Walk returns a statement of a walk, with relationship names, the labels of the nodes on the
// way, the relationships that it does not follow, and the greatest number of hops; 0 is unbounded.
func (s *Statements) Walk(name string, relationshipTypes, labels []string, except []Exception, hops int) (string, error) {
	text, err := s.WithTypes(name, relationshipTypes)
	if err != nil {
		return "", err
	}
	if text, err = s.withExceptions(text, except); err != nil {
		return "", err
	}
	names, err := quoted(labels, func(l string) bool { return s.labels[l] })
	if err != nil {
		return "", err
	}
	bound, fewer := "", ""
	if hops > 0 {
		bound, fewer = strconv.Itoa(hops), strconv.Itoa(hops-1)
	}
	return strings.NewReplacer(LabelsPlaceholder, names, HopsPlaceholder, bound, FewerPlaceholder, fewer).Replace(text), nil
}

// withExceptions puts the relationships that a walk does not follow into its text.
func (s *Statements) withExceptions(text string, except []Exception) (string, error) {
	conditions := make([]string, len(except))
	for i, e := range except {
		// The same names as in the text of relationships, of which none has a backtick.
		if _, err := quoted([]string{e.Type}, func(t string) bool { return s.types[t] || t == FedBy }); err != nil {
			return "", err
		}
		labels, err := quoted([]string{e.From, e.To}, func(l string) bool { return s.labels[l] })
		if err != nil {
			return "", err
		}
		from, to, _ := strings.Cut(labels, "|")
		conditions[i] = fmt.Sprintf("(type(r) = '%s' AND startNode(r):%s AND endNode(r):%s)", strings.ReplaceAll(e.Type, "'", `\'`), from, to)
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if len(except) > 0 || !strings.Contains(line, ExceptPlaceholder) {
			b.WriteString(line)
		}
	}
	return strings.ReplaceAll(b.String(), ExceptPlaceholder, strings.Join(conditions, " OR ")), nil
}

// Hop is WithTypes, with the names of the relationships that lead on from the far ends, and of the relationships that far
// ends may lack.
func (s *Statements) Hop(name string, relationshipTypes, outgoing, incoming, lacking []string) (string, error) {
	text, err := s.WithTypes(name, relationshipTypes)
	if err != nil {
		return "", err
	}
	for placeholder, names := range map[string][]string{OutgoingPlaceholder: outgoing, IncomingPlaceholder: incoming, LackingPlaceholder: lacking} {
		list, err := quoted(names, s.Known)
		if err != nil {
			return "", err
		}
		text = strings.ReplaceAll(text, placeholder, list)
	}
	return text, nil
}

// quoted returns names as alternatives of Cypher.
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

// Migrations returns the statements of each migration, in order.
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
