package rest

import (
	"net/http"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// entityHandlers read whole entities.
type entityHandlers struct{ catalog *services.Services }

func (h entityHandlers) listURNs(c *call) error {
	body := struct {
		Entity string  `json:"entity"`
		Start  wireInt `json:"start"`
		Count  wireInt `json:"count"`
	}{Count: limits.DefaultURNs}
	if err := c.body(&body); err != nil {
		return err
	}
	if body.Entity == "" {
		return catalog.Errorf(catalog.Invalid, "parameter entity is required")
	}
	page, err := h.catalog.ListURNs(c.Request.Context(), body.Entity, int(body.Start), int(body.Count))
	if err != nil {
		return err
	}
	return c.value(page)
}

func (h entityHandlers) exists(c *call) error {
	var body struct {
		URN string `json:"urn"`
	}
	if err := c.body(&body); err != nil {
		return err
	}
	urn, err := c.requiredURN("urn", body.URN)
	if err != nil {
		return err
	}
	found, err := h.catalog.Exists(c.Request.Context(), urn)
	if err != nil {
		return err
	}
	return c.value(found)
}

// batchAnswer is the answer to a request with ids.
type batchAnswer[T any] struct {
	Results  map[string]T      `json:"results"`
	Statuses map[string]int    `json:"statuses"`
	Errors   map[string]string `json:"errors"`
}

func newBatchAnswer[T any](results map[string]T) batchAnswer[T] {
	return batchAnswer[T]{Results: results, Statuses: map[string]int{}, Errors: map[string]string{}}
}

func (h entityHandlers) entity(c *call) error {
	urn, aspects, err := c.entityRequest("/entitiesV2")
	if err != nil {
		return err
	}
	found, err := h.catalog.Entity(c.Request.Context(), urn, aspects)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, entityAnswer(found))
}

func (h entityHandlers) labels(c *call) error {
	urn, err := c.urnTail("/labels")
	if err != nil {
		return err
	}
	found, err := h.catalog.LabelsOf(c.Request.Context(), []model.URN{urn})
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, map[string]any{"urn": urn.String(), "labels": found[urn]})
}

func (h entityHandlers) quality(c *call) error {
	urn, err := c.urnTail("/quality")
	if err != nil {
		return err
	}
	state, err := h.catalog.Quality.Of(c.Request.Context(), urn)
	if err != nil {
		return h.catalog.Search.WithNearest(c.Request.Context(), err)
	}
	return c.json(http.StatusOK, state)
}

func (h entityHandlers) entities(c *call) error {
	urns, aspects, err := c.idsRequest()
	if err != nil {
		return err
	}
	found, err := h.catalog.Entities(c.Request.Context(), urns, aspects)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, entitiesAnswer(found))
}
