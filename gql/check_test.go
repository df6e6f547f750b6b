package gql

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/gql/generated"
)

func schema() *ast.Schema { return generated.NewExecutableSchema(generated.Config{}).Schema() }

// page is the query of a search page as web clients send it. For each type of entity, the query
// asks for the fields of a card, through fragments that all types share.
func page(s *ast.Schema, searches int) string {
	shared := map[string]string{
		"ownership":            "Ownership { owners { owner { ... on CorpUser { urn type username properties { active displayName title email fullName } editableProperties { displayName title } } ... on CorpGroup { urn type name properties { displayName email } } } type associatedUrn } lastModified { time } }",
		"tags":                 "GlobalTags { tags { tag { urn name description properties { name colorHex } } associatedUrn } }",
		"glossaryTerms":        "GlossaryTerms { terms { term { urn name type hierarchicalName properties { name description definition termSource customProperties { key value } } ownership { ...ownershipOfTerm } parentNodes { count nodes { urn type properties { name } } } } associatedUrn } }",
		"domain":               "DomainAssociation { domain { urn type properties { name description } } associatedUrn }",
		"platform":             "DataPlatform { urn type name lastIngested properties { type displayName datasetNameDelimiter logoUrl } displayName info { type displayName datasetNameDelimiter logoUrl } }",
		"deprecation":          "Deprecation { actor deprecated note decommissionTime }",
		"parentContainers":     "ParentContainersResult { count containers { urn type platform { ...platformFields } properties { name description } subTypes { typeNames } } }",
		"dataPlatformInstance": "DataPlatformInstance { urn type platform { ...platformFields } instanceId }",
		"institutionalMemory":  "InstitutionalMemory { elements { url author { urn username properties { displayName } } description created { actor time } } }",
		"subTypes":             "SubTypes { typeNames }",
	}
	var b strings.Builder
	b.WriteString("query cards($input: SearchAcrossEntitiesInput!) {\n")
	for i := range searches {
		fmt.Fprintf(&b, "  s%d: searchAcrossEntities(input: $input) { start count total searchResults { entity { ...card } matchedFields { name value } insights { text icon } } facets { field displayName aggregations { value count entity { urn type ...card } } } }\n", i)
	}
	b.WriteString("}\nfragment card on Entity { urn type\n")
	for _, def := range s.GetPossibleTypes(s.Types["Entity"]) {
		fmt.Fprintf(&b, "  ... on %s {\n", def.Name)
		for _, f := range def.Fields {
			switch fragment := shared[f.Name]; {
			case fragment != "" && strings.HasPrefix(fragment, f.Type.Name()+" "):
				name := f.Name
				if name == "platform" && !f.Type.NonNull { // this field cannot be merged with the fields named platform of other types
					name = "platformOf" + def.Name + ": " + name
				}
				fmt.Fprintf(&b, "    %s { ...%sFields }\n", name, f.Name)
			case f.Name == "properties" && hasName(s.Types[f.Type.Name()]):
				b.WriteString("    properties { name")
				if s.Types[f.Type.Name()].Fields.ForName("description") != nil {
					b.WriteString(" description")
				}
				b.WriteString(" }\n")
			case f.Name == "relationships":
				fmt.Fprintf(&b, "    of%s: relationships(input: {types: [\"IsPartOf\", \"Contains\"], direction: INCOMING, start: 0, count: 100}) { total }\n", def.Name)
			}
		}
		b.WriteString("  }\n")
	}
	b.WriteString("}\n")
	for _, name := range []string{"ownership", "tags", "glossaryTerms", "domain", "platform", "deprecation", "parentContainers", "dataPlatformInstance", "institutionalMemory", "subTypes"} {
		fmt.Fprintf(&b, "fragment %sFields on %s\n", name, shared[name])
	}
	fmt.Fprintf(&b, "fragment ownershipOfTerm on %s\n", shared["ownership"])
	return b.String()
}

// hasName reports whether records of a type always have a name.
func hasName(def *ast.Definition) bool {
	f := def.Fields.ForName("name")
	return f != nil && f.Type.NonNull
}

// TestPage: the query of a web client passes the check, and eight searches in one request pass
// too.
func TestPage(t *testing.T) {
	s := schema()
	c := newChecker(s)
	for _, searches := range []int{1, 8} {
		if _, err := c.document(t.Context(), page(s, searches)); err != nil {
			t.Errorf("%d searches: %v", searches, err)
		}
	}
}

