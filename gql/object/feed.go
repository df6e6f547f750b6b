package object

import (
	"context"
	"strings"

	"github.com/headwater-io/headwater/catalog/changeevents"
	"github.com/headwater-io/headwater/catalog/feed"
)

// FeedOf is a feed with the names of the entities that it mentions.
func (s *Session) FeedOf(ctx context.Context, f *feed.Feed) (*Feed, error) {
	refs := s.NewRefs()
	answer := &Feed{Actor: refs.Of(f.Actor), Items: make([]*FeedItem, len(f.Items))}
	for i := range f.Items {
		answer.Items[i] = itemOf(refs, &f.Items[i])
	}
	return answer, refs.Read(ctx)
}

func itemOf(refs *Refs, i *feed.Item) *FeedItem {
	item := &FeedItem{
		ID: i.ID, Actor: refs.Of(i.Actor), Time: i.Time, ChangedBy: refs.Of(i.ChangedBy), Entity: refs.Of(i.Entity), Summary: i.Summary,
		Events: make([]*FeedEvent, len(i.Events)), EventsTotal: i.EventsTotal, Affected: make([]*FeedAffected, len(i.Affected)),
		Certain: i.Certain, Possible: i.Possible, Partial: i.Partial, Reason: given(i.Reason),
	}
	for k := range i.Events {
		item.Events[k] = feedEventOf(refs, &i.Events[k])
	}
	for k := range i.Affected {
		a := &i.Affected[k]
		affected := &FeedAffected{
			Entity: refs.Of(a.URN), Effect: ImpactEffect(strings.ToUpper(a.Effect)), Degree: a.Degree, Columns: a.Columns,
			Path: make([]*EntityRef, len(a.Path)), Because: FeedReason(a.Because),
		}
		for n, step := range a.Path {
			affected.Path[n] = refs.Of(step)
		}
		item.Affected[k] = affected
	}
	return item
}

func feedEventOf(refs *Refs, e *changeevents.Event) *FeedEvent {
	return &FeedEvent{Entity: refs.Of(e.EntityURN), Category: e.Category, Operation: e.Operation, Modifier: given(e.Modifier), Parameters: parametersOf(e.Parameters)}
}

// UnreadOf is the unread items of a feed, with the name of its actor.
func (s *Session) UnreadOf(ctx context.Context, u *feed.Unread) (*FeedUnread, error) {
	refs := s.NewRefs()
	answer := &FeedUnread{Actor: refs.Of(u.Actor), Unread: u.Unread, More: u.More, ReadUntil: u.ReadUntil}
	return answer, refs.Read(ctx)
}

// SubscriptionsOf are subscriptions with the names of their entities.
func (s *Session) SubscriptionsOf(ctx context.Context, list []feed.Subscription) ([]*EntitySubscription, error) {
	refs, answer := s.NewRefs(), make([]*EntitySubscription, len(list))
	for i := range list {
		answer[i] = &EntitySubscription{Actor: refs.Of(list[i].Actor), Entity: refs.Of(list[i].Entity), Categories: list[i].Categories, Direct: list[i].Direct}
	}
	return answer, refs.Read(ctx)
}
