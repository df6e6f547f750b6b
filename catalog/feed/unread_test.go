package feed_test

import (
	"fmt"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// newSubscriber returns a reader who is told of everything about a tag.
func newSubscriber(t *testing.T, who model.URN, tag string) *reader {
	t.Helper()
	r := newReader(t, catalogtest.NewHarness(t).Store)
	r.Say(tag, "tagProperties", `{"name":"t"}`)
	if _, err := r.Feed.Subscribe(t.Context(), who, catalogtest.URN(tag), nil, true); err != nil {
		t.Fatal(err)
	}
	r.follow()
	return r
}

// TestUnread: the mark of a reader moves forward only, and counts what is newer than the mark.
func TestUnread(t *testing.T) {
	ctx, ada, tag := t.Context(), catalogtest.URN("urn:li:corpuser:ada"), "urn:li:tag:t"
	r := newSubscriber(t, ada, tag)
	for n := range 3 {
		r.Say(tag, "tagProperties", fmt.Sprintf(`{"name":"t","description":"d%d"}`, n))
	}
	r.follow()
	items := r.items(ada.String(), 0)
	if len(items) < 3 {
		t.Fatalf("the feed has %d items", len(items))
	}
	for _, c := range []struct {
		until, mark int64
		unread      int
	}{
		{0, 0, len(items)},
		{items[2].Time, items[2].Time, 2},
		{items[0].Time, items[0].Time, 0},
		{items[2].Time, items[0].Time, 0},
	} {
		if _, err := r.Feed.MarkRead(ctx, ada, c.until); err != nil {
			t.Fatal(err)
		}
		found, err := r.Feed.Unread(ctx, ada)
		if err != nil || found.Unread != c.unread || found.ReadUntil != c.mark || found.More {
			t.Errorf("after %d: %+v, %v; want %d unread after %d", c.until, found, err, c.unread, c.mark)
		}
	}
	_, err := r.Feed.MarkRead(ctx, ada, -1)
	r.Want(catalog.Invalid, err)
	_, err = r.Feed.Unread(ctx, catalogtest.URN(tag))
	r.Want(catalog.Invalid, err)
}

// TestUnreadAtItsEdge: exactly limits.MaxFeedPage unread items are all, one more is said to be more.
func TestUnreadAtItsEdge(t *testing.T) {
	ctx, ada, tag := t.Context(), catalogtest.URN("urn:li:corpuser:ada"), "urn:li:tag:t"
	r := newSubscriber(t, ada, tag)
	if items := r.items(ada.String(), 0); len(items) > 0 {
		if _, err := r.Feed.MarkRead(ctx, ada, items[0].Time); err != nil {
			t.Fatal(err)
		}
	}
	for n := range limits.MaxFeedPage + 1 {
		r.Say(tag, "tagProperties", fmt.Sprintf(`{"name":"t","description":"d%d"}`, n))
		// The log keeps the newest versions of an aspect.
		if n%10 == 0 || n >= limits.MaxFeedPage-1 {
			r.follow()
		}
		if n < limits.MaxFeedPage-1 {
			continue
		}
		found, err := r.Feed.Unread(ctx, ada)
		if more := n == limits.MaxFeedPage; err != nil || found.Unread != limits.MaxFeedPage || found.More != more {
			t.Errorf("of %d: %+v, %v", n+1, found, err)
		}
	}
}
