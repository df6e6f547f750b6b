package rest

import (
	"net/http"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/model"
)

// nameHandlers say what names stand for.
type nameHandlers struct{ catalog *services.Services }

// namedThing is what a name stands for, or may stand for.
type namedThing struct {
	// URN is that of the column, if there is one, else of the entity.
	URN      string `json:"urn"`
	Entity   string `json:"entity"`
	Type     string `json:"type"`
	Platform string `json:"platform,omitempty"`
	Name     string `json:"name"`
	Column   string `json:"column,omitempty"`
	// Handle, of candidates, is a name that stands for this one alone.
	Handle string `json:"handle,omitempty"`
	// Removed: it is soft-deleted.
	Removed bool `json:"removed,omitempty"`
}

func describeNamed(n *search.Named) namedThing {
	thing := namedThing{
		URN: n.URN.String(), Entity: n.URN.String(), Type: n.URN.EntityType(), Platform: n.Platform, Name: n.Name,
		Column: model.PlainPath(n.Column), Handle: n.Handle,
	}
	if subject, err := n.Subject(); err == nil {
		thing.URN = subject.String()
	}
	return thing
}

// parts are the values of the parameter part.
var parts = map[string]search.Part{"": search.EitherPart, "either": search.EitherPart, "entity": search.EntityPart, "column": search.ColumnPart}

func (r *reader) part() search.Part {
	text := argument(r, r.param, "part")
	part, ok := parts[strings.ToLower(text)]
	if !ok && r.err == nil {
		r.err = catalog.Errorf(catalog.Invalid, "parameter part is entity, column or either, not %q", text)
	}
	return part
}

func (h nameHandlers) resolve(c *call) error {
	r := &reader{call: c}
	request := search.NameRequest{
		Name: argument(r, c.required, "name"), Types: argument(r, c.list, "types"), Part: r.part(), Removed: argument(r, c.boolean, "includeRemoved"),
	}
	if r.err != nil {
		return r.err
	}
	named, err := h.catalog.Search.Resolve(c.Request.Context(), request)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, describeNamed(named))
}

// completion is a way to continue what was typed.
type completion struct {
	Text     string `json:"text"`
	Open     bool   `json:"open,omitempty"`
	Things   int    `json:"things"`
	Type     string `json:"type,omitempty"`
	Platform string `json:"platform,omitempty"`
	Column   string `json:"column,omitempty"`
}

func (h nameHandlers) complete(c *call) error {
	r := &reader{call: c}
	request := search.CompletionRequest{
		Text: argument(r, c.param, "text"), Types: argument(r, c.list, "types"), Part: r.part(), Removed: argument(r, c.boolean, "includeRemoved"),
	}
	if r.err != nil {
		return r.err
	}
	found, err := h.catalog.Search.Complete(c.Request.Context(), request)
	if err != nil {
		return err
	}
	completions := make([]completion, len(found))
	for i, f := range found {
		completions[i] = completion(f)
	}
	return c.json(http.StatusOK, map[string]any{"completions": completions})
}
