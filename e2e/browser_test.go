package e2e

import (
	"flag"
	"fmt"
	"html"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/headwater-io/headwater/internal/testing/testservers"
)

var updateAnswers = flag.Bool("update-browser-answers", false, "write the answers in testdata/browser")

// TestBrowserQuestions runs the questions of the guide, as served, on the sample catalog in
// Neo4j. testdata/browser has a file with the answer to each.
func TestBrowserQuestions(t *testing.T) {
	uri := testservers.Neo4j(t)
	wipe(t, uri)
	s := start(t, "--graph", uri, "--sample", "--data", t.TempDir())
	status, page, err := s.try("GET", "/browser/guide", "")
	if err != nil || status != 200 {
		t.Fatalf("%d %v", status, err)
	}
	guide, _ := page.(string)
	tags := regexp.MustCompile(`<[^>]*>`)
	questions := regexp.MustCompile(`(?s)<h4>(\d+)\. (.*?)</h4>.*?<pre class="pre-scrollable code runnable">(.*?)</pre>`).FindAllStringSubmatch(guide, -1)
	if len(questions) < 20 {
		t.Fatalf("the guide has %d questions", len(questions))
	}
	// Neo4j plans with statistics. Without this call, they may be those of the empty graph.
	cypher(t, uri, `CALL db.prepareForReplanning(120)`)
	golden := func(number string) string {
		return filepath.Join("testdata", "browser", fmt.Sprintf("%02s.txt", number))
	}
	for _, q := range questions {
		q[2], q[3] = html.UnescapeString(q[2]), html.UnescapeString(tags.ReplaceAllString(q[3], ""))
		title, statement := q[2], q[3]
		t.Run(title, func(t *testing.T) {
			rows := cypher(t, uri, statement)
			if len(rows) == 0 {
				t.Fatal("there is no answer")
			}
			checkPlan(t, uri, statement)
			answer := shownRows(title, rows)
			if *updateAnswers {
				if err := os.WriteFile(golden(q[1]), []byte(answer), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden(q[1]))
			if err != nil {
				t.Fatal(err)
			}
			if answer != string(want) {
				t.Errorf("the answer is\n%s\nnot\n%s", answer, want)
			}
		})
	}
	// An edge that two fields state is two relationships in Neo4j. Only drawings show both.
	t.Run("edges stated twice change no answer", func(t *testing.T) {
		for _, row := range cypher(t, uri, `MATCH (:Entity)-[r]->(:Entity) WHERE r.path IS NOT NULL RETURN DISTINCT type(r) AS type`) {
			cypher(t, uri, fmt.Sprintf("MATCH (a:Entity)-[r:`%[1]s`]->(b:Entity) CREATE (a)-[s:`%[1]s`]->(b) SET s = properties(r), s.path = r.path + '/again'", row["type"]))
		}
		for _, q := range questions {
			if strings.Contains(q[3], "RETURN p\n") {
				continue
			}
			want, err := os.ReadFile(golden(q[1]))
			if err != nil {
				t.Fatal(err)
			}
			if answer := shownRows(q[2], cypher(t, uri, q[3])); answer != string(want) {
				t.Errorf("the answer is\n%s\nnot\n%s", answer, want)
			}
		}
	})
	// The sample describes every column, so this test adds one without a description.
	t.Run("undocumented columns are found", func(t *testing.T) {
		cypher(t, uri, `MATCH (c:SchemaField {name: 'carrier'})-[:COLUMN_OF]->(:Dataset {platformId: 'snowflake', qualifiedName: 'analytics.marts.delivery_times'}) REMOVE c.description`)
		asked := slices.IndexFunc(questions, func(q []string) bool { return strings.Contains(q[2], "nobody has described") })
		if row := cypher(t, uri, questions[asked][3])[0]; row["table"] != "analytics.marts.delivery_times" || fmt.Sprint(row["undocumented"]) != "[carrier: STRING]" {
			t.Errorf("%v", row)
		}
	})
	// The sample has no cycle. These edges make three: a table that derives from itself, two
	// tables that derive from each other, and the same two through the job that writes the
	// board pack.
	t.Run("cycles are found", func(t *testing.T) {
		cypher(t, uri, `MATCH (a:Dataset {name: 'executive_summary'})<-[:DownstreamOf]-(b:Dataset {name: 'board_pack'})
			WITH DISTINCT a, b CREATE (a)-[:DownstreamOf]->(b), (a)-[:DownstreamOf]->(a)`)
		asked := slices.IndexFunc(questions, func(q []string) bool { return strings.Contains(q[2], "derive from itself") })
		if rows := cypher(t, uri, questions[asked][3]); rows[0]["cycles"] != int64(3) {
			t.Errorf("%v", rows)
		}
	})
	s.stop()
}

// checkPlan checks that a question about one entity or run starts at an index, and that no
// question has a cartesian product.
func checkPlan(t *testing.T, uri, statement string) {
	t.Helper()
	ctx := t.Context()
	driver, err := neo4j.NewDriverWithContext(uri, neo4j.NoAuth())
	if err != nil {
		t.Fatal(err)
	}
	defer driver.Close(ctx)
	// PROFILE instead of EXPLAIN, because the driver returns wrong children for other plans.
	result, err := neo4j.ExecuteQuery(ctx, driver, "PROFILE "+statement, nil, neo4j.EagerResultTransformer)
	if err != nil {
		t.Fatal(err)
	}
	var operators []string
	var read func(neo4j.ProfiledPlan)
	read = func(p neo4j.ProfiledPlan) {
		operators = append(operators, strings.TrimSuffix(p.Operator(), "@neo4j"))
		for _, c := range p.Children() {
			read(c)
		}
	}
	read(result.Summary.Profile())
	first, _, _ := strings.Cut(statement, "\n")
	seeks := slices.ContainsFunc(operators, func(o string) bool { return strings.Contains(o, "IndexSeek") })
	if named := strings.Contains(first, "'urn:") || strings.Contains(first, " AS run"); named && !seeks {
		t.Errorf("the plan does not start at an index: %v", operators)
	}
	if slices.Contains(operators, "CartesianProduct") || slices.Contains(operators, "AllNodesScan") {
		t.Errorf("the plan is %v", operators)
	}
}

// shownRows returns rows as text. It sorts the rows of a drawing, which have no order.
func shownRows(title string, rows []map[string]any) string {
	var b strings.Builder
	b.WriteString(title + "\n")
	lines := make([]string, len(rows))
	drawn := false
	for i, row := range rows {
		var cells []string
		for _, column := range slices.Sorted(maps.Keys(row)) {
			if path, ok := row[column].(neo4j.Path); ok {
				drawn = true
				cells = append(cells, shownPath(path))
				continue
			}
			cells = append(cells, fmt.Sprintf("%s: %v", column, row[column]))
		}
		lines[i] = strings.Join(cells, ", ")
	}
	if drawn {
		slices.Sort(lines)
		lines = slices.Compact(lines)
	}
	for _, line := range lines {
		b.WriteString(line + "\n")
	}
	return b.String()
}

// shownPath returns a path as text, with the names that a drawing shows.
func shownPath(path neo4j.Path) string {
	var b strings.Builder
	for i, node := range path.Nodes {
		if i > 0 {
			r := path.Relationships[i-1]
			if r.StartElementId == node.ElementId {
				fmt.Fprintf(&b, " <-%s- ", r.Type)
			} else {
				fmt.Fprintf(&b, " -%s-> ", r.Type)
			}
		}
		fmt.Fprint(&b, node.Props["name"])
	}
	return b.String()
}
