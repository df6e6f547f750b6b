package catalog

import (
	"slices"
	"strings"

	"github.com/headwater-io/headwater/model"
)

// Callers may write the type of a URN in any letter case. URNs are parsed once,
// where a request enters; behind that they are values in the graph's spelling.
// Stored values keep the spelling in which they were written, so URNs in stored
// values are compared through SameURN.

// EntityURN parses the URN of an entity that is written.
func (c *Catalog) EntityURN(text string) (model.URN, model.Dialect, error) {
	u, err := c.registry.ReadURN(text)
	if err != nil {
		return model.URN{}, model.Dialect{}, &Error{Code: Invalid, Message: err.Error()}
	}
	d, _ := c.registry.DialectOf(u) // ReadURN refuses unknown namespaces
	return u, d, nil
}

// ParseURN parses the URN of an entity that a request is about. Blanks around
// it are ignored.
func (c *Catalog) ParseURN(text string) (model.URN, model.Dialect, error) {
	return c.EntityURN(strings.TrimSpace(text))
}

// ParseURNs parses the URNs of several entities, in their order.
func (c *Catalog) ParseURNs(texts []string) ([]model.URN, error) {
	urns := make([]model.URN, len(texts))
	for i, text := range texts {
		var err error
		if urns[i], _, err = c.ParseURN(text); err != nil {
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

// AllOfType fails unless all entities are of one of the types. It returns each
// once.
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
func (c *Catalog) Spelled(text string) string {
	u, err := model.ParseURN(strings.TrimSpace(text))
	if err != nil {
		return text
	}
	return c.registry.Normal(u).String()
}

// SameURN reports whether a stored text names an entity, however it is spelled.
func (c *Catalog) SameURN(stored string, u model.URN) bool {
	urn := u.String()
	switch len(stored) {
	case len(urn):
		return stored == urn || strings.EqualFold(stored, urn) && c.Spelled(stored) == urn
	case len(urn) + len("()"): // a key of one part
		return strings.HasSuffix(stored, ")") && c.Spelled(stored) == urn
	}
	return false
}

// SameURNAny reports whether a stored text names one of several entities.
func (c *Catalog) SameURNAny(stored string, urns []model.URN) bool {
	return slices.ContainsFunc(urns, func(u model.URN) bool { return c.SameURN(stored, u) })
}

// Names returns a function that reports whether a value names an entity.
func (c *Catalog) Names(u model.URN) func(any) bool {
	return func(value any) bool {
		stored, ok := value.(string)
		return ok && c.SameURN(stored, u)
	}
}
