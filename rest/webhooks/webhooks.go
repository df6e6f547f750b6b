package webhooks

import (
	"bytes"
	"encoding/json"
	"net/http"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/webhooks"
	"github.com/headwater-io/headwater/internal/intake"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
)

// webhookHandlers serve webhooks, their tests and their dead letters.
type webhookHandlers struct{ catalog *services.Services }

// readSpec decodes the definition in the body. An unknown member is refused: a webhook with
// a misspelt filter would send everything.
func readSpec(c *call.Call) (*webhooks.Spec, error) {
	text, err := intake.ReadJSON(c.Request.Context(), c.Request.Body, intake.Request)
	if err != nil {
		return nil, err
	}
	spec := &webhooks.Spec{}
	if err := call.DecodeBody(text, spec); err != nil {
		return nil, err
	}
	strict := json.NewDecoder(bytes.NewReader(text))
	strict.DisallowUnknownFields()
	if err := strict.Decode(spec); err != nil {
		return nil, catalog.Errorf(catalog.Invalid, "the body is not a webhook: %w", err)
	}
	return spec, nil
}

func (h webhookHandlers) list(c *call.Call) error {
	list, err := h.catalog.Webhooks.List(c.Request.Context())
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, struct {
		Webhooks []webhooks.Webhook `json:"webhooks"`
	}{list})
}

func (h webhookHandlers) create(c *call.Call) error {
	spec, err := readSpec(c)
	if err != nil {
		return err
	}
	actor, err := c.Actor()
	if err != nil {
		return err
	}
	w, err := h.catalog.Webhooks.Create(c.Request.Context(), spec, actor)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, w)
}

func (h webhookHandlers) get(c *call.Call) error {
	w, err := h.catalog.Webhooks.Get(c.Request.Context(), c.Parts["id"])
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, w)
}

func (h webhookHandlers) update(c *call.Call) error {
	spec, err := readSpec(c)
	if err != nil {
		return err
	}
	w, err := h.catalog.Webhooks.Update(c.Request.Context(), c.Parts["id"], spec)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, w)
}

func (h webhookHandlers) remove(c *call.Call) error {
	if err := h.catalog.Webhooks.Delete(c.Request.Context(), c.Parts["id"]); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, struct {
		Deleted string `json:"deleted"`
	}{c.Parts["id"]})
}

func (h webhookHandlers) test(c *call.Call) error {
	ping, err := h.catalog.Webhooks.Test(c.Request.Context(), c.Parts["id"])
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, ping)
}

func (h webhookHandlers) letters(c *call.Call) error {
	after, err := c.Text("after")
	if err != nil {
		return err
	}
	limit, err := c.Integer("limit", limits.DefaultLetters)
	if err != nil {
		return err
	}
	letters, err := h.catalog.Webhooks.Letters(c.Request.Context(), c.Parts["id"], after, int(limit))
	if err != nil {
		return err
	}
	next := ""
	if len(letters) > 0 && len(letters) == int(limit) {
		next = letters[len(letters)-1].ID
	}
	return c.JSON(http.StatusOK, struct {
		Letters []webhooks.Letter `json:"letters"`
		// Next is the value of the parameter after for the next page, "" on the last page.
		Next string `json:"next,omitempty"`
	}{letters, next})
}

func (h webhookHandlers) replay(c *call.Call) error {
	r, err := h.catalog.Webhooks.Replay(c.Request.Context(), c.Parts["id"], c.Parts["letter"])
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, r)
}

func (h webhookHandlers) discard(c *call.Call) error {
	deleted, left, err := h.catalog.Webhooks.Discard(c.Request.Context(), c.Parts["id"], c.Parts["letter"])
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, struct {
		Deleted int `json:"deleted"`
		Left    int `json:"left"`
	}{deleted, left})
}
