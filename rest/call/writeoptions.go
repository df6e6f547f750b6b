package call

import (
	"cmp"
	"strconv"

	"github.com/headwater-io/headwater/catalog"
)

// WriteOptions reads the actor of a write, and whether the write waits for the search
// index.
func (c *Call) WriteOptions(async any) (catalog.WriteOptions, error) {
	actor, err := c.Actor()
	if err != nil {
		return catalog.WriteOptions{}, err
	}
	o := catalog.WriteOptions{Actor: actor, KeepUnknown: c.keepsUnknown(), AddDerived: c.knowsModel()}
	if o.AwaitIndex, err = c.awaitsIndex(); err != nil {
		return o, err
	}
	return o, checkAsync(async)
}

// checkAsync checks the type of the member async. The member has no effect: every write is
// durable before it is answered.
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

// WaitHeader has the same meaning as the parameter wait: the write is answered only when it
// is in the search index.
const WaitHeader = "X-Headwater-Wait"

// SyncHeader is the header with which clients of the interface ask for the same as
// WaitHeader.
const SyncHeader = "X-DataHub-Sync-Index-Update"

func (c *Call) awaitsIndex() (bool, error) {
	wait, err := c.Text("wait")
	if err != nil {
		return false, err
	}
	if wait == "" {
		wait = c.GetHeader(WaitHeader)
	}
	if wait != "" && wait != "index" {
		return false, catalog.Errorf(catalog.Invalid, "parameter wait: %q cannot be waited for, only index", wait)
	}
	sync, err := strconv.ParseBool(cmp.Or(c.GetHeader(SyncHeader), "false"))
	if err != nil {
		return false, catalog.Errorf(catalog.Invalid, "header %s must be true or false", SyncHeader)
	}
	return wait != "" || sync, nil
}
