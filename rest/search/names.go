package search

import (
	"net/http"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/rest/call"
)

// nameHandlers find the entities and columns that a name means.
type nameHandlers struct{ catalog *services.Services }

// parts maps the values of the parameter part.
var parts = map[string]search.Part{"": search.EitherPart, "either": search.EitherPart, "entity": search.EntityPart, "column": search.ColumnPart}

func readPart(r *call.Reader) search.Part {
	text := call.Argument(r, r.Text, "part")
	part, ok := parts[strings.ToLower(text)]
	if !ok && r.Err == nil {
		r.Err = catalog.Errorf(catalog.Invalid, "parameter part is entity, column or either, not %q", text)
	}
	return part
}

func (h nameHandlers) resolve(c *call.Call) error {
	r := &call.Reader{Call: c}
	request := search.NameRequest{
		Name: call.Argument(r, c.Required, "name"), Types: call.Argument(r, c.List, "types"), Part: readPart(r), Removed: call.Argument(r, c.Boolean, "includeRemoved"),
	}
	if r.Err != nil {
		return r.Err
	}
	named, err := h.catalog.Search.Resolve(c.Request.Context(), request)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, call.NamedOf(named))
}

// completion is one possible continuation of a typed text.
type completion struct {
	Text     string `json:"text"`
	Open     bool   `json:"open,omitempty"`
	Things   int    `json:"things"`
	Type     string `json:"type,omitempty"`
	Platform string `json:"platform,omitempty"`
	Column   string `json:"column,omitempty"`
}

func (h nameHandlers) complete(c *call.Call) error {
	r := &call.Reader{Call: c}
	request := search.CompletionRequest{
		Text: call.Argument(r, c.Text, "text"), Types: call.Argument(r, c.List, "types"), Part: readPart(r), Removed: call.Argument(r, c.Boolean, "includeRemoved"),
	}
	if r.Err != nil {
		return r.Err
	}
	found, err := h.catalog.Search.Complete(c.Request.Context(), request)
	if err != nil {
		return err
	}
	completions := make([]completion, len(found))
	for i, f := range found {
		completions[i] = completion(f)
	}
	return c.JSON(http.StatusOK, map[string]any{"completions": completions})
}
