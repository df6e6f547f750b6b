package feed

import (
	"context"
	"net/url"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// readMark is how far an actor has read a feed.
type readMark struct {
	// Until is the time of the newest item that was read, epoch milliseconds.
	Until int64 `json:"until"`
}

// Unread tells how much of a feed its actor has not read.
type Unread struct {
	Actor string `json:"actor"`
	// Unread counts the items after ReadUntil, at most limits.MaxFeedPage. More tells that there are
	// more.
	Unread int  `json:"unread"`
	More   bool `json:"more"`
	// ReadUntil is the moment up to which the feed is read, epoch milliseconds; 0 if it was never
	// marked.
	ReadUntil int64 `json:"readUntil"`
}

// Unread counts the items of an actor's feed that are newer than the mark of the actor. The feed
// of a user includes the feeds of the user's groups; each member has a mark of their own.
func (s *Service) Unread(ctx context.Context, actor model.URN) (*Unread, error) {
	if err := checkCaller(ctx, actor); err != nil {
		return nil, err
	}
	mark, _, err := s.marks.Get(ctx, url.PathEscape(actor.String()))
	if err != nil {
		return nil, err
	}
	return s.unreadAfter(ctx, actor, mark.Value.Until)
}

func (s *Service) unreadAfter(ctx context.Context, actor model.URN, until int64) (*Unread, error) {
	found, err := s.Feed(ctx, Request{Actor: actor, From: until + 1, Count: limits.MaxFeedPage})
	if err != nil {
		return nil, err
	}
	unread := &Unread{Actor: actor.String(), Unread: len(found.Items), ReadUntil: until}
	// A full page may be all there is: the next older item after the mark decides.
	if len(found.Items) == limits.MaxFeedPage {
		oldest := found.Items[len(found.Items)-1].Time
		if oldest > until+1 {
			older, err := s.Feed(ctx, Request{Actor: actor, From: until + 1, To: oldest - 1, Count: 1})
			if err != nil {
				return nil, err
			}
			unread.More = len(older.Items) > 0
		}
	}
	return unread, nil
}

// MarkRead marks the items of an actor's feed up to a moment, epoch milliseconds, as read. A mark
// never goes back, so that a page that was opened earlier does not undo a later one.
func (s *Service) MarkRead(ctx context.Context, actor model.URN, until int64) (*Unread, error) {
	if err := checkCaller(ctx, actor); err != nil {
		return nil, err
	}
	if until < 0 || until > lastMoment {
		return nil, catalog.Errorf(catalog.Invalid, "moments are epoch milliseconds")
	}
	err := retried(func() error {
		mark, _, err := s.marks.Get(ctx, url.PathEscape(actor.String()))
		if err != nil {
			return err
		}
		if mark.Value.Until >= until {
			until = mark.Value.Until
			return nil
		}
		_, err = s.marks.Put(ctx, url.PathEscape(actor.String()), readMark{Until: until}, mark.Revision)
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.unreadAfter(ctx, actor, until)
}
