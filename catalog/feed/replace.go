package feed

import (
	"context"
	"maps"
	"slices"

	"github.com/headwater-io/headwater/catalog/changeevents"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/internal/limits"
)

// replaces notes the change of an event: if the actor already has an item about the change, this item takes its place.
func (i *Item) replaces(e *changeevents.Event) {
	if _, at := e.Arrived(); e.Of != "" && at > 0 {
		if i.replaced == nil {
			i.replaced = map[string]int64{}
		}
		i.replaced[e.Of] = at
	}
}

// replace writes an item. An item about an announced change takes the place of the items of the same actor about the
// changes of the datasets: it tells the rest of them too, and replace deletes them. The item is written first, so that
// a kill in between loses nothing: when the change is delivered again, the remaining items are deleted.
func (s *Service) replace(ctx context.Context, i *Item, cursor string) error {
	stored := &storedItem{Item: *i, Cursor: cursor}
	var gone []string
	for _, id := range slices.Sorted(maps.Keys(i.replaced)) {
		name := nameOf(&Item{Actor: i.Actor, Time: i.replaced[id], ID: id})
		former, exists, err := s.items.Get(ctx, name)
		if err != nil {
			return err
		}
		if exists {
			stored.takeOver(&former.Value.Item)
			gone = append(gone, name)
		}
		stored.Replaced = append(stored.Replaced, id) // the feed of a group may have the item
	}
	if err := s.put(ctx, stored); err != nil {
		return err
	}
	for _, name := range gone {
		if err := s.items.Forget(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// takeOver adds to an item about an announced change the further content of another item.
func (i *Item) takeOver(former *Item) {
	repeated := 0
	for k := range former.Events {
		e := former.Events[k]
		if slices.ContainsFunc(i.Events, func(announced changeevents.Event) bool { return announced.Repeats(&e) }) {
			repeated++
		} else if len(i.Events) < limits.MaxFeedEvents {
			i.Events = append(i.Events, e)
		}
	}
	i.EventsTotal += former.EventsTotal - repeated
	for _, a := range former.Affected {
		known := slices.IndexFunc(i.Affected, func(one Affected) bool { return one.URN == a.URN })
		switch {
		case known >= 0 && a.Because == BecauseOwner:
			i.Affected[known].Because = BecauseOwner
		case known < 0 && len(i.Affected) < limits.MaxFeedEntities:
			i.Affected = append(i.Affected, a)
			if a.Effect == lineage.EffectPossible {
				i.Possible++
			} else {
				i.Certain++
			}
		}
	}
	i.Partial = i.Partial || former.Partial
	if i.Reason == "" {
		i.Reason = former.Reason
	}
	i.Summary = summaryOf(i)
}

// withoutReplaced leaves out the items of which other items tell too.
func withoutReplaced(items []Item) []Item {
	gone := map[string]bool{}
	for i := range items {
		for id := range items[i].replaced {
			gone[id] = true
		}
	}
	if len(gone) == 0 {
		return items
	}
	return slices.DeleteFunc(items, func(i Item) bool { return gone[i.ID] })
}
