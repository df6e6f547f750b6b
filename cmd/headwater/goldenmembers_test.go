package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
)

// openObjects are members whose own members are data, such as the names of aspects.
var openObjects = []string{"value", "parameters", "aggregations", "aspect"}

// TestJSONIsDocumented: docs/json-output.md has a section for each verb, and the section
// names every member of the verb's JSON output.
func TestJSONIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/json-output.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for section := range strings.SplitSeq(string(text), "\n## ") {
		title, body, _ := strings.Cut(section, "\n")
		sections[title] = body
	}
	members := 0
	for verb := range golden {
		section, title := sections[verb], verb
		if of, _, ok := strings.Cut(verb, " "); ok && section == "" {
			section = sections[of]
		}
		if verb == "errors" {
			section, title = sections["Errors"], "Errors"
		}
		if section == "" {
			t.Errorf("there is no section about %s", title)
			continue
		}
		file, err := os.ReadFile("testdata/golden/" + strings.ReplaceAll(verb, " ", "_") + ".golden")
		if err != nil {
			t.Fatal(err)
		}
		for _, value := range goldenValues(t, verb, string(file)) {
			for _, name := range membersOf(verb, value, nil) {
				members++
				named := func(before, after string) bool { return strings.Contains(section, before+name+after) }
				if !named("`", "`") && !named("`", ".") && !named(".", "`") && !named(".", ".") {
					t.Errorf("the section about %s does not name the member %s", title, name)
				}
			}
		}
	}
	if members < 100 {
		t.Errorf("only %d members were compared", members)
	}
}

// goldenValues returns the JSON values in a golden file: the values on standard output for verbs,
// on standard error for errors.
func goldenValues(t *testing.T, verb, text string) []any {
	t.Helper()
	var values []any
	for command := range strings.SplitSeq(text, "$ headwater ") {
		line, output, _ := strings.Cut(command, "\n")
		if !cli.AsksForJSON(strings.Fields(line)) || !strings.HasPrefix(line, verb) && verb != "errors" {
			continue
		}
		output, _, _ = strings.Cut(output, "[exit ")
		stdout, stderr, _ := strings.Cut(output, "[standard error]\n")
		if verb == "errors" {
			stdout = stderr
		}
		if stdout == "" {
			continue
		}
		d := json.NewDecoder(strings.NewReader(stdout)) // some verbs write a value on each line
		for d.More() {
			var value any
			if err := d.Decode(&value); err != nil {
				t.Errorf("headwater %s: the output is not JSON: %v\n%s", line, err, stdout)
				break
			}
			values = append(values, value)
		}
	}
	return values
}

// membersOf returns names with the names of the members of a value, except those inside
// open objects.
func membersOf(verb string, value any, names []string) []string {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			names = membersOf(verb, item, names)
		}
	case map[string]any:
		for name, inner := range v {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
			aspects, isObject := inner.(map[string]any)
			switch {
			case name == "aspects" && isObject: // a map of aspects by name
				for _, aspect := range aspects {
					names = membersOf(verb, aspect, names)
				}
			case slices.Contains(openObjects, name) && (verb != "search" || name != "value"):
			default:
				names = membersOf(verb, inner, names)
			}
		}
	}
	return names
}
