package feed

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// lastMoment has 13 digits, as all moments have until the year 2286.
const lastMoment = 9_999_999_999_999

// feedOf returns the beginning of the names of the records of an actor's items.
func feedOf(actor string) string { return url.PathEscape(actor) + "/" }

func downTo(at int64) string { return fmt.Sprintf("%013d", lastMoment-min(max(at, 0), lastMoment)) }

// nameOf returns the name of the record of an item. The name is the same if its change is
// delivered again.
func nameOf(i *Item) string { return feedOf(i.Actor) + downTo(i.Time) + "-" + i.ID }

// storedItem is an item with its place in the log, as it is stored.
type storedItem struct {
	Item
	// Cursor is a cursor after the change.
	Cursor string `json:"cursor,omitempty"`
	// Replaced are the ids of the items of which this one tells too.
	Replaced []string `json:"replaced,omitempty"`
}

// put writes an item, unless it is stored already.
func (s *Service) put(ctx context.Context, i *storedItem) error {
	_, err := s.items.Put(ctx, nameOf(&i.Item), *i, "")
	if errors.Is(err, records.ErrChanged) {
		return nil
	}
	return err
}

// trimEvery is the number of items that are written to a feed before it is trimmed.
const trimEvery = 100

// noteWritten counts a written item. noteWritten trims the feed after every trimEvery items,
// and at the first item that this server writes to it.
func (s *Service) noteWritten(ctx context.Context, actor string) error {
	s.mu.Lock()
	n, seen := s.untrimmed.Get(actor)
	n++
	due := !seen || n >= trimEvery
	if due {
		n = 0
	}
	s.untrimmed.Put(actor, n)
	s.mu.Unlock()
	if !due {
		return nil
	}
	return s.trim(ctx, actor)
}

// trim deletes the items of a feed beyond the newest limits.MaxFeedItems. trim keeps items that
// still have to be sent, up to limits.MaxFeedUnsent.
func (s *Service) trim(ctx context.Context, actor string) error {
	var positions []string
	if s.unsent != nil {
		var err error
		if positions, err = s.unsent(ctx, actor); err != nil {
			return err
		}
	}
	n := 0
	return s.items.Prune(ctx, feedOf(actor), func(_ string, item json.RawMessage) bool {
		n++
		return n <= limits.MaxFeedItems || n <= limits.MaxFeedUnsent && s.awaited(item, positions)
	})
}

// awaited reports whether the change of an item is after any of the positions.
func (s *Service) awaited(stored json.RawMessage, positions []string) bool {
	if len(positions) == 0 {
		return false
	}
	var item struct {
		Cursor string `json:"cursor"`
	}
	if json.Unmarshal(stored, &item) != nil {
		return false
	}
	return slices.ContainsFunc(positions, func(at string) bool {
		covered, err := s.store.Covers(at, item.Cursor)
		return err == nil && !covered
	})
}

// Request asks for the feed of an actor.
type Request struct {
	Actor model.URN
	// From and To bound the time of the changes, epoch milliseconds, both included; 0 is
	// unbounded.
	From, To int64
	// Count bounds the returned items, which are the newest.
	Count int
}

// Feed lists items, the newest first.
type Feed struct {
	Actor string `json:"actor"`
	Items []Item `json:"items"`
}

// Feed returns the feed of an actor. The feed of a user includes the feeds of the user's
// groups.
func (s *Service) Feed(ctx context.Context, r Request) (*Feed, error) {
	if err := checkCaller(ctx, r.Actor); err != nil {
		return nil, err
	}
	switch {
	case r.From < 0 || r.To < 0:
		return nil, catalog.Errorf(catalog.Invalid, "moments are epoch milliseconds")
	case r.To != 0 && r.From > r.To:
		return nil, catalog.Errorf(catalog.Invalid, "the moment from is after the moment to")
	case r.Count < 1 || r.Count > limits.MaxFeedPage:
		return nil, catalog.Errorf(catalog.Invalid, "from 1 to %d items of a feed are returned", limits.MaxFeedPage)
	}
	actors, err := s.groupsOf(ctx, r.Actor)
	if err != nil {
		return nil, err
	}
	feed := &Feed{Actor: r.Actor.String(), Items: []Item{}}
	for _, actor := range append([]string{feed.Actor}, actors...) {
		items, err := s.read(ctx, actor, &r)
		if err != nil {
			return nil, err
		}
		for _, item := range items {
			if same := slices.IndexFunc(feed.Items, func(o Item) bool { return o.ID == item.ID }); same >= 0 {
				feed.Items[same].join(&item)
			} else {
				feed.Items = append(feed.Items, item)
			}
		}
	}
	feed.Items = withoutReplaced(feed.Items)
	slices.SortFunc(feed.Items, func(a, b Item) int { return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.ID, b.ID)) })
	feed.Items, err = s.withoutHidden(ctx, feed.Items[:min(len(feed.Items), r.Count)])
	return feed, err
}

// join merges into the item the item of another feed about the same change.
func (i *Item) join(other *Item) {
	for _, a := range other.Affected {
		if !slices.ContainsFunc(i.Affected, func(known Affected) bool { return known.URN == a.URN }) {
			i.Affected = append(i.Affected, a)
		}
	}
	i.Certain, i.Possible = max(i.Certain, other.Certain), max(i.Possible, other.Possible)
}

// read returns the newest items of one feed within the time of the request.
func (s *Service) read(ctx context.Context, actor string, r *Request) ([]Item, error) {
	prefix, after := feedOf(actor), ""
	if r.To != 0 {
		after = prefix + downTo(r.To) // smaller than any name with this time and an id
	}
	page, err := s.items.Page(ctx, prefix, after, r.Count)
	if err != nil {
		return nil, err
	}
	items := make([]Item, 0, len(page))
	for i := range page {
		item := page[i].Value.Item
		for _, id := range page[i].Value.Replaced {
			if item.replaced == nil {
				item.replaced = map[string]int64{}
			}
			item.replaced[id] = 0
		}
		if item.Time < r.From {
			break
		}
		items = append(items, item)
	}
	return items, nil
}

// groupsOf returns the groups of a user.
func (s *Service) groupsOf(ctx context.Context, actor model.URN) ([]string, error) {
	urn := actor.String()
	found, err := s.store.Edges(ctx, graphstore.EdgeQuery{
		URNs: []string{urn}, Direction: graphstore.Outgoing,
		Types: []string{model.RelationshipIsMemberOfGroup, model.RelationshipIsMemberOfNativeGroup}, Page: graphstore.Page{Count: limits.MaxFeedGroups},
	})
	if err != nil {
		return nil, catalog.StoreFailure(err)
	}
	var groups []string
	for i := range found[urn].Edges {
		groups = append(groups, found[urn].Edges[i].Destination)
	}
	slices.Sort(groups)
	return slices.Compact(groups), nil
}
