package resolver

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/gql/object"
	"github.com/headwater-io/headwater/model"
)

// arguments reads the URNs among the arguments of an operation until one is
// wrong.
type arguments struct {
	session *object.Session
	err     error
}

func argumentsOf(ctx context.Context) *arguments {
	return &arguments{session: object.SessionOf(ctx)}
}

// urn reads an argument.
func (a *arguments) urn(text string) model.URN {
	return argument(a, a.session.URN, text)
}

// urnOrNone reads an argument that may be missing: the zero URN when it is.
func (a *arguments) urnOrNone(text *string) model.URN {
	return argument(a, a.session.URNOrNone, text)
}

// urns reads a list.
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

// edit runs a mutation unless an argument is wrong.
func (a *arguments) edit(ctx context.Context, mutate func(c *services.Services, o catalog.WriteOptions) error) error {
	if a.err != nil {
		return a.err
	}
	return edit(ctx, mutate)
}
