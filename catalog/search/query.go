package search

import (
	"regexp"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/indexer"
)

// searchInput is the parsed input of a search.
type searchInput struct {
	text indexer.Text
	// exact is set for an input that names a field or is a URN.
	exact indexer.Expr
	// named are the fields that exact compares, and value is the value with which exact compares
	// the fields.
	named []*indexer.Field
	value string
	// These are set only for structured query text. looked are the words that any field may have,
	// conditions are the conditions on single fields, and shown lists the hidden entities that the
	// fields of the query show.
	looked     []indexer.Words
	conditions []fieldCondition
	shown      show
}

// fieldCondition is a condition on one field.
type fieldCondition struct {
	field *indexer.Field
	holds indexer.Expr
}

// fieldInput matches <field>:<value>. The query languages of other servers require a backslash
// before the colon.
var fieldInput = regexp.MustCompile(`(?s)^:*([A-Za-z_][A-Za-z0-9_]*)(?:\.keyword)?\\?:(.+)$`)

// unescape matches the characters that the query languages of other servers escape with a
// backslash.
var unescape = regexp.MustCompile(`\\([-+=&|><!(){}\[\]^"~*?:\\/ ])`)

// parseInput parses an input without /q: *, a URN, a field with its value, or words.
func (s *searchScope) parseInput(input string) (searchInput, error) {
	if err := checkTyped(input); err != nil {
		return searchInput{}, err
	}
	input = strings.TrimSpace(input)
	if input == "" || input == "*" {
		return searchInput{}, nil
	}
	if u, err := s.registry.ReadURN(input); err == nil {
		field, _ := s.field(indexer.FieldURN)
		return searchInput{
			exact: indexer.In{Field: indexer.FieldURN, Values: []string{u.String()}}, named: []*indexer.Field{field}, value: u.String(),
		}, nil
	}
	if match := fieldInput.FindStringSubmatch(input); match != nil {
		if fields := s.fields(fieldName(match[1])); len(fields) > 0 {
			return s.fieldInput(fields, strings.TrimSpace(match[2])), nil
		}
	}
	tokens, err := tokensOf(input)
	if err != nil {
		return searchInput{}, err
	}
	if len(tokens) == 0 { // the input is only punctuation
		return searchInput{exact: indexer.Or{}}, nil
	}
	quoted := len(input) > 1 && strings.HasPrefix(input, `"`) && strings.HasSuffix(input, `"`)
	return searchInput{text: indexer.Text{Tokens: tokens, Prefix: !quoted, Name: strings.Join(tokens, " "), Typos: !quoted && correctable(tokens)}}, nil
}

// correctable reports whether a search may use similar words instead of the tokens when an
// index has none of the tokens. Tokens with digits are not correctable: a word with other
// digits is the name of another thing, not a misspelling. Tokens of other scripts have digits
// too.
func correctable(tokens []string) bool {
	return !slices.ContainsFunc(tokens, func(token string) bool { return strings.ContainsAny(token, "0123456789") })
}

// fieldInput returns the condition of <field>:<value>. The value matches exactly, or * matches
// any value, or a value with * at its end matches as a prefix.
func (s *searchScope) fieldInput(fields []*indexer.Field, text string) searchInput {
	if len(text) > 1 && strings.HasPrefix(text, `"`) && strings.HasSuffix(text, `"`) {
		text = text[1 : len(text)-1]
	}
	plain := unescape.ReplaceAllString(text, "$1")
	var any indexer.Or
	for _, f := range fields {
		if text == "*" {
			any = append(any, indexer.Exists{Field: f.Name})
			continue
		}
		values := []string{text}
		for _, form := range []string{text, plain} {
			values = append(append(values, s.stored(f, form)...), s.shortForms(f, form)...)
		}
		any = append(any, equal(f, values))
		if prefix, ok := strings.CutSuffix(plain, "*"); ok && f.Kind != indexer.KindNumber {
			texts := append([]string{prefix}, s.shortForms(f, prefix)...)
			any = append(any, indexer.Match{Field: f.Name, Kind: indexer.Prefix, Texts: texts})
		}
	}
	return searchInput{exact: any, named: fields, value: plain}
}

// MatchedField is a field of a hit that matches the input, with the matching value.
type MatchedField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// maxMatchedFields bounds the matched fields of a hit.
const maxMatchedFields = 50

// matched returns the fields of a hit that match the input.
func (s *searchScope) matched(in *searchInput, hit *indexer.Hit) []MatchedField {
	found := []MatchedField{}
	add := func(f *indexer.Field, value string) {
		if len(found) < maxMatchedFields {
			found = append(found, MatchedField{f.Name, value})
		}
	}
	if in.named != nil {
		for _, f := range in.named {
			for _, value := range hit.Values[f.Name] {
				if answers(in.exact, f.Name, value) {
					add(f, value)
				}
			}
		}
		return found
	}
	for _, c := range in.conditions {
		for _, value := range hit.Values[c.field.Name] {
			if m := (MatchedField{c.field.Name, value}); answers(c.holds, m.Name, value) && !slices.Contains(found, m) {
				add(c.field, value)
			}
		}
	}
	if len(in.text.Tokens) == 0 && len(in.looked) == 0 {
		return found
	}
	look := func(f *indexer.Field) {
		for _, value := range hit.Values[f.Name] {
			if in.isIn(f.Words(value)) && !slices.Contains(found, MatchedField{f.Name, value}) {
				add(f, value)
			}
		}
	}
	for _, f := range s.schema.Fields(hit.Type) {
		if f.Text {
			look(f)
		}
	}
	if f, ok := s.schema.Field(hit.Type, indexer.FieldURN); ok {
		look(f)
	}
	return found
}

// isIn reports whether a text has any of the words of the input, or one of its phrases.
func (in *searchInput) isIn(text string) bool {
	words := indexer.IndexTokens(text)
	if in.looked == nil {
		return anyToken(&in.text, words)
	}
	return slices.ContainsFunc(in.looked, func(w indexer.Words) bool {
		if w.Phrase {
			return w.HoldsIn(text)
		}
		return anyToken(&indexer.Text{Tokens: w.Tokens, Prefix: w.Prefix}, words)
	})
}

// answers reports whether a condition holds for a document that has only this value in this
// field.
func answers(e indexer.Expr, field, value string) bool {
	return indexer.Holds(e, &indexer.Document{Values: map[string][]string{field: {value}}})
}

// anyToken reports whether the words include any token of the text.
func anyToken(text *indexer.Text, words []string) bool {
	for i, token := range text.Tokens {
		last := text.Prefix && i == len(text.Tokens)-1
		for _, word := range words {
			if word == token || last && strings.HasPrefix(word, token) {
				return true
			}
		}
	}
	return false
}

// everyToken reports whether the words include every token. The last token may be a prefix.
func everyToken(tokens, words []string) bool {
	for i := range tokens {
		one := indexer.Text{Tokens: tokens[i : i+1], Prefix: i == len(tokens)-1}
		if !anyToken(&one, words) {
			return false
		}
	}
	return true
}
