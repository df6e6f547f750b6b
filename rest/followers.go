package rest

import (
	"net/http"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/delivery"
	"github.com/headwater-io/headwater/catalog/services"
)

// followerHandlers list and remove the followers of the change log.
type followerHandlers struct{ catalog *services.Services }

func (h followerHandlers) list(c *call) error {
	found, err := h.catalog.Delivery.Followers(c.Request.Context())
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, struct {
		Followers []delivery.Follower `json:"followers"`
	}{found})
}

func (h followerHandlers) remove(c *call) error {
	var body struct {
		Name string `json:"name"`
	}
	if err := c.body(&body); err != nil {
		return err
	}
	if body.Name == "" {
		return catalog.Errorf(catalog.Invalid, "name is required: the follower to remove")
	}
	if err := h.catalog.Delivery.Remove(c.Request.Context(), body.Name); err != nil {
		return err
	}
	return c.nothing()
}

func (h followerHandlers) endpoints() []endpoint {
	return []endpoint{
		{
			method: http.MethodGet, path: "/followers", tag: "Events",
			summary: "The followers of the change log that the server delivers to: their state, how far behind they are, and why.",
			handle:  h.list,
		},
		{
			method: http.MethodPost, path: "/followers", action: "remove", tag: "Events",
			summary:    "Forget a follower and its position. If the server still delivers to it, it begins anew when it next starts.",
			parameters: []parameter{{"name", "string", "the follower", true}},
			example:    example{body: `{"name":"kafka"}`},
			handle:     h.remove,
		},
	}
}
