package gql_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/headwater-io/headwater/internal/limits"
)

// TestLimitsOfQueries: a query with exactly as many parts as a limit allows passes, and a query
// with one part more is refused.
func TestLimitsOfQueries(t *testing.T) {
	h := newHandler(t)
	managers := strings.Repeat("properties { manager { ", limits.MaxGraphQLDepth)
	for _, c := range []struct {
		name  string
		most  int
		says  string
		query func(n int) string
		// others: a query at the limit breaks another rule of GraphQL.
		others bool
	}{
		{name: "bytes", most: limits.MaxGraphQLQueryBytes, says: "bytes, at most", query: func(n int) string {
			return "{ __typename }" + strings.Repeat(" ", n-len("{ __typename }"))
		}},
		{name: "tokens", most: limits.MaxGraphQLTokens, says: "token", query: func(n int) string {
			return "{ __typename }" + strings.Repeat("#\n", n-len([]string{"{", "__typename", "}"}))
		}},
		{name: "name", most: limits.MaxGraphQLNameBytes, says: "bytes, at most", query: func(n int) string {
			return "{ " + strings.Repeat("x", n) + ": __typename }"
		}},
		{name: "depth", most: limits.MaxGraphQLDepth, says: "fields within each other", query: func(n int) string {
			// The fields me, corpUser and __typename are three levels; each field of managers is one more.
			opened := strings.Join(strings.SplitAfter(managers, "{ ")[:n-3], "")
			return "{ me { corpUser { " + opened + "__typename" + strings.Repeat(" }", n)
		}},
		{name: "nesting", most: limits.MaxGraphQLNesting, says: "directly within each other", query: func(n int) string {
			return "{ " + strings.Repeat("... { ", n) + "__typename" + strings.Repeat(" }", n) + " }"
		}},
		{name: "fields", most: limits.MaxGraphQLFields, says: "fields of one object", query: func(n int) string {
			return "{ " + each(n, "a%d: __typename ") + "}"
		}},
		{name: "repeats", most: limits.MaxGraphQLRepeats, says: "in one selection", query: func(n int) string {
			return "{ " + strings.Repeat("__typename ", n) + "}"
		}},
		{name: "fragments", most: limits.MaxGraphQLFragments, says: "fragments, at most", query: func(n int) string {
			return "{ " + each(n, "...f%d ") + "} " + each(n, "fragment f%[1]d on Query { a%[1]d: __typename } ")
		}},
		{name: "operations", most: limits.MaxGraphQLOperations, says: "operations, at most", others: true, query: func(n int) string {
			return each(n, "query q%d { __typename } ")
		}},
		{name: "variables", most: limits.MaxGraphQLVariables, says: "variables, at most", query: func(n int) string {
			return "query q(" + each(n, "$v%d: Boolean = true ") + ") { " + each(min(n, limits.MaxGraphQLFields), "a%[1]d: __typename @include(if: $v%[1]d) ") + "}"
		}},
		{name: "directives", most: limits.MaxGraphQLDirectives, says: "directives at one place", others: true, query: func(n int) string {
			return "{ __typename " + strings.Repeat("@skip(if: false) ", n) + "}"
		}},
	} {
		if answer := ask(t, h, c.query(c.most), nil); strings.Contains(answer, c.says) || !c.others && strings.Contains(answer, `"errors"`) {
			t.Errorf("%s: the query at the edge is refused: %.300s", c.name, answer)
		}
		var answer struct {
			Data   any
			Errors []struct {
				Message    string
				Extensions struct{ Code int }
			}
		}
		if err := json.Unmarshal([]byte(ask(t, h, c.query(c.most+1), nil)), &answer); err != nil {
			t.Fatal(err)
		}
		if len(answer.Errors) == 0 || answer.Data != nil || answer.Errors[0].Extensions.Code != 400 || !strings.Contains(answer.Errors[0].Message, c.says) {
			t.Errorf("%s: the query beyond the edge: %+v", c.name, answer.Errors)
		}
	}
}

