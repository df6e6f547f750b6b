package show

import (
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/screen"
)

// CardsByURN has the cards of entities by their URNs.
type CardsByURN map[string]Card

// NameOf returns the name of an entity. Without a card, it is the name in the URN.
func (cards CardsByURN) NameOf(urn string) string {
	if c, ok := cards[urn]; ok {
		return screen.Line(c.Name)
	}
	return screen.Line(LeafOf(urn))
}

// NamesOf returns the names of several entities. If two have the same name, it adds the
// name in the URN.
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

// Owners returns the names of the owners in the aspect ownership, each with its kinds of
// ownership.
func (cards CardsByURN) Owners(ownership jsontree.Object) []string {
	var order []string
	kinds := map[string][]string{} // by the owner's URN
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
