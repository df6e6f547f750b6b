package search

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/indexer"
	"github.com/headwater-io/headwater/internal/nearest"
)

// Warnings collects the warnings of a request. A request that collects warnings continues in
// cases in which a request without Warnings is refused.
type Warnings struct {
	mu    sync.Mutex
	texts []string
}

type warningsKey struct{}

// WithWarnings makes a context that collects warnings. In this context, a filter may name a
// field that none of the searched entity types has: the criterion matches no entity, and a
// warning suggests similar names. Existing clients send the same filter for any entity types.
func WithWarnings(ctx context.Context) (context.Context, *Warnings) {
	w := &Warnings{}
	return context.WithValue(ctx, warningsKey{}, w), w
}

// warningsOf returns the Warnings of a context, or nil if the context collects none.
func warningsOf(ctx context.Context) *Warnings {
	w, _ := ctx.Value(warningsKey{}).(*Warnings)
	return w
}

// Warn adds a warning to the Warnings of the context, if it has any.
func Warn(ctx context.Context, text string) {
	if w := warningsOf(ctx); w != nil {
		w.add(text)
	}
}

func (w *Warnings) add(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !slices.Contains(w.texts, text) && len(w.texts) < maxWarnings {
		w.texts = append(w.texts, text)
	}
}

// maxWarnings bounds the warnings of one request.
const maxWarnings = 20

// Texts returns the warnings so far, each once, in the order in which they were
// added.
func (w *Warnings) Texts() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.texts)
}

// unknownField converts a criterion on a field that none of the searched types has. If another
// type has the field, the criterion matches no entity, because clients send the same filter for
// any types. Otherwise, and in filters that are saved, the criterion is refused or, if the
// context collects warnings, matches no entity and adds a warning.
func (s *searchScope) unknownField(name string, c *catalog.Criterion) (indexer.Expr, error) {
	if s.warnings == nil && !s.strict && s.schema.Has(name) {
		return nowhere(c), nil
	}
	types := strings.Join(s.types, ", ")
	if len(s.types) > shownTypes {
		types = "any of the entity types"
	}
	err := catalog.Errorf(catalog.Invalid, "the field %q is not searchable for %s%s", name, types, nearest.Question(nearest.Names(name, s.fieldNames())))
	if s.warnings == nil {
		return nil, err
	}
	s.warnings.add(err.Message + "; it matches nothing")
	return nowhere(c), nil
}

// nowhere returns the condition of a criterion on a field that no document has.
func nowhere(c *catalog.Criterion) indexer.Expr {
	if (c.Condition == catalog.CondIsNull) != c.Negated {
		return indexer.And{}
	}
	return indexer.Or{}
}

// shownTypes bounds the entity types that a message lists.
const shownTypes = 5

// fieldNames yields the names of the fields of the searched types.
func (s *searchScope) fieldNames() func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, t := range s.types {
			for _, f := range s.schema.Fields(t) {
				if !yield(f.Name) {
					return
				}
			}
		}
	}
}
