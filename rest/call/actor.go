package call

import "github.com/headwater-io/headwater/catalog"

// ActorHeader names the actor of a request while authentication is off.
const ActorHeader = "X-DataHub-Actor"

// Actor returns the actor for whom the request is made, "" for the system actor.
func (c *Call) Actor() (string, error) {
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
