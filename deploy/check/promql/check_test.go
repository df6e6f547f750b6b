// Package promql checks the queries of Headwater's dashboards and alerts against the
// metrics of a running server: their syntax, and that each metric, label and value in them
// exists. It is a module of its own, because the parser of the language depends on half of
// Prometheus.
package promql

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"go.yaml.in/yaml/v3"
)

// The checked files.
const (
	rulesFile     = "../../prometheus/alerts.yaml"
	dashboardFile = "../../grafana/headwater.json"
	handbookFile  = "../../../docs/operations.md"
)

// fromPrometheus are labels that Prometheus adds to every series.
var fromPrometheus = []string{"job", "instance"}

// query is an expression in one of the files, with its place.
type query struct{ where, text string }

// rules is the content of a file with rules.
type rules struct {
	Groups []struct {
		Rules []struct {
			Record, Alert, Expr string
			Labels, Annotations map[string]string
		}
	}
}

func readRules(t *testing.T) rules {
	t.Helper()
	text, err := os.ReadFile(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	var r rules
	if err := yaml.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Groups) == 0 {
		t.Fatal("there are no rules")
	}
	return r
}

// dashboardVariable matches a variable of Grafana in an expression.
var dashboardVariable = regexp.MustCompile(`\$\{?\w+\}?`)

// dashboardQueries returns the expressions of the dashboard, with a value in place of each
// variable.
func dashboardQueries(t *testing.T) []query {
	t.Helper()
	text, err := os.ReadFile(dashboardFile)
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title, Type string
			Targets     []struct{ Expr string }
		}
		Templating struct {
			List []struct{ Name, Type, Definition string }
		}
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	var found []query
	add := func(where, text string) {
		text = strings.ReplaceAll(text, "$__rate_interval", "5m")
		found = append(found, query{where, dashboardVariable.ReplaceAllString(text, ".*")})
	}
	for _, panel := range dashboard.Panels {
		if panel.Type != "row" && len(panel.Targets) == 0 {
			t.Errorf("the panel %q shows nothing", panel.Title)
		}
		for _, target := range panel.Targets {
			add("panel "+panel.Title, target.Expr)
		}
	}
	for _, variable := range dashboard.Templating.List {
		if variable.Type == "query" {
			inner := strings.TrimSuffix(strings.TrimPrefix(variable.Definition, "label_values("), ")")
			metric := inner[:strings.LastIndex(inner, ",")]
			label := strings.TrimSpace(inner[strings.LastIndex(inner, ",")+1:])
			add("variable "+variable.Name, "count by ("+label+") ("+metric+")")
		}
	}
	return found
}

// exported has the values of each label of each scraped metric.
type exported map[string]map[string][]string

var (
	seriesLine = regexp.MustCompile(`(?m)^(\w+)(?:\{(.*)\})? \S+$`)
	labelPair  = regexp.MustCompile(`(\w+)="((?:[^"\\]|\\.)*)"`)
)

func parseScrape(text string) exported {
	found := exported{"up": {}}
	for _, line := range seriesLine.FindAllStringSubmatch(text, -1) {
		values := found[line[1]]
		if values == nil {
			values = map[string][]string{}
			found[line[1]] = values
		}
		for _, pair := range labelPair.FindAllStringSubmatch(line[2], -1) {
			values[pair[1]] = append(values[pair[1]], pair[2])
		}
	}
	return found
}

// check returns the faults of a query.
func (e exported) check(text string) (faults []string) {
	expression, err := parser.NewParser(parser.Options{}).ParseExpr(text)
	if err != nil {
		return []string{err.Error()}
	}
	parser.Inspect(expression, func(node parser.Node, path []parser.Node) error {
		selector, ok := node.(*parser.VectorSelector)
		if !ok {
			return nil
		}
		known, ok := e[selector.Name]
		if !ok {
			faults = append(faults, "there is no metric "+selector.Name)
			return nil
		}
		has := func(label string) bool {
			_, ok := known[label]
			return ok || slices.Contains(fromPrometheus, label)
		}
		for _, matcher := range selector.LabelMatchers {
			switch {
			case matcher.Name == labels.MetricName:
			case !has(matcher.Name):
				faults = append(faults, fmt.Sprintf("%s has no label %s", selector.Name, matcher.Name))
			case matcher.Type == labels.MatchEqual && !slices.Contains(fromPrometheus, matcher.Name) && !slices.Contains(known[matcher.Name], matcher.Value):
				faults = append(faults, fmt.Sprintf("no %s has the %s %q", selector.Name, matcher.Name, matcher.Value))
			}
		}
		for _, above := range path {
			aggregate, ok := above.(*parser.AggregateExpr)
			if !ok || aggregate.Without {
				continue
			}
			for _, label := range aggregate.Grouping {
				if !has(label) {
					faults = append(faults, fmt.Sprintf("%s cannot be grouped by %s", selector.Name, label))
				}
			}
		}
		return nil
	})
	return faults
}