// sizesOfSchema are the default sizes, and the largest sizes, that the descriptions of the
// schema name. A member that is not in sizesOfSchema has the sizes of a listing.
var sizesOfSchema = map[string][2]int{
	"AspectHistoryInput.count":        {limits.DefaultListPage, limits.MaxHistoryCount},
	"TimeSeriesValuesInput.limit":     {limits.DefaultSeriesValues, limits.MaxSeriesValues},
	"Document.changeHistory.limit":    {limits.DefaultDocumentChanges},
	"RelatedDocumentsInput.count":     {limits.DefaultDocuments},
	"SearchDocumentsInput.count":      {limits.DefaultFoundDocuments},
	"AnnouncedChangesInput.count":     {limits.DefaultAnnouncedPage, limits.AnnouncedPage},
	"FeedInput.count":                 {limits.DefaultFeedPage, limits.MaxFeedPage},
	"ImpactInput.count":               {limits.DefaultImpactPage, limits.MaxPageCount},
	"EntityIncidentsResult.count":     {limits.DefaultIncidents},
	"SearchColumnsInput.count":        {limits.DefaultFoundColumns, limits.MaxFoundColumns},
	"LabelledColumnsInput.count":      {limits.DefaultLabelledColumns, limits.MaxLabelledColumns},
	"RelationshipsInput.count":        {limits.DefaultRelationships},
	"LineageInput.count":              {limits.DefaultRelationships},
	"ChangesSinceInput.count":         {limits.DefaultLineageChanges, limits.MaxChangesPage},
	"LineageChangesInput.count":       {limits.DefaultLineageChanges, limits.MaxChangesPage},
	"LineageGraphInput.limit":         {limits.DefaultGraphNodes, limits.MaxGraphNodes},
	"ListQueriesInput.count":          {limits.DefaultSavedQueries},
	"RecentChangesInput.count":        {limits.DefaultListPage, limits.MaxRecentCount},
	"SuggestInput.limit":              {limits.DefaultSearchPage, limits.MaxSuggestions},
	"ListRunsInput.count":             {limits.DefaultListPage, limits.MaxRunCount},
	"RunInput.count":                  {limits.DefaultRunRows, limits.MaxRunCount},
	"AutoCompleteInput.limit":         {limits.DefaultSuggestions},
	"AutoCompleteMultipleInput.limit": {limits.DefaultSuggestions},
	"AuditTrailInput.limit":           {limits.DefaultAuditPage, limits.MaxAuditPage},
}

var sizeOfMember = regexp.MustCompile(`([0-9][0-9,]*) when left out(?:, at most ([0-9][0-9,]*))?`)

// TestSizesOfSchema: the sizes of pages in the descriptions of the schema are the sizes in
// internal/limits.
func TestSizesOfSchema(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("generated", "schema", "*.graphql"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	check := func(member, description string) {
		if !strings.HasSuffix(member, ".count") && !strings.HasSuffix(member, ".limit") {
			return
		}
		said := sizeOfMember.FindStringSubmatch(description)
		if said == nil {
			return
		}
		want, listed := sizesOfSchema[member]
		if !listed {
			want[0] = limits.DefaultListPage
		}
		seen[member] = true
		if usual, most := sizeSaid(said[1]), sizeSaid(said[2]); usual != want[0] || most != want[1] {
			t.Errorf("%s: the schema says %q, and internal/limits has %d", member, said[0], want)
		}
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		document, err := parser.ParseSchema(&ast.Source{Name: name, Input: string(text)})
		if err != nil {
			t.Fatal(err)
		}
		for _, of := range append(document.Definitions, document.Extensions...) {
			for _, field := range of.Fields {
				member := of.Name + "." + field.Name
				check(member, field.Description)
				for _, argument := range field.Arguments {
					check(fmt.Sprintf("%s.%s", member, argument.Name), argument.Description)
				}
			}
		}
	}
	for member := range sizesOfSchema {
		if !seen[member] {
			t.Errorf("the schema names no size of %s", member)
		}
	}
}

// sizeSaid reads a number as descriptions write numbers, and "" as 0.
func sizeSaid(text string) int {
	n, _ := strconv.Atoi(strings.ReplaceAll(text, ",", ""))
	return n
}
