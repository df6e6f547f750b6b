package audit

import (
	"context"

	"github.com/headwater-io/headwater/access/audit"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/rest/call"
	"github.com/headwater-io/headwater/rest/sse"
)

// streamEvent is the name of the events of the stream.
const streamEvent = "entry"

// stream sends the entries that a search selects as server-sent events, as they are stored. The id of
// each event is the position after it, from which a client that reconnects continues.
func (h handlers) stream(c *call.Call, q audit.Search) error {
	if q.Until != 0 || q.Limit != 0 || q.Cursor != "" {
		return catalog.Errorf(catalog.Invalid, "a stream of the audit trail has no until, limit or cursor; it begins at since, and continues after Last-Event-ID")
	}
	var follower *audit.Follower
	begin := func(ctx context.Context) (err error) {
		follower, err = h.trail.Follow(ctx, q, c.GetHeader("Last-Event-ID"))
		return err
	}
	return h.streams.Serve(c, h.closing, "stream of the audit trail", begin, func(to *sse.Stream) error {
		if err := to.Alive(follower.Position()); err != nil {
			return err
		}
		for {
			entries, err := follower.Next(to.Ctx, sse.Heartbeat)
			if err != nil {
				return err
			}
			for _, one := range entries {
				text, err := sse.Text(one.Position, streamEvent, one.Entry)
				if err != nil {
					return err
				}
				if err := to.Send(text); err != nil {
					return err
				}
			}
			if len(entries) > 0 {
				continue
			}
			if err := to.Alive(follower.Position()); err != nil {
				return err
			}
		}
	})
}
