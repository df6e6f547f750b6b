package indexer

import (
	"slices"
	"strings"
	"time"

	"github.com/headwater-io/headwater/model"
)

// Expr is a condition on documents. The kinds are And, Or, Not, In, Match,
// Range, Between, Exists, Words and *Standing.
type Expr interface{ expr() }

// And holds if every part holds. Without parts it holds.
type And []Expr

// Or holds if any part holds. Without parts it does not hold.
type Or []Expr

// Not holds if its part does not hold.
type Not struct{ Expr Expr }

// In holds if a value of the field is exactly one of the values.
type In struct {
	Field  string
	Values []string
}

// MatchKind says where in a value a text is searched for.
type MatchKind int

// The kinds of Match.
const (
	Prefix MatchKind = iota
	Suffix
	Contains
	// Same matches the whole value, ignoring case.
	Same
)

// Holds reports whether one value matches a text: byte for byte, unless the kind is Same.
func (k MatchKind) Holds(value, text string) bool {
	switch k {
	case Prefix:
		return strings.HasPrefix(value, text)
	case Suffix:
		return strings.HasSuffix(value, text)
	case Same:
		return strings.EqualFold(value, text)
	}
	return strings.Contains(value, text)
}

// Match holds if a value of the field has one of the texts at the place that the kind
// names.
type Match struct {
	Field string
	Kind  MatchKind
	Texts []string
	// Except excludes the values that name an entity and contain one of these texts, see [NamesAny].
	Except []string
}

// Holds reports whether one value matches a text.
func (e *Match) Holds(value, text string) bool {
	return e.Kind.Holds(value, text) && !NamesAny(value, e.Except)
}

// Range holds if the number of the field is between the bounds, inclusive; a nil bound is
// no bound.
type Range struct {
	Field    string
	From, To *int64
}

// Between holds if a value of the field is an amount (see [Amount]) between the bounds,
// inclusive; a nil bound is no bound. A value that is not an amount is never between
// bounds.
type Between struct {
	Field    string
	From, To *float64
}

// Holds reports whether one value is between the bounds.
func (e Between) Holds(value string) bool {
	x, ok := Amount(value)
	return ok && (e.From == nil || x >= *e.From) && (e.To == nil || x <= *e.To)
}

// Amount reads a value that is a number or a date of the form YYYY-MM-DD. A date counts as
// the beginning of its day in UTC, in epoch milliseconds.
func Amount(value string) (float64, bool) {
	if day, err := time.Parse(time.DateOnly, value); err == nil {
		return float64(day.UnixMilli()), true
	}
	return model.Number(value)
}

// Exists holds when the field has a value or a number.
type Exists struct{ Field string }

// Words holds when the text of a document has every token, as [Text] would find it. With
// Fields, it holds when a single value of one of the fields has every token.
type Words struct {
	// Tokens are tokens as the function [Tokens] makes them, at least one.
	Tokens []string
	// Prefix lets the last token be the beginning of a word.
	Prefix bool
	// Fields are the fields whose values count. Numeric fields, and fields that begin with ^, have
	// no words.
	Fields []string
	// Phrase, only with Fields, requires the tokens to be next to each other in the
	// value, in their order.
	Phrase bool
	// InText, only with Fields, says that the words of the fields are also in the text of
	// the document. Backends may use it to look at fewer values.
	InText bool
	// Without, only without Fields, are closed classes of text that are not searched.
	Without ClassSet
	// Except, only with Fields, excludes the values that name an entity and contain one of these texts, see
	// [NamesAny].
	Except []string
}

// ValueTokens returns the words of a value that [Words] can find.
func ValueTokens(value string) []string { return IndexTokens(urnWords(value)) }

// HoldsIn reports whether a value has the words.
func (w *Words) HoldsIn(value string) bool {
	if NamesAny(value, w.Except) {
		return false
	}
	if isASCII(value) && !w.plausible(value) {
		return false
	}
	tokens, whole := analyze(urnWords(value))
	if w.Phrase {
		return w.inSequence(tokens) || len(w.Tokens) == 1 && w.inSequence(whole)
	}
	for i, token := range w.Tokens {
		begins := w.Prefix && i == len(w.Tokens)-1
		if !hasWord(tokens, token, begins) && !hasWord(whole, token, begins) {
			return false
		}
	}
	return true
}

// plausible reports whether a text of ASCII characters may have the words. It is much
// faster than splitting the text into words. A word appears in the text unchanged, except
// for its last letter, which a plural changes, and the letter q, see token.
func (w *Words) plausible(text string) bool {
	text = strings.ToLower(text)
	return !slices.ContainsFunc(w.Tokens, func(token string) bool {
		return !strings.Contains(token, "q") && !strings.Contains(text, token[:len(token)-1])
	})
}

// inSequence reports whether words contain the tokens next to each other.
func (w *Words) inSequence(words []string) bool {
	for from := 0; from+len(w.Tokens) <= len(words); from++ {
		all := true
		for i, token := range w.Tokens {
			all = all && hasWord(words[from+i:from+i+1], token, w.Prefix && i == len(w.Tokens)-1)
		}
		if all {
			return true
		}
	}
	return false
}

