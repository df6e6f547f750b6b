package typesense

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/typesense/typesense-go/v3/typesense/api"
	"github.com/typesense/typesense-go/v3/typesense/api/pointer"

	"github.com/headwater-io/headwater/indexer"
)

// maxLeaves is how many comparisons a filter may have. Servers of version 0.24 accept 100
// tokens.
const maxLeaves = 24

// filter is a condition in Typesense's form: comparisons joined by && and ||. Typesense
// gives both the same precedence, so every group is in parentheses.
type filter struct {
	text   string
	leaves int
	// joined is "&&" or "||" if the text is a group without parentheses.
	joined string
	// any is set if the filter is only about hashes: a document must have at least one of the
	// hashes in any or, if none is set, no hash in any.
	any  []string
	none bool
}

func (f filter) grouped() string {
	if f.joined == "" {
		return f.text
	}
	return "(" + f.text + ")"
}

// anyOf holds for documents with one of the hashes.
func anyOf(hashes []string) filter {
	if len(hashes) == 0 {
		hashes = []string{hash("never", "")}
	}
	return filter{text: "kv:=[" + strings.Join(hashes, ",") + "]", leaves: 1, any: hashes}
}

// noneOf holds for documents without any of the hashes.
func noneOf(hashes []string) filter {
	if len(hashes) == 0 {
		hashes = []string{hash("never", "")}
	}
	return filter{text: "kv:!=[" + strings.Join(hashes, ",") + "]", leaves: 1, any: hashes, none: true}
}

// compiler turns conditions into filters. If several queries need the same values from the
// server, it asks for them once.
type compiler struct {
	*Index
	matched map[string][]string
	// words are the words of all documents, nil until a query needs them.
	words []string
	// own are the fields of the collection of documents, nil until a query needs them.
	own map[string]bool
}

func (x *Index) compiler() *compiler { return &compiler{Index: x, matched: map[string][]string{}} }

// compile turns a condition into a filter. It moves negations down to the comparisons. The
// filter "" always holds.
func (x *compiler) compile(ctx context.Context, e indexer.Expr) (string, error) {
	e = indexer.OfTypes(indexer.Inlined(e))
	if e == nil {
		return "", nil
	}
	f, err := x.filter(ctx, inScope(e), false)
	if err == nil && f.leaves > maxLeaves {
		err = fmt.Errorf("%w: it has %d comparisons, the server accepts %d", indexer.ErrTooComplex, f.leaves, maxLeaves)
	}
	return f.text, err
}

// scopeField combines the entity type and the soft-delete mark. Nearly every query asks for
// both, and the server then processes one long list instead of two.
const scopeField = "^scope"

func scopeOf(entityType, removed string) string { return entityType + " " + removed }

// inScope replaces the conditions of a conjunction on type and soft-delete mark by one on
// scopeField.
func inScope(e indexer.Expr) indexer.Expr {
	parts, ok := e.(indexer.And)
	if !ok {
		return e
	}
	var types, marks *indexer.In
	rest := indexer.And{}
	for _, part := range parts {
		in, ok := part.(indexer.In)
		switch {
		case ok && in.Field == indexer.FieldType && types == nil:
			types = &in
		case ok && in.Field == indexer.FieldRemoved && marks == nil:
			marks = &in
		default:
			rest = append(rest, part)
		}
	}
	if types == nil || marks == nil {
		return e
	}
	scope := indexer.In{Field: scopeField}
	for _, t := range types.Values {
		for _, mark := range marks.Values {
			scope.Values = append(scope.Values, scopeOf(t, mark))
		}
	}
	return append(rest, scope)
}

func (x *compiler) filter(ctx context.Context, e indexer.Expr, negated bool) (filter, error) {
	switch e := e.(type) {
	case indexer.And:
		if hashes, ok := x.typed(e); ok {
			return either(negated)(hashes), nil
		}
		return x.group(ctx, e, negated, !negated)
	case indexer.Or:
		return x.group(ctx, e, negated, negated)
	case indexer.Not:
		return x.filter(ctx, e.Expr, !negated)
	case indexer.In:
		hashes := make([]string, len(e.Values))
		for i, value := range e.Values {
			hashes[i] = key(e.Field, value)
		}
		return either(negated)(hashes), nil
	case indexer.Exists:
		return either(negated)([]string{existsHash(e.Field)}), nil
	case indexer.Match:
		hashes, err := x.matching(ctx, e)
		return either(negated)(hashes), err
	case indexer.Words:
		if len(e.Fields) == 0 {
			return x.filter(ctx, words(&e), negated)
		}
		hashes, err := x.valuesWith(ctx, &e)
		return either(negated)(hashes), err
	case indexer.Range:
		return x.between(e, negated), nil
	case indexer.Between:
		hashes, err := x.amounts(ctx, e)
		return either(negated)(hashes), err
	}
	return filter{}, fmt.Errorf("unknown condition %T", e)
}

func either(negated bool) func([]string) filter {
	if negated {
		return noneOf
	}
	return anyOf
}

