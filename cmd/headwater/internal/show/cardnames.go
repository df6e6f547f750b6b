package show

import (
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/screen"
)

// CardsByURN are the cards of the entities that something mentions.
type CardsByURN map[string]Card

// NameOf names an entity, one without a card by its URN.
func (cards CardsByURN) NameOf(urn string) string {
	if c, ok := cards[urn]; ok {
		return screen.Line(c.Name)
	}
	return screen.Line(LeafOf(urn))
}

// NamesOf names different things. Of those with the same name, it adds what is in the URN.
func (cards CardsByURN) NamesOf(urns []string) []string {
	times := map[string]int{}
	for _, urn := range urns {
		times[cards.NameOf(urn)]++
	}
	names := make([]string, len(urns))
	for i, urn := range urns {
		names[i] = cards.NameOf(urn)
		if leaf := screen.Line(LeafOf(urn)); times[names[i]] > 1 && leaf != names[i] {
			names[i] += " [" + leaf + "]"
		}
	}
	return names
}

// Owners names the owners that the aspect ownership states, each with the kinds of its ownership.
func (cards CardsByURN) Owners(ownership jsontree.Object) []string {
	var order []string
	kinds := map[string][]string{} // by URN
	for _, item := range jsontree.Items(ownership, "owners") {
		kind := strings.ToLower(strings.ReplaceAll(strings.TrimSuffix(jsontree.Text(item, "type"), "_OWNER"), "_", " "))
		if custom := jsontree.Text(item, "typeUrn"); custom != "" && (kind == "" || kind == "custom") {
			kind = cards.NameOf(custom)
		}
		owner := jsontree.Text(item, "owner")
		if owner == "" {
			continue
		}
		if !slices.Contains(order, owner) {
			order = append(order, owner)
		}
		if kind != "" && kind != "none" && !slices.Contains(kinds[owner], kind) {
			kinds[owner] = append(kinds[owner], kind)
		}
	}
	names := cards.NamesOf(order)
	for i, owner := range order {
		if len(kinds[owner]) > 0 {
			names[i] += " (" + strings.Join(kinds[owner], " and ") + ")"
		}
	}
	return names
}
