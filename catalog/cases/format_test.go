package cases

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/headwater-io/headwater/catalog"
)

// file is a file of cases, or a shared catalog, which has no cases.
type file struct {
	Catalog string
	Names   yaml.Node
	Load    []statement
	Cases   []testCase

	// names are the names for texts, including the names of the shared catalog.
	names names
}

// testCase is a list of questions about one catalog.
type testCase struct {
	Name  string
	Load  []statement
	Doors []string
	Ask   []question
}

// statement states an aspect of an entity, or names the moment after the statements before it.
type statement struct {
	URN, Run, Pipeline, By, Moment string
	Aspects                        []aspect
}

type aspect struct {
	name  string
	value any
}

// UnmarshalYAML keeps the order of the aspects.
func (s *statement) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: a statement is a mapping", node.Line)
	}
	for i := 0; i < len(node.Content); i += 2 {
		key, value := node.Content[i].Value, node.Content[i+1]
		texts := map[string]*string{"urn": &s.URN, "run": &s.Run, "pipeline": &s.Pipeline, "by": &s.By, "moment": &s.Moment}
		if text, ok := texts[key]; ok {
			*text = value.Value
			continue
		}
		a := aspect{name: key}
		if err := value.Decode(&a.value); err != nil {
			return err
		}
		s.Aspects = append(s.Aspects, a)
	}
	if (s.URN == "") == (s.Moment == "") {
		return fmt.Errorf("line %d: a statement has either a urn or a moment", node.Line)
	}
	return nil
}

// question is one question with its expected answer.
type question struct {
	Lineage      *lineageQuestion
	Impact       *impactQuestion
	Diff         *diffQuestion
	Search       *searchQuestion
	Autocomplete *autocompleteQuestion
	Browse       *browseQuestion
	BrowseV2     *browseQuestion     `yaml:"browseV2"`
	BrowsePaths  *browsePathQuestion `yaml:"browsePaths"`
	Count        *countQuestion

	Doors  []string
	Expect map[string]any
}

// walk has the members that questions about lineage share. AsOf is the name of a moment or epoch
// milliseconds.
type walk struct {
	Of, Direction string
	Hops, Reach   int
	Columns       bool
	AsOf          string `yaml:"asOf"`
	From, To      int64
	MergeSiblings bool `yaml:"mergeSiblings"`
}

// where selects among the entities that a walk reached.
type where struct {
	Types, Platforms, Owners, Tags, Terms, Domains []string
}

type lineageQuestion struct {
	walk         `yaml:",inline"`
	Where        where
	Removed      string
	Start, Count int
	Paths        int
	Edges        bool
	Basis        bool
}

type impactQuestion struct {
	walk    `yaml:",inline"`
	Where   where
	Removed string
	Change  string
	Only    string
}

type diffQuestion struct {
	walk          `yaml:",inline"`
	Before, After string
}

// searchQuestion is a search in everything, or among the entities that a walk reaches.
type searchQuestion struct {
	Among        *walk
	Types        []string
	Input        string
	Filter       *catalog.Filter
	View         string
	Sort         *sorting
	Start, Count int
	// Scroll asks for all pages; ScrollID begins in the middle.
	Scroll   bool
	ScrollID string `yaml:"scrollId"`
	Facets   []string
}

type sorting struct{ Field, Order string }

type autocompleteQuestion struct {
	Type, Query, Field string
	Filter             *catalog.Filter
	Limit              int
}

type browseQuestion struct {
	Type, Path, Input string
	Filter            *catalog.Filter
	Start, Limit      int
}

type browsePathQuestion struct{ Of string }

type countQuestion struct{ Types []string }

// page is the size of a page when a question does not give one.
const page = 50

// names are short names of texts, mostly URNs. "$name" is replaced by its text.
type names map[string]string

var nameUse = regexp.MustCompile(`\$[A-Za-z][A-Za-z0-9]*(?:\.[A-Za-z0-9]+)?`)

