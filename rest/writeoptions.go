package rest

import (
	"cmp"
	"strconv"

	"github.com/headwater-io/headwater/catalog"
)

// actorHeader names the actor of a request while authentication is off.
const actorHeader = "X-DataHub-Actor"

// actor returns on whose behalf the request is made, "" for the system actor.
func (c *call) actor() (string, error) {
	text := c.GetHeader(actorHeader)
	if text == "" {
		return "", nil
	}
	u, _, err := c.urns.ParseURN(text)
	if err != nil {
		return "", &catalog.Error{Code: catalog.Invalid, Message: "header " + actorHeader + ": " + catalog.MessageOf(err)}
	}
	return u.String(), nil
}

// writeOptions reads the actor of a write and what it waits for.
func (c *call) writeOptions(async any) (catalog.WriteOptions, error) {
	actor, err := c.actor()
	if err != nil {
		return catalog.WriteOptions{}, err
	}
	o := catalog.WriteOptions{Actor: actor, KeepUnknown: c.keepsUnknown(), AddDerived: c.knowsModel()}
	if o.AwaitIndex, err = c.awaitsIndex(); err != nil {
		return o, err
	}
	return o, checkAsync(async)
}

// checkAsync checks a member that has no effect: every write is durable before
// it is answered.
func checkAsync(async any) error {
	switch async := async.(type) {
	case nil, bool:
		return nil
	case string:
		if _, err := strconv.ParseBool(async); err == nil || async == "" {
			return nil
		}
	}
	return catalog.Errorf(catalog.Invalid, "parameter async must be \"true\" or \"false\"")
}

// waitHeader has the same meaning as the parameter wait: the write is answered
// only when the search index has it.
const waitHeader = "X-Headwater-Wait"

// syncHeader is the header with which clients of the interface ask for the same.
const syncHeader = "X-DataHub-Sync-Index-Update"

func (c *call) awaitsIndex() (bool, error) {
	wait, err := c.param("wait")
	if err != nil {
		return false, err
	}
	if wait == "" {
		wait = c.GetHeader(waitHeader)
	}
	if wait != "" && wait != "index" {
		return false, catalog.Errorf(catalog.Invalid, "parameter wait: %q cannot be waited for, only index", wait)
	}
	sync, err := strconv.ParseBool(cmp.Or(c.GetHeader(syncHeader), "false"))
	if err != nil {
		return false, catalog.Errorf(catalog.Invalid, "header %s must be true or false", syncHeader)
	}
	return wait != "" || sync, nil
}
