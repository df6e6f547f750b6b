package policies

import (
	"net/http"

	"github.com/headwater-io/headwater/access/manage"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/rest/call"
)

// handlers read, apply and explain policies.
type handlers struct{ policies *manage.Service }

func (h handlers) explain(c *call.Call) error {
	actorText, err := c.Required("actor")
	if err != nil {
		return err
	}
	actor, err := c.RequiredURN("actor", actorText)
	if err != nil {
		return err
	}
	privilege, err := c.Required("privilege")
	if err != nil {
		return err
	}
	text, err := c.Text("urn")
	if err != nil {
		return err
	}
	var resource model.URN // the server without a URN
	if text != "" {
		if resource, err = c.URN(text); err != nil {
			return err
		}
	}
	e, err := h.policies.Explain(c.Request.Context(), actor, privilege, resource)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, e)
}

// listAnswer has stored policies.
type listAnswer struct {
	Policies []manage.Listed `json:"policies"`
}

func (h handlers) list(c *call.Call) error {
	id, err := c.Text("id")
	if err != nil {
		return err
	}
	listed, err := h.policies.List(c.Request.Context(), id)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, listAnswer{listed})
}

func (h handlers) apply(c *call.Call) error {
	r := &call.Reader{Call: c}
	options := manage.ApplyOptions{DryRun: call.Argument(r, r.Boolean, "dryRun"), Prune: call.Argument(r, r.Boolean, "prune")}
	if r.Err != nil {
		return r.Err
	}
	if err := h.policies.Catalog.RequireWritableUnless(c.Request.Context(), options.DryRun); err != nil {
		return err
	}
	var file manage.File
	if err := c.Body(&file); err != nil {
		return err
	}
	by, err := c.Actor()
	if err != nil {
		return err
	}
	applied, err := h.policies.Apply(c.Request.Context(), file, options, catalog.WriteOptions{Actor: by})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, applied)
}

func (h handlers) test(c *call.Call) error {
	var file manage.File
	if err := c.Body(&file); err != nil {
		return err
	}
	tested, err := h.policies.Test(c.Request.Context(), file)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, tested)
}