func hasWord(words []string, token string, begins bool) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		return word == token || begins && strings.HasPrefix(word, token)
	})
}

// holds evaluates the condition on one document.
func (w *Words) holds(d *Document) bool {
	if len(w.Fields) > 0 {
		return slices.ContainsFunc(w.Fields, func(field string) bool { return slices.ContainsFunc(d.Values[field], w.HoldsIn) })
	}
	for i, token := range w.Tokens {
		begins := w.Prefix && i == len(w.Tokens)-1
		if !w.inClass(d, token, begins) {
			return false
		}
	}
	return true
}

func (w *Words) inClass(d *Document, token string, begins bool) bool {
	for class, texts := range d.Text {
		if !w.Without.Has(TextClass(class)) && slices.ContainsFunc(texts, func(text string) bool { return hasWord(strings.Fields(text), token, begins) }) {
			return true
		}
	}
	return false
}

// Standing holds if its part holds. Many queries share the same Standing, for example all those of a caller who may
// see only a part of the documents. An index may therefore keep the documents that satisfy a Standing. Two queries share it
// if they have the same pointer, and nobody changes the part.
type Standing struct{ Expr Expr }

// Inlined returns the condition with the parts of its [Standing] conditions in their place.
func Inlined(e Expr) Expr {
	switch e := e.(type) {
	case And:
		return And(EachOf(e, Inlined))
	case Or:
		return Or(EachOf(e, Inlined))
	case Not:
		return Not{Inlined(e.Expr)}
	case *Standing:
		return Inlined(e.Expr)
	}
	return e
}

// EachOf returns the results of a function for parts of a condition.
func EachOf(parts []Expr, change func(Expr) Expr) []Expr {
	changed := make([]Expr, len(parts))
	for i, part := range parts {
		changed[i] = change(part)
	}
	return changed
}

func (And) expr()       {}
func (Or) expr()        {}
func (Not) expr()       {}
func (In) expr()        {}
func (Match) expr()     {}
func (Range) expr()     {}
func (Between) expr()   {}
func (Exists) expr()    {}
func (Words) expr()     {}
func (*Standing) expr() {}

// Holds evaluates a condition on one document. Every backend must agree with it.
func Holds(e Expr, d *Document) bool {
	switch e := e.(type) {
	case nil:
		return true
	case And:
		for _, part := range e {
			if !Holds(part, d) {
				return false
			}
		}
		return true
	case Or:
		for _, part := range e {
			if Holds(part, d) {
				return true
			}
		}
		return false
	case Not:
		return !Holds(e.Expr, d)
	case In:
		return anyPair(d.Values[e.Field], e.Values, func(a, b string) bool { return a == b })
	case Match:
		return anyPair(d.Values[e.Field], e.Texts, e.Holds)
	case Range:
		n, ok := d.Numbers[e.Field]
		return ok && (e.From == nil || n >= *e.From) && (e.To == nil || n <= *e.To)
	case Between:
		return slices.ContainsFunc(d.Values[e.Field], e.Holds)
	case Exists:
		_, number := d.Numbers[e.Field]
		return number || len(d.Values[e.Field]) > 0
	case Words:
		return e.holds(d)
	case *Standing:
		return Holds(e.Expr, d)
	}
	return false
}

func anyPair(values, wanted []string, holds func(value, text string) bool) bool {
	for _, value := range values {
		for _, text := range wanted {
			if holds(value, text) {
				return true
			}
		}
	}
	return false
}

// Never is the condition that holds for no document.
var Never Expr = Or{}

// IsNever reports whether a simplified condition is [Never].
func IsNever(e Expr) bool {
	either, ok := e.(Or)
	return ok && len(either) == 0
}

// Simplify flattens nested conjunctions, drops parts that always or never hold, and returns nil
// for a condition that always holds.
func Simplify(e Expr) Expr {
	switch e := e.(type) {
	case And:
		var parts And
		for _, part := range e {
			switch part := Simplify(part).(type) {
			case nil:
			case And:
				parts = append(parts, part...)
			default:
				if IsNever(part) {
					return Never
				}
				parts = append(parts, part)
			}
		}
		return single(parts)
	case Or:
		parts := make(Or, 0, len(e))
		for _, part := range e {
			simple := Simplify(part)
			if simple == nil {
				return nil
			}
			if inner, ok := simple.(Or); ok {
				parts = append(parts, inner...)
				continue
			}
			parts = append(parts, simple)
		}
		if len(parts) == 1 {
			return parts[0]
		}
		return parts
	case Not:
		simple := Simplify(e.Expr)
		if simple == nil {
			return Never
		}
		if IsNever(simple) {
			return nil
		}
		if inner, ok := simple.(Not); ok {
			return inner.Expr
		}
		return Not{simple}
	}
	return e
}

func single(parts And) Expr {
	switch len(parts) {
	case 0:
		return nil
	case 1:
		return parts[0]
	}
	return parts
}
