package operations

import (
	"net/http"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/delivery"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/rest/call"
)

// followerHandlers list and remove the followers of the change log.
type followerHandlers struct{ catalog *services.Services }

func (h followerHandlers) list(c *call.Call) error {
	found, err := h.catalog.Delivery.Followers(c.Request.Context())
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, struct {
		Followers []delivery.Follower `json:"followers"`
	}{found})
}

func (h followerHandlers) remove(c *call.Call) error {
	var body struct {
		Name string `json:"name"`
	}
	if err := c.Body(&body); err != nil {
		return err
	}
	if body.Name == "" {
		return catalog.Errorf(catalog.Invalid, "name is required: the follower to remove")
	}
	if err := h.catalog.Delivery.Remove(c.Request.Context(), body.Name); err != nil {
		return err
	}
	return c.Nothing()
}

func (h followerHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{
		{
			Method: http.MethodGet, Path: "/followers", Tag: "Events",
			Summary: "The followers of the change log that the server delivers to: their state, how far behind they are, and why.",
			Handle:  h.list,
		},
		{
			Method: http.MethodPost, Path: "/followers", Action: "remove", Tag: "Events", Needs: []string{call.ManageSystem},
			Summary:    "Forget a follower and its position. If the server still delivers to it, it begins anew when it next starts.",
			Parameters: []call.Parameter{{Name: "name", Kind: "string", Help: "the follower", Required: true}},
			Example:    call.Example{Body: `{"name":"kafka"}`},
			Handle:     h.remove,
		},
	}
}
