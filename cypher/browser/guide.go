package browser

import (
	"bytes"
	_ "embed"
	"fmt"
	"strconv"

	g "maragu.dev/gomponents"
	"maragu.dev/gomponents/html"
)

// graphIntroduction describes the graph, in HTML.
//
//go:embed graph.html
var graphIntroduction string

// Guide is the guide that ":play" in Neo4j Browser shows: a part of an HTML page, with
// a slide for each group of questions. base is the address of the server without a
// slash at the end, under which Neo4j Browser finds the style sheet.
func Guide(base string) ([]byte, error) {
	style := "style " + base + "/browser/style.grass"
	slides := g.Group{slide("Headwater", fmt.Sprintf("%d questions about your data, to ask the graph.", last()),
		html.P(g.Text("Click a query to put it into the editor above, then run it. Values to replace have a field of their own; the examples ask about the sample catalog.")),
		html.P(g.Text("First, load the colours and captions: "), exec(style, ":"+style)),
		html.Ul(g.Map(Groups(), func(group Group) g.Node {
			return html.Li(exec(fmt.Sprintf("play %s/browser/guide#slide-%d", base, group.Slide), group.Title), g.Text(" "+group.Lead))
		})),
		g.Raw(graphIntroduction),
	)}
	for _, group := range Groups() {
		var questions g.Group
		for i := range group.Questions {
			questions = append(questions, group.Questions[i].node())
		}
		slides = append(slides, slide(group.Title, group.Lead, questions))
	}
	var b bytes.Buffer
	err := html.Article(html.Class("guide"), g.El("carousel", html.Class("deck container-fluid"), slides)).Render(&b)
	if err != nil {
		return nil, fmt.Errorf("guide: %w", err)
	}
	return b.Bytes(), nil
}

// slide has a title and a sentence about it on the left.
func slide(title, lead string, content ...g.Node) g.Node {
	return g.El("slide", html.Class("row-fluid"),
		html.Div(html.Class("col-sm-3"), html.H3(g.Text(title)), html.P(html.Class("lead"), g.Text(lead))),
		html.Div(html.Class("col-sm-9"), g.Group(content)),
	)
}

// exec is a link that puts a command into the editor of Neo4j Browser.
func exec(command, text string) g.Node { return html.A(html.Data("exec", command), g.Text(text)) }

// node is the question with a field for each value to replace. Neo4j Browser puts the
// text of a field into the places of the query that have its key.
func (q *Question) node() g.Node {
	key := func(parameter string) string { return parameter + "-" + strconv.Itoa(q.Number) }
	return g.Group{
		html.H4(g.Text(strconv.Itoa(q.Number) + ". " + q.Title)),
		html.P(g.Text(q.Explanation)),
		g.Map(q.Parameters(), func(p Piece) g.Node {
			return html.P(html.Label(g.Text(p.Parameter+" "), html.Input(
				html.Type("text"), html.Style("width: 46em; max-width: 100%; border: 1px solid #adb5bd; padding: 2px 6px"),
				g.Attr("value-for", key(p.Parameter)), html.Value(p.Text),
			)))
		}),
		html.Figure(html.Pre(html.Class("pre-scrollable code runnable"), g.Map(q.Pieces(), func(p Piece) g.Node {
			if p.Parameter == "" {
				return g.Text(p.Text)
			}
			return html.Span(g.Attr("value-key", key(p.Parameter)), g.Text(p.Text))
		}))),
	}
}

// last is the number of the last question.
func last() int {
	list := Groups()
	questions := list[len(list)-1].Questions
	return questions[len(questions)-1].Number
}
