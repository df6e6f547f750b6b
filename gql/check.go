package gql

import (
	"context"
	"errors"
	"maps"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"
	"golang.org/x/sync/semaphore"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
)

const (
	// cachedQueries is the number of checked queries that are kept. cachedBytes is the largest
	// size of a kept query: longer queries contain values that will not be repeated.
	cachedQueries = 500
	cachedBytes   = 32 << 10
	// shownErrors is the number of errors after which the check of a query ends.
	shownErrors = 20
	// checkTurn is the longest time that a query waits for the turn to be checked.
	checkTurn = 5 * time.Second
)

// replacedRules are rules of the specification whose implementation in the library takes
// quadratic or exponential time. Package gql implements these rules itself, see [planner].
var replacedRules = []string{"OverlappingFieldsCanBeMerged", "MaxIntrospectionDepth"}

// checker makes documents from the texts of queries. A document is parsed, valid, and cheap
// enough to run. The cost of a check is bounded by steps and not by time, and the check ends
// early when the request ends.
type checker struct {
	schema *ast.Schema
	rules  map[string]core.RuleFunc
	names  []string
	cache  *lru.LRU[*ast.QueryDocument]
	turns  *semaphore.Weighted
	turn   time.Duration
}

func newChecker(schema *ast.Schema) *checker {
	inner := rules.NewDefaultRules().GetInner()
	for _, name := range replacedRules {
		delete(inner, name)
	}
	inner["ValuesOfCorrectType"] = rules.ValuesOfCorrectTypeRuleWithoutSuggestions.RuleFunc // a suggestion would repeat the value, which may be long
	return &checker{
		schema: schema, rules: inner, names: slices.Sorted(maps.Keys(inner)),
		cache: lru.New[*ast.QueryDocument](cachedQueries),
		turns: semaphore.NewWeighted(int64(runtime.GOMAXPROCS(0))), turn: checkTurn,
	}
}

// document returns the checked query of a text. If the error is a [gqlerror.List], the query is
// wrong; any other error is about the server or the request.
func (c *checker) document(ctx context.Context, text string) (*ast.QueryDocument, error) {
	if doc, ok := c.cache.Get(ctx, text); ok {
		return doc, nil
	}
	if len(text) > limits.MaxGraphQLQueryBytes {
		return nil, refuse("the query has %d bytes, at most %d are allowed; send values as variables", len(text), limits.MaxGraphQLQueryBytes)
	}
	turn, cancel := context.WithTimeout(ctx, c.turn)
	defer cancel()
	if err := c.turns.Acquire(turn, 1); err != nil {
		if ctx.Err() != nil {
			return nil, over(ctx)
		}
		return nil, catalog.Errorf(catalog.Busy, "there are too many new queries to check; try again")
	}
	defer c.turns.Release(1)
	doc, err := c.check(ctx, text)
	if err == nil && len(text) <= cachedBytes {
		c.cache.Add(ctx, text, doc)
	}
	return doc, err
}

func (c *checker) check(ctx context.Context, text string) (*ast.QueryDocument, error) {
	doc, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: text}, limits.MaxGraphQLTokens)
	if err != nil {
		return nil, listOf(err, errcode.ParseFailed)
	}
	if len(doc.Operations) == 0 {
		return nil, listOf(gqlerror.Errorf("no operation provided"), errcode.ValidationFailed)
	}
	if err := shape(doc, surrogates.MatchString(text)); err != nil {
		return nil, err
	}
	if err := c.validate(ctx, doc); err != nil {
		return nil, err
	}
	return doc, plan(ctx, doc)
}

// listOf makes a list from an error in a query.
func listOf(err error, code string) gqlerror.List {
	var known *gqlerror.Error
	if !errors.As(err, &known) {
		known = gqlerror.Wrap(err)
	}
	errcode.Set(known, code)
	return gqlerror.List{known}
}

// refuse returns the error of a query that exceeds a limit.
func refuse(format string, args ...any) gqlerror.List {
	return gqlerror.List{gqlerror.Wrap(catalog.Errorf(catalog.Invalid, format, args...))}
}

// over returns the error of a request that took too long or whose caller has
// disconnected.
func over(ctx context.Context) error { return catalog.StoreFailure(context.Cause(ctx)) }

// aborted is the panic that ends the walk of the library through a document.
type aborted struct{ err error }

// validate applies the rules of the specification. It ends after shownErrors errors, after
// limits.MaxGraphQLSteps steps, or with the request.
func (c *checker) validate(ctx context.Context, doc *ast.QueryDocument) (err error) {
	var found gqlerror.List
	defer func() {
		switch cause := recover().(type) {
		case nil:
		case aborted:
			err = cause.err
		default:
			panic(cause)
		}
	}()
	observers := &core.Events{}
	observeSteps(ctx, observers)
	for _, name := range c.names {
		c.rules[name](observers, func(options ...core.ErrorOption) {
			e := &gqlerror.Error{Rule: name}
			for _, option := range options {
				option(e)
			}
			errcode.Set(e, errcode.ValidationFailed)
			if found = append(found, e); len(found) >= shownErrors {
				panic(aborted{found})
			}
		})
	}
	core.Walk(c.schema, doc, observers)
	if len(found) > 0 {
		return found
	}
	return nil
}