// expand replaces names in a text by their values. The longest known name counts: "$raw.a" may be the name
// "raw.a", or "raw" and ".a".
func (n names) expand(text string) (string, error) {
	var unknown error
	expanded := nameUse.ReplaceAllStringFunc(text, func(use string) string {
		if meaning, ok := n[use[1:]]; ok {
			return meaning
		}
		first, rest, _ := strings.Cut(use[1:], ".")
		if meaning, ok := n[first]; ok {
			return meaning + "." + rest
		}
		unknown = errors.Join(unknown, fmt.Errorf("%s is not a name", use))
		return use
	})
	return expanded, unknown
}

// shorten puts names back into a text that people read.
func (n names) shorten(text string) string {
	var pairs []string
	for name := range n {
		pairs = append(pairs, name)
	}
	slices.SortFunc(pairs, func(a, b string) int {
		return cmp.Or(len(n[b])-len(n[a]), strings.Compare(a, b))
	})
	for _, name := range pairs {
		text = strings.ReplaceAll(text, n[name], "$"+name)
	}
	return text
}

// expandNode replaces names in all texts of a tree, keys included.
func (n names) expandNode(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode && strings.Contains(node.Value, "$") {
		text, err := n.expand(node.Value)
		if err != nil {
			return fmt.Errorf("line %d: %w", node.Line, err)
		}
		node.Value, node.Style = text, yaml.DoubleQuotedStyle
	}
	for _, child := range node.Content {
		if err := n.expandNode(child); err != nil {
			return err
		}
	}
	return nil
}

// read reads a file of cases, with the shared catalog that it names.
func read(path string) (*file, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f, err := parse(text, func(shared string) (*file, error) {
		return read(filepath.Join("testdata", "catalogs", shared+".yaml"))
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

func parse(text []byte, shared func(name string) (*file, error)) (*file, error) {
	var head struct {
		Catalog string
		Names   yaml.Node
	}
	var tree yaml.Node
	if err := yaml.Unmarshal(text, &tree); err != nil {
		return nil, err
	}
	if err := tree.Decode(&head); err != nil {
		return nil, err
	}
	f := &file{names: names{}}
	var load []statement
	if head.Catalog != "" {
		base, err := shared(head.Catalog)
		if err != nil {
			return nil, err
		}
		f.names, load = base.names, base.Load
	}
	for i := 0; i+1 < len(head.Names.Content); i += 2 {
		meaning, err := f.names.expand(head.Names.Content[i+1].Value)
		if err != nil {
			return nil, err
		}
		f.names[head.Names.Content[i].Value] = meaning
	}
	if err := f.names.expandNode(&tree); err != nil {
		return nil, err
	}
	expanded, err := yaml.Marshal(&tree)
	if err != nil {
		return nil, err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(expanded))
	decoder.KnownFields(true)
	if err := decoder.Decode(f); err != nil {
		return nil, err
	}
	f.Load = append(slices.Clip(load), f.Load...)
	return f, f.check()
}

// check fails when a case asks nothing or expects nothing.
func (f *file) check() error {
	for _, c := range f.Cases {
		if c.Name == "" || len(c.Ask) == 0 {
			return fmt.Errorf("case %q: a case has a name and asks something", c.Name)
		}
		for i, q := range c.Ask {
			asked := 0
			for _, is := range []bool{
				q.Lineage != nil, q.Impact != nil, q.Diff != nil, q.Search != nil, q.Autocomplete != nil,
				q.Browse != nil, q.BrowseV2 != nil, q.BrowsePaths != nil, q.Count != nil,
			} {
				if is {
					asked++
				}
			}
			if asked != 1 || len(q.Expect) == 0 {
				return fmt.Errorf("case %q, question %d: a question asks one thing and expects something", c.Name, i+1)
			}
		}
	}
	return nil
}