// record adds the results of recording rules, with the labels by which they are grouped.
func (e exported) record(t *testing.T, r rules) {
	t.Helper()
	for _, group := range r.Groups {
		for _, rule := range group.Rules {
			if rule.Record == "" {
				continue
			}
			values := map[string][]string{}
			expression, err := parser.NewParser(parser.Options{}).ParseExpr(rule.Expr)
			if err != nil {
				t.Fatalf("%s: %v", rule.Record, err)
			}
			parser.Inspect(expression, func(node parser.Node, _ []parser.Node) error {
				if aggregate, ok := node.(*parser.AggregateExpr); ok {
					for _, label := range aggregate.Grouping {
						values[label] = nil
					}
				}
				return nil
			})
			e[rule.Record] = values
		}
	}
}

// usedLabel matches a label in the text of an alert.
var usedLabel = regexp.MustCompile(`\$labels\.(\w+)`)

// TestQueries: every query of the dashboard and the rules uses only metrics, labels and
// values that a server exports.
func TestQueries(t *testing.T) {
	found := scrape(t)
	r := readRules(t)
	found.record(t, r)
	queries := dashboardQueries(t)
	for _, group := range r.Groups {
		for _, rule := range group.Rules {
			queries = append(queries, query{"rule " + rule.Record + rule.Alert, rule.Expr})
		}
	}
	for _, q := range queries {
		for _, fault := range found.check(q.text) {
			t.Errorf("%s: %s\n\t%s", q.where, fault, q.text)
		}
	}
	t.Logf("%d queries, %d metrics", len(queries), len(found))
}

// TestCheckFinds: check finds faults, so that its silence means something.
func TestCheckFinds(t *testing.T) {
	e := parseScrape("requests_total{route=\"/a\",status=\"200\"} 3\nbytes 4\n")
	for text, fault := range map[string]string{
		`requests_totl`:                            "no metric",
		`rate(requests_total{rout="/a"}[5m])`:      "no label rout",
		`requests_total{status="500"}`:             `status "500"`,
		`sum by (route, le) (requests_total)`:      "grouped by le",
		`sum by (route) (requests_total`:           "unclosed",
		`bytes{route="/a"}`:                        "no label route",
		`requests_total{status=~"5.."}`:            "",
		`sum by (job, route) (requests_total) > 1`: "",
	} {
		faults := strings.Join(e.check(text), "; ")
		if (faults == "") != (fault == "") || !strings.Contains(faults, fault) {
			t.Errorf("%s: %q", text, faults)
		}
	}
}

// notAnchored matches the characters that the anchor of a heading leaves out.
var notAnchored = regexp.MustCompile(`[^\w\- ]`)

// TestAlerts: each alert has a severity, a text whose labels its query keeps, and the name
// of an existing section of the handbook. Each such section is about an alert.
func TestAlerts(t *testing.T) {
	text, err := os.ReadFile(handbookFile)
	if err != nil {
		t.Fatal(err)
	}
	anchors := map[string]bool{} // anchors of the handbook: true if an alert names the section
	for line := range strings.Lines(string(text)) {
		if heading, ok := strings.CutPrefix(line, "### Headwater"); ok {
			anchor := strings.ToLower("Headwater" + strings.TrimSpace(heading))
			anchors[strings.ReplaceAll(notAnchored.ReplaceAllString(anchor, ""), " ", "-")] = false
		}
	}
	found := scrape(t)
	r := readRules(t)
	found.record(t, r)
	for _, group := range r.Groups {
		for _, rule := range group.Rules {
			if rule.Alert == "" {
				continue
			}
			if !slices.Contains([]string{"warning", "critical"}, rule.Labels["severity"]) {
				t.Errorf("%s: the severity is %q", rule.Alert, rule.Labels["severity"])
			}
			page, anchor, _ := strings.Cut(rule.Annotations["runbook_url"], "#")
			if _, ok := anchors[anchor]; !ok || !strings.HasSuffix(page, "/docs/operations.md") {
				t.Errorf("%s: %s has no section %q", rule.Alert, page, anchor)
			}
			anchors[anchor] = true
			if rule.Annotations["summary"] == "" {
				t.Errorf("%s has no summary", rule.Alert)
			}
			for _, label := range usedLabel.FindAllStringSubmatch(rule.Annotations["summary"], -1) {
				if faults := found.check("sum by (" + label[1] + ") (" + rule.Expr + ")"); len(faults) > 0 {
					t.Errorf("%s: the summary names the label %s: %v", rule.Alert, label[1], faults)
				}
			}
		}
	}
	for _, anchor := range slices.Sorted(maps.Keys(anchors)) {
		if !anchors[anchor] {
			t.Errorf("no alert leads to %s#%s", handbookFile, anchor)
		}
	}
}
