package browser

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
)

//go:embed guide.html.tmpl
var guideTemplate string

var guidePage = template.Must(template.New("guide").Parse(guideTemplate))

// Guide is the guide that ":play" in Neo4j Browser shows: a part of an HTML page, with
// a slide for each group of questions. base is the address of the server without a
// slash at the end, under which Neo4j Browser finds the style sheet.
func Guide(base string) ([]byte, error) {
	var b bytes.Buffer
	err := guidePage.Execute(&b, struct {
		Base   string
		Groups []Group
		Number int
	}{base, Groups(), last()})
	if err != nil {
		return nil, fmt.Errorf("guide: %w", err)
	}
	return b.Bytes(), nil
}

// last is the number of the last question.
func last() int {
	list := Groups()
	questions := list[len(list)-1].Questions
	return questions[len(questions)-1].Number
}
