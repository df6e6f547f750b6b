package announced_test

import (
	"slices"
	"testing"

	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/feed"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// feedOf returns the items of a feed, each as its summary and the categories and operations of its events.
func (h house) feedOf(actor string) (items [][]string) {
	h.T.Helper()
	found, err := h.Feed.Feed(h.T.Context(), feed.Request{Actor: catalogtest.URN(actor), Count: limits.MaxFeedPage})
	if err != nil {
		h.T.Fatal(err)
	}
	for _, item := range found.Items {
		said := []string{item.Summary}
		for i := range item.Events {
			said = append(said, item.Events[i].Category+" "+item.Events[i].Operation)
		}
		items = append(items, said)
	}
	return items
}

// TestToldOnce: a person who follows all changes gets one item when an announced change arrives: the item about the
// announced change, which also tells the rest of the schema's change. A group's item about the same change is told once
// too.
func TestToldOnce(t *testing.T) {
	onStores(t, func(h house) {
		const group, cleo = "urn:li:corpGroup:sales", "urn:li:corpuser:cleo"
		h.Say(cleo, model.AspectGroupMembership, `{"groups":["`+group+`"]}`)
		h.subscribe(ben, table("orders"))
		h.subscribe(group, table("orders"), "TECHNICAL_SCHEMA")
		h.subscribe(cleo, table("orders"), "ANNOUNCED_CHANGE")
		h.announce(draft(dropped("orders", "state")))
		h.settle()
		if got := h.feedOf(ben); len(got) != 0 {
			h.T.Fatal(got)
		}
		h.Run("nightly", table("orders"), model.AspectSchemaMetadata, schema("id", "note", "fresh"))
		h.settle()
		announced := "shop.orders: Column state was removed, as announced in " + pull
		for actor, want := range map[string][]string{
			ben:   {announced + " (and 1 more)", "ANNOUNCED_CHANGE ARRIVED", "TECHNICAL_SCHEMA ADD"},
			cleo:  {announced, "ANNOUNCED_CHANGE ARRIVED"},
			bo:    {announced + ": affects 1 certainly of yours", "ANNOUNCED_CHANGE ARRIVED"},
			group: nil,
		} {
			got := h.feedOf(actor)
			if want == nil { // nobody announces to the group
				if len(got) != 1 || !slices.Contains(got[0], "TECHNICAL_SCHEMA REMOVE") {
					h.T.Errorf("%s: %q", actor, got)
				}
				continue
			}
			if actor == bo { // bo follows the table, and was told of it before
				got = got[:max(0, len(got)-2)]
			}
			if len(got) != 1 || !slices.Equal(got[0], want) {
				h.T.Errorf("%s: %q, want %q", actor, got, want)
			}
		}
	})
}
