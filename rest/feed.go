package rest

import (
	"net/http"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/feed"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// feedHandlers show feeds, and keep subscriptions.
type feedHandlers struct{ catalog *services.Services }

// feedActor is whose feed or subscriptions a request is about: the one it names or else the
// one who makes it.
func (c *call) feedActor(named string) (model.URN, error) {
	if named == "" {
		var err error
		if named, err = c.actor(); err != nil {
			return model.URN{}, err
		}
	}
	if named == "" {
		return model.URN{}, catalog.Errorf(catalog.Invalid, "parameter actor, or the header %s, is required", actorHeader)
	}
	return c.urn(named)
}

func (c *call) actorParam() (model.URN, error) {
	named, err := c.param("actor")
	if err != nil {
		return model.URN{}, err
	}
	return c.feedActor(named)
}

func (h feedHandlers) feed(c *call) error {
	r := &reader{call: c}
	count := argument(r, func(name string) (int64, error) { return c.integer(name, limits.DefaultFeedPage) }, "count")
	request := feed.Request{From: argument(r, c.moment, "from"), To: argument(r, c.moment, "to"), Count: int(min(count, 1<<30))}
	if r.err != nil {
		return r.err
	}
	var err error
	if request.Actor, err = c.actorParam(); err != nil {
		return err
	}
	found, err := h.catalog.Feed.Feed(c.Request.Context(), request)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, found)
}

func (h feedHandlers) subscriptions(c *call) error {
	actor, err := c.actorParam()
	if err != nil {
		return err
	}
	list, err := h.catalog.Feed.Subscriptions(c.Request.Context(), actor)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, struct {
		Actor         string              `json:"actor"`
		Subscriptions []feed.Subscription `json:"subscriptions"`
	}{actor.String(), list})
}

func (h feedHandlers) subscribe(c *call) error {
	var body feed.Subscription
	if err := c.body(&body); err != nil {
		return err
	}
	actor, err := c.feedActor(body.Actor)
	if err != nil {
		return err
	}
	entity, err := c.requiredURN("entity", body.Entity)
	if err != nil {
		return err
	}
	made, err := h.catalog.Feed.Subscribe(c.Request.Context(), actor, entity, body.Categories, body.Direct)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, made)
}

func (h feedHandlers) unsubscribe(c *call) error {
	actor, err := c.actorParam()
	if err != nil {
		return err
	}
	entity, err := c.urnParam("entity")
	if err != nil {
		return err
	}
	if err := h.catalog.Feed.Unsubscribe(c.Request.Context(), actor, entity); err != nil {
		return err
	}
	return c.json(http.StatusOK, feed.Subscription{Actor: actor.String(), Entity: entity.String()})
}
