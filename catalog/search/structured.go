package search

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/querytext"
	"github.com/headwater-io/headwater/model"
)

// structured turns a structured query into conditions.
type structured struct {
	*searchScope
	input string
	// fields has, for each term with a field name, the fields for which the name stands. The list
	// is empty if only types outside of the scope have such a field.
	fields map[*querytext.Term][]*indexer.Field
	// named has the entities that have a name, by lookup.
	named map[lookup][]string

	parsed searchInput
	// ordering are words of the query that are not required; hits that have them come first.
	ordering []indexer.Words
}

// parse parses the input of a search.
func (s *Service) parse(ctx context.Context, scope *searchScope, input string) (searchInput, error) {
	if !querytext.IsStructured(input) {
		return scope.parseInput(input)
	}
	if err := checkTyped(input); err != nil {
		return searchInput{}, err
	}
	tree, err := querytext.Parse(input)
	if err != nil {
		return searchInput{}, wrongQuery(err)
	}
	if err := checkWords(tree); err != nil {
		return searchInput{}, err
	}
	q := &structured{searchScope: scope, input: input, fields: map[*querytext.Term][]*indexer.Field{}, named: map[lookup][]string{}}
	if err := s.lookUpFields(ctx, q, tree); err != nil {
		return searchInput{}, err
	}
	if err := s.lookUpNames(ctx, q, tree); err != nil {
		return searchInput{}, err
	}
	if err := q.whole(tree); err != nil {
		return searchInput{}, wrongQuery(err)
	}
	return q.parsed, nil
}

// checkWords checks the number of words of a query.
func checkWords(tree querytext.Node) error {
	words := 0
	querytext.Terms(tree, func(t *querytext.Term, _ bool) { words += len(indexer.Tokens(t.Text)) })
	return catalog.TooMany("words", words, limits.MaxQueryWords)
}

// wrongQuery converts an error of the parser, which tells the place of the mistake.
func wrongQuery(err error) error {
	var wrong *querytext.Error
	if errors.As(err, &wrong) {
		return catalog.Errorf(catalog.Invalid, "%s", wrong.Error())
	}
	return err
}

func (q *structured) wrong(at querytext.Place, reason string, args ...any) error {
	return querytext.At(q.input, at, reason, args...)
}

// whole converts the whole query. Words that every hit must have become the text of the search,
// which orders the hits; the rest becomes a condition.
func (q *structured) whole(tree querytext.Node) error {
	parts, together := tree.(querytext.And)
	if !together && tree != nil {
		parts = querytext.And{tree}
	}
	var all indexer.And
	var name []string
	var tokens, begun []string
	for _, part := range parts {
		e, err := q.node(part, false)
		if err != nil {
			return err
		}
		t, isTerm := part.(*querytext.Term)
		words, anywhere := e.(indexer.Words)
		switch {
		case !anywhere, words.Prefix && begun != nil:
			all = append(all, e)
		case words.Prefix:
			begun = words.Tokens
		default:
			tokens = append(tokens, words.Tokens...)
		}
		if isTerm && (t.Field == "" || t.Field == "name") {
			name = append(name, t.Text)
			if t.Quoted && !anywhere && t.Field == "" { // the words of a phrase also order the hits
				tokens = append(tokens, indexer.Tokens(t.Text)...)
			}
		}
	}
	q.parsed.text = indexer.Text{Tokens: append(tokens, begun...), Prefix: begun != nil, Name: indexer.Normalize(strings.Join(name, " "))}
	q.parsed.text.Also = q.also()
	if len(all) > 0 {
		q.parsed.exact = all
	}
	return nil
}

// maxAlso bounds the words of alternatives that order the hits: an order by many words is slow,
// and tells little.
const maxAlso = 8

// also returns the words that are not required; hits that have them come first.
func (q *structured) also() []indexer.Word {
	var also []indexer.Word
	for i := range q.ordering {
		w := &q.ordering[i]
		for k, token := range w.Tokens {
			one := indexer.Word{Token: token, Prefix: w.Prefix && k == len(w.Tokens)-1}
			if len(also) < maxAlso && !slices.Contains(q.parsed.text.Tokens, token) && !slices.Contains(also, one) {
				also = append(also, one)
			}
		}
	}
	return also
}

// node returns the condition of a part of the query.
func (q *structured) node(n querytext.Node, negated bool) (indexer.Expr, error) {
	switch n := n.(type) {
	case querytext.And:
		parts, err := q.nodes(n, negated)
		return indexer.And(parts), err
	case querytext.Or:
		parts, err := q.nodes(n, negated)
		return indexer.Or(parts), err
	case querytext.Not:
		part, err := q.node(n.Part, !negated)
		return indexer.Not{Expr: part}, err
	case *querytext.Term:
		if n.Field == "" {
			return q.term(n, negated)
		}
		return q.inFields(n, negated)
	}
	return indexer.And{}, nil
}

