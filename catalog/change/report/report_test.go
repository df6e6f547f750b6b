package report_test

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog/change"
	"github.com/headwater-io/headwater/catalog/change/gate"
	"github.com/headwater-io/headwater/catalog/change/report"
	"github.com/headwater-io/headwater/internal/limits"
)

// filled is a report with one of everything.
func filled() *report.Report {
	r := &change.Result{
		Changes: []change.Change{{Kind: change.ColumnDropped, Table: "shop.orders", Column: "state", Sure: 1, How: "the head does not have it", File: "models/orders.sql", Line: 4}},
		Certain: []change.Impact{
			{Name: "shop.paid", Type: "model", Platform: "duckdb", URN: "urn:li:dataset:(urn:li:dataPlatform:duckdb,shop.paid,PROD)", Owners: []change.Owner{{URN: "urn:li:corpuser:ada", Email: "ada@shop.example"}}, Column: "shop.orders.state", Why: "it reads shop.orders.state in FILTER, which the change drops", File: "models/paid.sql", Line: 7},
			{Name: "Sales <b>| [x](http://evil.example) @everyone\n# title", Type: "dashboard", Platform: "looker", URN: "urn:li:dashboard:(looker,sales)", Outside: true, Column: "shop.orders.state", Why: "it stands behind shop.paid, which fails"},
		},
		Possible:        []change.Impact{{Name: "shop.all", Type: "model", Column: "shop.orders.state", Why: "it takes all", File: "models/all orders.sql", Line: 1}},
		Contracts:       []change.Hurt{{Name: "orders", Effect: change.Certain, Table: "shop.orders", Why: "it promises state", File: "models/schema.yml", Line: 3}},
		Assertions:      []change.Hurt{{Name: "not_null", Effect: change.Possible, Table: "shop.orders", Column: "state", Why: "it may read it"}},
		NewPersonalData: []change.Personal{{Table: "shop.board", Column: "contact", From: "shop.customers.email", Label: "pii", File: "models/board.sql", Line: 2}},
		Forms:           []change.Hurt{{URN: "urn:li:form:review", Name: "Review", Effect: change.Certain, Table: "shop.orders", Column: "state", Why: "it is about state, which the change drops", File: "models/orders.sql", Line: 4}},
		Properties:      []change.Hurt{{URN: "urn:li:structuredProperty:retention", Name: "Retention", Effect: change.Certain, Table: "shop.orders", Column: "state", Why: "state has a value of it, and the change drops it"}},
		Unused:          []change.Unused{{Table: "shop.states", Was: "shop.paid", Why: "nobody in the project reads it any more", File: "models/states.sql", Line: 1}},
		NotUnderstood:   []change.NotUnderstood{{Name: "shop.odd", File: "models/odd.sql", Line: 1, Text: "select from", Why: "syntax"}},
	}
	return &report.Report{Result: r, Verdict: gate.Usual().Decide(r, time.Unix(0, 0)), Prefix: "warehouse", Page: "https://catalog.example/", Version: "v1.2.3"}
}

