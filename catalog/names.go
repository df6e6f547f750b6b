package catalog

import (
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/model"
)

// Callers may write the entity type of a URN in any letter case. A URN is parsed once, where the
// request enters; after that it is a value in the graph's spelling. Stored values of aspects keep
// the spelling of their writer, so URNs in them are compared by SameURN.

// Naming reads and compares, with the names of a model, the names of entity types and entities that
// callers give.
type Naming struct{ registry *model.Registry }

// NewNaming makes a Naming by a model.
func NewNaming(r *model.Registry) Naming { return Naming{r} }

// Registry returns the model.
func (n Naming) Registry() *model.Registry { return n.registry }

// EntityType finds an entity type by its name in any letter case. The error for an
// unknown name suggests similar ones.
func (n Naming) EntityType(name string) (*model.Entity, error) {
	e, ok := n.registry.Entity(name)
	if !ok {
		names := func(yield func(string) bool) {
			for _, known := range n.registry.Entities() {
				if !yield(known.Name) {
					return
				}
			}
		}
		return nil, Errorf(Invalid, "Failed to find entity with name %s in EntityRegistry%s", name, nearest.Question(nearest.Names(name, names)))
	}
	return e, nil
}

// EntityURN parses the URN of an entity that is written.
func (n Naming) EntityURN(text string) (model.URN, model.Dialect, error) {
	u, err := n.registry.ReadURN(text)
	if err != nil {
		return model.URN{}, model.Dialect{}, &Error{Code: Invalid, Message: err.Error()}
	}
	d, _ := n.registry.DialectOf(u) // ReadURN refuses unknown namespaces
	return u, d, nil
}

// ParseURN parses the URN of an entity that a request is about. Blanks around
// it are ignored.
func (n Naming) ParseURN(text string) (model.URN, model.Dialect, error) {
	return n.EntityURN(strings.TrimSpace(text))
}

// ParseURNs parses the URNs of several entities, in their order.
func (n Naming) ParseURNs(texts []string) ([]model.URN, error) {
	urns := make([]model.URN, len(texts))
	for i, text := range texts {
		var err error
		if urns[i], _, err = n.ParseURN(text); err != nil {
			return nil, err
		}
	}
	return urns, nil
}

// RequireType fails unless an entity is of one of the types.
func RequireType(u model.URN, types ...string) error {
	if !slices.Contains(types, u.EntityType()) {
		return Errorf(Invalid, "%s is not a %s", u, strings.Join(types, " or "))
	}
	return nil
}

// AllOfType fails unless all entities are of one of the types. It returns each entity once.
func AllOfType(urns []model.URN, types ...string) ([]model.URN, error) {
	for _, u := range urns {
		if err := RequireType(u, types...); err != nil {
			return nil, err
		}
	}
	return Distinct(urns), nil
}

// Distinct returns each entity once, in the order in which they are first named.
func Distinct(urns []model.URN) []model.URN {
	distinct, seen := make([]model.URN, 0, len(urns)), make(map[model.URN]bool, len(urns))
	for _, u := range urns {
		if !seen[u] {
			seen[u], distinct = true, append(distinct, u)
		}
	}
	return distinct
}

// Texts returns the texts of URNs, as the store takes them.
func Texts(urns []model.URN) []string {
	texts := make([]string, len(urns))
	for i, u := range urns {
		texts[i] = u.String()
	}
	return texts
}

// Spelled returns a URN in the graph's spelling, and any other text unchanged.
func (n Naming) Spelled(text string) string {
	u, err := model.ParseURN(strings.TrimSpace(text))
	if err != nil {
		return text
	}
	return n.registry.Normal(u).String()
}

// SameURN reports whether a stored text names an entity, however it is spelled.
func (n Naming) SameURN(stored string, u model.URN) bool {
	urn := u.String()
	switch len(stored) {
	case len(urn):
		return stored == urn || strings.EqualFold(stored, urn) && n.Spelled(stored) == urn
	case len(urn) + len("()"): // a key of one part
		return strings.HasSuffix(stored, ")") && n.Spelled(stored) == urn
	}
	return false
}

// SameURNAny reports whether a stored text names one of several entities.
func (n Naming) SameURNAny(stored string, urns []model.URN) bool {
	return slices.ContainsFunc(urns, func(u model.URN) bool { return n.SameURN(stored, u) })
}

// Names returns a function that reports whether a value names an entity.
func (n Naming) Names(u model.URN) func(any) bool {
	return func(value any) bool {
		stored, ok := value.(string)
		return ok && n.SameURN(stored, u)
	}
}