func (q *structured) nodes(parts []querytext.Node, negated bool) ([]indexer.Expr, error) {
	all := make([]indexer.Expr, len(parts))
	for i, part := range parts {
		var err error
		if all[i], err = q.node(part, negated); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// term returns the condition of a term without a field.
func (q *structured) term(t *querytext.Term, negated bool) (indexer.Expr, error) {
	if t.Anything() {
		return indexer.And{}, nil
	}
	if u, err := q.registry.ReadURN(t.Text); err == nil && !t.Prefix {
		field, _ := q.field(indexer.FieldURN)
		e := indexer.In{Field: indexer.FieldURN, Values: []string{u.String()}}
		q.seen(field, e, negated)
		return e, nil
	}
	w := wordsOf(t)
	if len(w.Tokens) == 0 {
		return nil, q.wrong(t.At, "there is no letter or digit to search for")
	}
	if !t.Quoted || len(w.Tokens) == 1 {
		q.look(w, negated)
		return w, nil
	}
	phrase := w
	phrase.Fields, phrase.Phrase, phrase.InText = q.namesOf(func(f *indexer.Field) bool { return f.Text || f.Name == indexer.FieldURN }), true, true
	q.look(phrase, negated)
	return indexer.And{w, phrase}, nil
}

// wordsOf returns the words of a term. The last word is a prefix only if * follows directly
// after a letter or digit.
func wordsOf(t *querytext.Term) indexer.Words {
	last, _ := utf8.DecodeLastRuneInString(t.Text)
	inWord := unicode.IsLetter(last) || unicode.IsDigit(last) || unicode.Is(unicode.Mn, last)
	return indexer.Words{Tokens: indexer.Tokens(t.Text), Prefix: t.Prefix && inWord}
}

// look records words, unless they are negated. The recorded words order the hits, and tell which
// fields of a hit match.
func (q *structured) look(w indexer.Words, negated bool) {
	if !negated {
		q.parsed.looked, q.ordering = append(q.parsed.looked, w), append(q.ordering, w)
	}
}

// seen records a condition on a field that is not negated. seen tells which fields of a hit
// match.
func (q *structured) seen(f *indexer.Field, e indexer.Expr, negated bool) {
	if !negated {
		q.parsed.conditions = append(q.parsed.conditions, fieldCondition{f, e})
	}
}

// inFields returns the condition of a term with a field.
func (q *structured) inFields(t *querytext.Term, negated bool) (indexer.Expr, error) {
	q.parsed.shown.name(fieldName(t.Field))
	any := indexer.Or{}
	for _, f := range q.fields[t] {
		e, err := q.inField(f, t)
		if err != nil {
			return nil, err
		}
		q.seen(f, e, negated)
		any = append(any, e)
		if f.Kind == indexer.KindText && f.Text && !negated {
			q.ordering = append(q.ordering, wordsOf(t))
		}
	}
	return any, nil
}

// inField returns the condition that a field has the value of a term.
func (q *structured) inField(f *indexer.Field, t *querytext.Term) (indexer.Expr, error) {
	if t.Anything() {
		return q.comparison(f, catalog.CondExists, nil)
	}
	switch f.Kind {
	case indexer.KindURN:
		return q.inURNs(f, t), nil
	case indexer.KindPath:
		return beginsOrIs(f, t, q.stored(f, t.Text)), nil
	case indexer.KindNumber:
		if _, number := model.NumberText(t.Text); !number || t.Prefix {
			return nil, q.wrong(t.At, "the field %s contains numbers; only a number can be equal to one, and ranges are compared in a filter", f.Name)
		}
	case indexer.KindBoolean:
		if value := strings.ToLower(t.Text); value != "true" && value != "false" || t.Prefix {
			return nil, q.wrong(t.At, "the value of the field %s is true or false", f.Name)
		}
	case indexer.KindText:
		if f.Name == indexer.FieldType {
			return q.inTypes(f, t)
		}
		return q.inTexts(f, t), nil
	}
	return equal(f, q.stored(f, t.Text)), nil
}

// inTexts returns the condition that a value of the field has all words, next to each other if
// they are in quotes, or is exactly the text. A number in a structured property equals only
// itself.
func (q *structured) inTexts(f *indexer.Field, t *querytext.Term) indexer.Expr {
	w := wordsOf(t)
	if _, number := model.NumberText(t.Text); len(w.Tokens) == 0 || f.Structured && number {
		return beginsOrIs(f, t, q.stored(f, t.Text))
	}
	w.Fields, w.Phrase, w.InText = []string{f.Name}, t.Quoted && len(w.Tokens) > 1, f.Text
	if t.Prefix {
		return w
	}
	return indexer.Or{equal(f, q.stored(f, t.Text)), w}
}

// beginsOrIs returns the condition that a value of the field equals one of the texts or, for a
// prefix, begins with one.
func beginsOrIs(f *indexer.Field, t *querytext.Term, texts []string) indexer.Expr {
	if t.Prefix {
		return indexer.Match{Field: f.Name, Kind: indexer.Prefix, Texts: texts}
	}
	return equal(f, texts)
}

// inTypes returns the condition on the entity type.
func (q *structured) inTypes(f *indexer.Field, t *querytext.Term) (indexer.Expr, error) {
	name := q.typeName(t.Text)
	if _, known := q.registry.Entity(name); !known && !t.Prefix {
		return nil, q.wrong(t.At, "%q is not an entity type%s", t.Text, didYouMean(t.Text, func(yield func(string) bool) {
			for _, e := range q.registry.Entities() {
				if !yield(e.Name) {
					return
				}
			}
		}))
	}
	return beginsOrIs(f, t, []string{name}), nil
}

// inURNs returns the condition that the field has the URN, a URN with this key, or the URN of
// an entity with this name.
func (q *structured) inURNs(f *indexer.Field, t *querytext.Term) indexer.Expr {
	texts := append([]string{t.Text}, q.keyed(f, t.Text)...)
	if t.Prefix {
		return indexer.Match{Field: f.Name, Kind: indexer.Prefix, Texts: texts}
	}
	if u, err := q.registry.ReadURN(t.Text); err == nil && !slices.Contains(texts, u.String()) {
		texts = append(texts, u.String())
	}
	return indexer.In{Field: f.Name, Values: append(texts, q.named[lookupOf(f, t.Text)]...)}
}

// keyed returns the URNs that have a text as their key.
func (q *structured) keyed(f *indexer.Field, text string) []string {
	if f.Name == indexer.FieldURN {
		return nil
	}
	return q.shortForms(f, text)
}
