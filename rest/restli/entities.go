package restli

import (
	"net/http"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/rest/call"
	"github.com/headwater-io/headwater/rest/stored"
)

// entityHandlers read whole entities.
type entityHandlers struct{ catalog *services.Services }

func (h entityHandlers) listURNs(c *call.Call) error {
	body := struct {
		Entity string   `json:"entity"`
		Start  call.Int `json:"start"`
		Count  call.Int `json:"count"`
	}{Count: limits.DefaultURNs}
	if err := c.Body(&body); err != nil {
		return err
	}
	if body.Entity == "" {
		return catalog.Errorf(catalog.Invalid, "parameter entity is required")
	}
	page, err := h.catalog.ListURNs(c.Request.Context(), body.Entity, int(body.Start), int(body.Count))
	if err != nil {
		return err
	}
	return c.Answer(page)
}

func (h entityHandlers) exists(c *call.Call) error {
	var body struct {
		URN string `json:"urn"`
	}
	if err := c.Body(&body); err != nil {
		return err
	}
	urn, err := c.RequiredURN("urn", body.URN)
	if err != nil {
		return err
	}
	found, err := h.catalog.Exists(c.Request.Context(), urn)
	if err != nil {
		return err
	}
	return c.Answer(found)
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

func (h entityHandlers) entity(c *call.Call) error {
	urn, aspects, err := readEntityRequest(c, "/entitiesV2")
	if err != nil {
		return err
	}
	found, err := h.catalog.Entity(c.Request.Context(), urn, aspects)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, stored.Entity(found))
}

func (h entityHandlers) labels(c *call.Call) error {
	urn, err := c.URNTail("/labels")
	if err != nil {
		return err
	}
	found, err := h.catalog.LabelsOf(c.Request.Context(), []model.URN{urn})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, map[string]any{"urn": urn.String(), "labels": found[urn]})
}

func (h entityHandlers) quality(c *call.Call) error {
	urn, err := c.URNTail("/quality")
	if err != nil {
		return err
	}
	at, err := c.Moment("asOf")
	if err != nil {
		return err
	}
	state, err := h.catalog.Quality.Of(c.Request.Context(), urn, at)
	if err != nil {
		return h.catalog.Search.WithNearest(c.Request.Context(), err)
	}
	return c.JSON(http.StatusOK, state)
}

func (h entityHandlers) entities(c *call.Call) error {
	urns, aspects, err := readIDsRequest(c)
	if err != nil {
		return err
	}
	found, err := h.catalog.Entities(c.Request.Context(), urns, aspects)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, stored.Entities(found))
}

// readEntityRequest reads the URN in the path and the wanted aspects.
func readEntityRequest(c *call.Call, prefix string) (urn model.URN, aspects []string, err error) {
	if urn, err = c.URNTail(prefix); err != nil {
		return model.URN{}, nil, err
	}
	aspects, err = c.List("aspects")
	return urn, aspects, err
}

func readIDsRequest(c *call.Call) (urns []model.URN, aspects []string, err error) {
	ids, err := c.List("ids")
	if err != nil {
		return nil, nil, err
	}
	if err = catalog.CheckIDs(ids); err != nil {
		return nil, nil, err
	}
	if urns, err = c.URNList(ids); err != nil {
		return nil, nil, err
	}
	aspects, err = c.List("aspects")
	return urns, aspects, err
}
