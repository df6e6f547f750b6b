package catalog

import (
	"slices"
	"strings"

	"github.com/headwater-io/headwater/model"
)

// Callers may write the type of a URN in any letter case. Every operation
// parses the URNs that it gets once, at its beginning, and then uses the
// graph's spelling. Stored values keep the spelling in which they were written,
// so stored URNs are compared through names.

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

// URNOf parses the URN of an entity of one of the types, of any type when none
// are given.
func (c *Catalog) URNOf(text string, types ...string) (string, error) {
	u, _, err := c.ParseURN(text)
	if err != nil {
		return "", err
	}
	if len(types) > 0 && !slices.Contains(types, u.EntityType()) {
		return "", Errorf(Invalid, "%s is not a %s", u, strings.Join(types, " or "))
	}
	return u.String(), nil
}

// URNsOfType parses several URNs and returns each once, however it is spelled.
func (c *Catalog) URNsOfType(texts []string, types ...string) ([]string, error) {
	urns, seen := make([]string, 0, len(texts)), make(map[string]bool, len(texts))
	for _, text := range texts {
		urn, err := c.URNOf(text, types...)
		if err != nil {
			return nil, err
		}
		if !seen[urn] {
			seen[urn], urns = true, append(urns, urn)
		}
	}
	return urns, nil
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
func (c *Catalog) SameURN(stored, urn string) bool {
	switch len(stored) {
	case len(urn):
		return stored == urn || strings.EqualFold(stored, urn) && c.Spelled(stored) == urn
	case len(urn) + len("()"): // a key of one part
		return strings.HasSuffix(stored, ")") && c.Spelled(stored) == urn
	}
	return false
}

// SameURNAny reports whether a stored text names one of several entities.
func (c *Catalog) SameURNAny(stored string, urns []string) bool {
	return slices.ContainsFunc(urns, func(urn string) bool { return c.SameURN(stored, urn) })
}

// Names returns a function that reports whether a value names an entity.
func (c *Catalog) Names(urn string) func(any) bool {
	return func(value any) bool {
		stored, ok := value.(string)
		return ok && c.SameURN(stored, urn)
	}
}
