package resolver

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/gql/object"
	"github.com/headwater-io/headwater/model"
)

// arguments reads the URNs among the arguments of an operation. After the first wrong URN, it
// reads no more.
type arguments struct {
	session *object.Session
	// edits is the service that most mutations call. by are the options of their writes, with
	// the actor.
	edits *edits.Service
	by    catalog.WriteOptions
	err   error
}

func argumentsOf(ctx context.Context) *arguments {
	s := object.SessionOf(ctx)
	return &arguments{session: s, edits: s.Catalog.Edits, by: catalog.WriteOptions{Actor: s.Actor}}
}

// urn reads a URN from an argument.
func (a *arguments) urn(text string) model.URN {
	return argument(a, a.session.URN, text)
}

// urnOrNone reads a URN from an argument that may be missing. It returns the zero URN when the
// argument is missing.
func (a *arguments) urnOrNone(text *string) model.URN {
	return argument(a, a.session.URNOrNone, text)
}

// urns reads a list of URNs.
func (a *arguments) urns(texts []string) []model.URN {
	return argument(a, a.session.URNs, texts)
}

func argument[A, V any](a *arguments, read func(A) (V, error), given A) V {
	var none V
	if a.err != nil {
		return none
	}
	value, err := read(given)
	if err != nil {
		a.err = err
		return none
	}
	return value
}

// mutate answers a mutation with the result of a write. If an argument is wrong, nothing is
// written.
func mutate[V any](a *arguments, write func() (V, error)) (V, error) {
	if a.err != nil {
		var none V
		return none, a.err
	}
	return write()
}

// mutate is [mutate] for a write without a result.
func (a *arguments) mutate(write func() error) error {
	if a.err != nil {
		return a.err
	}
	return write()
}
