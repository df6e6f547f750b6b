package catalog

import (
	"slices"
	"strings"

	"github.com/headwater-io/headwater/model"
)

// Callers write the type of a URN in any letter case. Every operation reads the
// URNs that it is given once, at its beginning, and goes on with the graph's
// spelling. What is stored keeps the spelling in which it came, so that stored
// URNs are compared through names.

// entityURN reads the URN of an entity that is written.
func (c *Catalog) entityURN(text string) (model.URN, model.Dialect, error) {
	u, err := c.registry.ReadURN(text)
	if err != nil {
		return model.URN{}, model.Dialect{}, &Error{Code: Invalid, Message: err.Error()}
	}
	d, _ := c.registry.DialectOf(u) // ReadURN refuses unknown namespaces
	return u, d, nil
}

// parseURN reads the URN of an entity that a request is about. Blanks around it
// are no part of it.
func (c *Catalog) parseURN(text string) (model.URN, model.Dialect, error) {
	return c.entityURN(strings.TrimSpace(text))
}

// urnOf reads the URN of an entity of one of some types, of any when none are
// given.
func (c *Catalog) urnOf(text string, types ...string) (string, error) {
	u, _, err := c.parseURN(text)
	if err != nil {
		return "", err
	}
	if len(types) > 0 && !slices.Contains(types, u.EntityType()) {
		return "", Errorf(Invalid, "%s is no %s", u, strings.Join(types, " or "))
	}
	return u.String(), nil
}

// urnsOfType reads several URNs, each once however it is spelled.
func (c *Catalog) urnsOfType(texts []string, types ...string) ([]string, error) {
	urns, seen := make([]string, 0, len(texts)), make(map[string]bool, len(texts))
	for _, text := range texts {
		urn, err := c.urnOf(text, types...)
		if err != nil {
			return nil, err
		}
		if !seen[urn] {
			seen[urn], urns = true, append(urns, urn)
		}
	}
	return urns, nil
}

// spelled is a URN as the graph spells it, and any other text as it is.
func (c *Catalog) spelled(text string) string {
	u, err := model.ParseURN(strings.TrimSpace(text))
	if err != nil {
		return text
	}
	return c.registry.Normal(u).String()
}

// names reports whether a stored text names an entity, however it is spelled.
func (c *Catalog) names(stored, urn string) bool {
	switch len(stored) {
	case len(urn):
		return stored == urn || strings.EqualFold(stored, urn) && c.spelled(stored) == urn
	case len(urn) + len("()"): // a key of one part
		return strings.HasSuffix(stored, ")") && c.spelled(stored) == urn
	}
	return false
}

// namesAny reports whether a stored text names one of several entities.
func (c *Catalog) namesAny(stored string, urns []string) bool {
	return slices.ContainsFunc(urns, func(urn string) bool { return c.names(stored, urn) })
}