// observeSteps counts the fields, fragments, directives and values that the walk visits. The
// walk visits a fragment again for each operation and fragment that uses the fragment.
func observeSteps(ctx context.Context, observers *core.Events) {
	steps := 0
	step := func() {
		steps++
		if steps > limits.MaxGraphQLSteps {
			panic(aborted{tooManySteps()})
		}
		if steps%1024 == 0 && ctx.Err() != nil {
			panic(aborted{over(ctx)})
		}
	}
	observers.OnField(func(*core.Walker, *ast.Field) { step() })
	observers.OnFragmentSpread(func(*core.Walker, *ast.FragmentSpread) { step() })
	observers.OnInlineFragment(func(*core.Walker, *ast.InlineFragment) { step() })
	observers.OnDirective(func(*core.Walker, *ast.Directive) { step() })
	observers.OnValue(func(*core.Walker, *ast.Value) { step() })
}

func tooManySteps() error {
	return refuse("the query has more than %d fields when its fragments are put in place", limits.MaxGraphQLSteps)
}

// shape refuses documents with lists that are too long or with too deep nesting. It runs before
// any step that takes more than linear time.
func shape(doc *ast.QueryDocument, surrogates bool) error {
	s := shaper{surrogates: surrogates}
	if n := len(doc.Fragments); n > limits.MaxGraphQLFragments {
		return refuse("the query has %d fragments, at most %d are allowed", n, limits.MaxGraphQLFragments)
	}
	if n := len(doc.Operations); n > limits.MaxGraphQLOperations {
		return refuse("the query has %d operations, at most %d are allowed", n, limits.MaxGraphQLOperations)
	}
	for _, o := range doc.Operations {
		if n := len(o.VariableDefinitions); n > limits.MaxGraphQLVariables {
			return refuse("the query has %d variables, at most %d are allowed", n, limits.MaxGraphQLVariables)
		}
		s.name(o.Name)
		s.directives(o.Directives)
		for _, v := range o.VariableDefinitions {
			s.name(v.Variable, v.Type.Name())
			s.value(v.DefaultValue, 1)
			s.directives(v.Directives)
		}
		s.set(o.SelectionSet, 1, 0)
	}
	for _, f := range doc.Fragments {
		s.name(f.Name, f.TypeCondition)
		s.directives(f.Directives)
		s.set(f.SelectionSet, 1, 0)
	}
	return s.err
}

// surrogates finds escapes that stand for half a character. The parser would replace these
// escapes by another character.
var surrogates = regexp.MustCompile(`\\u[dD][89abABcdefCDEF]`)

// shaper records the first limit that is exceeded.
type shaper struct {
	err error
	// surrogates: the text has escapes that stand for half a character.
	surrogates bool
}

func (s *shaper) refuse(format string, args ...any) {
	if s.err == nil {
		s.err = refuse(format, args...)
	}
}

// name checks the length of names, because the rules compare unknown names with all known
// names.
func (s *shaper) name(names ...string) {
	for _, name := range names {
		if len(name) > limits.MaxGraphQLNameBytes {
			s.refuse("the name %.60s… has %d bytes, at most %d are allowed", name, len(name), limits.MaxGraphQLNameBytes)
		}
	}
}

func (s *shaper) directives(list ast.DirectiveList) {
	if n := len(list); n > limits.MaxGraphQLDirectives {
		s.refuse("%d directives at one place, at most %d are allowed", n, limits.MaxGraphQLDirectives)
	}
	for _, d := range list {
		s.name(d.Name)
		s.arguments(d.Arguments)
	}
}

func (s *shaper) arguments(list ast.ArgumentList) {
	for _, a := range list {
		s.name(a.Name)
		s.value(a.Value, 1)
	}
}

func (s *shaper) value(v *ast.Value, depth int) {
	if v == nil {
		return
	}
	if depth > limits.MaxGraphQLDepth {
		s.refuse("a value has more than %d levels", limits.MaxGraphQLDepth)
		return
	}
	if v.Kind == ast.EnumValue || v.Kind == ast.Variable {
		s.name(v.Raw)
	}
	if s.surrogates && v.Kind == ast.StringValue && strings.ContainsRune(v.Raw, utf8.RuneError) {
		s.refuse("a string has half of a surrogate pair; write the character itself, or send the string as a variable")
	}
	for _, child := range v.Children {
		s.name(child.Name)
		s.value(child.Value, depth+1)
	}
}

// set checks a selection set. nested is the number of fragments directly within each other
// around the set.
func (s *shaper) set(set ast.SelectionSet, depth, nested int) {
	switch {
	case s.err != nil:
		return
	case depth > limits.MaxGraphQLDepth:
		s.refuse("the query has more than %d fields within each other", limits.MaxGraphQLDepth)
		return
	case nested > limits.MaxGraphQLNesting:
		s.refuse("the query has more than %d fragments directly within each other", limits.MaxGraphQLNesting)
		return
	}
	fields, spreads := map[string]int{}, map[string]int{}
	for _, selected := range set {
		switch selected := selected.(type) {
		case *ast.Field:
			s.name(selected.Name, selected.Alias)
			s.arguments(selected.Arguments)
			s.directives(selected.Directives)
			s.repeat(fields, "the name", selected.Alias)
			if len(selected.SelectionSet) > 0 {
				s.set(selected.SelectionSet, depth+1, 0)
			}
		case *ast.InlineFragment:
			s.name(selected.TypeCondition)
			s.directives(selected.Directives)
			s.set(selected.SelectionSet, depth, nested+1)
		case *ast.FragmentSpread:
			s.directives(selected.Directives)
			s.repeat(spreads, "the fragment", selected.Name)
		}
	}
}

func (s *shaper) repeat(names map[string]int, what, name string) {
	s.name(name)
	names[name]++
	if names[name] > limits.MaxGraphQLRepeats {
		s.refuse("%s %.60s more than %d times in one selection", what, name, limits.MaxGraphQLRepeats)
	}
}
