package call

import (
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/requestinfo"
)

// ActorHeader names the actor in whose name a request asks to be made. While authentication is off,
// the server believes it.
const ActorHeader = "X-DataHub-Actor"

// Actor returns the actor for whom the request is made, "" for the system actor.
func (c *Call) Actor() (string, error) {
	if caller := requestinfo.CallerOf(c.Request.Context()); caller.Means != requestinfo.NoMeans {
		return caller.Actor, nil
	}
	return c.StatedActor()
}

// StatedActor returns the actor that the request names, or "".
func (c *Call) StatedActor() (string, error) {
	text := c.GetHeader(ActorHeader)
	if text == "" {
		return "", nil
	}
	u, _, err := c.Catalog.ParseURN(text)
	if err != nil {
		return "", &catalog.Error{Code: catalog.Invalid, Message: "header " + ActorHeader + ": " + catalog.MessageOf(err)}
	}
	return u.String(), nil
}