// TestSARIF: the log has the members that SARIF 2.1.0 asks for; each result has a rule, and a place in the repository.
func TestSARIF(t *testing.T) {
	text, err := json.Marshal(filled().SARIF())
	if err != nil {
		t.Fatal(err)
	}
	var log struct {
		Schema  string `json:"$schema"`
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name, Version, SemanticVersion string
					Rules                          []struct{ ID string }
				}
			}
			Results []struct {
				RuleID    string
				RuleIndex int
				Level     string
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
				}
				RelatedLocations    []any
				PartialFingerprints map[string]string
			}
		}
	}
	if err := json.Unmarshal(text, &log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || !strings.Contains(log.Schema, "sarif-2.1.0") || len(log.Runs) != 1 || log.Runs[0].Tool.Driver.SemanticVersion != "1.2.3" {
		t.Fatalf("%s", text)
	}
	run := log.Runs[0]
	var got []string
	prints := map[string]bool{}
	for _, r := range run.Results {
		if run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID || r.Message.Text == "" || len(r.PartialFingerprints) != 1 {
			t.Errorf("%+v", r)
		}
		prints[r.PartialFingerprints["headwater/v1"]] = true
		at := "nowhere"
		if len(r.Locations) == 1 {
			at = fmt.Sprintf("%s:%d", r.Locations[0].PhysicalLocation.ArtifactLocation.URI, r.Locations[0].PhysicalLocation.Region.StartLine)
		}
		got = append(got, fmt.Sprintf("%s %s %s %d", r.Level, r.RuleID, at, len(r.RelatedLocations)))
	}
	want := []string{
		"error certain-impact warehouse/models/paid.sql:7 1",
		"error certain-impact warehouse/models/orders.sql:4 0", // outside the project: the place of the change
		"warning possible-impact warehouse/models/all%20orders.sql:1 1",
		"error contract warehouse/models/schema.yml:3 0",
		"warning assertion nowhere 0",
		"error personal-data warehouse/models/board.sql:2 0",
		"warning form warehouse/models/orders.sql:4 0",
		"warning structured-property nowhere 0",
		"note unused warehouse/models/states.sql:1 0",
		"note not-understood warehouse/models/odd.sql:1 0",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
	if len(prints) != len(want) {
		t.Errorf("%d fingerprints of %d results", len(prints), len(want))
	}
}

// TestJUnit: a change fails with the nodes that fail because of it.
func TestJUnit(t *testing.T) {
	text, err := filled().JUnit()
	if err != nil {
		t.Fatal(err)
	}
	var suites struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Suite    struct {
			Cases []struct {
				Name    string `xml:"name,attr"`
				Failure string `xml:"failure"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(text, &suites); err != nil {
		t.Fatal(err)
	}
	if suites.Tests != 3 || suites.Failures != 3 || suites.Suite.Cases[0].Name != "shop.orders.state is dropped" || strings.Count(suites.Suite.Cases[0].Failure, "\n") < 1 {
		t.Errorf("%s", text)
	}
	nothing := &report.Report{Result: &change.Result{}, Verdict: &gate.Verdict{}}
	if text, err = nothing.JUnit(); err != nil || !strings.Contains(string(text), `tests="1" failures="0"`) {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestMarkdown: the comment begins with its marker, links to the page, and takes nothing for markup that is a name.
func TestMarkdown(t *testing.T) {
	r := filled()
	text := r.Markdown()
	for _, want := range []string{
		report.Marker + "\n### This change is refused", "1 change: 2 certain effects and 1 possible one; it is refused because of certain impact (2).",
		"[shop.paid](https://catalog.example/ui/entity/urn:li:dataset:%28urn:li:dataPlatform:duckdb%2Cshop.paid%2CPROD%29)", "<details><summary>1 possible effect</summary>",
		"warehouse/models/odd.sql:1", "shop.customers.email",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %s:\n%s", want, text)
		}
	}
	for _, not := range []string{"<b>", "](http://evil", "@everyone", "\n# title", "| [x]"} {
		if strings.Contains(text, not) {
			t.Errorf("it has %q", not)
		}
	}
	r.Verdict = &gate.Verdict{}
	if !strings.Contains(r.Markdown(), "### This change passes") {
		t.Error("it does not pass")
	}
}

// TestMarkdownLinks: the comment leads to the page that draws the change, with the change if it fits, and to the announced change.
func TestMarkdownLinks(t *testing.T) {
	r := filled()
	if text := r.Markdown(); strings.Contains(text, "/ui/change") || strings.Contains(text, "announcedChange") {
		t.Error(text)
	}
	r.Draws, r.Drawn, r.Announced = true, "eJw", "urn:li:announcedChange:pr-1"
	want := "\n[The change in the lineage graph](https://catalog.example/ui/change#eJw) · [the announced change](https://catalog.example/ui/entity/urn:li:announcedChange:pr-1)\n"
	if text := r.Markdown(); !strings.Contains(text, want) {
		t.Error(text)
	}
	r.Drawn = ""
	if text := r.Markdown(); !strings.Contains(text, "too large for a link: [open there](https://catalog.example/ui/change) the file of `--overlay-out`") {
		t.Error(text)
	}
	r.Page = ""
	if text := r.Markdown(); strings.Contains(text, "/ui/") {
		t.Error(text)
	}
}

// TestRows: a list has at most as many rows as the limit; a longer list says how many rows are left out.
func TestRows(t *testing.T) {
	r := filled()
	r.Certain = make([]change.Impact, limits.CheckRows)
	if text := r.Markdown(); strings.Contains(text, "left out") {
		t.Errorf("%d rows are too many", limits.CheckRows)
	}
	r.Certain = make([]change.Impact, limits.CheckRows+2)
	if text := r.Markdown(); !strings.Contains(text, "\n2 more are left out.\n") {
		t.Error("it does not say how many are left out")
	}
}
