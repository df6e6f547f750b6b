package main

import (
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/screen"
)

// cardsByURN are the cards of the entities that something mentions.
type cardsByURN map[string]card

// nameOf names an entity, one without a card by its URN.
func (cards cardsByURN) nameOf(urn string) string {
	if c, ok := cards[urn]; ok {
		return screen.Line(c.Name)
	}
	return screen.Line(leafOf(urn))
}

// namesOf names different things. Of those with the same name, it adds what is in the URN.
func (cards cardsByURN) namesOf(urns []string) []string {
	times := map[string]int{}
	for _, urn := range urns {
		times[cards.nameOf(urn)]++
	}
	names := make([]string, len(urns))
	for i, urn := range urns {
		names[i] = cards.nameOf(urn)
		if leaf := screen.Line(leafOf(urn)); times[names[i]] > 1 && leaf != names[i] {
			names[i] += " [" + leaf + "]"
		}
	}
	return names
}

// owners names the owners that the aspect ownership states, each with the kinds of its ownership.
func (cards cardsByURN) owners(ownership jsontree.Object) []string {
	var order []string
	kinds := map[string][]string{} // by URN
	for _, item := range jsontree.Items(ownership, "owners") {
		kind := strings.ToLower(strings.ReplaceAll(strings.TrimSuffix(jsontree.Text(item, "type"), "_OWNER"), "_", " "))
		if custom := jsontree.Text(item, "typeUrn"); custom != "" && (kind == "" || kind == "custom") {
			kind = cards.nameOf(custom)
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
	names := cards.namesOf(order)
	for i, owner := range order {
		if len(kinds[owner]) > 0 {
			names[i] += " (" + strings.Join(kinds[owner], " and ") + ")"
		}
	}
	return names
}
