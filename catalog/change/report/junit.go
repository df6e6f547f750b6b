package report

import (
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/headwater-io/headwater/catalog/change"
)

type testSuites struct {
	XMLName  xml.Name  `xml:"testsuites"`
	Name     string    `xml:"name,attr"`
	Tests    int       `xml:"tests,attr"`
	Failures int       `xml:"failures,attr"`
	Suite    testSuite `xml:"testsuite"`
}

type testSuite struct {
	Name     string     `xml:"name,attr"`
	Tests    int        `xml:"tests,attr"`
	Failures int        `xml:"failures,attr"`
	Errors   int        `xml:"errors,attr"`
	Cases    []testCase `xml:"testcase"`
}

type testCase struct {
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	File    string   `xml:"file,attr,omitempty"`
	Failure *failure `xml:"failure"`
	Out     string   `xml:"system-out,omitempty"`
}

type failure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// JUnit returns a report of tests: a case for each change, which fails with the nodes that fail because of it, and one for each
// finding that belongs to no change.
func (r *Report) JUnit() ([]byte, error) {
	suite := testSuite{Name: "headwater check"}
	taken := map[*change.Impact]bool{}
	for i := range r.Changes {
		c := &r.Changes[i]
		one := testCase{Class: c.Table, Name: Sentence(c), File: r.place(c.File), Out: c.How}
		var lines []string
		for k := range r.Certain {
			if at := &r.Certain[k]; !taken[at] && at.Column == subject(c) {
				taken[at] = true
				lines = append(lines, impactLine(at))
			}
		}
		if lines != nil {
			one.Failure = &failure{Message: fmt.Sprintf("%d certain", len(lines)), Type: "certain impact", Text: strings.Join(lines, "\n")}
		}
		suite.Cases = append(suite.Cases, one)
	}
	for k := range r.Certain {
		if at := &r.Certain[k]; !taken[at] {
			suite.Cases = append(suite.Cases, testCase{Class: at.Name, Name: at.Why, File: r.place(at.File), Failure: &failure{"1 certain", "certain impact", impactLine(at)}})
		}
	}
	for k, list := range [][]change.Hurt{r.Contracts, r.Assertions} {
		kind := []string{"contract", "assertion"}[k]
		for i := range list {
			if h := &list[i]; h.Effect == change.Certain {
				suite.Cases = append(suite.Cases, testCase{Class: h.Table, Name: h.Name, File: r.place(h.File), Failure: &failure{kind, kind, h.Why}})
			}
		}
	}
	for i := range r.NewPersonalData {
		p := &r.NewPersonalData[i]
		text := fmt.Sprintf("values of %s, which has the label %s, would reach %s.%s", p.From, p.Label, p.Table, p.Column)
		suite.Cases = append(suite.Cases, testCase{Class: p.Table, Name: p.Table + "." + p.Column, File: r.place(p.File), Failure: &failure{"personal data", "personal data", text}})
	}
	if len(suite.Cases) == 0 {
		suite.Cases = []testCase{{Class: "headwater check", Name: "nothing changes"}}
	}
	for i := range suite.Cases {
		if suite.Cases[i].Failure != nil {
			suite.Failures++
		}
	}
	suite.Tests = len(suite.Cases)
	text, err := xml.MarshalIndent(testSuites{Name: suite.Name, Tests: suite.Tests, Failures: suite.Failures, Suite: suite}, "", "  ")
	return append([]byte(xml.Header), append(text, '\n')...), err
}

func impactLine(i *change.Impact) string {
	text := fmt.Sprintf("%s (%s): %s", i.Name, i.Type, i.Why)
	if owners := OwnerNames(i.Owners); owners != "" {
		text += "; owned by " + owners
	}
	return text
}
