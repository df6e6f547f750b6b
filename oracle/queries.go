package main

import (
	"maps"
	"slices"
	"strings"
)

// query is a structured query: its text, and the documents that it finds.
type query struct {
	text string
	// holds reports whether the query must find a document, and whether it may.
	holds func(d *document) (must, may bool)
}

// operators are the words that are operators and not words of a text.
var operators = []string{"AND", "OR", "NOT"}

// written returns a word in the form that it has in a query.
func written(word string) string {
	if slices.Contains(operators, word) {
		return `\` + word
	}
	return word
}

// anyQuery returns a random query with words and values of some documents.
func (r *checker) anyQuery(about []*document, depth int) query {
	if depth == 0 || r.chance(25) {
		return r.leaf(pick(r.maker, about))
	}
	switch r.IntN(5) {
	case 0:
		return r.inverse(r.anyQuery(about, depth-1))
	case 1, 2:
		return r.joined(about, depth, " OR ", " || ")
	}
	return r.joined(about, depth, " AND ", " ", " && ", " +")
}

// inverse returns the negation of a query.
func (r *checker) inverse(q query) query {
	return query{pick(r.maker, []string{"NOT (", "-(", "!("}) + q.text + ")", func(d *document) (bool, bool) {
		must, may := q.holds(d)
		return !may, !must
	}}
}

// joined returns two or three queries, joined with one of the joints. If the first joint is OR, an
// entity matches if one part holds, otherwise if all parts hold.
func (r *checker) joined(about []*document, depth int, joints ...string) query {
	var parts []query
	var texts []string
	for range 2 + r.IntN(2) {
		part := r.anyQuery(about, depth-1)
		parts, texts = append(parts, part), append(texts, "("+part.text+")")
	}
	every := joints[0] != " OR "
	return query{strings.Join(texts, pick(r.maker, joints)), func(d *document) (must, may bool) {
		must, may = every, every
		for _, part := range parts {
			is, could := part.holds(d)
			if every {
				must, may = must && is, may && could
			} else {
				must, may = must || is, may || could
			}
		}
		return must, may
	}}
}

// leaf returns a query for a word, a beginning, a phrase or a field's value of a document.
func (r *checker) leaf(d *document) query {
	runs := runsOf(pick(r.maker, d.texts))
	if len(runs) == 0 {
		return r.valueLeaf(d)
	}
	from := r.IntN(len(runs))
	word := string(runs[from])
	switch r.IntN(6) {
	case 0:
		letters := []rune(word)
		return worded(string(letters[:1+r.IntN(len(letters))]), true)
	case 1:
		if from+1 < len(runs) {
			return phrased(word + pick(r.maker, []string{" ", "_", "-"}) + string(runs[from+1]))
		}
	case 2:
		return r.valueLeaf(d)
	case 3:
		return r.textLeaf(d)
	}
	return worded(word, false)
}

// worded returns a query for the words of a text anywhere. If begins is set, the last one
// may be the beginning of a word.
func worded(text string, begins bool) query {
	words, shown := typed(text), written(text)
	if begins {
		shown = text + "*"
	}
	return query{shown, func(d *document) (bool, bool) { return d.sure(d.finds(words, !begins)) }}
}

// sure makes an answer uncertain for a document with two newest values.
func (d *document) sure(must, may bool) (bool, bool) {
	if d.unsure {
		return false, true
	}
	return must, may
}

// phrased returns a query for words next to each other.
func phrased(text string) query {
	words := typed(text)
	if len(words) == 1 {
		return worded(text, false)
	}
	return query{`"` + text + `"`, func(d *document) (bool, bool) {
		is := slices.ContainsFunc(d.sequences, func(text []string) bool { return together(words, text) })
		return d.sure(is, is)
	}}
}

// together reports whether the words are next to each other in a text.
func together(words, text []string) bool {
	for i := range text {
		if i+len(words) <= len(text) && slices.Equal(words, text[i:i+len(words)]) {
			return true
		}
	}
	return false
}

// valueLeaf returns a query for an exact value of a field of URNs, or for any value of the
// field.
func (r *checker) valueLeaf(d *document) query {
	field := pick(r.maker, []string{"platform", "tags", "owners", "glossaryTerms", "domains", "container"})
	values := slices.Sorted(maps.Keys(d.values[field]))
	if len(values) == 0 || r.chance(20) {
		return query{field + ":*", func(d *document) (bool, bool) {
			fields := append([]string{field}, expanded[field]...)
			has := slices.ContainsFunc(fields, func(f string) bool { return len(d.values[f]) > 0 })
			return d.sure(has, has)
		}}
	}
	c := criterion{field: field, value: pick(r.maker, values)}
	return query{field + `:"` + c.value + `"`, func(d *document) (bool, bool) { return d.sure(c.holds(d), c.holds(d)) }}
}

// textLeaf returns a query for a word, or the beginning of one, in a value of a field.
func (r *checker) textLeaf(d *document) query {
	field := pick(r.maker, []string{"description", "fieldPaths", "customProperties", "fieldDescriptions"})
	values := slices.Sorted(maps.Keys(d.values[field]))
	if len(values) == 0 {
		return r.valueLeaf(d)
	}
	runs := runsOf(pick(r.maker, values))
	if len(runs) == 0 {
		return r.valueLeaf(d)
	}
	word := string(pick(r.maker, runs))
	begins := r.chance(30)
	shown := written(word)
	if begins {
		letters := []rune(word)
		word = string(letters[:1+r.IntN(len(letters))])
		shown = word + "*"
	}
	words := typed(word)
	fields := append([]string{field}, edited[field]...)
	return query{field + ":" + shown, func(d *document) (must, may bool) {
		for _, f := range fields {
			for value := range d.values[f] {
				is, could := r.index.alone(value).finds(words, !begins)
				must, may = must || is, may || could
			}
		}
		return d.sure(must, may)
	}}
}

// alone returns a document with only this text.
func (x *index) alone(text string) *document {
	if made, ok := x.single.Load(text); ok {
		return made.(*document)
	}
	d := &document{words: newVocabulary()}
	d.text(text)
	d.words.sort()
	x.single.Store(text, d)
	return d
}

// edited has, for a field, the fields with the texts that people edited.
var edited = map[string][]string{"description": {"editedDescription"}, "fieldDescriptions": {"editedFieldDescriptions"}}