// BenchmarkCheck measures the cost of a check for the largest queries that pass, and for the
// largest queries that are refused.
func BenchmarkCheck(b *testing.B) {
	c := newChecker(schema())
	for name, query := range worst() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				_, _ = c.check(b.Context(), query) // some of these queries are refused
			}
		})
	}
}

// TestWorst: of the queries of the benchmark, exactly the listed ones are refused.
func TestWorst(t *testing.T) {
	c := newChecker(schema())
	refused := []string{"chain", "deep lists", "fragments of all", "long names", "unknown fields", "variable defaults"}
	for name, query := range worst() {
		if _, err := c.check(t.Context(), query); (err != nil) != slices.Contains(refused, name) {
			t.Errorf("%s: %.200v", name, err)
		}
	}
}

func repeated(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// worst returns queries at the limits, by name.
func worst() map[string]string {
	doubled := "query { me { corpUser { ...f0 } } }"
	for i := range 11 {
		doubled += fmt.Sprintf(" fragment f%d on CorpUser { a: properties { manager { ...f%d } } b: properties { manager { ...f%d } } }", i, i+1, i+1)
	}
	doubled += " fragment f11 on CorpUser { urn }"
	chain := "query { entity(urn: \"x\") { ...f0 } }"
	for i := range 100 {
		chain += fmt.Sprintf(" fragment f%d on Entity { urn type relationships(input: {types: [], direction: OUTGOING}) { relationships { entity { urn type %s } } } }", i, strings.Repeat(fmt.Sprintf("...f%d ", i+1), min(8, 99-i)))
	}
	return map[string]string{
		"page":              page(schema(), 8),
		"fields":            "{" + repeated(18, "a%d: appConfig {"+repeated(180, "f%d: appVersion ")+"}") + "}",
		"repeats":           `{` + repeated(90, "e%d: entity(urn: \"x\") { "+strings.Repeat("urn ", 99)+"}") + "}",
		"many repeats":      `{` + strings.Repeat("entity(urn: \"x\") { "+repeated(50, "a%d: urn ")+"}", 60) + "}",
		"unknown fields":    `{` + repeated(9000, "nothing%d ") + "}",
		"long names":        `{` + repeated(400, strings.Repeat("x", 200)+"%d ") + "}",
		"doubled":           doubled,
		"chain":             chain,
		"types":             `{ entity(urn: "x") { ` + strings.Repeat("... on Dataset { urn } ... on Chart { urn } ", 49) + "} }",
		"types within":      `{ entity(urn: "x") { ` + strings.Repeat("relationships(input: {types: [], direction: OUTGOING}) { relationships { entity { ", 9) + strings.Repeat("... on Dataset { urn } ... on Chart { urn } ", 49) + strings.Repeat("} } } ", 9) + " } }",
		"fragments":         "{ " + repeated(99, "...f%d ") + "}" + repeated(99, " fragment f%d on Query { a: appConfig { appVersion } b: me { corpUser { urn } } }"),
		"fragments of all":  "{ me { corpUser { ...f0 } } }" + repeated(299, " fragment f%[1]d on CorpUser { x: urn ...f299 }") + " fragment f299 on CorpUser { urn " + strings.Repeat("info { active } ", 99) + "}",
		"lists":             `{ entity(urn: "x") { relationships(input: {types: [` + strings.Repeat(`"a" `, 9900) + `], direction: OUTGOING}) { total } } }`,
		"deep lists":        `{ entity(urn: ` + strings.Repeat("[", 30) + strings.Repeat("]", 30) + `) { urn } }`,
		"variables":         "query q(" + repeated(480, "$v%d: String! ") + ") {" + repeated(480, "a%[1]d: entity(urn: $v%[1]d) { urn } ") + "}",
		"variable defaults": "query q(" + repeated(450, "$v%d: [String] = [\"a\" \"b\" \"c\"] ") + ") { __typename }",
	}
}

// TestSame: the check finds the same pairs of fields that cannot be joined as the rule of the
// library. This rule takes endless time for some queries, but is right for small ones.
func TestSame(t *testing.T) {
	s := schema()
	inner := rules.NewRules(rules.OverlappingFieldsCanBeMergedRule)
	for _, c := range []struct {
		query  string
		joined bool
	}{
		{`{ entity(urn: "a") { urn urn } entity(urn: "a") { type } }`, true},
		{`{ entity(urn: "a") { urn } entity(urn: "b") { type } }`, false},
		{`{ entity(urn: "a") { x: urn x: type } }`, false},
		{`{ entity(urn: "a") { ... on Dataset { x: name } ... on Tag { x: description } } }`, false}, // the types are String! and String
		{`{ entity(urn: "a") { ... on Dataset { x: uri } ... on Tag { x: description } } }`, true},
		{`{ entity(urn: "a") { ... on Dataset { x: urn } x: type } }`, false},
		{`{ entity(urn: "a") { ... on Dataset { properties { name } } ... on Tag { properties { x: name } } } }`, true},
		{`{ entity(urn: "a") { ... on Dataset { x: platform { a: urn } } ... on Chart { x: platform { a: name } } } }`, true},
		{`{ entity(urn: "a") { ... on Dataset { x: platform { a: urn } } ... on Chart { x: platform { a: properties { displayName } } } } }`, false},
		{`{ entity(urn: "a") { ...a ...b } } fragment a on Entity { x: urn } fragment b on Entity { x: type }`, false},
		{`{ entity(urn: "a") { ...a ...b } } fragment a on Entity { x: urn } fragment b on Entity { x: urn ...a }`, true},
		{`{ a: me { corpUser { ...u } } b: me { corpUser { ...u } } a: me { corpUser { urn } } } fragment u on CorpUser { urn: username }`, false},
		{`{ me { corpUser { relationships(input: {types: [], direction: OUTGOING}) { total } } } me { corpUser { relationships(input: {direction: OUTGOING, types: []}) { count } } } }`, true},
	} {
		doc, err := parser.ParseQuery(&ast.Source{Input: c.query})
		if err != nil {
			t.Fatal(err)
		}
		if found := validator.ValidateWithRules(s, doc, inner); (len(found) == 0) != c.joined {
			t.Errorf("%s: the library says %v", c.query, found)
		}
		_, err = newChecker(s).document(t.Context(), c.query)
		var list gqlerror.List
		if (err == nil) != c.joined || err != nil && (!errors.As(err, &list) || !strings.Contains(list[0].Message, "conflict")) {
			t.Errorf("%s: %v", c.query, err)
		}
	}
}

// TestDifferentInputs: arguments that are different objects are different. The rule of the
// library treats all such arguments as equal, so the answer would be for one of them only.
func TestDifferentInputs(t *testing.T) {
	query := `{ entity(urn: "a") { relationships(input: {types: ["x"], direction: OUTGOING}) { total } relationships(input: {types: ["y"], direction: OUTGOING}) { total } } }`
	if _, err := newChecker(schema()).document(t.Context(), query); err == nil || !strings.Contains(err.Error(), "differing arguments") {
		t.Error(err)
	}
}

// TestCheckEnds: a check ends with the request and after some errors, and waits for its turn no
// longer than allowed.
func TestCheckEnds(t *testing.T) {
	c := newChecker(schema())
	_, err := c.document(t.Context(), worst()["unknown fields"])
	var list gqlerror.List
	if !errors.As(err, &list) || len(list) != shownErrors {
		t.Errorf("%d errors", len(list))
	}
	ended, end := context.WithCancel(t.Context())
	end()
	for _, check := range []func() error{
		func() error { _, err := c.document(ended, page(c.schema, 1)); return err },
		func() error { _, err := c.check(ended, page(c.schema, 1)); return err },
	} {
		if err := check(); catalog.CodeOf(err) != catalog.Unavailable {
			t.Error(err)
		}
	}
	if err := c.turns.Acquire(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	for c.turns.TryAcquire(1) {
	}
	c.turn = time.Nanosecond
	if _, err := c.document(t.Context(), "{ __typename }"); catalog.CodeOf(err) != catalog.Busy {
		t.Error(err)
	}
}

// TestRules: the library has the rules that the planner replaces.
func TestRules(t *testing.T) {
	all, c := rules.NewDefaultRules().GetInner(), newChecker(schema())
	for _, name := range replacedRules {
		if all[name] == nil || slices.Contains(c.names, name) {
			t.Error(name)
		}
	}
	if len(c.names) != len(all)-len(replacedRules) {
		t.Error(c.names)
	}
}
