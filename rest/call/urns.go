package call

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/model"
)

// This file reads the URNs of requests. Behind the handlers, URNs are values and not texts.

// Catalog reads URNs in the graph's spelling, and names of entity types. It refuses writes
// while the catalog is read-only.
type Catalog interface {
	EntityType(name string) (*model.Entity, error)
	ParseURN(text string) (model.URN, model.Dialect, error)
	ParseURNs(texts []string) ([]model.URN, error)
	RequireWritable(ctx context.Context) error
}

// URN reads a URN, and notes it for the log.
func (c *Call) URN(text string) (model.URN, error) {
	u, _, err := c.Catalog.ParseURN(text)
	if err == nil {
		requestinfo.SubjectOf(c.Request.Context()).Names(u)
	}
	return u, err
}

// RequiredURN reads the URN of a parameter, and returns an error if the text is empty.
func (c *Call) RequiredURN(name, text string) (model.URN, error) {
	if text == "" {
		return model.URN{}, catalog.Errorf(catalog.Invalid, "parameter %s is required", name)
	}
	return c.URN(text)
}

// URNList reads several URNs in their order.
func (c *Call) URNList(texts []string) ([]model.URN, error) {
	urns, err := c.Catalog.ParseURNs(texts)
	for _, u := range urns {
		requestinfo.SubjectOf(c.Request.Context()).Names(u)
	}
	return urns, err
}

// URNTail reads the URN in the path after a prefix.
func (c *Call) URNTail(prefix string) (model.URN, error) {
	text, err := c.tail(prefix)
	if err != nil {
		return model.URN{}, err
	}
	return c.URN(text)
}

// URNParam reads the URN in a query parameter, and returns an error if it is missing.
func (c *Call) URNParam(name string) (model.URN, error) {
	text, err := c.Required(name)
	if err != nil {
		return model.URN{}, err
	}
	return c.URN(text)
}
