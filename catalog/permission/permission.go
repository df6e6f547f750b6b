// Package permission asks what the caller of a request may do. The rooms ask here, package access/permit
// answers by the policies.
package permission

import (
	"context"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/model"
)

// Set is the permissions of a caller: it decides which requests the caller may make. Package access/permit
// implements it by the policies. A context with neither a Set nor a known caller belongs to a server without
// authentication, or to work of the server itself. A known caller without a Set may do nothing.
type Set interface {
	// Holds reports whether the caller has one of the privileges of the platform.
	Holds(ctx context.Context, privileges ...string) bool
	// Allowed reports, for each question, whether the caller may do it. The error is that of the store.
	Allowed(ctx context.Context, questions []Question) ([]bool, error)
	// ActsFor reports whether a URN is that of the caller, or of a group to which the caller
	// belongs.
	ActsFor(actor string) bool
	// Same reports whether other permissions belong to the same rules and the same caller.
	Same(other Set) bool
}

// Question asks whether a caller may do something with an entity.
type Question struct {
	// Type is the type of the entity. URN is zero for a question about the type.
	Type string
	URN  model.URN
	// Privileges are the privileges for the question; one of them suffices.
	Privileges []string
	// Labels are the tags and terms that are added to the entity or removed from it.
	Labels []model.URN
	// OrColumn lets policies about a column itself allow a change that policies about its dataset do not.
	OrColumn bool
}

// About returns the question about an entity.
func About(u model.URN, privileges ...string) Question {
	return Question{Type: u.EntityType(), URN: u, Privileges: privileges}
}

// Unauthorized begins the text of refusals. It is the reference's.
const Unauthorized = "Unauthorized to perform this action."

// Refusal returns the error of a caller who lacks privileges. The text done continues the sentence
// "You may not".
func Refusal(done string, privileges []string) error {
	return catalog.Errorf(catalog.Forbidden, "%s You may not %s: that needs %s.", Unauthorized, done, strings.Join(privileges, " or "))
}

// Everything is the Set of a caller who may do everything.
type Everything struct{}

// Holds returns true.
func (Everything) Holds(context.Context, ...string) bool { return true }

// ActsFor returns true.
func (Everything) ActsFor(string) bool { return true }

// Same reports whether the others may do everything too.
func (Everything) Same(other Set) bool { return other == Everything{} }

// Allowed allows everything.
func (Everything) Allowed(_ context.Context, questions []Question) ([]bool, error) {
	return slices.Repeat([]bool{true}, len(questions)), nil
}

type setKey struct{}

// With sets the permissions of the caller of a request.
func With(ctx context.Context, p Set) context.Context {
	return context.WithValue(ctx, setKey{}, p)
}

// Of returns the permissions of the caller of a request, nil without [With].
func Of(ctx context.Context) Set {
	p, _ := ctx.Value(setKey{}).(Set)
	return p
}

// Holds reports whether the caller of a request has one of the privileges of the platform.
func Holds(ctx context.Context, privileges ...string) bool {
	p := Of(ctx)
	if p == nil {
		return requestinfo.CallerOf(ctx).Means == requestinfo.NoMeans
	}
	return p.Holds(ctx, privileges...)
}

// Require fails with Forbidden unless the caller of a request has one of the privileges of the platform.
// The text done continues the sentence "You may not".
func Require(ctx context.Context, done string, privileges ...string) error {
	if Holds(ctx, privileges...) {
		return nil
	}
	return Refusal(done, privileges)
}

// RequireActsFor fails with Forbidden unless the caller of a request is an actor, belongs to that group,
// or has one of the privileges of the platform. The text done continues the sentence "You may not".
func RequireActsFor(ctx context.Context, actor, done string, privileges ...string) error {
	if p := Of(ctx); p != nil && p.ActsFor(actor) {
		return nil
	}
	return Require(ctx, done+" of "+actor, privileges...)
}

// RequireFor fails with Forbidden unless the caller of a request may do all that questions ask. The text
// done continues the sentence "You may not".
func RequireFor(ctx context.Context, done string, questions ...Question) error {
	p := Of(ctx)
	switch {
	case len(questions) == 0 || p == nil && requestinfo.CallerOf(ctx).Means == requestinfo.NoMeans:
		return nil
	case p == nil:
		return Refusal(done+" of "+nameOf(&questions[0]), questions[0].Privileges)
	}
	allowed, err := p.Allowed(ctx, questions)
	if err != nil {
		return err
	}
	for i := range questions {
		if !allowed[i] {
			return Refusal(done+" of "+nameOf(&questions[i]), questions[i].Privileges)
		}
	}
	return nil
}

// sees has further methods of the Set of callers who may not read every entity.
type sees interface {
	// SeesWhole reports whether nothing that is stored is hidden from the caller.
	SeesWhole(ctx context.Context) (bool, error)
	Visible(ctx context.Context, urns []string) (map[string]bool, error)
}

// RequireWhole fails with Forbidden unless the caller of a request may read every entity. Answers about all
// entities at once, from which hidden ones cannot be left out, require it. The text done continues the
// sentence "You may not".
func RequireWhole(ctx context.Context, done string) error {
	whole, err := seesWhole(ctx)
	if err == nil && !whole {
		return catalog.Errorf(catalog.Forbidden, "%s You may not %s: that needs the right to read every entity.", Unauthorized, done)
	}
	return err
}

func seesWhole(ctx context.Context) (bool, error) {
	if p, limited := Of(ctx).(sees); limited {
		return p.SeesWhole(ctx)
	}
	return Of(ctx) != nil || requestinfo.CallerOf(ctx).Means == requestinfo.NoMeans, nil
}

// SeesWhole reports whether the caller of a request may read every entity. It is false if that cannot be
// found out.
func SeesWhole(ctx context.Context) bool {
	whole, err := seesWhole(ctx)
	return whole && err == nil
}

// OnlyReadable returns the URNs of the entities that the caller of a request may read, in their order.
func OnlyReadable(ctx context.Context, urns []string) ([]string, error) {
	p, ok := Of(ctx).(sees)
	if !ok || len(urns) == 0 {
		return urns, nil
	}
	readable, err := p.Visible(ctx, urns)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(urns), func(urn string) bool { return !readable[urn] }), nil
}

func nameOf(q *Question) string {
	if q.URN.IsZero() {
		return "entities of the type " + q.Type
	}
	return q.URN.String()
}

type decidedKey struct{}

// Decided marks a context in which the caller was found to have the privilege of an operation. The writes of
// the operation are then not judged again.
func Decided(ctx context.Context) context.Context { return context.WithValue(ctx, decidedKey{}, true) }

// IsDecided reports whether a context is marked by [Decided].
func IsDecided(ctx context.Context) bool {
	decided, _ := ctx.Value(decidedKey{}).(bool)
	return decided
}

// The privileges of edits of a part of an entity that several packages make.
const (
	PrivilegeDescribe        = "EDIT_ENTITY_DOCS"
	PrivilegeDescribeColumns = "EDIT_DATASET_COL_DESCRIPTION"
	PrivilegeTagColumns      = "EDIT_DATASET_COL_TAGS"
	PrivilegeTermColumns     = "EDIT_DATASET_COL_GLOSSARY_TERMS"
)