// group joins parts with "and" or "or". It combines parts about hashes into one comparison
// if the meaning stays the same.
func (x *compiler) group(ctx context.Context, parts []indexer.Expr, negated, and bool) (filter, error) {
	var hashes []string
	var others []filter
	merged := false
	for _, part := range parts {
		f, err := x.filter(ctx, part, negated)
		if err != nil {
			return filter{}, err
		}
		if f.any != nil && f.none == and { // "not a and not b", or "a or b", is one comparison
			hashes, merged = append(hashes, f.any...), true
			continue
		}
		others = append(others, f)
	}
	if merged {
		others = append(others, either(and)(hashes))
	}
	switch len(others) {
	case 0: // an empty "and" holds, an empty "or" does not
		return either(and)(nil), nil
	case 1:
		return others[0], nil
	}
	joined := filter{joined: "||"}
	if and {
		joined.joined = "&&"
	}
	var texts []string
	for _, f := range others {
		text := f.grouped()
		if f.joined == joined.joined {
			text = f.text
		}
		texts = append(texts, text)
		joined.leaves += f.leaves
	}
	joined.text = strings.Join(texts, " "+joined.joined+" ")
	return joined, nil
}

// between compares a number. Negated, it is true for numbers below or above the range, and
// for documents without a number.
func (x *compiler) between(e indexer.Range, negated bool) filter {
	if !x.known["i_"+e.Field] {
		return either(negated)(nil)
	}
	var parts []string
	compare := func(operator string, bound *int64) {
		if bound != nil {
			parts = append(parts, "i_"+e.Field+":"+operator+strconv.FormatInt(*bound, 10))
		}
	}
	f := filter{joined: "&&"}
	if negated {
		f.joined = "||"
		parts = append(parts, noneOf([]string{existsHash(e.Field)}).text)
		compare("<", e.From)
		compare(">", e.To)
	} else {
		parts = append(parts, anyOf([]string{existsHash(e.Field)}).text)
		compare(">=", e.From)
		compare("<=", e.To)
	}
	f.text, f.leaves = strings.Join(parts, " "+f.joined+" "), len(parts)
	if len(parts) == 1 {
		f.joined = ""
	}
	return f
}

// maxGramsAsked bounds the number of three-byte pieces in a search for candidates.
const maxGramsAsked = 16

// matching returns the hashes of the field's values that match one of the texts.
func (x *compiler) matching(ctx context.Context, e indexer.Match) ([]string, error) {
	var hashes []string
	for _, text := range e.Texts {
		if text == "" && e.Kind != indexer.Same && len(e.Except) == 0 {
			hashes = append(hashes, existsHash(e.Field))
			continue
		}
		key := fmt.Sprintf("%d %q %q %q", e.Kind, e.Field, text, e.Except)
		found, known := x.matched[key]
		if !known {
			err := x.candidates(ctx, e, text, func(v valueRecord) {
				if e.Holds(v.Value, text) {
					found = append(found, v.ID)
				}
			})
			if err != nil {
				return nil, err
			}
			x.matched[key] = found
		}
		hashes = append(hashes, found...)
	}
	return hashes, nil
}

// amounts returns the hashes of the values between bounds.
func (x *compiler) amounts(ctx context.Context, e indexer.Between) (hashes []string, err error) {
	any := indexer.Match{Field: e.Field, Kind: indexer.Same}
	err = x.candidates(ctx, any, "", func(v valueRecord) {
		if e.Holds(v.Value) {
			hashes = append(hashes, v.ID)
		}
	})
	return hashes, err
}

// candidates calls each with the values of a field that may match a text. The caller checks
// them.
func (x *Index) candidates(ctx context.Context, e indexer.Match, text string, each func(valueRecord)) error {
	marked := text
	if e.Kind == indexer.Prefix {
		marked = "\x02" + marked
	}
	if e.Kind == indexer.Suffix {
		marked += "\x03"
	}
	asked := grams(marked)
	if e.Kind == indexer.Same { // the bytes of the values may differ from the text in case
		asked = nil
	}
	slices.Sort(asked)
	asked = slices.Compact(asked)
	for len(asked) > maxGramsAsked {
		asked = slices.DeleteFunc(asked, everySecond())
	}
	condition := ofField(e.Field)
	if len(asked) > 0 {
		condition += " && (g:=" + anyGram + " || (g:=" + strings.Join(asked, " && g:=") + "))"
	}
	return x.export(ctx, condition, each)
}

// export calls each with the values that satisfy a condition.
func (x *Index) export(ctx context.Context, condition string, each func(valueRecord)) error {
	return x.exportUntil(ctx, condition, func(v valueRecord) bool { each(v); return true })
}

// exportUntil calls each with the values that satisfy a condition, until each returns false.
func (x *Index) exportUntil(ctx context.Context, condition string, each func(valueRecord) (more bool)) error {
	answer, err := x.client.Collection(x.live.values).Documents().Export(ctx, &api.ExportDocumentsParams{
		FilterBy: &condition, IncludeFields: pointer.String("id,v,t"),
	})
	if err != nil {
		return err
	}
	defer answer.Close()
	decoder := json.NewDecoder(bufio.NewReader(answer))
	for decoder.More() {
		var v valueRecord
		if err := decoder.Decode(&v); err != nil {
			return err
		}
		if !each(v) {
			break
		}
	}
	return nil
}

// Values returns values of a field.
func (x *Index) Values(ctx context.Context, field string, most int) ([]string, error) {
	if err := x.open(); err != nil {
		return nil, err
	}
	values := []string{}
	if most <= 0 {
		return values, nil
	}
	err := x.exportUntil(ctx, ofField(field), func(v valueRecord) bool {
		values = append(values, v.Value)
		return len(values) < most
	})
	return values, failure(err)
}

// ofField is the condition that a value is one of a field.
func ofField(name string) string { return "f:=" + hash("field", name) }

func everySecond() func(string) bool {
	n := 0
	return func(string) bool { n++; return n%2 == 0 }
}
