package rest

import (
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/model"
)

// The URNs of a request are read here, once: behind a handler they are values.

// urnReader reads URNs as the graph spells them, and names of entity types.
type urnReader interface {
	EntityType(name string) (*model.Entity, error)
	ParseURN(text string) (model.URN, model.Dialect, error)
	ParseURNs(texts []string) ([]model.URN, error)
}

// urn reads a URN.
func (c *call) urn(text string) (model.URN, error) {
	u, _, err := c.urns.ParseURN(text)
	if err == nil {
		catalog.SubjectOf(c.Request.Context()).Names(u)
	}
	return u, err
}

// requiredURN reads a parameter that must be given.
func (c *call) requiredURN(name, text string) (model.URN, error) {
	if text == "" {
		return model.URN{}, catalog.Errorf(catalog.Invalid, "parameter %s is required", name)
	}
	return c.urn(text)
}

// urnList reads several URNs in their order.
func (c *call) urnList(texts []string) ([]model.URN, error) {
	urns, err := c.urns.ParseURNs(texts)
	for _, u := range urns {
		catalog.SubjectOf(c.Request.Context()).Names(u)
	}
	return urns, err
}

// urnTail reads the URN in the path behind a prefix.
func (c *call) urnTail(prefix string) (model.URN, error) {
	text, err := c.tail(prefix)
	if err != nil {
		return model.URN{}, err
	}
	return c.urn(text)
}

// urnParam reads the URN in a query parameter that must be given.
func (c *call) urnParam(name string) (model.URN, error) {
	text, err := c.required(name)
	if err != nil {
		return model.URN{}, err
	}
	return c.urn(text)
}
