package audit

import (
	"context"
	"net/http"

	"github.com/headwater-io/headwater/access/audit"
	"github.com/headwater-io/headwater/rest/call"
	"github.com/headwater-io/headwater/rest/sse"
)

// handlers read the audit trail.
type handlers struct {
	trail   *audit.Service
	streams *sse.Places
	// closing is done when the server closes.
	closing context.Context
}

// pageAnswer is a page of the audit trail.
type pageAnswer struct {
	Entries []audit.Entry `json:"entries"`
	// Cursor is the parameter cursor of the next page, absent on the last one. LookedTo is how far
	// back the page has looked, epoch milliseconds, if there is a next page.
	Cursor   string `json:"cursor,omitempty"`
	LookedTo int64  `json:"lookedTo,omitempty"`
}

func (h handlers) list(c *call.Call) error {
	r := &call.Reader{Call: c}
	names := call.Argument(r, c.List, "kind")
	q := audit.Search{
		Actor: call.Argument(r, urn(c), "actor"), Entity: call.Argument(r, urn(c), "entity"), Allowed: allowed(r),
		Since: call.Argument(r, c.Moment, "since"), Until: call.Argument(r, c.Moment, "until"),
		Limit: r.Number("limit", 0), Cursor: call.Argument(r, c.Text, "cursor"),
	}
	if r.Err != nil {
		return r.Err
	}
	var err error
	if q.Kinds, err = audit.ParseKinds(names); err != nil {
		return err
	}
	if sse.Wanted(c.Request) {
		return h.stream(c, q)
	}
	page, err := h.trail.Search(c.Request.Context(), q)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, pageAnswer{page.Entries, page.Cursor, page.LookedTo})
}

// urn reads a parameter that is a URN, "" if it is missing.
func urn(c *call.Call) func(name string) (string, error) {
	return func(name string) (string, error) {
		text, err := c.Text(name)
		if err != nil || text == "" {
			return "", err
		}
		u, err := c.URN(text)
		return u.String(), err
	}
}

// allowed reads the parameter allowed, nil if it is missing.
func allowed(r *call.Reader) *bool {
	text := call.Argument(r, r.Text, "allowed")
	value := call.Argument(r, r.Boolean, "allowed")
	if text == "" {
		return nil
	}
	return &value
}
