package events

import (
	"net/http"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/feed"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/rest/call"
)

// feedHandlers serve feeds and subscriptions.
type feedHandlers struct{ catalog *services.Services }

// feedActor returns the actor whose feed or subscriptions a request is about: the one that
// the request names or else the actor of the request.
func feedActor(c *call.Call, named string) (model.URN, error) {
	if named == "" {
		var err error
		if named, err = c.Actor(); err != nil {
			return model.URN{}, err
		}
	}
	if named == "" {
		return model.URN{}, catalog.Errorf(catalog.Invalid, "parameter actor, or the header %s, is required", call.ActorHeader)
	}
	return c.URN(named)
}

func actorParam(c *call.Call) (model.URN, error) {
	named, err := c.Text("actor")
	if err != nil {
		return model.URN{}, err
	}
	return feedActor(c, named)
}

func (h feedHandlers) feed(c *call.Call) error {
	r := &call.Reader{Call: c}
	count := call.Argument(r, func(name string) (int64, error) { return c.Integer(name, limits.DefaultFeedPage) }, "count")
	request := feed.Request{From: call.Argument(r, c.Moment, "from"), To: call.Argument(r, c.Moment, "to"), Count: int(min(count, 1<<30))}
	if r.Err != nil {
		return r.Err
	}
	var err error
	if request.Actor, err = actorParam(c); err != nil {
		return err
	}
	found, err := h.catalog.Feed.Feed(c.Request.Context(), request)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, found)
}

func (h feedHandlers) subscriptions(c *call.Call) error {
	actor, err := actorParam(c)
	if err != nil {
		return err
	}
	list, err := h.catalog.Feed.Subscriptions(c.Request.Context(), actor)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, struct {
		Actor         string              `json:"actor"`
		Subscriptions []feed.Subscription `json:"subscriptions"`
	}{actor.String(), list})
}

func (h feedHandlers) subscribe(c *call.Call) error {
	var body feed.Subscription
	if err := c.Body(&body); err != nil {
		return err
	}
	actor, err := feedActor(c, body.Actor)
	if err != nil {
		return err
	}
	entity, err := c.RequiredURN("entity", body.Entity)
	if err != nil {
		return err
	}
	made, err := h.catalog.Feed.Subscribe(c.Request.Context(), actor, entity, body.Categories, body.Direct)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, made)
}

func (h feedHandlers) unsubscribe(c *call.Call) error {
	actor, err := actorParam(c)
	if err != nil {
		return err
	}
	entity, err := c.URNParam("entity")
	if err != nil {
		return err
	}
	if err := h.catalog.Feed.Unsubscribe(c.Request.Context(), actor, entity); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, feed.Subscription{Actor: actor.String(), Entity: entity.String()})
}
