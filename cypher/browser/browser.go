// Package browser contains the files that analysts load into Neo4j Browser: a guide, the questions of the
// guide as saved queries, and a style sheet. It knows neither the model nor a server: its callers give it
// labels and addresses.
package browser

import (
	"archive/zip"
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"sync"
)

//go:embed questions
var files embed.FS

// A Group is the questions about one subject, a slide of the guide and a folder
// of saved queries.
type Group struct {
	// Folder is the name of the folder in questions.
	Folder, Title string
	// Lead is a sentence about the group.
	Lead string
	// Slide is its number in the guide. The first slide introduces the graph.
	Slide     int
	Questions []Question
}

// A Question is one file of the folder questions. It is a statement that runs as it
// is, with comments before it.
type Question struct {
	// Number counts the questions of all groups from 1.
	Number int
	// File is the name of the file in the folder of its group.
	File string
	// Title is the question: the first comment. Explanation is the other comments.
	Title, Explanation string
	// Text is the whole file, Statement the part after the comments.
	Text, Statement string
}

// groups are the folders of questions, in the order of the guide.
var groups = []Group{
	{Folder: "find", Title: "Find", Lead: "Where something is, and what is around it."},
	{Folder: "impact", Title: "Impact", Lead: "What depends on what, and whom to ask before a change."},
	{Folder: "shape", Title: "Shape", Lead: "What the whole graph of lineage looks like."},
	{Folder: "ownership", Title: "Ownership and vocabulary", Lead: "What nobody looks after, and what should not be used any more."},
	{Folder: "trust", Title: "Trust and use", Lead: "What failed, what is used, and what is stale."},
	{Folder: "time", Title: "Time and runs", Lead: "What changed, when, and through which run."},
	{Folder: "columns", Title: "Columns and details", Lead: "What aspects say in JSON, as nodes, relationships and properties."},
}

// Groups returns the questions. The caller must not change them.
var Groups = sync.OnceValue(func() []Group {
	number := 0
	for i := range groups {
		g := &groups[i]
		g.Slide = i + 2
		entries, err := files.ReadDir("questions/" + g.Folder)
		if err != nil {
			panic(err) // the folders are embedded
		}
		for _, entry := range entries { // in the order of their names
			text, err := fs.ReadFile(files, path.Join("questions", g.Folder, entry.Name()))
			if err != nil {
				panic(err)
			}
			number++
			g.Questions = append(g.Questions, question(number, entry.Name(), string(text)))
		}
	}
	return groups
})

func question(number int, file, text string) Question {
	q := Question{Number: number, File: file, Text: text}
	var explanation []string
	rest := text
	for strings.HasPrefix(rest, "//") {
		line, after, _ := strings.Cut(rest, "\n")
		line, rest = strings.TrimSpace(strings.TrimPrefix(line, "//")), after
		if q.Title == "" {
			q.Title = line
		} else {
			explanation = append(explanation, line)
		}
	}
	q.Explanation, q.Statement = strings.Join(explanation, " "), strings.TrimSpace(rest)
	return q
}

// A Piece is a part of a statement. Parameter is "" or, if the piece is a value that
// analysts replace by their own, its name.
type Piece struct{ Text, Parameter string }

// values are the values in the first line of a statement, such as 'orders' in
// WITH 'orders' AS word.
var values = regexp.MustCompile(`'([^']*)'\)? AS (\w+)`)

// Pieces divides the statement at the values that its first line names.
func (q *Question) Pieces() []Piece {
	first, _, _ := strings.Cut(q.Statement, "\n")
	if !strings.HasPrefix(first, "WITH ") {
		return []Piece{{Text: q.Statement}}
	}
	var pieces []Piece
	end := 0
	for _, at := range values.FindAllStringSubmatchIndex(first, -1) {
		pieces = append(pieces, Piece{Text: q.Statement[end:at[2]]}, Piece{Text: first[at[2]:at[3]], Parameter: first[at[4]:at[5]]})
		end = at[3]
	}
	return append(pieces, Piece{Text: q.Statement[end:]})
}

// Parameters are the pieces that analysts replace.
func (q *Question) Parameters() []Piece {
	var list []Piece
	for _, p := range q.Pieces() {
		if p.Parameter != "" {
			list = append(list, p)
		}
	}
	return list
}

// Archive is a ZIP file with the questions, in a folder for each group. Neo4j
// Browser adds them to its saved queries when the file is dropped on its page.
var Archive = sync.OnceValues(func() ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, g := range Groups() {
		for _, q := range g.Questions {
			f, err := z.Create(fmt.Sprintf("Headwater %s/%s", strings.ToLower(g.Title), q.File))
			if err != nil {
				return nil, err
			}
			if _, err := f.Write([]byte(q.Text)); err != nil {
				return nil, err
			}
		}
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
})
